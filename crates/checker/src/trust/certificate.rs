//! The subject's names in PEM certificates: just enough of DER to find them.

/// The common and organisation names of the subjects of all certificates in a PEM text; `None` where one is not
/// readable.
pub(super) fn subjects(pem: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = pem;
    while let Some((_, after)) = rest.split_once("-----BEGIN CERTIFICATE-----") {
        let (body, after) = after.split_once("-----END CERTIFICATE-----")?;
        out.extend(subject_names(&base64(body)?)?);
        rest = after;
    }
    Some(out)
}

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const VERSION: u8 = 0xa0;
const OBJECT_ID: u8 = 0x06;
/// 2.5.4.3 and 2.5.4.10: common name, organisation.
const NAMES: [&[u8]; 2] = [&[0x55, 0x04, 0x03], &[0x55, 0x04, 0x0a]];

/// Certificate → tbsCertificate → subject, the field after version, serial, algorithm, issuer and validity.
fn subject_names(der: &[u8]) -> Option<Vec<String>> {
    let (_, certificate, _) = element(der)?;
    let (_, mut fields, _) = element(certificate)?;
    let (tag, _, after) = element(fields)?;
    if tag == VERSION {
        fields = after;
    }
    for _ in 0..4 {
        fields = element(fields)?.2;
    }
    let (tag, mut names, _) = element(fields)?;
    if tag != SEQUENCE {
        return None;
    }
    let mut out = Vec::new();
    while !names.is_empty() {
        let (tag, mut set, after) = element(names)?;
        names = after;
        while tag == SET && !set.is_empty() {
            let (_, pair, after) = element(set)?;
            set = after;
            let (tag, id, value) = element(pair)?;
            if tag == OBJECT_ID && NAMES.contains(&id) {
                let (_, text, _) = element(value)?;
                out.push(String::from_utf8_lossy(text).into_owned());
            }
        }
    }
    Some(out)
}

/// Tag, contents, and what follows the element.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, mut rest) = rest.split_first()?;
    let mut length = usize::from(*first);
    if length & 0x80 != 0 {
        let bytes = length & 0x7f;
        let (long, after) = rest.split_at_checked(bytes)?;
        length = 0;
        for byte in long {
            length = length.checked_mul(256)?.checked_add(usize::from(*byte))?;
        }
        rest = after;
    }
    let (contents, after) = rest.split_at_checked(length)?;
    Some((*tag, contents, after))
}

/// Decodes base64, white space aside; `None` where it is none.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut held) = (0u32, 0u32);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    Some(out)
}
