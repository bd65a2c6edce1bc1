//! Whether the kubelet's identity is attached to the nodes of a pool (A301).

use pullproof_snapshot::ArmId;

use crate::json::Node;
use crate::missing;
use crate::plain::{Plain, Pool};
use crate::pools;
use crate::resources::Resource;
use crate::tri::Tri;

const IDENTITIES: &str = "/identity/userAssignedIdentities";

/// No exactly when a scale set of the pool was read without the identity; sets that were not read are as AKS makes
/// them. A service principal is attached to nothing.
pub(super) fn attached(plain: &Plain, cluster: &Resource, pool: Option<&str>) -> Tri {
    let Some(pool) = pool else { return Tri::Yes };
    let kubelet = match cluster.node().text("/properties/identityProfile/kubeletidentity/resourceId").known()
    {
        Ok(Some(id)) => ArmId::new(id),
        Ok(None) => return Tri::Yes,
        Err(missing) => return Tri::unknown(missing),
    };
    let pool = Pool { cluster: cluster.id.clone(), name: pool.to_owned() };
    let sets = match pools::scale_sets(plain, &pool) {
        Ok(sets) => sets,
        Err(missing) => return Tri::unknown(missing),
    };
    let mut answer = Tri::Yes;
    for (id, json) in sets {
        let listed = Node::new(&json, &id).at(IDENTITIES).known();
        answer = answer.and(match listed.map(|value| value.map(serde_json::Value::as_object)) {
            Ok(Some(Some(list))) => list.keys().any(|key| ArmId::new(key) == kubelet).into(),
            Ok(Some(None)) => Tri::unknown(missing::malformed(&id, IDENTITIES)),
            // Rows without `properties` are cut down; others lack `identity` where there is none.
            Ok(None) => (json.get("identity").is_none() && json.get("properties").is_none()).into(),
            Err(missing) => Tri::unknown(missing),
        });
    }
    answer
}
