//! How things are called in reports for people.

use pullproof_audit::model::{Audit, Claim, Counterexample, Direction, Layer, Owner};
use pullproof_snapshot::question::{Role, VerdictWord};

pub(crate) fn subject(audit: &Audit) -> String {
    format!("{} / {} → {}", short(&audit.cluster), audit.node_pool, short(&audit.registry))
}

/// The last name of an id; of a child the parent's too: `vnet-hub/snet-pe`.
pub(crate) fn short(id: &str) -> String {
    if !id.starts_with('/') {
        return id.to_owned();
    }
    let parts: Vec<&str> = id.trim_end_matches('/').split('/').collect();
    let provider = parts.iter().rposition(|p| p.eq_ignore_ascii_case("providers"));
    let Some(provider) = provider else { return parts.last().copied().unwrap_or(id).to_owned() };
    let names: Vec<&str> = parts.iter().skip(provider + 3).step_by(2).copied().collect();
    if names.is_empty() { id.to_owned() } else { names.join("/") }
}

/// What fails, or what is not known, in a few words.
pub(crate) fn layer_words(claim: &Claim) -> String {
    let (fails, open) = match (claim.layer, claim.aspect, claim.direction) {
        (Layer::Routing, _, Some(Direction::Return)) => {
            ("the reply does not come back", "whether the reply comes back")
        }
        (Layer::Routing, ..) => ("the packet does not arrive", "whether the packet arrives"),
        (Layer::Filtering, ..) => ("dropped or refused", "whether it is dropped or refused"),
        (Layer::Resolution, ..) => ("the name does not lead there", "where the name leads"),
        (Layer::Endpoints, Some(Layer::Routing), _) => {
            ("a further host of the pull is not reached", "whether a further host of the pull is reached")
        }
        (Layer::Endpoints, Some(Layer::Filtering), _) => {
            ("a further host of the pull is filtered", "whether a further host of the pull is filtered")
        }
        (Layer::Endpoints, Some(Layer::Resolution), _) => {
            ("a further host of the pull does not resolve", "whether a further host of the pull resolves")
        }
        (Layer::Endpoints, ..) => ("the hosts of the pull", "which hosts the pull touches"),
        (Layer::Trust, ..) => ("the certificate is not trusted", "whether the certificate is trusted"),
        (Layer::Identity, ..) => ("the kubelet may not read", "whether the kubelet may read"),
    };
    let layer = layer(claim.layer);
    if claim.verdict == VerdictWord::Undetermined {
        return format!("{layer}: not known {open}");
    }
    format!("{layer}: {fails}")
}

pub(crate) fn owner(owner: Owner) -> &'static str {
    match owner {
        Owner::Network => "network team",
        Owner::Dns => "DNS team",
        Owner::Firewall => "firewall team",
        Owner::Registry => "registry owner",
        Owner::Identity => "identity team",
        Owner::OnPremises => "on-premises network team",
    }
}

fn roles(roles: &[Role]) -> String {
    let names: Vec<&str> = roles
        .iter()
        .map(|r| match r {
            Role::Login => "login",
            Role::Token => "token",
            Role::Data => "data",
        })
        .collect();
    names.join("+")
}

pub(crate) fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Routing => "routing",
        Layer::Filtering => "filtering",
        Layer::Resolution => "resolution",
        Layer::Endpoints => "endpoints",
        Layer::Trust => "trust",
        Layer::Identity => "identity",
    }
}

/// The packet, lookup, handshake or request that fails, in one line.
pub(crate) fn counterexample(claim: &Claim, counterexample: &Counterexample) -> String {
    let host =
        claim.endpoint.as_ref().map(|e| format!(" ({}, {})", e.host, roles(&e.roles))).unwrap_or_default();
    match counterexample {
        Counterexample::Packet(p) => {
            let port = |p: Option<u16>| p.map(|p| format!(":{p}")).unwrap_or_default();
            let what = if claim.direction == Some(Direction::Return) { "the reply to " } else { "" };
            format!(
                "{what}{} {}{} → {}{}{host}",
                p.protocol.to_uppercase(),
                p.source,
                port(p.source_port),
                p.destination,
                port(p.destination_port)
            )
        }
        Counterexample::Lookup { name, record, asker, answer } => {
            let addresses: Vec<&str> =
                answer["addresses"].as_array().into_iter().flatten().filter_map(|a| a.as_str()).collect();
            let result = answer["result"].as_str().unwrap_or_default();
            let got = match (addresses.is_empty(), result) {
                (false, _) => addresses.join(", "),
                (true, "answer") => "a public address".to_owned(),
                (true, failure) => failure.to_owned(),
            };
            let who = if asker == "node" { "the node".to_owned() } else { short(asker) };
            format!(
                "{who} asks {} for {name} {record} and gets {got}",
                short(answer["server"].as_str().unwrap_or_default())
            )
        }
        Counterexample::Handshake { host, presented_by, issuer, names } => {
            format!("{presented_by} presents for {host} a certificate of {issuer} for {}", names.join(", "))
        }
        Counterexample::Request { principal, action, scope, result } => {
            format!("{principal} does {action} on {}: {}", short(scope), result.replace('_', " "))
        }
    }
}
