//! Azure Firewall as a resolver: its proxy for clients, and what its application rules resolve (D118–D125, D177).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupResult, Missing};

use super::ask::{Asker, Transport};
use super::reply::{Reply, agreed};
use super::{AZURE_DNS, Walk};
use crate::index::Home;
use crate::json::Node;
use crate::missing;
use crate::plain::{Plain, Source};
use crate::resources::{Resource, find};

/// A firewall's DNS settings in force.
struct Settings {
    /// The proxy listens on port 53.
    proxy: bool,
    /// Empty: Azure DNS.
    servers: Vec<Result<IpAddr, Missing>>,
}

/// No chain of parent policies is longer (Azure allows one parent).
const DEEPEST_POLICY: usize = 4;

/// An attached policy's settings override the firewall's own; a child policy without settings has its parent's (D118).
fn settings(plain: &Plain, firewall: &Resource) -> Result<Settings, Missing> {
    let node = firewall.node();
    let mut policy = node.reference("/properties/firewallPolicy").known()?;
    if policy.is_none() {
        let proxy =
            node.flag("/properties/additionalProperties/Network.DNS.EnableProxy").known()?.unwrap_or(false);
        let servers =
            node.text("/properties/additionalProperties/Network.DNS.Servers").known()?.unwrap_or_default();
        let servers = servers.split(',').map(str::trim).filter(|text| !text.is_empty());
        let pointer = "/properties/additionalProperties/Network.DNS.Servers";
        let servers = servers.map(|text| text.parse().map_err(|_| missing::malformed(&firewall.id, pointer)));
        return Ok(Settings { proxy, servers: servers.collect() });
    }
    for _ in 0..DEEPEST_POLICY {
        let Some(id) = policy else { break };
        let resource = find(plain, id.folded()).ok_or_else(|| missing::resource(&id))?;
        let node = resource.node();
        if let Some(own) = node.at("/properties/dnsSettings").known()? {
            let own = Node::new(own, &resource.id);
            let servers = own.texts("/servers");
            let parsed = servers.known.into_iter().map(|text| {
                text.trim()
                    .parse()
                    .map_err(|_| missing::malformed(&resource.id, "/properties/dnsSettings/servers"))
            });
            return Ok(Settings {
                proxy: own.flag("/enableProxy").known()?.unwrap_or(false),
                servers: parsed.chain(servers.open.into_iter().map(Err)).collect(),
            });
        }
        policy = node.reference("/properties/basePolicy").known()?;
    }
    Ok(Settings { proxy: false, servers: Vec::new() }) // D119
}

/// Whether the firewall answers on port 53 of its own address (D119, F140).
///
/// # Errors
/// What its settings depend on and was not read.
pub fn serves_names(plain: &Plain, firewall: &ArmId) -> Result<bool, Missing> {
    let resource = find(plain, firewall.folded()).ok_or_else(|| missing::resource(firewall))?;
    settings(plain, &resource).map(|settings| settings.proxy)
}

impl Walk<'_> {
    /// What a client gets that asks the firewall on port 53: nothing while the proxy is off (D119).
    pub(super) fn firewall_proxy(&mut self, firewall: &ArmId, name: &str) -> Reply {
        let listens = match find(self.plain, firewall.folded()) {
            None => Err(missing::resource(firewall)),
            Some(resource) => settings(self.plain, &resource).map(|settings| settings.proxy),
        };
        match listens {
            Err(missing) => Reply::unknown(vec![missing]),
            Ok(false) => Reply::of(LookupResult::Timeout).after(firewall.to_string()),
            Ok(true) => self.firewall_resolves(firewall, name),
        }
    }

    /// What the firewall itself resolves, whether its proxy listens or not (D121, D177).
    pub(super) fn firewall_resolves(&mut self, firewall: &ArmId, name: &str) -> Reply {
        let Some(resource) = find(self.plain, firewall.folded()) else {
            return Reply::unknown(vec![missing::resource(firewall)]);
        };
        self.step(&firewall.to_string(), name, |walk| walk.firewall_asks(&resource, name))
            .after(firewall.to_string())
    }

    fn firewall_asks(&mut self, firewall: &Resource, name: &str) -> Reply {
        let (settings, asker) = match (settings(self.plain, firewall), asker(self.plain, firewall)) {
            (Ok(settings), Some(asker)) => (settings, asker),
            (Err(missing), _) => return Reply::unknown(vec![missing]),
            (_, None) => {
                let what = format!("address of {}", firewall.id);
                return Reply::unknown(vec![missing::evidence(
                    what,
                    "the firewall shows no private address",
                )]);
            }
        };
        let mut replies = Vec::new();
        for server in &settings.servers {
            replies.push(match server {
                Err(missing) => Reply::unknown(vec![missing.clone()]),
                Ok(address) if *address == AZURE_DNS => self.azure_dns(asker.vnet().as_ref(), name), // D122
                Ok(address) => self.ask(&asker, *address, 53, Transport::Udp, name),
            });
        }
        if replies.is_empty() {
            return self.azure_dns(asker.vnet().as_ref(), name);
        }
        if let Some(reply) = self.chosen_reply(&settings.servers, &replies) {
            return reply;
        }
        let what = format!("server that {} asks for {name}", firewall.id);
        agreed(replies, &missing::contested("D121", what, "chosen at random, and the servers differ"))
    }
}

fn asker(plain: &Plain, firewall: &Resource) -> Option<Asker> {
    let owners = plain.index().owners.values().flatten();
    let own = owners.filter(|owner| owner.id == firewall.id).min_by_key(|owner| owner.address)?;
    Some(match &own.home {
        Home::Hub(_) => Asker::Hub(own.address),
        Home::Subnet(subnet) => {
            Asker::Machine(Source { subnet: subnet.clone(), address: own.address, nic: None, pool: None })
        }
    })
}
