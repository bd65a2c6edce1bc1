//! Azure Firewall: policy and classic rules, in the order in which they are processed (F113–F140), and when it
//! translates the source (R167–R169).

use std::net::IpAddr;
use std::sync::Arc;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::facts::{clouds, fqdn_tags};
use pullproof_snapshot::question::{Decision, DecisionAnswer, LookupAnswer, LookupResult, Missing};
use serde_json::Value;

use crate::json::{Node, is, prefix, range_holds};
use crate::lookup;
use crate::missing;
use crate::nsg::Flow;
use crate::plain::Plain;
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{vnet, vnets};

/// What the firewall does with a first packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub allow: Tri,
    /// `None`: the built-in deny.
    pub rule: Option<String>,
    pub by: Option<ArmId>,
    /// An application rule decided: the firewall resolves the host itself and opens the connection anew (F121).
    pub application: bool,
    /// False where rules that are not known might have decided before, with the same result: then it is not known
    /// whether the firewall translates and resolves anew.
    pub certain: bool,
    /// The deciding rule has the firewall present a certificate of its own (F137).
    pub terminates_tls: bool,
    pub assumptions: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Network,
    Application,
}

/// One rule with its place in the order.
struct Rule {
    kind: Kind,
    name: String,
    allow: bool,
    json: Value,
    by: ArmId,
}

#[derive(Default)]
struct Rules {
    ordered: Vec<Rule>,
    /// Rules that translate the destination, each with the resource that holds it.
    translating: Vec<(Value, ArmId)>,
    /// What was not read; it may hold any rule.
    open: Vec<Missing>,
    assumptions: Vec<String>,
}

/// The firewall's policy, where it has one.
fn policy(plain: &Plain, json: &Value, id: &ArmId) -> Result<Option<(ArmId, Arc<Value>)>, Missing> {
    match Node::new(json, id).reference("/properties/firewallPolicy").known()? {
        Some(policy) => plain.read(&policy).map(|(_, json)| Some((policy, json))),
        None => Ok(None),
    }
}

/// F139: does the firewall let the packet pass? `host` is the name in the TLS hello or the `Host` header. `from` is
/// the virtual network of the client, for the question whether both ask the same resolver.
pub fn decide(
    plain: &Plain,
    firewall: &ArmId,
    flow: &Flow,
    host: Option<&str>,
    from: Option<&ArmId>,
) -> Outcome {
    let mut outcome = Outcome {
        allow: Tri::No,
        rule: None,
        by: Some(firewall.clone()),
        application: false,
        certain: true,
        terminates_tls: false,
        assumptions: Vec::new(),
    };
    let rules = match rules(plain, firewall) {
        Ok(rules) => rules,
        Err(missing) => {
            outcome.allow = Tri::unknown(missing);
            return outcome;
        }
    };
    outcome.assumptions.clone_from(&rules.assumptions);
    let ask = Ask { plain, firewall, flow, host, from };
    if addresses(plain, firewall).contains(&flow.destination) {
        outcome.allow = ask.to_itself(&rules);
        return outcome;
    }
    let mut unsure: Vec<(bool, Vec<Missing>)> = rules.open.into_iter().map(|m| (true, vec![m])).collect();
    // Whatever was not read may allow and may deny.
    let closed = unsure.is_empty();
    for kind in [Kind::Network, Kind::Application] {
        for rule in rules.ordered.iter().filter(|r| r.kind == kind) {
            match ask.matches(rule) {
                Tri::No => {}
                Tri::Unknown(why) => unsure.push((rule.allow, why)),
                Tri::Yes => {
                    let other = unsure.iter().find(|(allow, _)| !closed || *allow != rule.allow);
                    outcome.allow = match other {
                        Some((_, why)) => Tri::Unknown(why.clone()),
                        None => rule.allow.into(),
                    };
                    outcome.certain = unsure.is_empty();
                    outcome.rule = Some(rule.name.clone());
                    outcome.by = Some(rule.by.clone());
                    outcome.application = rule.kind == Kind::Application;
                    let node = Node::new(&rule.json, &rule.by);
                    outcome.terminates_tls =
                        outcome.application && node.flag("/terminateTLS").known() == Ok(Some(true));
                    return outcome;
                }
            }
        }
    }
    // F113: default deny, unless a rule that is not known allows.
    let allowing: Vec<Missing> =
        unsure.into_iter().filter(|(allow, _)| *allow).flat_map(|(_, why)| why).collect();
    if !allowing.is_empty() {
        outcome.allow = Tri::Unknown(allowing);
    }
    outcome
}

