//! Is a private endpoint's connection approved (R88, F95)?

use pullproof_snapshot::ArmId;

use crate::json::{Node, is};
use crate::missing;
use crate::plain::Plain;
use crate::tri::Tri;

/// Only Approved connections carry traffic; an endpoint with several needs one.
pub fn approved(plain: &Plain, endpoint: &ArmId) -> Tri {
    let (_, json) = match plain.read(endpoint) {
        Ok(found) => found,
        Err(missing) => return Tri::unknown(missing),
    };
    let node = Node::new(&json, endpoint);
    let mut answer = Tri::No;
    let mut any = false;
    for field in ["privateLinkServiceConnections", "manualPrivateLinkServiceConnections"] {
        let list = node.list(&format!("/properties/{field}"));
        for missing in list.open {
            answer = answer.or(Tri::unknown(missing));
        }
        for connection in list.known {
            any = true;
            let state = Node::new(connection, endpoint)
                .text("/properties/privateLinkServiceConnectionState/status")
                .known();
            answer = answer.or(match state {
                Ok(Some(s)) => is(s, "Approved").into(),
                Ok(None) => Tri::unknown(missing::evidence(
                    format!("the state of the private endpoint {}", endpoint.name()),
                    "its connection names none (R88)",
                )),
                Err(missing) => Tri::unknown(missing),
            });
        }
    }
    if any {
        return answer;
    }
    Tri::unknown(missing::evidence(
        format!("the state of the private endpoint {}", endpoint.name()),
        "it has no connection (R88)",
    ))
}
