//! Network security groups, security admin rules and their tags: may a packet pass this point (F1–F112, F170–F179).
//!
//! What lives here: rule evaluation over sets of sources and source ports, for one destination, protocol and port.
//! What may not: routes (a filter's verdict and the routing are independent conditions, F9), and what a service
//! behind the point admits (`admission/`).
//!
//! Read in this order: [`point`] (where is filtered), [`pass`] (the question), [`level`] (which groups), [`rule`] and
//! [`compile`] (rules in their order), [`scan`] (rules against a flow), [`terms`] with [`virtual_network`] and
//! [`asg`] (what words mean), [`admin`].

mod admin;
mod admin_scope;
mod answer;
mod asg;
mod compile;
mod default_rules;
mod learned;
mod level;
pub mod pass;
pub mod point;
mod rule;
mod scan;
mod terms;
mod virtual_network;

pub(crate) use admin::AdminRules;
pub(crate) use answer::{one, transport};
pub(crate) use asg::Members;
pub use point::{FilterPoint, Holder};
pub(crate) use rule::RuleSet;
pub(crate) use virtual_network::VirtualNetwork;