/// The answer to a single question.
pub fn answer(plain: &Plain, firewall: &ArmId, flow: &Flow, host: Option<&str>) -> DecisionAnswer {
    let from = vnets(plain)
        .into_iter()
        .find(|v| v.prefixes().known.iter().any(|p| p.contains(&flow.source)))
        .map(|v| v.id);
    let outcome = decide(plain, firewall, flow, host, from.as_ref());
    let (decision, missing) = match outcome.allow {
        Tri::Yes => (Decision::Allow, Vec::new()),
        Tri::No => (Decision::Deny, Vec::new()),
        Tri::Unknown(missing) => (Decision::Unknown, missing),
    };
    let rule = outcome.rule.or_else(|| (decision == Decision::Deny).then(|| "default-deny".to_owned()));
    DecisionAnswer { decision, rule, by: outcome.by.map(|b| b.as_written().to_owned()), missing }
}

/// The private addresses of a firewall.
pub fn addresses(plain: &Plain, firewall: &ArmId) -> Vec<IpAddr> {
    let mut out: Vec<IpAddr> =
        plain.index().owners.values().flatten().filter(|o| o.id == *firewall).map(|o| o.address).collect();
    out.sort();
    out
}

/// Every rule in the order of processing: by type, whatever the priorities (F114); parent policies before children,
/// groups and collections by priority, rules as listed (F115, F116).
fn rules(plain: &Plain, firewall: &ArmId) -> Result<Rules, Missing> {
    let (_, json) = plain.read(firewall)?;
    let mut out = Rules::default();
    match policy(plain, &json, firewall)? {
        Some((id, _)) => {
            let mut chain = Vec::new();
            let mut next = Some(id);
            while let Some(id) = next {
                if chain.contains(&id) || chain.len() > 8 {
                    return Err(missing::evidence(id.as_written(), "the policy inherits from itself"));
                }
                let (_, json) = match plain.read(&id) {
                    Ok(found) => found,
                    Err(missing) => {
                        out.open.push(missing);
                        break;
                    }
                };
                next = Node::new(&json, &id).reference("/properties/basePolicy").known()?;
                chain.push(id);
            }
            for id in chain.into_iter().rev() {
                of_policy(plain, &id, &mut out)?;
            }
        }
        None => classic(Node::new(&json, firewall), firewall, &mut out)?,
    }
    Ok(out)
}

