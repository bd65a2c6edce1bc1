//! What the worlds of all test binaries share: resources of one subscription, read as a network.

use std::sync::Arc;

use pullproof_network::Network;
use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Declared, Evidence, Layered, TagList};
use serde_json::Value;

pub const GROUP: &str = "/subscriptions/s1/resourceGroups/contoso/providers";

pub fn net(kind: &str, name: &str) -> String {
    format!("{GROUP}/Microsoft.Network/{kind}/{name}")
}

/// What was read.
#[derive(Clone, Default)]
pub struct Estate {
    pub resources: Vec<Value>,
    pub tags: Vec<(&'static str, Vec<&'static str>)>,
    pub evidence: Vec<Evidence>,
    /// Nothing counts as completely read.
    pub partial: bool,
}

impl Estate {
    pub fn read(self, declared: Declared) -> Network {
        let mut builder = Builder::default();
        for json in self.resources {
            let id = ArmId::new(json["id"].as_str().unwrap());
            let kind = id.resource_type().unwrap();
            builder.resource(id, &kind, None, json);
        }
        if !self.partial {
            builder.complete.state("/subscriptions/s1", "*", true);
        }
        builder.evidence = self.evidence;
        if !self.tags.is_empty() {
            let own = |prefixes: Vec<&str>| prefixes.into_iter().map(str::to_owned).collect();
            builder.tag_lists.push(TagList {
                file: "ServiceTags_Public.json".into(),
                cloud: "Public".into(),
                change_number: "1".into(),
                tags: self.tags.into_iter().map(|(name, p)| (name.to_owned(), own(p))).collect(),
            });
        }
        Network::read(Layered::new(Arc::new(builder.finish())), declared)
    }
}
