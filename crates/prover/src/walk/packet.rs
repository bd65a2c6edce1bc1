//! One part of the question on its way: which packets, how far they came, and what was found so far.

use pullproof_network::model::index::{PeeringIx, SubnetIx};
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::At;

use crate::context::SourceContext;
use crate::device::{Passed, Place};
use crate::missing::depends_on;
use crate::outcome::{Basis, Blocker, Missing, Outcome};
use crate::path::{Branch, Choice, Delivery, Step, StepDecision, StepKind, Target};

/// The ports that a device takes for flows that it translates.
const TRANSLATED_PORTS: (u16, u16) = (1024, u16::MAX);

/// A part of the question in which every packet fared alike so far.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub branch: Branch,
    pub to: Target,
    pub port: u16,
    /// Never empty; the last one is under way.
    pub legs: Vec<Leg>,
    /// Where it is routed from.
    pub place: Place,
    /// The link that it crossed last, if it did since the last device.
    pub over: Option<PeeringIx>,
    /// Where it was routed before, for loops (R175).
    pub been: Vec<(Place, Target)>,
}

/// The way between two changes of the source address: replies come back to that address (R164).
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    pub source: Source,
    /// Where the source is.
    pub home: Place,
    /// The device that the source belongs to; `None`: the asker.
    pub by: Option<Passed>,
    /// Stateful devices that left the source alone, in the packet's order.
    pub devices: Vec<Passed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Asker,
    /// Any of these.
    Device(Addresses),
}

impl Packet {
    pub fn new(from: &SourceContext, to: &Target, port: u16) -> Self {
        Self {
            branch: Branch {
                sources: from.sources.clone(),
                sports: from.sports.clone(),
                choices: Vec::new(),
                forward: Outcome::Holds,
                back: Outcome::Holds,
                filters: Outcome::Holds,
                behind: Vec::new(),
                delivery: Delivery::Nowhere,
                seen_as: None,
                other_ends: Vec::new(),
                interceptors: Vec::new(),
                proxied_by: None,
                ends_at: Some(to.clone()),
                forward_steps: Vec::new(),
                back_steps: Vec::new(),
                basis: Basis::default(),
            },
            to: to.clone(),
            port,
            legs: vec![Leg {
                source: Source::Asker,
                home: Place::Subnet(from.subnet),
                by: None,
                devices: Vec::new(),
            }],
            place: Place::Subnet(from.subnet),
            over: None,
            been: Vec::new(),
        }
    }

    pub fn leg(&self) -> Option<&Leg> {
        self.legs.last()
    }

    /// The asker's own addresses are still in the packet.
    pub fn is_askers(&self) -> bool {
        self.leg().is_none_or(|leg| leg.source == Source::Asker)
    }

    /// The addresses that the packet may come from now.
    pub fn sources(&self) -> Addresses {
        match self.leg().map(|leg| &leg.source) {
            Some(Source::Device(addresses)) => addresses.clone(),
            Some(Source::Asker) | None => self.branch.sources.clone(),
        }
    }

    pub fn sports(&self) -> Ports {
        if self.is_askers() {
            self.branch.sports.clone()
        } else {
            Ports::range(TRANSLATED_PORTS.0, TRANSLATED_PORTS.1)
        }
    }

    /// A device without translation forwarded it since the source was set.
    pub fn was_forwarded(&self) -> bool {
        self.leg().is_some_and(|leg| !leg.devices.is_empty())
    }

    /// It would not get here: what is found now is found by going on as if the failure were lifted.
    pub fn is_hypothetical(&self) -> bool {
        matches!(self.branch.forward, Outcome::Fails(..))
    }

    /// The source is a public address already: no private network carries it.
    pub fn leaves_azure(&self) -> bool {
        self.leg().is_some_and(|leg| matches!(&leg.source, Source::Device(a) if a.is_empty()))
    }

    pub fn pass(&mut self, device: Passed) {
        if let Some(leg) = self.legs.last_mut() {
            leg.devices.push(device);
        }
        self.over = None;
    }

    /// The device puts an address of its own in the source's place.
    pub fn translate(&mut self, device: Passed, to: Addresses, home: Place) {
        self.legs.push(Leg { source: Source::Device(to), home, by: Some(device), devices: Vec::new() });
        self.over = None;
    }

    pub fn choose(&mut self, what: &str, value: impl Into<String>) {
        self.branch.choices.push(Choice { what: what.into(), value: value.into() });
    }

    /// What a filter says: the first denial is actual, later ones are behind it (V11).
    pub fn filtered(&mut self, outcome: Outcome) {
        let denied = matches!(self.branch.filters, Outcome::Fails(..));
        match outcome {
            Outcome::Fails(first, rest) if self.is_hypothetical() || denied => {
                for blocker in std::iter::once(first).chain(rest) {
                    self.behind(blocker);
                }
            }
            Outcome::Open(..) if self.is_hypothetical() => {}
            outcome => {
                let before = std::mem::replace(&mut self.branch.filters, Outcome::Holds);
                self.branch.filters = before.and(outcome);
            }
        }
    }

    pub fn behind(&mut self, blocker: Blocker) {
        if !self.branch.behind.contains(&blocker) {
            self.branch.behind.push(blocker);
        }
    }

    pub fn forward(&mut self, outcome: Outcome) {
        if self.is_hypothetical() {
            return;
        }
        let before = std::mem::replace(&mut self.branch.forward, Outcome::Holds);
        self.branch.forward = before.and(outcome);
    }

    pub fn back(&mut self, outcome: Outcome) {
        let before = std::mem::replace(&mut self.branch.back, Outcome::Holds);
        self.branch.back = before.and(outcome);
    }

    /// The way from here on is not known: nothing more can be said.
    pub fn lost(mut self, missing: Missing) -> Branch {
        let what = missing.what.clone();
        self.forward(Outcome::open(missing));
        self.back(Outcome::open(depends_on(format!("the reply's way: {what}"))));
        if self.branch.filters.holds() && !self.is_hypothetical() {
            self.branch.filters = Outcome::open(depends_on(format!("the filters from here on: {what}")));
        }
        if !self.is_hypothetical() {
            self.branch.ends_at = None;
        }
        self.branch
    }

    pub fn step(
        &mut self,
        kind: StepKind,
        device: impl Into<String>,
        decision: StepDecision,
        text: impl Into<String>,
        by: Vec<At>,
        facts: &[&'static str],
    ) {
        self.branch.forward_steps.push(step(kind, device, decision, text, by, facts));
    }
}

pub(crate) fn step(
    kind: StepKind,
    device: impl Into<String>,
    decision: StepDecision,
    text: impl Into<String>,
    by: Vec<At>,
    facts: &[&'static str],
) -> Step {
    let deciding = !by.is_empty();
    Step { kind, device: device.into(), decision, text: text.into(), by, facts: facts.to_vec(), deciding }
}

impl Place {
    pub fn subnet(self) -> Option<SubnetIx> {
        match self {
            Self::Subnet(subnet) => Some(subnet),
            Self::Hub(_) => None,
        }
    }
}
