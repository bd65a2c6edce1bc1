//! The certificate authorities that a cluster puts into its Linux nodes' trust store (A188, A189).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use super::certificate::{base64, subjects};
use crate::missing;
use crate::plain::Plain;
use crate::resources::find;

/// Where certificates stand in a cluster.
const LISTS: &[&str] = &["/properties/securityProfile/customCATrustCertificates"];
const SINGLE: &str = "/properties/httpProxyConfig/trustedCa";

/// The names under which the listed authorities are known, and entries that could not be read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Authorities {
    pub names: Vec<String>,
    pub unread: Vec<Missing>,
}

pub(super) fn of_cluster(plain: &Plain, cluster: &ArmId) -> Result<Authorities, Missing> {
    let cluster = find(plain, cluster.folded()).ok_or_else(|| missing::resource(cluster))?;
    let node = cluster.node();
    let mut out = Authorities::default();
    let mut texts: Vec<&str> = Vec::new();
    for list in LISTS {
        let items = node.texts(list);
        out.unread.extend(items.open);
        texts.extend(items.known);
    }
    let enabled = node.flag("/properties/httpProxyConfig/enabled").known()?.unwrap_or(true);
    texts.extend(node.text(SINGLE).known()?.filter(|_| enabled));
    for text in texts {
        match names(text) {
            Some(found) if !found.is_empty() => out.names.extend(found),
            _ => {
                let what = format!("a certificate of {}", cluster.id);
                out.unread.push(missing::evidence(what, "it is not readable as a base64-encoded PEM (A354)"));
            }
        }
    }
    Ok(out)
}

/// An entry is a PEM, in base64 once more (A188); the PEM itself is accepted as well.
fn names(entry: &str) -> Option<Vec<String>> {
    if entry.contains("-----BEGIN") {
        return subjects(entry);
    }
    let pem = String::from_utf8(base64(entry)?).ok()?;
    subjects(&pem)
}
