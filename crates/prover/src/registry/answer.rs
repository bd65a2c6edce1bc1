//! `query`'s `endpoints` (CONTRACT §4).

use pullproof_network::model::index::RegistryIx;
use pullproof_network::model::object::Kind;
use pullproof_snapshot::declared::resolve;
use pullproof_snapshot::question::{EndpointRow, EndpointsAnswer};

use crate::prover::Prover;
use crate::registry_answer::RegistryKey;

impl Prover<'_> {
    /// The registry of this ARM id, declared name, or unambiguous resource name; the error says why there is none.
    pub fn registry_named(&self, name: &str) -> Result<RegistryKey, String> {
        let network = self.network;
        if let Some(i) = network.declared.registries.iter().position(|r| r.name == name) {
            return Ok(RegistryKey::Declared(i));
        }
        let resource = resolve(&network.layered, name, &["Microsoft.ContainerRegistry/registries"])
            .map_err(|e| e.to_string())?;
        let object = network.object(resource).and_then(RegistryIx::of);
        object.map(RegistryKey::Acr).ok_or_else(|| format!("`{name}` was not read as a registry"))
    }

    /// The error says what in the question cannot be used.
    pub fn endpoints_answer(
        &self,
        registry: &str,
        cluster: Option<&str>,
        image_host: Option<&str>,
    ) -> Result<EndpointsAnswer, String> {
        let key = self.registry_named(registry)?;
        if let Some(cluster) = cluster {
            resolve(&self.network.layered, cluster, &["Microsoft.ContainerService/managedClusters"])
                .map_err(|e| e.to_string())?;
        }
        let set = self.endpoints(key, None, image_host);
        let mut answer = EndpointsAnswer::default();
        for endpoint in &set.endpoints {
            if endpoint.wildcard {
                answer.wildcards.push(endpoint.host.clone());
            } else {
                answer.endpoints.push(EndpointRow {
                    host: endpoint.host.clone(),
                    port: endpoint.port,
                    roles: endpoint.roles.clone(),
                    reach: endpoint.reach,
                });
            }
        }
        answer.missing = set.complete.missing().into_iter().cloned().collect();
        Ok(answer)
    }
}
