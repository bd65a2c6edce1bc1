//! The questions of `pullproof query` (CONTRACT §4), answered by the prover.
//!
//! What lives here: from names to objects, and from answers over sets to one line. What may not: semantics.
//!
//! Read in this order: [`names`], [`next_hop`], [`path`].

mod names;
mod next_hop;
mod path;

use pullproof_snapshot::question::{Answer, Question};

use crate::prover::Prover;

impl Prover<'_> {
    /// One question; a question that cannot be answered gets an error that says what in it cannot be used.
    pub fn answer(&self, question: &Question) -> Answer {
        let answered = match question {
            Question::NextHop { from, destination } => {
                self.next_hop_answer(from, destination).map(Answer::NextHop)
            }
            Question::EffectiveRoutes { from } => {
                self.effective_routes_answer(from).map(Answer::EffectiveRoutes)
            }
            Question::Filter { at, direction, packet } => {
                self.filter_answer(at, *direction, packet).map(Answer::Decision)
            }
            Question::Firewall { firewall, packet, host } => {
                self.firewall_answer(firewall, packet, host.as_deref()).map(Answer::Decision)
            }
            Question::Admission { registry, from, address } => {
                self.admission_answer(registry, *from, address.as_deref()).map(Answer::Decision)
            }
            Question::Lookup { subnet, vnet, name, record } => {
                self.lookup_answer(subnet.as_deref(), vnet.as_deref(), name, record).map(Answer::Lookup)
            }
            Question::Endpoints { registry, cluster, image_host } => self
                .endpoints_answer(registry, cluster.as_deref(), image_host.as_deref())
                .map(Answer::Endpoints),
            Question::Path { from, to, port, protocol } => {
                self.path_answer(from, to, *port, protocol).map(Answer::Path)
            }
        };
        answered.unwrap_or_else(Answer::error)
    }
}
