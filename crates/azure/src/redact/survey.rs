//! The first pass: what a snapshot has, as far as replacing one thing depends on the others.

use ipnet::IpNet;
use serde_json::{Map, Value};

use super::Redactor;
use super::addresses::Seen;
use super::ids;
use super::names::{Known, Names};
use super::secret::Secret;
use super::text::{Spot, Term, listed, term};

/// Collects what the lines of a snapshot have. Every line that is to be redacted has to be shown first; so does what
/// has to fit to it: declared facts, lists of service tags.
#[derive(Clone)]
pub struct Survey {
    known: Known,
    seen: Seen,
}

impl Default for Survey {
    fn default() -> Self {
        Self::new()
    }
}

impl Survey {
    pub fn new() -> Self {
        Self { known: Known::default(), seen: Seen::new() }
    }

    /// Looks at a line of a snapshot, a resource, or a list of them.
    ///
    /// A list of service tags (F74, F77) is public: it stays as it is, and public addresses stay in and out of the tags
    /// as they are. Without the list, a public address may leave the tags that it is in.
    pub fn see(&mut self, json: &Value) {
        if is_tag_list(json) {
            self.tags(json);
            return;
        }
        match json {
            Value::Array(items) => items.iter().for_each(|item| self.see(item)),
            Value::Object(object) => {
                self.resource(object);
                self.walk(Spot::default(), json, false);
            }
            _ => {}
        }
    }

    /// Looks at a `pullproof.toml`.
    pub(super) fn see_declared(&mut self, json: &Value) {
        self.walk(Spot::default(), json, false);
    }

    /// The redactor for what was seen.
    pub fn redactor(self, secret: Secret) -> Redactor {
        let map = self.seen.map(secret.clone());
        Redactor { names: Names { secret, known: self.known }, map }
    }

    fn tags(&mut self, json: &Value) {
        if let Some(id) = json.get("id").and_then(Value::as_str) {
            self.known.see_id(id);
        }
        let lists = json.get("values").and_then(Value::as_array).into_iter().flatten();
        let prefixes =
            lists.filter_map(|tag| tag.pointer("/properties/addressPrefixes")?.as_array()).flatten();
        for text in prefixes.filter_map(Value::as_str) {
            match term(text) {
                Some(Term::Prefix(address, length)) => {
                    IpNet::new(address, length).into_iter().for_each(|net| self.seen.fix(net.trunc()));
                }
                Some(Term::Address(address)) => self.seen.fix(address.into()),
                Some(Term::Range(..)) | None => {}
            }
        }
    }

    /// What a resource says about names elsewhere.
    fn resource(&mut self, object: &Map<String, Value>) {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let Some(id) = text("id") else { return };
        let folded = id.to_ascii_lowercase();
        let parts: Vec<&str> = folded.split('/').collect();
        let after = |key: &str| {
            let at = parts.iter().position(|part| *part == key)?;
            parts.get(at.checked_add(1)?).map(|part| (*part).to_owned())
        };
        if let Some(location) = text("location").map(str::to_ascii_lowercase)
            && location.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            self.known.regions.insert(location);
        }
        if let (Some(cluster), Some(group)) = (after("managedclusters"), after("resourcegroups")) {
            self.known.pools.extend(after("agentpools"));
            let properties = object.get("properties").and_then(Value::as_object).unwrap_or(object);
            let pools = properties.get("agentPoolProfiles").and_then(Value::as_array).into_iter().flatten();
            let names = pools.filter_map(|pool| pool.get("name")?.as_str());
            self.known.pools.extend(names.map(str::to_ascii_lowercase));
            if let Some(region) = text("location").map(str::to_ascii_lowercase) {
                let made = format!("mc_{group}_{cluster}_{region}");
                self.known.node_groups.insert(made, (group, cluster, region));
            }
        }
    }

    /// `subnet`: the value lies in a subnet, or another block that addresses have a place in.
    fn walk(&mut self, spot: Spot<'_>, json: &Value, subnet: bool) {
        match json {
            Value::Object(object) => {
                let own = object.get("id").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
                let subnet = if own.is_empty() { subnet || spot.key == "subnets" } else { is_block(&own) };
                for (key, value) in object {
                    if ids::is_id(key) {
                        self.known.see_id(key);
                    }
                    let name = value.as_str().filter(|_| key == "name" && spot.key != "sku");
                    if let Some(name) = name.filter(|name| !name.contains('.')) {
                        self.known.names.insert(name.to_ascii_lowercase());
                    }
                    self.walk(Spot { parent: spot.key, key }, value, subnet);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(spot, item, subnet)),
            Value::String(text) => self.text(spot, text, subnet),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, spot: Spot<'_>, text: &str, subnet: bool) {
        if spot.key == "condition" {
            self.known.see_condition(text);
            return;
        }
        if ids::is_id(text) {
            self.known.see_id(text);
            return;
        }
        let place = matches!(spot.key, "podCidr" | "podCidrs" | "serviceCidr" | "serviceCidrs" | "ipPrefix")
            || spot.key.ends_with("PeerAddressPrefix")
            || (subnet && matches!(spot.key, "addressPrefix" | "addressPrefixes"));
        let mut any = false;
        for term in listed(text).into_iter().filter_map(term) {
            any = true;
            match term {
                Term::Address(address) => self.seen.address(address),
                Term::Range(first, last) => self.seen.range(first, last),
                Term::Prefix(address, length) => {
                    let Ok(net) = IpNet::new(address, length) else { continue };
                    if net.network() != address {
                        self.seen.address(address);
                    }
                    if place { self.seen.keep_whole(net.trunc()) } else { self.seen.prefix(net.trunc()) }
                }
            }
        }
        if !any {
            self.known.see_wildcard(text);
            let host = text.split_once("://").map_or(text, |(_, rest)| rest);
            let host = host.split('/').next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
            let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
            if let Ok(address) = host.trim_matches(['[', ']']).parse() {
                self.seen.address(address);
            }
        }
    }
}

/// True for the (folded) id of something whose `addressPrefix` addresses have a place in: a subnet, a virtual hub.
fn is_block(id: &str) -> bool {
    let mut last = id.rsplit('/');
    let kind = last.nth(1);
    matches!(kind, Some("subnets" | "virtualhubs"))
}

/// Microsoft's published form, or the answer of the API.
pub(super) fn is_tag_list(json: &Value) -> bool {
    json.get("values").is_some_and(Value::is_array)
        && (json.get("changeNumber").is_some() || json.get("cloud").is_some())
}
