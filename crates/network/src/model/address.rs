//! Address terms: what NSG rules, routes and firewall rules write where an address may stand.

use std::net::IpAddr;

use ipnet::IpNet;

/// One written term.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressTerm {
    /// `*` or `Any` (F26).
    Any,
    /// A prefix, masked (F28), or a single address as /32 or /128. `0.0.0.0/0` stays a prefix here.
    Prefix(IpNet),
    /// `a-b`, both included (F126; F28 accepts it in NSGs).
    Range(IpAddr, IpAddr),
    /// Any other word: a service tag, or one of the special words (`VirtualNetwork`, `Internet` …), as written.
    Tag(Box<str>),
}