fn of_policy(plain: &Plain, policy: &ArmId, out: &mut Rules) -> Result<(), Missing> {
    let (ix, json) = plain.read(policy)?;
    let node = Node::new(&json, policy);
    if matches!(node.text("/properties/threatIntelMode").known(), Ok(Some(m)) if is(m, "Deny")) {
        out.assumptions.push(format!("threat-intelligence:{}", policy.name())); // F131
    }
    if matches!(node.text("/properties/intrusionDetection/mode").known(), Ok(Some(m)) if is(m, "Deny")) {
        out.assumptions.push(format!("intrusion-detection:{}", policy.name())); // F132
    }
    let mut groups = Vec::new();
    let children = plain.layered.children(ix, &json, "ruleCollectionGroups");
    if children.is_empty()
        && let Err(missing) =
            plain.none_elsewhere(policy, "Microsoft.Network/firewallPolicies/ruleCollectionGroups")
    {
        out.open.push(missing);
    }
    for child in children {
        // An inline group is only a reference: without its own resource it was not read.
        if child.json.pointer("/properties").is_none() {
            out.open.push(missing::resource(&child.id));
            continue;
        }
        let priority = Node::new(&child.json, &child.id).number("/properties/priority").known()?;
        let priority = priority.ok_or_else(|| missing::malformed(&child.id, "/properties/priority"))?;
        groups.push((priority, child.id.clone(), child.json.into_owned()));
    }
    groups.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    for (_, id, json) in groups {
        let mut collections = Vec::new();
        let list = Node::new(&json, &id).list("/properties/ruleCollections");
        out.open.extend(list.open);
        for collection in list.known {
            let node = Node::new(collection, &id);
            let priority = node.number("/priority").known()?.unwrap_or_default();
            collections.push((priority, node));
        }
        collections.sort_by_key(|(priority, _)| *priority);
        for (_, node) in collections {
            let kind = node.text("/ruleCollectionType").known()?.unwrap_or_default();
            if is(kind, "FirewallPolicyNatRuleCollection") {
                let rules = node.list("/rules");
                out.open.extend(rules.open);
                out.translating.extend(rules.known.into_iter().map(|rule| (rule.clone(), id.clone())));
                continue;
            }
            let action = node.text("/action/type").known()?;
            let allow = is(action.ok_or_else(|| missing::malformed(&id, "/action/type"))?, "Allow");
            let rules = node.list("/rules");
            out.open.extend(rules.open);
            for rule in rules.known {
                let of = Node::new(rule, &id);
                let kind = of.text("/ruleType").known()?.unwrap_or_default();
                let kind = if is(kind, "NetworkRule") {
                    Kind::Network
                } else if is(kind, "ApplicationRule") {
                    Kind::Application
                } else {
                    continue;
                };
                let name = of.text("/name").known()?.unwrap_or_default().to_owned();
                out.ordered.push(Rule { kind, name, allow, json: rule.clone(), by: id.clone() });
            }
        }
    }
    Ok(())
}

fn classic(node: Node<'_>, firewall: &ArmId, out: &mut Rules) -> Result<(), Missing> {
    let translating = node.list("/properties/natRuleCollections");
    out.open.extend(translating.open);
    for collection in translating.known {
        let rules = Node::new(collection, firewall).list("/properties/rules");
        out.open.extend(rules.open);
        out.translating.extend(rules.known.into_iter().map(|rule| (rule.clone(), firewall.clone())));
    }
    for (field, kind) in
        [("networkRuleCollections", Kind::Network), ("applicationRuleCollections", Kind::Application)]
    {
        let list = node.list(&format!("/properties/{field}"));
        out.open.extend(list.open);
        let mut collections = Vec::new();
        for collection in list.known {
            let of = Node::new(collection, firewall);
            collections.push((of.number("/properties/priority").known()?.unwrap_or_default(), of));
        }
        collections.sort_by_key(|(priority, _)| *priority);
        for (_, of) in collections {
            let action = of.text("/properties/action/type").known()?;
            let allow =
                is(action.ok_or_else(|| missing::malformed(firewall, "/properties/action/type"))?, "Allow");
            let rules = of.list("/properties/rules");
            out.open.extend(rules.open);
            for rule in rules.known {
                let name = Node::new(rule, firewall).text("/name").known()?.unwrap_or_default().to_owned();
                out.ordered.push(Rule { kind, name, allow, json: rule.clone(), by: firewall.clone() });
            }
        }
    }
    Ok(())
}

struct Ask<'a> {
    plain: &'a Plain,
    firewall: &'a ArmId,
    flow: &'a Flow,
    host: Option<&'a str>,
    from: Option<&'a ArmId>,
}

