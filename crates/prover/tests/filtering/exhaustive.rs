//! Answers over sets against one packet at a time: a plain evaluator that shares no code with the prover.

use std::net::Ipv4Addr;

use pullproof_network::set::Ports;
use pullproof_prover::filter::{FilterPoint, Holder};
use pullproof_prover::path::Target;
use pullproof_prover::{Outcome, Proto, Prover};
use pullproof_snapshot::question::Direction;
use serde_json::{Value, json};

use crate::world::{nodes, rule, subnet_ix};

/// A small generator: tests must not differ from run to run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

struct Plain {
    allow: bool,
    source: (u32, u32),
    ports: (u16, u16),
    to: u8,
}

fn random(dice: &mut Dice, priority: u16) -> (Value, Plain) {
    let length = 24 + dice.roll(9);
    let base = 0x0a00_0100 | u32::try_from(dice.roll(256)).unwrap();
    let mask = u32::MAX.checked_shl(u32::try_from(32 - length).unwrap()).unwrap_or(0);
    let (from, to) = (base & mask, (base & mask) | !mask);
    let low = u16::try_from(dice.roll(20)).unwrap() + 100;
    let high = low + u16::try_from(dice.roll(10)).unwrap();
    let destination = u8::try_from(dice.roll(4)).unwrap();
    let allow = dice.roll(2) == 0;
    let changes = json!({
        "sourceAddressPrefix": format!("{}/{length}", Ipv4Addr::from(base)),
        "sourcePortRange": format!("{low}-{high}"),
    });
    let target = if destination == 3 { "*".to_owned() } else { format!("203.0.113.{destination}") };
    let access = if allow { "Allow" } else { "Deny" };
    let written = rule(&format!("r{priority}"), priority, access, &target, changes);
    (written, Plain { allow, source: (from, to), ports: (low, high), to: destination })
}

fn decide(rules: &[Plain], source: u32, port: u16, to: u8) -> bool {
    let hit = rules.iter().find(|rule| {
        (rule.source.0..=rule.source.1).contains(&source)
            && (rule.ports.0..=rule.ports.1).contains(&port)
            && (rule.to == 3 || rule.to == to)
    });
    // No rule: AllowInternetOutBound.
    hit.is_none_or(|rule| rule.allow)
}

#[test]
fn sets_fare_as_their_packets_do() {
    let mut dice = Dice(7);
    for _ in 0..60 {
        let count = u16::try_from(dice.roll(12)).unwrap() + 1;
        let (written, plain): (Vec<Value>, Vec<Plain>) =
            (0..count).map(|i| random(&mut dice, 100 + i)).unzip();
        let network = nodes(&written).read();
        let prover = Prover::new(&network);
        let mut at = FilterPoint::entering(subnet_ix(&network, "nodes"), Holder::Other);
        at.direction = Direction::Outbound;
        for to in 0..3_u8 {
            let target = Target::Address(Ipv4Addr::new(203, 0, 113, to).into());
            let parts = prover.nsg(
                &at,
                &"10.0.1.0/24".parse().unwrap(),
                &Ports::range(100, 130),
                &target,
                Proto::Tcp,
                443,
            );
            for last in 0..=255_u8 {
                for port in 100..=130_u16 {
                    let source = Ipv4Addr::new(10, 0, 1, last);
                    let holding: Vec<_> = parts
                        .iter()
                        .filter(|part| part.sources.contains(source.into()) && part.sports.contains(port))
                        .collect();
                    let [part] = holding.as_slice() else {
                        panic!("{source}:{port} is in {} parts", holding.len())
                    };
                    let passes = match part.outcome {
                        Outcome::Holds => true,
                        Outcome::Fails(..) => false,
                        Outcome::Open(..) => panic!("nothing is unknown here"),
                    };
                    assert_eq!(passes, decide(&plain, source.into(), port, to), "{source}:{port} → {to}");
                }
            }
        }
    }
}
