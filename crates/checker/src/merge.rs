//! Several outcomes of one walk as one.

use pullproof_snapshot::question::Missing;

use crate::missing;
use crate::reach::Reach;
use crate::tri::Tri;

/// Each outcome may happen (V2, varying): one that fails is a failure.
pub fn all(outcomes: Vec<Reach>) -> Reach {
    combine(outcomes, Tri::and)
}

/// One of the outcomes holds, and nobody knows which: equal answers stand, others are unknown.
pub fn contested(outcomes: Vec<Reach>, open: &Missing) -> Reach {
    combine(outcomes, |a, b| match (a, b) {
        (Tri::Yes, Tri::Yes) => Tri::Yes,
        (Tri::No, Tri::No) => Tri::No,
        (Tri::Unknown(why), _) | (_, Tri::Unknown(why)) => Tri::unknown(open.clone()).and(Tri::Unknown(why)),
        _ => Tri::unknown(open.clone()),
    })
}

/// Never called with nothing to combine but for an answer without addresses: then nothing is proven (V4).
fn combine(outcomes: Vec<Reach>, with: impl Fn(Tri, Tri) -> Tri) -> Reach {
    // The outcome that fails, or is not known, is the one to show.
    let rank = |r: &Reach| match (r.forward().and(r.back()), &r.delivery) {
        (Tri::No, _) => 0,
        (Tri::Unknown(_), _) => 1,
        (Tri::Yes, _) => 2,
    };
    let mut outcomes = outcomes;
    outcomes.sort_by_key(rank);
    let mut rest = outcomes.into_iter();
    let Some(mut out) = rest.next() else { return nothing() };
    for other in rest {
        out.forward_routing = with(out.forward_routing, other.forward_routing);
        out.forward_filter = with(out.forward_filter, other.forward_filter);
        out.return_routing = with(out.return_routing, other.return_routing);
        out.return_filter = with(out.return_filter, other.return_filter);
        if out.delivery != other.delivery {
            out.delivery = None;
        }
        union(&mut out.egress, other.egress);
        union(&mut out.egress_missing, other.egress_missing);
        union(&mut out.devices, other.devices);
        union(&mut out.assumptions, other.assumptions);
        union(&mut out.findings, other.findings);
    }
    out
}

fn union<T: PartialEq>(into: &mut Vec<T>, from: Vec<T>) {
    for item in from {
        if !into.contains(&item) {
            into.push(item);
        }
    }
}

fn nothing() -> Reach {
    let open = Tri::unknown(missing::depends_on("an address to connect to", "there is none"));
    Reach {
        forward_routing: open.clone(),
        forward_filter: open.clone(),
        return_routing: open.clone(),
        return_filter: open,
        trace: Vec::new(),
        delivery: None,
        destination: std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED),
        egress: Vec::new(),
        egress_missing: Vec::new(),
        devices: Vec::new(),
        assumptions: Vec::new(),
        findings: Vec::new(),
    }
}
