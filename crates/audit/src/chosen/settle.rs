//! Claims over every choice (V6): proven iff each holds, disproven iff one fails whatever else is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::rc::Rc;

use pullproof_network::Network;
use pullproof_network::set::Addresses;
use pullproof_prover::{Missing, MissingKind};
use pullproof_snapshot::question::VerdictWord;

use super::values::{Chosen, Class};
use super::world::{Values, Worlds};
use crate::claims::Made;
use crate::model::{Extent, MissingOut, Part};
use crate::print;

/// So many estates are tried for one audit (V6, `too_complex`).
const TRIED: usize = 64;

/// What was chosen of each value on the way to an estate.
type Choices = BTreeMap<usize, Class>;

struct Search<'s, 'n> {
    worlds: &'s Worlds<'n>,
    audit: &'s dyn Fn(&Network, &pullproof_checker::Plain) -> Vec<Made>,
    known: BTreeMap<String, (Choices, Rc<Vec<Made>>)>,
}

/// One claim in the estates of some choices.
struct Leaf {
    choices: Choices,
    made: Made,
}

/// Too many choices to try them all.
struct TooMany;

impl Worlds<'_> {
    /// The same claims, with what was open for the sake of a choice decided over all of its values. `audit` makes the
    /// claims of one estate.
    pub fn settle(
        &self,
        claims: Vec<Made>,
        audit: &dyn Fn(&Network, &pullproof_checker::Plain) -> Vec<Made>,
    ) -> Vec<Made> {
        let open = |made: &Made| made.claim.verdict == VerdictWord::Undetermined;
        if self.chosen.is_empty() || !claims.iter().any(open) {
            return claims;
        }
        let claims = Rc::new(claims);
        let mut search = Search { worlds: self, audit, known: BTreeMap::new() };
        let mut out = Vec::with_capacity(claims.len());
        for made in claims.iter() {
            if !open(made) {
                out.push(made.clone());
                continue;
            }
            let mut leaves = Vec::new();
            match search.leaves(&made.claim.id, &claims, &Choices::new(), &Values::new(), &mut leaves) {
                Ok(()) => out.push(over(&self.chosen, &leaves).unwrap_or_else(|| made.clone())),
                Err(TooMany) => {
                    let mut made = made.clone();
                    let missing = print::missing(&too_many());
                    if !made.claim.missing.contains(&missing) {
                        made.claim.missing.push(missing);
                        made.claim.missing.sort();
                    }
                    out.push(made);
                }
            }
        }
        out.extend(search.found_on_the_way(&claims));
        out
    }
}

impl Search<'_, '_> {
    /// The claim in every estate that has to be told apart, in order of the choices' first values.
    fn leaves(
        &mut self,
        id: &str,
        claims: &Rc<Vec<Made>>,
        choices: &Choices,
        values: &Values,
        out: &mut Vec<Leaf>,
    ) -> Result<(), TooMany> {
        let Some(made) = claims.iter().find(|made| made.claim.id == id) else { return Ok(()) };
        let Some(next) = self.reads(made, claims, choices) else {
            out.push(Leaf { choices: choices.clone(), made: made.clone() });
            return Ok(());
        };
        let Some(chosen) = self.worlds.chosen.get(next).filter(|c| !c.classes.is_empty()) else {
            return Err(TooMany);
        };
        let taken = self.taken(chosen, values);
        for class in &chosen.classes {
            let Some(value) = class.first(&taken) else { continue };
            let (mut choices, mut values) = (choices.clone(), values.clone());
            choices.insert(next, class.clone());
            values.insert(next, value);
            let there = self.claims(&choices, &values)?;
            self.leaves(id, &there, &choices, &values, out)?;
        }
        Ok(())
    }

    /// Addresses that others hold already: two holders never have the same one.
    fn taken(&self, chosen: &Chosen, values: &Values) -> BTreeSet<IpAddr> {
        let beside = values.iter().filter(|(i, _)| {
            let other = self.worlds.chosen.get(**i).and_then(|c| c.held_in);
            other.is_some() && other == chosen.held_in
        });
        beside.filter_map(|(_, value)| value.as_str()?.parse().ok()).collect()
    }

    /// The first value not chosen yet that the open claim names; of one that waits for another claim, that its host's
    /// claims name.
    fn reads(&self, made: &Made, claims: &[Made], choices: &Choices) -> Option<usize> {
        if made.claim.verdict != VerdictWord::Undetermined {
            return None;
        }
        let named = |missing: &[MissingOut]| {
            let names = |chosen: &Chosen| {
                missing.iter().any(|m| [&m.what, &m.why].iter().any(|text| text.contains(&chosen.text)))
                    || missing.iter().any(|m| m.why.contains(&format!("`{}`", chosen.name)))
            };
            let mut all = self.worlds.chosen.iter().enumerate();
            all.find(|(i, chosen)| !choices.contains_key(i) && names(chosen)).map(|(i, _)| i)
        };
        let own = named(&made.claim.missing);
        if own.is_some() || !made.claim.missing.iter().any(|m| m.kind == MissingKind::DependsOn) {
            return own;
        }
        let beside = claims.iter().filter(|c| c.claim.endpoint == made.claim.endpoint);
        beside.filter(|c| c.claim.verdict == VerdictWord::Undetermined).find_map(|c| named(&c.claim.missing))
    }

