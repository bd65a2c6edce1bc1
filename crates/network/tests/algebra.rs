//! The algebra against brute force over small universes.

use std::collections::BTreeSet;

use ipnet::IpNet;
use proptest::prelude::*;
use pullproof_network::set::{Addresses, Flow, Ports, Protocols, Ranges, assignable};

type Bits = BTreeSet<u8>;

fn ranges() -> impl Strategy<Value = (Ranges<u8>, Bits)> {
    // Close to the ends on purpose: that is where arithmetic goes wrong.
    let point = prop_oneof![any::<u8>(), 0_u8..4, 252_u8..=255];
    prop::collection::vec((point.clone(), point), 0..7).prop_map(|pairs| {
        let bits = pairs.iter().flat_map(|(from, to)| *from..=*to).collect();
        (Ranges::of(pairs), bits)
    })
}

fn bits(ranges: &Ranges<u8>) -> Bits {
    ranges.iter().flat_map(|(from, to)| from..=to).collect()
}

/// Sorted, apart, none empty: what makes equality of sets equality of values.
fn is_canonical(ranges: &Ranges<u8>) -> bool {
    let all: Vec<(u8, u8)> = ranges.iter().collect();
    all.iter().all(|(from, to)| from <= to)
        && all.windows(2).all(|pair| matches!(pair, [a, b] if u16::from(a.1) + 1 < u16::from(b.0)))
}

proptest! {
    #[test]
    fn ranges_are_sets((a, a_bits) in ranges(), (b, b_bits) in ranges(), point: u8) {
        let everything: Bits = (0..=255).collect();
        let cases = [
            (a.clone(), a_bits.clone()),
            (a.union(&b), &a_bits | &b_bits),
            (a.intersect(&b), &a_bits & &b_bits),
            (a.subtract(&b), &a_bits - &b_bits),
            (a.complement(), &everything - &a_bits),
        ];
        for (set, expected) in cases {
            prop_assert!(is_canonical(&set), "{:?}", set);
            prop_assert_eq!(bits(&set), expected);
        }
        prop_assert_eq!(a.contains(point), a_bits.contains(&point));
        prop_assert_eq!(a.is_subset(&b), a_bits.is_subset(&b_bits));
        prop_assert_eq!(a.overlaps(&b), !a_bits.is_disjoint(&b_bits));
        prop_assert_eq!(a.len(), a_bits.len() as u128);
        prop_assert_eq!(a.first(), a_bits.first().copied());
        prop_assert_eq!(a.last(), a_bits.last().copied());
        prop_assert_eq!(a.is_all(), a_bits.len() == 256);
        prop_assert_eq!(a == b, a_bits == b_bits);
    }
}

/// A packet of a small universe: four values a dimension.
type Packet = [u8; 5];

fn universe() -> impl Iterator<Item = Packet> {
    (0..=u8::MAX).flat_map(|n| (0..3).map(move |p| [n & 3, (n >> 2) & 3, (n >> 4) & 3, n >> 6, p]))
}

fn flow() -> impl Strategy<Value = Flow> {
    let part = prop::collection::vec(any::<bool>(), 4);
    (part.clone(), part.clone(), part.clone(), part, prop::collection::vec(any::<bool>(), 3)).prop_map(
        |(src, sports, dst, dports, proto)| {
            let addresses = |bits: &[bool]| {
                let ranges = (0..).zip(bits).filter(|(_, on)| **on).map(|(i, _)| (i, i));
                Addresses { v4: Ranges::of(ranges), v6: Ranges::empty() }
            };
            let ports = |bits: &[bool]| {
                Ports(Ranges::of((0..).zip(bits).filter(|(_, on)| **on).map(|(i, _)| (i, i))))
            };
            Flow {
                src: addresses(&src),
                sports: ports(&sports),
                dst: addresses(&dst),
                dports: ports(&dports),
                proto: Protocols { tcp: proto[0], udp: proto[1], other: proto[2] },
            }
        },
    )
}

