//! Service tags with published lists, three-valued (F73–F87). `VirtualNetwork`, `Internet` and the platform's tags are
//! no lists: see [`crate::virtual_network_tag`].

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::facts::service_tags::{self, HostKind, Relation};
use pullproof_snapshot::facts::{clouds, internet};

use crate::json::prefix;
use crate::missing;
use crate::plain::Plain;
use crate::tri::Tri;

/// False where recordings disagree whether the tag `Internet` holds the address.
pub fn surely_internet(address: IpAddr) -> bool {
    !internet::contested().iter().filter_map(|p| prefix(p)).any(|net| net.contains(&address))
}

/// False for private, shared, link-local, multicast and reserved space and for the platform's address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => {
            !internet::not_public().iter().filter_map(|p| prefix(p)).any(|net| net.contains(&address))
        }
        IpAddr::V6(v6) => (v6.segments()[0] & 0xe000) == 0x2000,
    }
}

/// The prefixes of a tag in the list of the snapshot; names are compared without regard to case, never by region
/// field (F76). `None` where no list has the tag.
pub fn prefixes(plain: &Plain, tag: &str) -> Option<Vec<IpNet>> {
    let mut found = None;
    for list in plain.layered.tag_lists() {
        for (name, texts) in &list.tags {
            if name.eq_ignore_ascii_case(tag) {
                let nets = texts.iter().filter_map(|t| prefix(t));
                found.get_or_insert_with(Vec::new).extend(nets);
            }
        }
    }
    found
}

/// Is the address in the tag? No for private space whatever the list (F83). Without a list only the tags that the
/// host's public addresses are documented to be in, and how these relate, can tell (F81, F84).
pub fn holds(plain: &Plain, tag: &str, address: IpAddr, host: Option<&str>) -> Tri {
    if !is_public(address) {
        return Tri::No;
    }
    if let Some(nets) = prefixes(plain, tag) {
        return nets.iter().any(|n| n.contains(&address)).into();
    }
    let relations: Vec<Relation> = host
        .and_then(kind_of)
        .and_then(service_tags::of_host)
        .map(|h| h.tags.iter().map(|own| service_tags::relation(own, tag)).collect())
        .unwrap_or_default();
    if !relations.is_empty() {
        if relations.iter().all(|r| matches!(r, Relation::Same | Relation::Within)) {
            return Tri::Yes;
        }
        if relations.iter().all(|r| *r == Relation::Disjoint) {
            return Tri::No;
        }
    }
    Tri::unknown(missing::evidence(
        format!("the prefixes of the service tag {tag}"),
        "no service tag list among the inputs has it (F74)",
    ))
}

/// A wildcard host stands for every name that it matches (V5): some of them is in a tag that lies within the tags that
/// such hosts are documented to be in, as `Storage.<region>` within `Storage`.
pub fn some_within(tag: &str, host: Option<&str>) -> bool {
    let wildcard = host.filter(|host| host.starts_with("*."));
    let kind = wildcard.and_then(kind_of).and_then(service_tags::of_host);
    kind.is_some_and(|kind| {
        kind.tags
            .iter()
            .any(|own| matches!(service_tags::relation(tag, own), Relation::Same | Relation::Within))
    })
}

/// Which documented kind of host a name is.
fn kind_of(host: &str) -> Option<HostKind> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host == "mcr.microsoft.com" || host.ends_with(".data.mcr.microsoft.com") {
        return Some(HostKind::MicrosoftRegistry);
    }
    if clouds::all().iter().any(|c| host.ends_with(&format!(".{}", c.blob))) {
        return Some(HostKind::RegistryBlob);
    }
    let cloud = clouds::of_host(&host)?;
    let data = host.ends_with(&format!(".data.{}", cloud.registry));
    Some(if data { HostKind::RegistryData } else { HostKind::RegistryLogin })
}

/// Addresses that stand for the unknown public address of a host: one of each tag that it is documented to lie in, where
/// the lists are there; else one of the documentation ranges, which count as some public address (F70).
pub fn samples(plain: &Plain, host: &str) -> Vec<IpAddr> {
    let kind = kind_of(host).and_then(service_tags::of_host);
    let own = kind.map(|h| h.tags.as_slice()).unwrap_or_default();
    let listed: Vec<IpAddr> = own
        .iter()
        .filter_map(|tag| prefixes(plain, tag)?.into_iter().find(|net| net.addr().is_ipv4()))
        .map(|net| net.network())
        .collect();
    if listed.len() == own.len() && !listed.is_empty() { listed } else { vec![DOCUMENTATION_ADDRESS] }
}

/// RFC 5737; never handed out, so no declared or configured prefix means it by accident.
const DOCUMENTATION_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

/// The rank of a tag among user routes of one prefix: lower wins (R54). Explicit prefixes are 0.
pub fn rank(tag: Option<&str>) -> u8 {
    match tag {
        None => 0,
        Some(tag) => {
            let cloud = tag.split('.').next().is_some_and(|t| t.eq_ignore_ascii_case("AzureCloud"));
            match (cloud, tag.contains('.')) {
                (false, true) => 1,
                (false, false) => 2,
                (true, true) => 3,
                (true, false) => 4,
            }
        }
    }
}

/// The tag whose list the routes of a service endpoint follow.
pub fn of_service(service: &str) -> Option<&'static str> {
    const TABLE: &[(&str, &str)] = &[
        ("Microsoft.Storage", "Storage"),
        ("Microsoft.Storage.Global", "Storage"),
        ("Microsoft.ContainerRegistry", "AzureContainerRegistry"),
        ("Microsoft.Sql", "Sql"),
        ("Microsoft.KeyVault", "AzureKeyVault"),
        ("Microsoft.AzureActiveDirectory", "AzureActiveDirectory"),
        ("Microsoft.AzureCosmosDB", "AzureCosmosDB"),
        ("Microsoft.EventHub", "EventHub"),
        ("Microsoft.ServiceBus", "ServiceBus"),
        ("Microsoft.Web", "AppService"),
        ("Microsoft.CognitiveServices", "CognitiveServicesManagement"),
    ];
    TABLE.iter().find(|(s, _)| s.eq_ignore_ascii_case(service)).map(|(_, tag)| *tag)
}
