//! Public front ends: the addresses behind a public host, as far as they are known (A53, A54, A58, F84).

use pullproof_snapshot::facts::service_tags::{self, HostKind};

use crate::lookup::public::{End, PublicSays};
use crate::path::Target;
use crate::prover::Prover;
use crate::registry_answer::Endpoint;

impl Prover<'_> {
    /// The public front end of a host: the addresses that `[[public_name]]` gives, else one host at an unknown address
    /// of its documented tags. A wildcard host stands for every name, so no table gives its addresses.
    pub fn public_targets(&self, endpoint: &Endpoint) -> Vec<Target> {
        if !endpoint.wildcard
            && let PublicSays::Chain(chain) | PublicSays::Either(chain, _, _) =
                self.public_says(&endpoint.host)
            && let End::Addresses(addresses) = chain.end
        {
            return addresses.into_iter().map(Target::Address).collect();
        }
        let mut tags: Vec<String> = endpoint.tag.iter().cloned().collect();
        // Microsoft's own registry is behind two tags (A54, F80).
        let microsoft =
            service_tags::of_host(HostKind::MicrosoftRegistry).map(|t| t.tags.as_slice()).unwrap_or_default();
        if tags.first().is_some_and(|tag| microsoft.contains(tag)) {
            tags = microsoft.to_vec();
        }
        vec![Target::PublicHost { host: endpoint.host.clone(), tags }]
    }
}
