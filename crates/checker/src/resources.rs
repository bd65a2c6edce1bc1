//! Resources of the snapshot with their JSON, and what their absence says.

use std::sync::Arc;

use pullproof_snapshot::question::Missing;
use pullproof_snapshot::{Absence, ArmId, ResourceIx, hole};
use serde_json::Value;

use crate::json::Node;
use crate::missing;
use crate::plain::Plain;

/// A resource, or a child that stands in its parent's list, with its JSON.
#[derive(Clone)]
pub(crate) struct Resource {
    /// The resource itself; of an inline child its parent.
    pub ix: ResourceIx,
    pub id: ArmId,
    pub json: Arc<Value>,
}

impl Resource {
    pub(crate) fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    /// The children in one collection, inline and standalone merged.
    pub(crate) fn children(&self, plain: &Plain, collection: &'static str) -> Vec<Resource> {
        plain
            .layered
            .children(self.ix, &self.json, collection)
            .into_iter()
            .map(|child| Resource {
                ix: child.place.resource,
                id: child.id,
                json: Arc::new(with_properties(child.json.into_owned())),
            })
            .collect()
    }
}

/// The resource with this id.
pub(crate) fn find(plain: &Plain, id: &str) -> Option<Resource> {
    plain.layered.find(id).map(|ix| at(plain, ix))
}

/// The resource with this number.
pub(crate) fn at(plain: &Plain, ix: ResourceIx) -> Resource {
    let json = plain.json(ix);
    let json =
        if json.get("properties").is_some() { json } else { Arc::new(with_properties((*json).clone())) };
    Resource { ix, id: plain.layered.id(ix).clone(), json }
}

/// A resource that was read without its `properties` (a projected row, CONTRACT §1) has unknown ones.
fn with_properties(mut json: Value) -> Value {
    if let Some(object) = json.as_object_mut()
        && !object.contains_key("properties")
    {
        object.insert(
            "properties".into(),
            hole::make("properties", "the resource was read without its properties"),
        );
    }
    json
}

/// All resources of a type, in order of id.
pub(crate) fn all(plain: &Plain, resource_type: &str) -> Vec<Resource> {
    plain.layered.of_type(resource_type).into_iter().map(|ix| at(plain, ix)).collect()
}

/// `Err` unless the absence of a resource of this type from `scope` is evidence that there is none (CONTRACT §1); under
/// `--strict` assumed completeness is none.
pub(crate) fn absent_for_sure(plain: &Plain, scope: &str, resource_type: &str) -> Result<(), Missing> {
    match plain.layered.absence(scope, resource_type) {
        Absence::Evidence { assumption: Some(name) } if plain.strict => Err(missing::unread(
            &format!("{resource_type} in {scope}"),
            format!("complete only under the assumption {name}"),
        )),
        Absence::Evidence { .. } => {
            unread_beside(plain, &ArmId::new(scope), resource_type).map_or(Ok(()), Err)
        }
        Absence::NoEvidence(why) => Err(missing::unread(&format!("{resource_type} in {scope}"), why)),
    }
}

/// A resource of the type that could not be read, anywhere in the scope's subscription: what belongs to the scope need
/// not lie below it. Children of the scope do, and only those count there.
pub(crate) fn unread_beside(plain: &Plain, scope: &ArmId, resource_type: &str) -> Option<Missing> {
    let wanted = resource_type.to_ascii_lowercase();
    let is_child = scope.resource_type().is_some_and(|own| wanted.starts_with(&format!("{own}/")));
    let root = match scope.subscription() {
        Some(subscription) if !is_child => format!("/subscriptions/{subscription}"),
        _ => scope.folded().to_owned(),
    };
    plain.layered.gaps().iter().find_map(|gap| {
        let at = ArmId::new(gap.resource.as_deref().or(gap.scope.as_deref())?);
        let here = at.is_within(&root) || ArmId::new(&root).is_within(at.folded());
        let named = gap.types.iter().any(|kind| kind == "*" || kind.eq_ignore_ascii_case(&wanted));
        // No type is named: that of the resource, or every type of the scope.
        let all =
            gap.types.is_empty() && (gap.resource.is_none() || at.resource_type().as_ref() == Some(&wanted));
        let of_type = named || all;
        (here && of_type)
            .then(|| missing::unread(at.as_written(), format!("{resource_type} could not be read there")))
    })
}