impl Ask<'_> {
    /// A packet to the firewall's own address: its DNS proxy (F140), a translation (F134), else nobody.
    fn to_itself(&self, rules: &Rules) -> Tri {
        if self.flow.destination_port == 53 {
            match lookup::serves_names(self.plain, self.firewall) {
                Ok(true) => return Tri::Yes,
                Ok(false) => {}
                Err(missing) => return Tri::unknown(missing),
            }
        }
        if let Some(open) = rules.open.first() {
            return Tri::unknown(open.clone());
        }
        let reached = rules.translating.iter().any(|(rule, by)| {
            self.side(Node::new(rule, by), "destination", self.flow.destination, None) != Tri::No
        });
        if !reached {
            return Tri::No;
        }
        Tri::unknown(missing::not_modelled(
            format!("destination translation at {}", self.firewall.name()),
            "a rule may send packets for its own address on to another (F134)",
        ))
    }

    fn matches(&self, rule: &Rule) -> Tri {
        let node = Node::new(&rule.json, &rule.by);
        let source = self.side(node, "source", self.flow.source, None);
        match rule.kind {
            Kind::Network => {
                let destination = self.destination(node);
                self.protocol(node).and(self.port(node)).and(source).and(destination)
            }
            Kind::Application => source.and(self.application(node)),
        }
    }

    /// F125: `Any` with ports is TCP and UDP.
    fn protocol(&self, node: Node<'_>) -> Tri {
        let mut texts = node.texts("/ipProtocols");
        let classic = node.texts("/protocols");
        texts.known.extend(classic.known);
        if texts.known.iter().any(|p| is(p, "Any") || is(p, &self.flow.protocol)) {
            return Tri::Yes;
        }
        texts.open.extend(classic.open);
        if texts.open.is_empty() { Tri::No } else { Tri::Unknown(texts.open) }
    }

    fn port(&self, node: Node<'_>) -> Tri {
        let texts = node.texts("/destinationPorts");
        let port = self.flow.destination_port;
        let hit = texts.known.iter().flat_map(|t| t.split(',')).any(|t| {
            let t = t.trim();
            let (low, high) = t.split_once('-').unwrap_or((t, t));
            t == "*" || matches!((low.trim().parse::<u16>(), high.trim().parse::<u16>()), (Ok(l), Ok(h)) if l <= port && port <= h)
        });
        if hit {
            return Tri::Yes;
        }
        if texts.open.is_empty() { Tri::No } else { Tri::Unknown(texts.open) }
    }

    /// F126: addresses, ranges, tags, `*`, and IP groups; an empty group makes the rule skipped.
    fn side(&self, node: Node<'_>, side: &str, address: IpAddr, host: Option<&str>) -> Tri {
        let texts = node.texts(&format!("/{side}Addresses"));
        let mut answer = Tri::No;
        for text in texts.known {
            answer = answer.or(self.term(text, address, host));
        }
        for missing in texts.open {
            answer = answer.or(Tri::unknown(missing));
        }
        let groups = node.references(&format!("/{side}IpGroups"));
        for group in groups.known {
            answer = answer.or(match self.plain.read(&group) {
                Err(missing) => Tri::unknown(missing),
                Ok((_, json)) => {
                    let list = Node::new(&json, &group).texts("/properties/ipAddresses");
                    let held = list.known.iter().any(|t| range_holds(t, address) == Some(true));
                    if held || list.open.is_empty() { held.into() } else { Tri::Unknown(list.open) }
                }
            });
        }
        for missing in groups.open {
            answer = answer.or(Tri::unknown(missing));
        }
        answer
    }

    fn term(&self, text: &str, address: IpAddr, host: Option<&str>) -> Tri {
        if text.trim() == "*" {
            return Tri::Yes;
        }
        range_holds(text, address)
            .map_or_else(|| tags::holds(self.plain, text.trim(), address, host), Tri::from)
    }

    fn destination(&self, node: Node<'_>) -> Tri {
        let mut answer = self.side(node, "destination", self.flow.destination, self.host);
        let names = node.texts("/destinationFqdns");
        for name in names.known {
            answer = answer.or(self.network_name(name));
        }
        for missing in names.open {
            answer = answer.or(Tri::unknown(missing));
        }
        answer
    }

    /// F123, F124: a name in a network rule stands for the addresses that the firewall resolved.
    fn network_name(&self, name: &str) -> Tri {
        let ours = self.host.is_some_and(|h| h.eq_ignore_ascii_case(name));
        if ours && self.shares_resolver() {
            return Tri::Yes; // the client's answer came through the firewall's proxy
        }
        if self.host.is_none() && self.flow.destination_port == 53 {
            return Tri::No; // a lookup never waits for another one: see F139, step 2
        }
        let answer = resolve(self.plain, self.firewall, name);
        match answer.result {
            LookupResult::Answer => {
                let to = self.flow.destination.to_string();
                answer.addresses.contains(&to).into()
            }
            LookupResult::Unknown if ours => Tri::Unknown(answer.missing),
            // A name that is not asked for matches only if it happens to have this address (F139, step 2).
            _ => Tri::No,
        }
    }

    /// The client asks the firewall's DNS proxy.
    fn shares_resolver(&self) -> bool {
        let own = addresses(self.plain, self.firewall);
        let home = self.plain.index().owners.values().flatten().find(|o| o.id == *self.firewall);
        let network = self.from.cloned().or_else(|| home.and_then(|o| o.vnet()));
        let Some(network) = network.and_then(|id| vnet(self.plain, &id)) else { return false };
        let servers = network.node().texts("/properties/dhcpOptions/dnsServers").known;
        let asks = servers.first().and_then(|s| s.parse().ok()).is_some_and(|s| own.contains(&s));
        asks && self.proxy_enabled()
    }

    fn proxy_enabled(&self) -> bool {
        let Ok((_, json)) = self.plain.read(self.firewall) else { return false };
        match policy(self.plain, &json, self.firewall) {
            Ok(Some((id, policy))) => {
                Node::new(&policy, &id).flag("/properties/dnsSettings/enableProxy").known() == Ok(Some(true))
            }
            Ok(None) => {
                let value = json.pointer("/properties/additionalProperties/Network.DNS.EnableProxy");
                value.and_then(Value::as_str).is_some_and(|v| is(v, "true"))
            }
            Err(_) => false,
        }
    }

    /// F119, F120, F122, F128: only HTTP, HTTPS and MSSQL; by the name in the hello.
    fn application(&self, node: Node<'_>) -> Tri {
        if !is(&self.flow.protocol, "tcp") {
            return Tri::No;
        }
        let protocols = node.list("/protocols");
        let port = i64::from(self.flow.destination_port);
        // A pull is TLS: only `Https` reads its hello (F119, F120).
        let https = |p: &&Value| {
            p.get("protocolType")
                .and_then(Value::as_str)
                .is_none_or(|kind| kind.eq_ignore_ascii_case("Https"))
        };
        let carried = protocols
            .known
            .iter()
            .copied()
            .filter(https)
            .any(|p| p.get("port").and_then(Value::as_i64) == Some(port));
        if !carried {
            return if protocols.open.is_empty() { Tri::No } else { Tri::Unknown(protocols.open) };
        }
        let destination = node.texts("/destinationAddresses");
        let mut narrowed = Tri::Yes;
        if !destination.known.is_empty() {
            narrowed = self.side(node, "destination", self.flow.destination, self.host);
        }
        let Some(host) = self.host else {
            return narrowed.and(Tri::unknown(missing::evidence(
                "the host name of the connection",
                "an application rule compares it (F120)",
            )));
        };
        let mut answer = Tri::No;
        let names = node.texts("/targetFqdns");
        for name in names.known {
            answer = answer.or(wildcard(name, host).into());
        }
        for missing in names.open {
            answer = answer.or(Tri::unknown(missing));
        }
        for tag in node.texts("/fqdnTags").known {
            answer = answer.or(fqdn_tag(tag, host));
        }
        for (field, what) in [("/webCategories", "a web category"), ("/targetUrls", "a target URL")] {
            if let Some(text) = node.texts(field).known.first() {
                answer = answer
                    .or(Tri::unknown(missing::not_modelled(*text, format!("{what} of a firewall rule"))));
            }
        }
        narrowed.and(answer)
    }
}

