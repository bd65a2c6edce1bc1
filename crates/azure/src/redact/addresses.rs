//! Addresses: a bijection that keeps prefixes, their order and their neighbourhood, reserved blocks, and places in
//! subnets.
//!
//! An address is walked from its first bit on through a tree of the prefixes that the snapshot has, and a bit is flipped
//! or not by what stands before it alone. So two addresses share exactly as many leading bits afterwards as before
//! (Crypto-PAn's property): a prefix stays a prefix of the same length, and holds what it held. Bits are flipped only
//!
//! - where nothing that the snapshot has lies on the other side: what it has keeps its order, and moves to where nothing
//!   was;
//! - not where a *fixed* prefix lies below: reserved blocks, and prefixes of service tags, keep what is in them;
//! - not in *whole* prefixes, such as subnets: the fourth address of a subnet stays the fourth (R25), the last the last;
//! - not along the edges of ranges and of neighbours: a range stays a range, neighbours stay neighbours.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use pullproof_snapshot::facts::{internet, public_resolvers};

use super::secret::{Secret, Use};

/// Blocks whose meaning is documented: each keeps its addresses. True: they stay as they are; false: they are mixed
/// within the block.
const BLOCKS: &[(bool, &[&str])] = &[
    // Private, shared, documentation and benchmarking space; what AKS reserves for itself;
    // IPv6: unique local, global unicast, documentation, 6to4, NAT64.
    (
        false,
        &[
            "10.0.0.0/8",
            "100.64.0.0/10",
            "172.16.0.0/12",
            "172.30.0.0/16",
            "172.31.0.0/16",
            "192.168.0.0/16",
            "192.0.2.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "198.18.0.0/15",
            "fc00::/8",
            "fd00::/8",
            "2000::/3",
            "2001:db8::/32",
            "2002::/16",
        ],
    ),
    // This network, loopback, link-local, the platform (R36, F40), multicast and beyond; an address of the API
    // server that AKS documents.
    (
        true,
        &[
            "0.0.0.0/8",
            "127.0.0.0/8",
            "168.63.129.16/32",
            "169.254.0.0/16",
            "172.31.0.100/32",
            "192.0.0.0/24",
            "224.0.0.0/3",
            "::/96",
            "::ffff:0:0/96",
            "64:ff9b::/96",
            "fe80::/10",
            "ff00::/8",
        ],
    ),
];

/// Where host parts stay whole even if no subnet is known: the last byte of private IPv4 addresses, the lower half of
/// IPv6 addresses (Azure's subnets are /64).
const PRIVATE: &[&str] = &["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"];
const HOST_FROM_V4: u8 = 24;
const HOST_FROM_V6: u8 = 64;

/// Bits from the left: of an IPv4 address in the upper quarter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    bits: u128,
    length: u8,
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn width(v4: bool) -> u8 {
    if v4 { 32 } else { 128 }
}

fn block(net: IpNet) -> Block {
    Block { bits: bits(net.network()), length: net.prefix_len() }
}

/// The bit at a depth, counted from the left.
fn bit(bits: u128, depth: u8) -> bool {
    127_u8.checked_sub(depth).is_some_and(|shift| (bits >> shift) & 1 == 1)
}

fn upper(bits: u128, length: u8) -> u128 {
    match length {
        0 => 0,
        length => bits & (u128::MAX << (128_u32.saturating_sub(u32::from(length)))),
    }
}

#[derive(Clone, Default)]
struct Node {
    /// Where something lies below: the number of the node on that side; 0: nothing.
    sides: [u32; 2],
    frozen: bool,
    whole: bool,
}

#[derive(Clone)]
struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn new() -> Self {
        Self { nodes: vec![Node::default()] }
    }

    /// The nodes from the root to a block, which is put in where it is not there.
    fn insert(&mut self, block: Block) -> Vec<u32> {
        let mut path = vec![0_u32];
        let mut at = 0_u32;
        for depth in 0..block.length {
            let side = usize::from(bit(block.bits, depth));
            let next = self.nodes.get(at as usize).and_then(|n| n.sides.get(side).copied()).unwrap_or(0);
            at = if next != 0 {
                next
            } else {
                let new = u32::try_from(self.nodes.len()).unwrap_or(0);
                self.nodes.push(Node::default());
                if let Some(slot) = self.nodes.get_mut(at as usize).and_then(|n| n.sides.get_mut(side)) {
                    *slot = new;
                }
                new
            };
            path.push(at);
        }
        path
    }

    fn mark(&mut self, nodes: &[u32], change: impl Fn(&mut Node)) {
        for at in nodes {
            if let Some(node) = self.nodes.get_mut(*at as usize) {
                change(node);
            }
        }
    }

    /// What lies in the block stays in it.
    fn fix(&mut self, block: Block) {
        let path = self.insert(block);
        if let Some((_, above)) = path.split_last() {
            self.mark(above, |node| node.frozen = true);
        }
    }

    fn keep_whole(&mut self, block: Block) {
        let path = self.insert(block);
        if let Some(last) = path.last() {
            self.mark(&[*last], |node| node.whole = true);
        }
    }

    /// Freezes the way to a block from a depth on.
    fn freeze(&mut self, block: Block, from: u8) {
        let path = self.insert(block);
        if let Some((_, above)) = path.split_last() {
            self.mark(above.get(usize::from(from)..).unwrap_or_default(), |node| node.frozen = true);
        }
    }
}

/// What the snapshot has: collected first, then made into a map.
#[derive(Clone)]
pub(super) struct Seen {
    v4: Tree,
    v6: Tree,
    /// Prefixes and ranges as first and last address; for neighbours.
    spans: BTreeSet<(bool, u128, u128, u8)>,
}

