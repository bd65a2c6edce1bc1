//! Certificates of private authorities: base64 of PEM, or PEM (A188, A354). What is read of them later are the names
//! of their subjects, so a certificate is put in their place that has these names, replaced, and the same validity.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::names::Names;
use super::secret::Use;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const VERSION: u8 = 0xa0;
const OBJECT_ID: u8 = 0x06;
const INTEGER: u8 = 0x02;
const UTF8: u8 = 0x0c;
/// 2.5.4.3 and 2.5.4.10: common name, organisation.
const NAMES: [&[u8]; 2] = [&[0x55, 0x04, 0x03], &[0x55, 0x04, 0x0a]];

impl Names {
    /// The redacted form of a text of certificates. What cannot be read as one is replaced by a text that cannot
    /// either.
    pub(super) fn certificates(&self, text: &str) -> String {
        if text.contains("-----BEGIN") {
            return self.pem(text).unwrap_or_else(|| self.unreadable(text));
        }
        let plain: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let pem = STANDARD.decode(plain).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let redacted = pem.and_then(|pem| self.pem(&pem));
        redacted.map_or_else(|| self.unreadable(text), |pem| STANDARD.encode(pem))
    }

    fn unreadable(&self, text: &str) -> String {
        format!("?{}", self.token(text))
    }

    fn pem(&self, pem: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = pem;
        while let Some((_, after)) = rest.split_once(BEGIN) {
            let (body, after) = after.split_once(END)?;
            let body: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
            let der = self.certificate(&STANDARD.decode(body).ok()?)?;
            out.push_str(&format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(der)));
            rest = after;
        }
        (!out.is_empty()).then_some(out)
    }

    /// Version, serial number, algorithm, issuer, validity, subject; keys and signature are left out.
    fn certificate(&self, der: &[u8]) -> Option<Vec<u8>> {
        let (_, certificate, _) = element(der)?;
        let (_, mut fields, _) = element(certificate)?;
        let mut out = Vec::new();
        if let (VERSION, version, after) = element(fields)? {
            put(&mut out, VERSION, version);
            fields = after;
        }
        let (_, _, fields) = element(fields)?;
        put(&mut out, INTEGER, self.secret.bytes(Use::Certificate, der).get(..8)?);
        let (tag, algorithm, fields) = element(fields)?;
        put(&mut out, tag, algorithm);
        let (_, issuer, fields) = element(fields)?;
        put(&mut out, SEQUENCE, &self.names_of(issuer)?);
        let (tag, validity, fields) = element(fields)?;
        put(&mut out, tag, validity);
        let (tag, subject, _) = element(fields)?;
        put(&mut out, tag, &self.names_of(subject)?);
        let mut fields = Vec::new();
        put(&mut fields, SEQUENCE, &out);
        let mut certificate = Vec::new();
        put(&mut certificate, SEQUENCE, &fields);
        Some(certificate)
    }

    /// The common and organisation names of a distinguished name, replaced; others are left out.
    fn names_of(&self, mut names: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        while !names.is_empty() {
            let (_, mut set, after) = element(names)?;
            names = after;
            while !set.is_empty() {
                let (_, pair, after) = element(set)?;
                set = after;
                let (_, id, value) = element(pair)?;
                if !NAMES.contains(&id) {
                    continue;
                }
                let (_, text, _) = element(value)?;
                let text = self.issuer(&String::from_utf8_lossy(text));
                let (mut attribute, mut pair, mut one) = (Vec::new(), Vec::new(), Vec::new());
                put(&mut attribute, OBJECT_ID, id);
                put(&mut attribute, UTF8, text.as_bytes());
                put(&mut pair, SEQUENCE, &attribute);
                put(&mut one, SET, &pair);
                out.extend(one);
            }
        }
        Some(out)
    }

    /// The name of an authority, as a certificate has it or as people write it; `public` is no name.
    pub(super) fn issuer(&self, text: &str) -> String {
        let bare = text.trim();
        match bare.strip_prefix("CN=") {
            Some(name) => format!("CN={}", self.issuer(name)),
            None if bare.eq_ignore_ascii_case("public") || bare == "*" => text.to_owned(),
            None => self.token(bare),
        }
    }
}

/// Tag, contents, and what follows the element.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, mut rest) = rest.split_first()?;
    let mut length = usize::from(*first);
    if length & 0x80 != 0 {
        let (long, after) = rest.split_at_checked(length & 0x7f)?;
        length = 0;
        for byte in long {
            length = length.checked_mul(256)?.checked_add(usize::from(*byte))?;
        }
        rest = after;
    }
    let (contents, after) = rest.split_at_checked(length)?;
    Some((*tag, contents, after))
}

fn put(out: &mut Vec<u8>, tag: u8, contents: &[u8]) {
    out.push(tag);
    let length = contents.len().to_be_bytes();
    let bytes: Vec<u8> = length.iter().copied().skip_while(|byte| *byte == 0).collect();
    match (bytes.as_slice(), contents.len()) {
        (_, 0) => out.push(0),
        ([one], 1..=127) => out.push(*one),
        (many, _) => {
            out.push(0x80 | u8::try_from(many.len()).unwrap_or(8));
            out.extend(many);
        }
    }
    out.extend(contents);
}