/// F122: a star only as the left-most character; it stands for anything to the left, dots included.
pub fn wildcard(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.trim().to_ascii_lowercase(), host.to_ascii_lowercase());
    match pattern.strip_prefix('*') {
        Some(rest) => host.ends_with(rest),
        None => pattern == host,
    }
}

/// F128, F129: the contents of an FQDN tag are Microsoft's. The documented hosts are in it; customer registries and
/// their storage are not.
fn fqdn_tag(tag: &str, host: &str) -> Tri {
    let known = fqdn_tags::find(tag);
    // A host of any region: which regions the tag admits is not documented to depend on the firewall's own.
    let listed = |p: &String| match p.split_once("<location>") {
        Some((before, after)) => {
            let suffix = after.to_ascii_lowercase();
            let inner = before.trim_start_matches("*.").to_ascii_lowercase();
            let host = host.to_ascii_lowercase();
            host.strip_suffix(&suffix).is_some_and(|rest| rest.contains(&inner))
        }
        None => wildcard(p, host),
    };
    if known.is_some_and(|t| t.hosts.iter().any(listed)) {
        return Tri::Yes;
    }
    let ours = clouds::of_host(host).is_some()
        || clouds::all().iter().any(|c| host.to_ascii_lowercase().ends_with(&format!(".{}", c.blob)));
    if known.is_some() && ours {
        return Tri::No;
    }
    Tri::unknown(missing::contested(
        "F128, FU14",
        format!("whether the FQDN tag {tag} holds {host}"),
        "the contents of FQDN tags are not published",
    ))
}