fn holds(flow: &Flow, packet: &Packet) -> bool {
    flow.src.v4.contains(packet[0].into())
        && flow.sports.contains(packet[1].into())
        && flow.dst.v4.contains(packet[2].into())
        && flow.dports.contains(packet[3].into())
        && [flow.proto.tcp, flow.proto.udp, flow.proto.other][usize::from(packet[4])]
}

proptest! {
    #[test]
    fn flows_are_products(a in flow(), b in flow()) {
        let rest = a.subtract(&b);
        prop_assert!(rest.len() <= 5);
        prop_assert!(rest.iter().all(|flow| !flow.is_empty()));
        let common = a.intersect(&b);
        let mut subset = true;
        let mut any = false;
        for packet in universe() {
            let (in_a, in_b) = (holds(&a, &packet), holds(&b, &packet));
            subset &= !in_a || in_b;
            any |= in_a;
            prop_assert_eq!(holds(&common, &packet), in_a && in_b);
            let pieces = rest.iter().filter(|flow| holds(flow, &packet)).count();
            prop_assert_eq!(pieces, usize::from(in_a && !in_b), "disjoint, and exactly the difference");
        }
        prop_assert_eq!(a.is_subset(&b), subset);
        prop_assert_eq!(a.is_empty(), !any);
    }

    #[test]
    fn prefixes_make_up_the_set(from: u32, to: u32) {
        let set = Addresses { v4: Ranges::range(from, to), v6: Ranges::empty() };
        prop_assert_eq!(Addresses::of(set.prefixes()), set);
    }
}

fn net(text: &str) -> IpNet {
    text.parse().unwrap()
}

#[test]
fn five_addresses_of_a_subnet_are_azures() {
    // R25.
    let text = |prefix: &str| {
        let set = assignable(net(prefix));
        (set.first().map(|a| a.to_string()), set.last().map(|a| a.to_string()), set.len())
    };
    assert_eq!(text("10.0.0.0/24"), (Some("10.0.0.4".into()), Some("10.0.0.254".into()), 251));
    assert_eq!(text("10.0.0.0/29"), (Some("10.0.0.4".into()), Some("10.0.0.6".into()), 3));
    assert_eq!(text("10.0.0.0/30").2, 0);
    assert_eq!(text("255.255.255.255/32").2, 0);
    assert_eq!(text("2001:db8::/126").2, 0);
    assert_eq!(text("2001:db8::/64").0, Some("2001:db8::4".into()));
}

#[test]
fn ports_are_written_in_many_ways() {
    // F25.
    let ports = |text: &str| text.parse::<Ports>().map(|ports| ports.to_string());
    assert_eq!(ports("443"), Ok("443".into()));
    assert_eq!(ports("80-90"), Ok("80-90".into()));
    assert_eq!(ports("0-65535"), Ok("*".into()));
    assert_eq!(ports("*"), Ok("*".into()));
    assert_eq!(ports("443, 80,8000-8080,8081"), Ok("80,443,8000-8081".into()));
    for bad in ["", "65536", "90-80", "443-", "https", "-1", "443,,80"] {
        assert!(ports(bad).is_err(), "{bad}");
    }
}

#[test]
fn addresses_are_written_in_three_ways() {
    let text = |text: &str| text.parse::<Addresses>().map(|set| set.to_string());
    assert_eq!(text("10.0.0.5/24"), Ok("10.0.0.0/24".into()));
    assert_eq!(text("10.0.0.5"), Ok("10.0.0.5/32".into()));
    assert_eq!(text("10.0.0.4-10.0.0.7"), Ok("10.0.0.4/30".into()));
    assert_eq!(text("2001:db8::1"), Ok("2001:db8::1/128".into()));
    assert_eq!(text("0.0.0.0/0"), Ok("0.0.0.0/0".into()));
    for bad in ["", "10.0.0.7-10.0.0.4", "10.0.0.1-2001:db8::1", "10.0.0.256", "Internet", "10.0.0.0/33"] {
        assert!(text(bad).is_err(), "{bad}");
    }
    let all: Addresses = "0.0.0.0/0".parse().unwrap();
    assert!(all.v6.is_empty(), "the default route of one family says nothing of the other (FU6)");
}
