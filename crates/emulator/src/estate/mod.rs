//! What is served: the snapshot, in the forms in which ARM returns it.
//!
//! What lives here: bodies, children in and out of their parents, what contains what, and what the snapshot is evidence
//! of. What may not: paths, queries, pages, HTTP.
//!
//! Bodies are made when they are asked for: an estate of thousands of networks is served out of the text that was
//! read.
//!
//! Read in this order: this file, [`inline`], [`containers`], [`known`].

pub(crate) mod containers;
mod inline;
mod known;

pub(crate) use known::{Known, Refusal};

use containers::Containers;
use pullproof_snapshot::{ArmId, Layered, ResourceIx};
use serde_json::{Value, json};

/// A snapshot, ready to be served.
pub(crate) struct Estate {
    layered: Layered,
    containers: Containers,
}

/// One thing that can be served.
#[derive(Clone)]
pub(crate) enum Item {
    Resource(ResourceIx),
    Made(ArmId, Value),
}

impl Estate {
    pub fn new(layered: Layered) -> Self {
        let containers = Containers::find(&layered);
        Self { layered, containers }
    }

    pub fn layered(&self) -> &Layered {
        &self.layered
    }

    pub fn id<'a>(&'a self, item: &'a Item) -> &'a ArmId {
        match item {
            Item::Resource(ix) => self.layered.id(*ix),
            Item::Made(id, _) => id,
        }
    }

    /// The JSON text of an item, in the form of ARM's GET.
    pub fn text(&self, item: &Item) -> Vec<u8> {
        match item {
            Item::Made(_, json) => json.to_string().into_bytes(),
            Item::Resource(ix) => {
                let collections: Vec<&str> =
                    inline::of_parent(self.layered.resource_type(*ix)).map(|row| row.collection).collect();
                match self.layered.whole_text(*ix, &collections) {
                    Some(text) => text.trim_ascii().to_vec(),
                    None => self.folded(*ix).to_string().into_bytes(),
                }
            }
        }
    }

    /// The JSON of an item, in the form of ARM's GET.
    pub fn json(&self, item: &Item) -> Value {
        match item {
            Item::Made(_, json) => json.clone(),
            Item::Resource(ix) => self.folded(*ix),
        }
    }

    /// The resource of this id, also where it stands only inside its parent.
    pub fn find(&self, id: &ArmId) -> Option<Item> {
        if let Some(parent) = id.parent()
            && let Some(parent) = self.layered.find(parent.folded())
            && let Some(collection) = id.folded().rsplit('/').nth(1)
            && let Some(children) = self.unfolded(parent, collection)
        {
            let child = children.into_iter().find(|(child, _)| child == id);
            return child.map(|(id, json)| Item::Made(id, json));
        }
        self.layered.find(id.folded()).map(Item::Resource)
    }

    /// The resources of a folded child type directly below `parent`, in order of id.
    pub fn children(&self, parent: &ArmId, folded_type: &str) -> Vec<Item> {
        let collection = folded_type.rsplit('/').next().unwrap_or_default();
        if let Some(ix) = self.layered.find(parent.folded())
            && let Some(children) = self.unfolded(ix, collection)
        {
            return children.into_iter().map(|(id, json)| Item::Made(id, json)).collect();
        }
        let below = self.within(parent, folded_type);
        below
            .into_iter()
            .filter(|ix| self.layered.id(*ix).parent().as_ref() == Some(parent))
            .map(Item::Resource)
            .collect()
    }

    /// The resources of a folded type within a scope, at any depth, in order of id.
    pub fn within(&self, scope: &ArmId, folded_type: &str) -> Vec<ResourceIx> {
        let all = self.layered.of_type(folded_type);
        let prefix = format!("{}/", scope.folded().trim_end_matches('/'));
        let from = all.partition_point(|ix| self.layered.id(*ix).folded() < prefix.as_str());
        let below = all.get(from..).unwrap_or_default().iter().copied();
        below.take_while(|ix| self.layered.id(*ix).folded().starts_with(&prefix)).collect()
    }

    /// A resource that is there and could not be read: its envelope, without properties.
    pub fn stub(&self, id: ArmId) -> Item {
        let json = json!({
            "id": id.as_written(),
            "name": id.name(),
            "type": id.resource_type().unwrap_or_default(),
        });
        Item::Made(id, json)
    }
}
