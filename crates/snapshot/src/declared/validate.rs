//! What the types of the tables do not say: which texts are prefixes, ports, protocols, names, and what goes together.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::schema::{Places, nearest};
use super::{Appliance, Declared, DnsServer, Fault, Filter, Ports, Provenance, Registry, Site};
use crate::facts::presets;

/// Severities that `[rules]` may give a rule.
const SEVERITIES: &[&str] = &["error", "warning", "note", "info", "off"];
const FAIL_ON: &[&str] = &["disproven", "undetermined", "never"];
const PROTOCOLS: &[&str] = &["tcp", "udp", "icmp", "*"];
const RECORD_TYPES: &[&str] = &["A", "AAAA", "CNAME", "TXT", "MX", "NS", "PTR", "SRV", "SOA"];

type Check = Result<(), Fault>;

pub(super) fn check(declared: &Declared, places: &Places) -> Check {
    let check = Checker { places };
    match (places.has("version"), declared.version) {
        (true, 1) => {}
        (true, other) => return check.fault("version", format!("version {other}; this reads version 1")),
        (false, _) => return check.fault("", "`version = 1` is missing".into()),
    }
    if let Some(word) = &declared.audit.fail_on {
        check.one_of("audit.fail_on", word, FAIL_ON)?;
    }
    for (rule, severity) in &declared.rules {
        check.one_of(&format!("rules.{rule}"), severity, SEVERITIES)?;
    }
    let mut names = BTreeSet::new();
    for (i, registry) in declared.registries.iter().enumerate() {
        check.registry(&format!("registry.{i}"), registry, &mut names)?;
    }
    let mut names = BTreeSet::new();
    for (i, principal) in declared.service_principals.iter().enumerate() {
        check.unique(&format!("service_principal.{i}"), &principal.name, &mut names)?;
        check.dates(&format!("service_principal.{i}"), &principal.provenance)?;
    }
    let mut names = BTreeSet::new();
    for (i, site) in declared.sites.iter().enumerate() {
        check.site(&format!("site.{i}"), site, &mut names)?;
    }
    let mut addresses = BTreeSet::new();
    for (i, server) in declared.dns_servers.iter().enumerate() {
        let path = format!("dns_server.{i}");
        check.server(&path, server)?;
        if !addresses.insert((server.address, server.vnet.clone(), server.site.clone())) {
            return check.fault(&path, format!("{} is declared twice", server.address));
        }
    }
    let mut addresses = BTreeSet::new();
    for (i, appliance) in declared.appliances.iter().enumerate() {
        let path = format!("appliance.{i}");
        check.appliance(&path, appliance)?;
        if !addresses.insert((appliance.address, appliance.vnet.clone())) {
            return check.fault(&path, format!("{} is declared twice", appliance.address));
        }
    }
    let mut names = BTreeSet::new();
    for (i, name) in declared.public_names.iter().enumerate() {
        let path = format!("public_name.{i}");
        check.host(&format!("{path}.host"), &name.host)?;
        check.unique(&path, name.host.trim_end_matches('.'), &mut names)?;
        for (j, cname) in name.cname.iter().enumerate() {
            check.host(&format!("{path}.cname.{j}"), cname)?;
        }
        check.dates(&path, &name.provenance)?;
    }
    for (i, trust) in declared.trusts.iter().enumerate() {
        check.dates(&format!("trust.{i}"), &trust.provenance)?;
    }
    for (i, suppress) in declared.suppressions.iter().enumerate() {
        if suppress.reason.trim().is_empty() {
            return check.fault(&format!("suppress.{i}.reason"), "a suppression needs a reason".into());
        }
        check.dates(&format!("suppress.{i}"), &suppress.provenance)?;
    }
    Ok(())
}

struct Checker<'a> {
    places: &'a Places,
}

