//! The question: does a node accept the certificate that it is shown.

use pullproof_network::model::index::{ClusterIx, PoolIx};
use pullproof_snapshot::At;

use super::presented::{Issuer, Presented, covers};
use super::trusted::{Trusted, private};
use crate::blocker::BlockerKind;
use crate::missing::not_modelled;
use crate::outcome::{Basis, Blocker, Outcome};
use crate::path::Interceptor;
use crate::prover::Prover;
use crate::registry_answer::{Endpoint, RegistryKey, TrustAnswer};

impl Prover<'_> {
    /// Does a node of the pool accept the certificate that it will be shown for the endpoint's host? `interceptors`:
    /// what stands on the path and may present its own; `straight`: some way has nothing of the kind, so that the
    /// registry's own certificate is shown too. Holds exactly when every certificate that may be shown is for
    /// this name and of an authority that the node trusts by supported configuration.
    pub fn trust(
        &self,
        cluster: ClusterIx,
        pool: PoolIx,
        registry: RegistryKey,
        endpoint: &Endpoint,
        interceptors: &[Interceptor],
        straight: bool,
    ) -> TrustAnswer {
        let mut answer = TrustAnswer {
            outcome: Outcome::Holds,
            presented_by: endpoint.host.clone(),
            issuer: String::new(),
            names: Vec::new(),
            basis: Basis::default(),
        };
        if let Some(missing) = self.proxied(cluster, &endpoint.host) {
            answer.outcome = Outcome::open(missing);
            return answer;
        }
        let mut shown: Vec<Presented> =
            interceptors.iter().filter_map(|i| self.presented_on_the_way(i, &endpoint.host)).collect();
        // Interceptors that present nothing of their own pass the registry's certificate on.
        let intercepted = shown.len();
        if straight || intercepted < interceptors.len() || shown.is_empty() {
            match self.presented_by_registry(registry, endpoint) {
                Ok(presented) => shown.push(presented),
                Err(missing) => answer.outcome = Outcome::open(missing),
            }
        }
        for (i, presented) in shown.iter().enumerate() {
            let mut outcome = self.accepts(cluster, pool, endpoint, presented);
            if i >= intercepted && intercepted > 0 && !outcome.holds() {
                outcome = Outcome::open(not_modelled(
                    format!("which certificate nodes are shown for {}", endpoint.host),
                    "some ways lead through a device that presents its own, others show the registry's, and nodes do not trust both",
                ));
            }
            // The first one that fails is the one to show.
            if i == 0 || (answer.outcome.holds() && !outcome.holds()) {
                answer.presented_by.clone_from(&presented.by);
                answer.issuer = presented.issuer.as_ref().map_or("", Issuer::show).to_owned();
                answer.names.clone_from(&presented.names);
            }
            answer.outcome = answer.outcome.and(outcome);
            if let Some(assumption) = &presented.assumption {
                answer.basis.assume(assumption.clone());
            }
        }
        answer
    }

    fn accepts(
        &self,
        cluster: ClusterIx,
        pool: PoolIx,
        endpoint: &Endpoint,
        presented: &Presented,
    ) -> Outcome {
        let host = &endpoint.host;
        let at: Vec<At> =
            presented.firewall.map(|ix| self.network.firewalls[ix].place.at("/name")).into_iter().collect();
        let named = if covers(&presented.names, host) {
            Outcome::Holds
        } else {
            Outcome::fails(Blocker {
                kind: BlockerKind::NameMismatch,
                message: format!(
                    "{} presents a certificate for {}, not for {host}",
                    presented.by,
                    presented.names.join(", ")
                ),
                remedy: "let images name a host that the certificate covers".into(),
                facts: vec!["A351", "D64"],
                evidence: at.clone(),
            })
        };
        let name = match &presented.issuer {
            Some(Issuer::Public) => return named,
            Some(Issuer::Private(name)) => Some(name.as_str()),
            None => None,
        };
        let trusted = match private(self.network, cluster, pool, name) {
            Trusted::Yes => Outcome::Holds,
            Trusted::Unknown(missing) => Outcome::open(missing),
            Trusted::No(others, stands) => {
                let shown = name.map_or_else(|| "an authority of its own".to_owned(), |n| format!("`{n}`"));
                let list = if others.is_empty() {
                    "none is configured".to_owned()
                } else {
                    format!("trusted: {}", others.join(", "))
                };
                let kind = if presented.intercepted {
                    BlockerKind::Intercepted
                } else {
                    BlockerKind::UntrustedIssuer
                };
                Outcome::fails(Blocker {
                    kind,
                    message: format!(
                        "{} presents a certificate of {shown} for {host}, which nodes of {} do not trust ({list})",
                        presented.by,
                        self.network.clusters[cluster].id.name()
                    ),
                    remedy: "add the authority to the cluster's custom CA trust (securityProfile.customCATrustCertificates)".into(),
                    facts: ["A188"].into_iter().chain(presented.facts.iter().copied()).collect(),
                    evidence: std::iter::once(stands).chain(at).collect(),
                })
            }
        };
        named.and(trusted)
    }
}
