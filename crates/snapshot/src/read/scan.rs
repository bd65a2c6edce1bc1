//! Where JSON values begin and end, without reading them: brackets and strings only.
//!
//! Nothing here recurses, so no nesting can overflow the stack. Whether the text between is JSON is for serde to say.

use std::ops::Range;

/// Values nested deeper than this are refused: serde stops at 128, and no ARM resource comes near.
pub(super) const MAX_DEPTH: usize = 120;

/// The first position at or after `at` that is no white space.
pub(super) fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count())
}

/// The end of the value that starts at `at` (past its last byte), or `None` where the text ends first or no value
/// starts there.
pub(super) fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => string_end(text, at),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut i = at;
            loop {
                match text.get(i)? {
                    b'"' => {
                        i = string_end(text, i)?;
                        continue;
                    }
                    b'{' | b'[' => depth = depth.saturating_add(1),
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            return i.checked_add(1);
                        }
                    }
                    _ => {}
                }
                i = i.checked_add(1)?;
            }
        }
        b',' | b':' | b'}' | b']' => None,
        _ => {
            let rest = text.get(at..)?;
            let length =
                rest.iter().position(|b| matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
            at.checked_add(length.unwrap_or(rest.len()))
        }
    }
}

/// The end of the string whose opening quote is at `at`.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut i = at.checked_add(1)?;
    loop {
        let found = memchr::memchr2(b'"', b'\\', text.get(i..)?)?;
        i = i.checked_add(found)?;
        match text.get(i)? {
            b'"' => return i.checked_add(1),
            _ => i = i.checked_add(2)?,
        }
    }
}

/// True when the text nests deeper than [`MAX_DEPTH`].
pub(super) fn too_deep(text: &[u8]) -> bool {
    if memchr::memchr2_iter(b'{', b'[', text).take(MAX_DEPTH + 1).count() <= MAX_DEPTH {
        return false;
    }
    let mut depth = 0_usize;
    let mut i = 0_usize;
    while let Some(byte) = text.get(i) {
        match byte {
            b'"' => match string_end(text, i) {
                Some(end) => {
                    i = end;
                    continue;
                }
                None => return false,
            },
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
        i = i.saturating_add(1);
    }
    false
}

/// The parts of an array or object, as far as they could be told apart.
#[derive(Default)]
pub(super) struct Parts<K> {
    pub parts: Vec<(K, Range<usize>)>,
    /// Past the closing bracket.
    pub end: usize,
    /// Where and why the text stopped being a list of values.
    pub cut: Option<(usize, &'static str)>,
}

const ENDS_EARLY: &str = "the text ends before this value does";

/// The elements of the array that starts at `at`.
pub(super) fn elements(text: &[u8], at: usize) -> Parts<()> {
    let mut out = Parts { parts: Vec::new(), end: text.len(), cut: None };
    let mut i = skip_space(text, at.saturating_add(1));
    if text.get(i) == Some(&b']') {
        out.end = i.saturating_add(1);
        return out;
    }
    loop {
        let Some(end) = value_end(text, i) else {
            out.cut = Some((i, if i >= text.len() { ENDS_EARLY } else { "no value can be read here" }));
            return out;
        };
        out.parts.push(((), i..end));
        i = skip_space(text, end);
        match text.get(i) {
            Some(b',') => i = skip_space(text, i.saturating_add(1)),
            Some(b']') => {
                out.end = i.saturating_add(1);
                return out;
            }
            Some(_) => {
                out.cut = Some((i, "a comma or ] is missing here"));
                return out;
            }
            None => {
                out.cut = Some((i, ENDS_EARLY));
                return out;
            }
        }
    }
}

/// The members of the object that starts at `at`. A member whose value is cut off by the end of the text is listed
/// with what there is of it.
pub(super) fn members(text: &[u8], at: usize) -> Parts<String> {
    let mut out = Parts { parts: Vec::new(), end: text.len(), cut: None };
    let mut i = skip_space(text, at.saturating_add(1));
    if text.get(i) == Some(&b'}') {
        out.end = i.saturating_add(1);
        return out;
    }
    loop {
        let key = string_end(text, i).filter(|_| text.get(i) == Some(&b'"'));
        let Some(key_end) = key else {
            out.cut = Some((i, "a key is missing here"));
            return out;
        };
        let Ok(key) = serde_json::from_slice::<String>(text.get(i..key_end).unwrap_or_default()) else {
            out.cut = Some((i, "this key is no string"));
            return out;
        };
        i = skip_space(text, key_end);
        if text.get(i) != Some(&b':') {
            out.cut = Some((i, "a colon is missing here"));
            return out;
        }
        i = skip_space(text, i.saturating_add(1));
        let Some(end) = value_end(text, i) else {
            out.parts.push((key, i..text.len()));
            out.cut = Some((i, ENDS_EARLY));
            return out;
        };
        out.parts.push((key, i..end));
        i = skip_space(text, end);
        match text.get(i) {
            Some(b',') => i = skip_space(text, i.saturating_add(1)),
            Some(b'}') => {
                out.end = i.saturating_add(1);
                return out;
            }
            _ => {
                out.cut = Some((i, "a comma or } is missing here"));
                return out;
            }
        }
    }
}

/// The value of the top-level string member `wanted` of a text that is an object as far as it goes.
pub(super) fn salvage(text: &[u8], wanted: &str) -> Option<String> {
    let start = skip_space(text, 0);
    if text.get(start) != Some(&b'{') {
        return None;
    }
    let (_, range) = members(text, start).parts.into_iter().find(|(key, _)| key == wanted)?;
    serde_json::from_slice(text.get(range)?).ok()
}
