//! Whether a machine with a NIC is there and running (D103, R43).

use pullproof_network::Val;
use pullproof_network::model::compute::{VmPower, virtual_machine};
use pullproof_network::model::index::{NicIx, Ref};
use pullproof_network::model::nic::nic;
use pullproof_snapshot::At;

use crate::missing::evidence;
use crate::outcome::Missing;
use crate::prover::Prover;

/// The machine behind a NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    /// Running, or not shown to be anything else.
    Up,
    /// Stopped, with where it says so.
    Stopped(At),
    /// The NIC is attached to no machine.
    None(At),
    Unknown(Missing),
}

impl Prover<'_> {
    pub(crate) fn machine(&self, ix: NicIx) -> Machine {
        let nic = &self.network.nics[ix];
        let vm = match &nic.virtual_machine {
            Val::Known(Some(Ref::Here(vm))) => &self.network.virtual_machines[*vm],
            // A machine that was not read: nothing shows that it is stopped.
            Val::Known(Some(Ref::NotRead(_))) => return Machine::Up,
            // A scale set's instances have their NICs below them.
            Val::Known(None) if nic.id.folded().contains("/virtualmachinescalesets/") => return Machine::Up,
            Val::Known(None) => return Machine::None(nic.place.at(nic::VIRTUAL_MACHINE)),
            Val::Sym(symbol) => {
                return Machine::Unknown(
                    self.unknown(*symbol, format!("the machine of network interface {}", nic.id.name())),
                );
            }
        };
        match &vm.power_state {
            Val::Known(None | Some(VmPower::Running | VmPower::Starting)) => Machine::Up,
            Val::Known(Some(VmPower::Other(word))) => Machine::Unknown(evidence(
                format!("the power state of {}", vm.id.name()),
                format!("`{word}` is not a known power state"),
                "collect it again",
            )),
            Val::Known(Some(_)) => Machine::Stopped(vm.place.at(virtual_machine::STATUSES)),
            Val::Sym(symbol) => {
                Machine::Unknown(self.unknown(*symbol, format!("the power state of {}", vm.id.name())))
            }
        }
    }

    /// R92: the tag on the NIC opts the appliance in; key and value as Azure compares them.
    pub(crate) fn returns_endpoint_traffic(&self, ix: NicIx) -> bool {
        self.network.nics[ix].disable_snat_on_pl.present().is_some_and(|v| v.eq_ignore_ascii_case("true"))
    }
}
