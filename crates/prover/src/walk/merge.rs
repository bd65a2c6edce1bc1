//! Readings of one thing that is not known: what is true of each of them is true (V6).

use crate::outcome::{Missing, Outcome};
use crate::path::{Branch, Delivery, OtherEnd, SeenAs};

/// The branches of each reading, for the same packets, made into one partition. Choices are kept apart.
pub(crate) fn readings(all: Vec<Vec<Branch>>, missing: &Missing) -> Vec<Branch> {
    let mut all = all.into_iter();
    let Some(mut merged) = all.next() else { return Vec::new() };
    for other in all {
        let mut next = Vec::new();
        for a in &merged {
            for b in &other {
                next.extend(both(a, b, missing));
            }
        }
        merged = next;
    }
    merged
}

fn both(a: &Branch, b: &Branch, missing: &Missing) -> Option<Branch> {
    let sources = a.sources.intersect(&b.sources);
    let sports = a.sports.intersect(&b.sports);
    if sources.is_empty() || sports.is_empty() {
        return None;
    }
    let mut choices = a.choices.clone();
    for choice in &b.choices {
        match choices.iter().find(|c| c.what == choice.what) {
            Some(same) if same.value != choice.value => return None,
            Some(_) => {}
            None => choices.push(choice.clone()),
        }
    }
    let outcome = |x: &Outcome, y: &Outcome| x.clone().readings(y.clone(), missing.clone());
    let mut basis = a.basis.clone();
    basis.merge(&b.basis);
    let mut out = Branch {
        sources,
        sports,
        choices,
        forward: outcome(&a.forward, &b.forward),
        back: outcome(&a.back, &b.back),
        filters: outcome(&a.filters, &b.filters),
        basis,
        ..a.clone()
    };
    for blocker in &b.behind {
        if !out.behind.contains(blocker) {
            out.behind.push(blocker.clone());
        }
    }
    for interceptor in &b.interceptors {
        if !out.interceptors.contains(interceptor) {
            out.interceptors.push(interceptor.clone());
        }
    }
    let by_service = |d: &Delivery| matches!(d, Delivery::Internet | Delivery::ServiceEndpoint(_));
    if a.delivery != b.delivery && by_service(&a.delivery) && by_service(&b.delivery) {
        // One service, over the Internet edge or over its endpoint: each of its doors speaks for itself (R99).
        let end = |delivery: &Delivery, seen_as: &Option<SeenAs>| OtherEnd {
            delivery: delivery.clone(),
            seen_as: seen_as.clone(),
            missing: missing.clone(),
        };
        for other in std::iter::once(end(&b.delivery, &b.seen_as)).chain(b.other_ends.iter().cloned()) {
            if !out.other_ends.contains(&other) {
                out.other_ends.push(other);
            }
        }
    } else {
        if a.delivery != b.delivery {
            out.delivery = Delivery::Nowhere;
            // Different ends of one flow: what the door at the end says depends on which it is.
            out.forward = out.forward.and(Outcome::open(missing.clone()));
        }
        if a.seen_as != b.seen_as {
            out.seen_as = Some(SeenAs::Unknown(missing.what.clone()));
        }
    }
    if a.proxied_by != b.proxied_by {
        out.proxied_by = None;
        out.forward = out.forward.and(Outcome::open(missing.clone()));
    }
    if a.ends_at != b.ends_at {
        out.ends_at = None;
    }
    Some(out)
}
