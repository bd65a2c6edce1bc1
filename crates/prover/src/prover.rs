//! The prover: a network, and the answers found so far.

use std::sync::OnceLock;

use pullproof_network::Network;
use pullproof_network::model::index::{AsgIx, FirewallIx, NsgIx, Ref, SubnetIx, VnetIx};

use crate::filter::{AdminRules, Members, RuleSet, VirtualNetwork};
use crate::firewall::Ordered;
use crate::memo::Answers;
use crate::path::PathAnswer;
use crate::routes::EffectiveRoutes;
use crate::routes::recorded::Recorded;
use crate::walk::PathKey;

/// Answers questions about one network. Shared between threads; answers are memoised behind locks.
pub struct Prover<'n> {
    pub network: &'n Network,
    pub(crate) names: crate::lookup::memo::Memo,
    pub(crate) routes: Answers<SubnetIx, EffectiveRoutes>,
    pub(crate) recorded: OnceLock<Recorded>,
    pub(crate) paths: Answers<PathKey, PathAnswer>,
    /// Outbound: true.
    pub(crate) rule_sets: Answers<(NsgIx, bool), RuleSet>,
    pub(crate) virtual_networks: Answers<(SubnetIx, bool), VirtualNetwork>,
    pub(crate) asg_members: Answers<Ref<AsgIx>, Members>,
    pub(crate) admin_rules: Answers<VnetIx, AdminRules>,
    pub(crate) firewall_rules: Answers<FirewallIx, Ordered>,
}

/// Paths belong to one node pool, as good as all of them; compiled NSGs to the pools of a subnet.
const PATHS: usize = 2_000;
const RULE_SETS: usize = 200;

impl<'n> Prover<'n> {
    pub fn new(network: &'n Network) -> Self {
        Self {
            network,
            names: crate::lookup::memo::Memo::default(),
            routes: Answers::default(),
            recorded: OnceLock::new(),
            paths: Answers::up_to(PATHS),
            rule_sets: Answers::up_to(RULE_SETS),
            virtual_networks: Answers::default(),
            asg_members: Answers::default(),
            admin_rules: Answers::default(),
            firewall_rules: Answers::default(),
        }
    }
}