impl Checker<'_> {
    fn fault(&self, path: &str, message: String) -> Check {
        Err(Fault { offset: self.places.of(path), message })
    }

    fn one_of(&self, path: &str, word: &str, known: &[&str]) -> Check {
        if known.contains(&word) {
            return Ok(());
        }
        let hint = match nearest(word, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", known.join(", ")),
        };
        self.fault(path, format!("`{word}` is unknown here; {hint}"))
    }

    fn unique(&self, path: &str, name: &str, names: &mut BTreeSet<String>) -> Check {
        if name.is_empty() {
            return self.fault(path, "the name is empty".into());
        }
        if !names.insert(name.to_ascii_lowercase()) {
            return self.fault(path, format!("`{name}` is declared twice"));
        }
        Ok(())
    }

    fn dates(&self, path: &str, provenance: &Provenance) -> Check {
        for (key, date) in [("on", &provenance.on), ("expires", &provenance.expires)] {
            if date.as_ref().is_some_and(|date| date.date.is_none()) {
                return self.fault(&format!("{path}.{key}"), "a date is needed, such as 2027-03-01".into());
            }
        }
        Ok(())
    }

    fn registry(&self, path: &str, registry: &Registry, names: &mut BTreeSet<String>) -> Check {
        self.unique(path, &registry.name, names)?;
        self.dates(path, &registry.provenance)?;
        match (&registry.preset, registry.hosts.is_empty()) {
            (Some(_), false) => {
                return self.fault(path, "`preset` stands in place of `hosts`: give one".into());
            }
            (None, true) => return self.fault(path, "`hosts` or `preset` is missing".into()),
            (Some(preset), true) => {
                let known: Vec<&str> = presets::all().iter().map(|p| p.name.as_str()).collect();
                self.one_of(&format!("{path}.preset"), preset, &known)?;
            }
            (None, false) => {}
        }
        for (i, host) in registry.hosts.iter().enumerate() {
            let path = format!("{path}.hosts.{i}");
            self.host(&path, &host.host)?;
            if host.port == 0 {
                return self.fault(&path, "0 is no port".into());
            }
        }
        if registry.pull_secret_valid.is_some() && registry.pull_secret == Some(false) {
            return self.fault(path, "`pull_secret_valid` without a pull secret".into());
        }
        Ok(())
    }

    fn site(&self, path: &str, site: &Site, names: &mut BTreeSet<String>) -> Check {
        self.unique(path, &site.name, names)?;
        self.dates(path, &site.provenance)?;
        for (key, prefixes) in [("prefixes", &site.prefixes), ("routes_to_azure", &site.routes_to_azure)] {
            for (i, prefix) in prefixes.iter().enumerate() {
                self.prefix(&format!("{path}.{key}.{i}"), prefix)?;
            }
        }
        if let Some(preferred) = &site.preferred
            && !site.connections.iter().any(|c| c.eq_ignore_ascii_case(preferred))
        {
            return self
                .fault(&format!("{path}.preferred"), format!("`{preferred}` is none of the connections"));
        }
        if let Some(filter) = &site.filter {
            self.one_of(&format!("{path}.filter"), filter, &["none"])?;
            if !site.firewall.is_empty() {
                return self.fault(&format!("{path}.filter"), "leave `filter` out beside `firewall`".into());
            }
        }
        self.filters(&format!("{path}.firewall"), &site.firewall)
    }

    fn server(&self, path: &str, server: &DnsServer) -> Check {
        self.dates(path, &server.provenance)?;
        if server.vnet.is_some() && server.site.is_some() {
            return self.fault(path, "`vnet` and `site`: a server stands in one of them".into());
        }
        for (i, forward) in server.forwards.iter().enumerate() {
            let path = format!("{path}.forwards.{i}");
            self.domain(&format!("{path}.domain"), &forward.domain)?;
            if forward.to.is_empty() {
                return self.fault(&path, "`to` is empty".into());
            }
            for (j, to) in forward.to.iter().enumerate() {
                if to != "public" && to.parse::<IpAddr>().is_err() {
                    let message = format!("`{to}` is neither an address nor \"public\"");
                    return self.fault(&format!("{path}.to.{j}"), message);
                }
            }
        }
        for (i, zone) in server.zones.iter().enumerate() {
            let path = format!("{path}.zones.{i}");
            self.domain(&format!("{path}.name"), &zone.name)?;
            for (j, record) in zone.records.iter().enumerate() {
                let path = format!("{path}.records.{j}");
                self.one_of(&format!("{path}.type"), &record.kind.to_ascii_uppercase(), RECORD_TYPES)?;
                for (k, value) in record.values.iter().enumerate() {
                    let address = value.parse::<IpAddr>();
                    let fits = match record.kind.to_ascii_uppercase().as_str() {
                        "A" => address.is_ok_and(|a| a.is_ipv4()),
                        "AAAA" => address.is_ok_and(|a| a.is_ipv6()),
                        _ => !value.is_empty(),
                    };
                    if !fits {
                        let message = format!("`{value}` is no value of a record of type {}", record.kind);
                        return self.fault(&format!("{path}.values.{k}"), message);
                    }
                }
            }
        }
        Ok(())
    }

    fn appliance(&self, path: &str, appliance: &Appliance) -> Check {
        self.dates(path, &appliance.provenance)?;
        if appliance.snat == Some(false) && !appliance.snat_to.is_empty() {
            return self.fault(&format!("{path}.snat"), "`snat = false` beside `snat_to`".into());
        }
        self.filters(&format!("{path}.forwards"), &appliance.forwards)
    }

    fn filters(&self, path: &str, filters: &[Filter]) -> Check {
        for (i, filter) in filters.iter().enumerate() {
            let path = format!("{path}.{i}");
            for (key, prefixes) in [("from", &filter.from), ("to", &filter.to)] {
                for (j, prefix) in prefixes.iter().enumerate() {
                    if prefix != "*" {
                        self.prefix(&format!("{path}.{key}.{j}"), prefix)?;
                    }
                }
            }
            self.one_of(&format!("{path}.protocol"), &filter.protocol.to_ascii_lowercase(), PROTOCOLS)?;
            let good = match &filter.ports {
                Ports::Number(port) => *port > 0,
                Ports::Text(text) => is_ports(text),
            };
            if !good {
                let message = "ports are \"443\", \"80,443\", \"1-1024\" or \"*\"".to_owned();
                return self.fault(&format!("{path}.ports"), message);
            }
        }
        Ok(())
    }

    fn prefix(&self, path: &str, text: &str) -> Check {
        if is_prefix(text) {
            return Ok(());
        }
        self.fault(path, format!("`{text}` is no address prefix such as 10.0.0.0/16"))
    }

    fn domain(&self, path: &str, text: &str) -> Check {
        if text == "." { Ok(()) } else { self.host(path, text) }
    }

    fn host(&self, path: &str, text: &str) -> Check {
        let name = text.strip_suffix('.').unwrap_or(text);
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        let rest = name.strip_prefix("*.").unwrap_or(name);
        if text == "*" || (name.len() <= 253 && rest.split('.').all(label)) {
            return Ok(());
        }
        self.fault(path, format!("`{text}` is no host name"))
    }
}

fn is_prefix(text: &str) -> bool {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most: u8 = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}

fn is_ports(text: &str) -> bool {
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port > 0);
    text == "*"
        || text.split(',').all(|part| match part.split_once('-') {
            Some((low, high)) => port(low).zip(port(high)).is_some_and(|(low, high)| low <= high),
            None => port(part).is_some(),
        })
}