impl Seen {
    pub(super) fn new() -> Self {
        let mut seen = Self { v4: Tree::new(), v6: Tree::new(), spans: BTreeSet::new() };
        for (whole, blocks) in BLOCKS {
            for net in blocks.iter().filter_map(|text| text.parse::<IpNet>().ok()) {
                seen.fix(net);
                if *whole {
                    seen.keep_whole(net);
                }
            }
        }
        // Resolvers that anybody may ask (D106, D115) are found by their addresses.
        for resolver in public_resolvers::all() {
            seen.fix(IpNet::from(*resolver));
            seen.keep_whole(IpNet::from(*resolver));
        }
        let facts = internet::not_public().iter().chain(internet::contested());
        facts.filter_map(|text| text.parse::<IpNet>().ok()).for_each(|net| seen.fix(net));
        seen
    }

    fn tree(&mut self, v4: bool) -> &mut Tree {
        if v4 { &mut self.v4 } else { &mut self.v6 }
    }

    /// The block keeps its addresses: a prefix of a service tag.
    pub(super) fn fix(&mut self, net: IpNet) {
        self.tree(net.addr().is_ipv4()).fix(block(net));
    }

    /// The block moves as one piece: a subnet.
    pub(super) fn keep_whole(&mut self, net: IpNet) {
        self.tree(net.addr().is_ipv4()).keep_whole(block(net));
        self.prefix(net);
    }

    pub(super) fn prefix(&mut self, net: IpNet) {
        let v4 = net.addr().is_ipv4();
        self.tree(v4).insert(block(net));
        if net.prefix_len() < width(v4) {
            self.spans.insert((v4, bits(net.network()), bits(net.broadcast()), net.prefix_len()));
        }
    }

    pub(super) fn address(&mut self, address: IpAddr) {
        let v4 = address.is_ipv4();
        self.tree(v4).insert(Block { bits: bits(address), length: width(v4) });
    }

    /// The range stays one: no bit is flipped on the ways to its ends, from where these part.
    pub(super) fn range(&mut self, first: IpAddr, last: IpAddr) {
        let v4 = first.is_ipv4();
        if v4 == last.is_ipv4() {
            self.edge(v4, (bits(first), width(v4)), (bits(last), width(v4)));
        }
    }

    fn edge(&mut self, v4: bool, left: (u128, u8), right: (u128, u8)) {
        let part = u8::try_from((left.0 ^ right.0).leading_zeros()).unwrap_or(128);
        for (end, length) in [left, right] {
            self.tree(v4).freeze(Block { bits: upper(end, length), length }, part);
        }
    }

    /// The map under a secret.
    pub(super) fn map(mut self, secret: Secret) -> Map {
        let mut starts: BTreeMap<(bool, u128), Vec<(u128, u8)>> = BTreeMap::new();
        for (v4, first, _, length) in &self.spans {
            starts.entry((*v4, *first)).or_default().push((*first, *length));
        }
        for (v4, _, last, length) in std::mem::take(&mut self.spans) {
            let step = 1_u128 << (128 - u32::from(width(v4)));
            let Some(next) = last.checked_add(step) else { continue };
            for after in starts.get(&(v4, next)).into_iter().flatten() {
                self.edge(v4, (last, length), *after);
            }
        }
        Map { v4: self.v4, v6: self.v6, secret }
    }
}

/// The bijection.
pub(super) struct Map {
    v4: Tree,
    v6: Tree,
    secret: Secret,
}

impl Map {
    pub(super) fn address(&self, address: IpAddr) -> IpAddr {
        let v4 = address.is_ipv4();
        let out = self.bits(v4, bits(address));
        if v4 {
            IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(out >> 96).unwrap_or_default()))
        } else {
            IpAddr::V6(Ipv6Addr::from_bits(out))
        }
    }

    fn bits(&self, v4: bool, from: u128) -> u128 {
        let tree = if v4 { &self.v4 } else { &self.v6 };
        let hosts = self.host_from(v4, from);
        let mut out = from;
        let mut at = 0_u32;
        let mut moved = false;
        for depth in 0..width(v4).min(hosts) {
            let Some(node) = tree.nodes.get(at as usize) else { break };
            if node.whole {
                break;
            }
            let other_side_empty = node.sides.contains(&0) && node.sides != [0, 0];
            if other_side_empty && !node.frozen {
                // The first flip always happens: the way leads to where nothing was. The others are secret.
                if !moved || self.flips(v4, upper(from, depth), depth) {
                    out ^= 1_u128 << (127_u32.saturating_sub(u32::from(depth)));
                }
                moved = true;
            }
            at = match node.sides.get(usize::from(bit(from, depth))) {
                Some(0) | None => break,
                Some(next) => *next,
            };
        }
        out
    }

    /// The depth from which on bits are a host's.
    fn host_from(&self, v4: bool, bits: u128) -> u8 {
        let private = |text: &&&str| {
            text.parse::<IpNet>().is_ok_and(|net| {
                let block = block(net);
                upper(bits, block.length) == block.bits
            })
        };
        match v4 {
            true if PRIVATE.iter().find(private).is_some() => HOST_FROM_V4,
            true => 32,
            false => HOST_FROM_V6,
        }
    }

    fn flips(&self, v4: bool, prefix: u128, depth: u8) -> bool {
        let mut text = [0_u8; 18];
        for (to, from) in text.iter_mut().zip([u8::from(v4), depth].into_iter().chain(prefix.to_be_bytes())) {
            *to = from;
        }
        self.secret.bytes(Use::Bit, &text).first().is_some_and(|byte| byte & 1 == 1)
    }
}
