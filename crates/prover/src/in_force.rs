//! Whether what a resource says is in force already (DESIGN V12).

use pullproof_network::Val;
use pullproof_network::model::word::ProvisioningState;
use pullproof_snapshot::{ArmId, Place};

use crate::outcome::{Basis, Remark};

/// What a deciding resource's provisioning state adds to an answer: an assumption while Azure still works on it, a
/// remark after a failure. Absent counts as done: child objects and plans do not show it.
pub(crate) fn in_force(state: &Val<Option<ProvisioningState>>, id: &ArmId, place: &Place, basis: &mut Basis) {
    match state {
        Val::Known(None | Some(ProvisioningState::Succeeded)) => {}
        Val::Known(Some(ProvisioningState::Failed | ProvisioningState::Canceled)) => {
            basis.remarks.insert(Remark {
                kind: "provisioning-failed",
                message: format!(
                    "{}: the last change to it failed; what it shows may not be in force",
                    id.name()
                ),
                facts: Vec::new(),
                evidence: vec![place.at("/properties/provisioningState")],
            });
        }
        Val::Known(Some(_)) | Val::Sym(_) => basis.assume(format!("in-force:{}", id.name())),
    }
}