/// What the firewall itself resolves a name to (F121, D121, D177).
pub fn resolve(plain: &Plain, firewall: &ArmId, host: &str) -> LookupAnswer {
    crate::lookup::firewall_lookup(plain, firewall, host, "A")
}

/// Does the firewall send the packet on under its own address (R167, R168)? Application rules always do.
pub fn translates(plain: &Plain, firewall: &ArmId, application: bool, destination: IpAddr) -> Tri {
    if application {
        return Tri::Yes;
    }
    let ranges = match private_ranges(plain, firewall) {
        Ok(ranges) => ranges,
        Err(missing) => return Tri::unknown(missing),
    };
    let mut private = false;
    for text in &ranges {
        if is(text, "IANAPrivateRanges") {
            private |= ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]
                .iter()
                .filter_map(|p| prefix(p))
                .any(|p| p.contains(&destination));
        } else if text != "255.255.255.255/32" {
            match range_holds(text, destination) {
                Some(held) => private |= held,
                None => return Tri::unknown(missing::malformed(firewall, "/properties/snat/privateRanges")),
            }
        }
    }
    (!private).into()
}

fn private_ranges(plain: &Plain, firewall: &ArmId) -> Result<Vec<String>, Missing> {
    let (_, json) = plain.read(firewall)?;
    let default = vec!["IANAPrivateRanges".to_owned()];
    let Some((id, policy)) = policy(plain, &json, firewall)? else {
        let text = json.pointer("/properties/additionalProperties/Network.SNAT.PrivateRanges");
        return Ok(match text.and_then(Value::as_str) {
            Some(text) => text.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect(),
            None => default,
        });
    };
    let node = Node::new(&policy, &id);
    let learn = node.text("/properties/snat/autoLearnPrivateRanges").known()?;
    if learn.is_some_and(|l| is(l, "Enabled")) {
        return Err(missing::not_modelled(id.as_written(), "private ranges that the firewall learns (R168)"));
    }
    let ranges = node.texts("/properties/snat/privateRanges");
    if let Some(open) = ranges.open.into_iter().next() {
        return Err(open);
    }
    if ranges.known.is_empty() {
        return Ok(default);
    }
    Ok(ranges.known.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_spans_labels_and_needs_no_dot() {
        assert!(wildcard("*.contoso.com", "a.b.contoso.com"));
        assert!(!wildcard("*.contoso.com", "contoso.com"));
        assert!(wildcard("*contoso.com", "xcontoso.com"));
        assert!(wildcard("*contoso.com", "contoso.com"));
        assert!(wildcard("*", "anything.example"));
        assert!(!wildcard("*.contoso.com", "xcontoso.com"));
    }
}
