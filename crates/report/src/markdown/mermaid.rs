//! The path that fails, as a Mermaid flow chart.

use pullproof_audit::model::ProofPath;

use super::escape;
use crate::deciding::{Told, told};
use crate::words::short;

/// Hops that are drawn; nobody reads more in a comment.
const HOPS: usize = 24;
/// Characters of a hop.
const LABEL: usize = 120;

/// The fenced chart of the path up to the element that decides, which is marked. `None` where the proof has no steps.
pub(super) fn chart(proof: &ProofPath) -> Option<String> {
    let steps = told(proof)?;
    let mut out = String::from("```mermaid\nflowchart TD\n");
    // The end decides, so of a long path the end is drawn.
    let from = steps.len().saturating_sub(HOPS);
    if from > 0 {
        out.push_str(&format!("  more[\"{from} hops before\"] --> h{from}\n"));
    }
    for (i, Told { step, decides }) in steps.iter().enumerate().skip(from) {
        let text = if step.text.is_empty() { short(&step.device) } else { step.text.clone() };
        let class = if *decides { ":::decides" } else { "" };
        out.push_str(&format!("  h{i}[\"{}\"]{class}\n", label(&text)));
        if i > from {
            out.push_str(&format!("  h{} --> h{i}\n", i - 1));
        }
    }
    out.push_str("  classDef decides stroke:#cf222e,stroke-width:3px\n```\n");
    Some(out)
}

/// A text within double quotes. Mermaid reads `#NN;` as the character of that number, in its syntax and in its HTML alike.
fn label(raw: &str) -> String {
    let mut out = String::new();
    for (i, c) in escape::line(raw, LABEL).chars().enumerate() {
        // A label that begins like a list is read as one.
        let plain = c.is_alphanumeric()
            || (i > 0 && matches!(c, ' ' | '.' | ',' | ':' | '/' | '(' | ')' | '-' | '…'));
        if plain { out.push(c) } else { out.push_str(&format!("#{};", u32::from(c))) }
    }
    if out.is_empty() { "?".to_owned() } else { out }
}
