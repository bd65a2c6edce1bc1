//! Names of certificate authorities, from certificates as clusters hold them: base64 of PEM (A188, A189).

/// The subjects' common names of all certificates in a base64 text of PEM; `None` where something in it is not
/// understood (A353).
pub(super) fn subjects(base64_pem: &str) -> Option<Vec<String>> {
    let pem = String::from_utf8(base64(base64_pem)?).ok()?;
    let mut out = Vec::new();
    for block in pem.split("-----BEGIN CERTIFICATE-----").skip(1) {
        let (body, _) = block.split_once("-----END CERTIFICATE-----")?;
        out.push(common_name(&base64(body)?)?);
    }
    (!out.is_empty()).then_some(out)
}

/// Standard base64; white space does not matter.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    let mut padded = false;
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padded = true;
                continue;
            }
            _ => return None,
        };
        if padded {
            return None;
        }
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(out)
}

/// One element of DER: its tag, its contents, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, mut rest) = rest.split_first()?;
    let length = if *first < 0x80 {
        usize::from(*first)
    } else {
        let bytes = usize::from(first & 0x7f);
        if bytes == 0 || bytes > 4 {
            return None;
        }
        let (length, after) = rest.split_at_checked(bytes)?;
        rest = after;
        length.iter().try_fold(0_usize, |n, b| n.checked_mul(256)?.checked_add(usize::from(*b)))?
    };
    let (contents, after) = rest.split_at_checked(length)?;
    Some((*tag, contents, after))
}

const SEQUENCE: u8 = 0x30;
/// `[0]`: the version, which may be left out.
const VERSION: u8 = 0xa0;
/// 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

/// The subject's common name of an X.509 certificate.
fn common_name(der: &[u8]) -> Option<String> {
    let sequence = |der| element(der).filter(|(tag, _, _)| *tag == SEQUENCE);
    let (_, certificate, _) = sequence(der)?;
    let (_, mut fields, _) = sequence(certificate)?;
    if let Some((VERSION, _, rest)) = element(fields) {
        fields = rest;
    }
    // Serial number, algorithm, issuer, validity; then the subject.
    for _ in 0..4 {
        fields = element(fields)?.2;
    }
    let (_, mut names, _) = sequence(fields)?;
    while let Some((_, set, rest)) = element(names) {
        names = rest;
        let (_, attribute, _) = sequence(set)?;
        let (_, kind, value) = element(attribute)?;
        let (_, text, _) = element(value)?;
        if kind == COMMON_NAME {
            return std::str::from_utf8(text).ok().map(str::to_owned);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate with just what is read: empty fields before the subject `CN=Contoso Root`.
    pub(crate) fn certificate(name: &str) -> Vec<u8> {
        fn tlv(tag: u8, contents: &[u8]) -> Vec<u8> {
            let mut out = vec![tag, u8::try_from(contents.len()).unwrap_or(0)];
            out.extend_from_slice(contents);
            out
        }
        let attribute = [tlv(0x06, COMMON_NAME), tlv(0x0c, name.as_bytes())].concat();
        let subject = tlv(SEQUENCE, &tlv(0x31, &tlv(SEQUENCE, &attribute)));
        let before = [
            tlv(VERSION, &[2, 1, 2]),
            tlv(2, &[1]),
            tlv(SEQUENCE, &[]),
            tlv(SEQUENCE, &[]),
            tlv(SEQUENCE, &[]),
        ];
        let fields = [before.concat(), subject].concat();
        tlv(SEQUENCE, &tlv(SEQUENCE, &fields))
    }

    #[test]
    fn the_common_name_of_the_subject_is_read() {
        assert_eq!(common_name(&certificate("Contoso Root")).as_deref(), Some("Contoso Root"));
        assert_eq!(common_name(&certificate("x")[..10]), None);
        assert_eq!(common_name(&[]), None);
        assert_eq!(common_name(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
    }

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(base64("aGk=").as_deref(), Some(b"hi".as_slice()));
        assert_eq!(base64("aG\nk=").as_deref(), Some(b"hi".as_slice()));
        assert_eq!(base64("a-k="), None);
        assert_eq!(base64("aGk=aG"), None);
    }

    #[test]
    fn odd_texts_have_no_subjects() {
        assert_eq!(subjects("aGk="), None);
        assert_eq!(subjects("!"), None);
        assert_eq!(subjects(""), None);
    }
}