    /// Claims that there are only once something is chosen, such as a lookup of a firewall that then is on the way.
    fn found_on_the_way(&self, claims: &[Made]) -> Vec<Made> {
        let before: BTreeSet<&str> = claims.iter().map(|made| made.claim.id.as_str()).collect();
        let mut new: BTreeMap<&str, Vec<Leaf>> = BTreeMap::new();
        for (choices, there) in self.known.values() {
            for made in there.iter().filter(|made| !before.contains(made.claim.id.as_str())) {
                let leaf = Leaf { choices: choices.clone(), made: made.clone() };
                new.entry(&made.claim.id).or_default().push(leaf);
            }
        }
        let settled = |leaf: &Leaf| leaf.made.claim.verdict != VerdictWord::Undetermined;
        let each = new.into_values().filter_map(|mut leaves| {
            if leaves.iter().any(settled) {
                leaves.retain(settled);
            }
            over(&self.worlds.chosen, &leaves)
        });
        each.collect()
    }

    fn claims(&mut self, choices: &Choices, values: &Values) -> Result<Rc<Vec<Made>>, TooMany> {
        let key = format!("{values:?}");
        if let Some((_, known)) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        if self.known.len() >= TRIED {
            return Err(TooMany);
        }
        let world = self.worlds.world(values).ok_or(TooMany)?;
        let made = Rc::new((self.audit)(&world.network, &world.plain));
        self.known.insert(key, (choices.clone(), Rc::clone(&made)));
        Ok(made)
    }
}

fn too_many() -> Missing {
    Missing {
        kind: MissingKind::TooComplex,
        what: "all values that are still to be chosen".into(),
        why: "there are more of them than are tried (V6)".into(),
        remedy: "give some of the values, or make them static".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// One claim over all of its leaves; the smallest failing choice is the witness (V13). `None` where nothing was chosen.
fn over(chosen: &[Chosen], leaves: &[Leaf]) -> Option<Made> {
    if leaves.iter().all(|leaf| leaf.choices.is_empty()) {
        return None;
    }
    let of = |verdict: VerdictWord| -> Vec<&Leaf> {
        leaves.iter().filter(|leaf| leaf.made.claim.verdict == verdict).collect()
    };
    let failing = of(VerdictWord::Disproven);
    let open = of(VerdictWord::Undetermined);
    let holding = of(VerdictWord::Proven);
    let shown_by = failing.first().or(open.first()).or(holding.first())?;
    let mut out = shown_by.made.clone();
    let contradiction = leaves.iter().find_map(|leaf| leaf.made.contradiction.clone());
    out.contradiction = contradiction;
    for leaf in leaves {
        out.basis.merge(&leaf.made.basis);
        out.claim.assumptions.extend(leaf.made.claim.assumptions.iter().cloned());
    }
    if !failing.is_empty() {
        let every = failing.len() == leaves.len()
            && failing.iter().all(|leaf| leaf.made.claim.extent == Some(Extent::All));
        out.claim.extent = Some(if every { Extent::All } else { Extent::Some });
        if !every {
            let part = |part: &mut Option<Part>, of: &[&Leaf]| {
                part.get_or_insert_default().choices.extend(shown(chosen, of));
            };
            part(&mut out.claim.fails_for, &failing);
            if !holding.is_empty() {
                part(&mut out.claim.holds_for, &holding);
            }
        }
    } else if open.is_empty() {
        out.claim.degraded.extend(holding.iter().flat_map(|leaf| leaf.made.claim.degraded.iter().cloned()));
    } else {
        let missing = open.iter().flat_map(|leaf| leaf.made.claim.missing.iter().cloned());
        out.claim.missing = missing.collect::<BTreeSet<_>>().into_iter().collect();
    }
    Some(out)
}

/// The choices of some leaves: of one value all that it may be, else one line a leaf.
fn shown(chosen: &[Chosen], leaves: &[&Leaf]) -> Vec<String> {
    let of: BTreeSet<usize> = leaves.iter().flat_map(|leaf| leaf.choices.keys().copied()).collect();
    if let ([i], Some(first)) = (of.iter().copied().collect::<Vec<_>>().as_slice(), leaves.first()) {
        let classes: Vec<&Class> = leaves.iter().filter_map(|leaf| leaf.choices.get(i)).collect();
        let all: u128 = chosen.get(*i).map_or(0, |c| c.classes.iter().map(Class::len).sum());
        let some: u128 = classes.iter().map(|class| class.len()).sum();
        let what =
            if matches!(first.choices.get(i), Some(Class::Addresses(_))) { "addresses" } else { "values" };
        let name = chosen.get(*i).map_or("", |c| c.text.as_str());
        return vec![format!("{name}={} (for {some} of {all} {what} that Azure may pick)", values(&classes))];
    }
    let line = |leaf: &&Leaf| {
        let each = leaf.choices.iter().map(|(i, class)| {
            format!("{}={}", chosen.get(*i).map_or("", |c| c.text.as_str()), values(&[class]))
        });
        each.collect::<Vec<_>>().join(" and ")
    };
    leaves.iter().map(line).collect()
}

fn values(classes: &[&Class]) -> String {
    let mut addresses = Addresses::empty();
    let mut texts: Vec<String> = Vec::new();
    for class in classes {
        match class {
            Class::Addresses(all) => addresses = addresses.union(all),
            Class::Word(word) => texts.push(word.to_string()),
        }
    }
    if !addresses.is_empty() {
        texts.push(addresses.to_string());
    }
    texts.join(", ")
}
