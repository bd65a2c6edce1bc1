//! Effective routes that Azure itself computed, held against ours (R227–R234).
//!
//! A recorded table shows what a NIC had; it is never merged into what is computed. Where the two say different things
//! about an address, nothing is stated about packets to it until that is explained (R234).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use pullproof_network::Network;
use pullproof_network::model::index::{Ref, SubnetIx};
use pullproof_snapshot::question::From;
use pullproof_snapshot::{ArmId, Evidence};
use serde_json::Value;

use crate::missing::{Ends, evidence};
use crate::outcome::{Missing, Remark};
use crate::prover::Prover;
use crate::routes::select::Selected;

const OPERATION: &str = "effectiveRouteTable";

/// The recorded tables by the subnet of the NIC that was asked.
#[derive(Debug, Default)]
pub(crate) struct Recorded(BTreeMap<SubnetIx, Vec<Table>>);

#[derive(Debug)]
struct Table {
    of: ArmId,
    rows: Vec<Row>,
}

/// An `Active` row.
#[derive(Debug)]
struct Row {
    prefixes: Vec<IpNet>,
    hop: String,
    address: Option<IpAddr>,
}

impl Recorded {
    pub fn of(network: &Network) -> Self {
        let mut out = Self::default();
        for recorded in network.layered.base().all_evidence() {
            if recorded.operation.eq_ignore_ascii_case(OPERATION)
                && let Some(subnet) = subnet_of(network, &recorded.resource)
                && !changed_since(network, subnet)
                && let Some(table) = table(recorded)
            {
                out.0.entry(subnet).or_default().push(table);
            }
        }
        out
    }
}

/// The subnet that a table is of: named itself, or that of the NIC that was asked (R231).
fn subnet_of(network: &Network, asked: &ArmId) -> Option<SubnetIx> {
    let named = network.subnets.iter().find(|(_, subnet)| subnet.id == *asked).map(|(ix, _)| ix);
    let of_nic = || {
        let (_, nic) = network.nics.iter().find(|(_, nic)| nic.id == *asked)?;
        nic.ip_configs.iter().find_map(|config| config.subnet.present().and_then(Ref::here))
    };
    named.or_else(of_nic)
}

/// An edit on what the table was computed from makes it void (R234): the network, its peers, its route table.
fn changed_since(network: &Network, subnet: SubnetIx) -> bool {
    let subnet = &network.subnets[subnet];
    let vnet = &network.vnets[subnet.vnet];
    let peers = network
        .peerings_of(subnet.vnet)
        .iter()
        .filter_map(|link| network.peerings[*link].remote.present().and_then(Ref::here))
        .map(|peer| network.vnets[peer].place.resource);
    let table = subnet.route_table.present().and_then(Ref::here);
    let table = table.map(|table| network.route_tables[table].place.resource);
    peers.chain(table).chain([vnet.place.resource]).any(|ix| network.layered.edited(ix))
}

/// The `Active` rows of an answer; `None` where it is not all of one.
fn table(recorded: &Evidence) -> Option<Table> {
    if recorded.answer.get("nextLink").is_some_and(|link| !link.is_null()) {
        return None;
    }
    let rows = recorded.answer.get("value")?.as_array()?;
    let texts = |row: &Value, key: &str| -> Vec<String> {
        row.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let word = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let active = rows.iter().filter(|row| word(row, "state").eq_ignore_ascii_case("Active"));
    let rows: Vec<Row> = active
        .map(|row| Row {
            prefixes: texts(row, "addressPrefix")
                .iter()
                .filter_map(|text| IpNet::from_str(text).ok())
                .collect(),
            hop: word(row, "nextHopType"),
            address: texts(row, "nextHopIpAddress").iter().find_map(|text| IpAddr::from_str(text).ok()),
        })
        .collect();
    (!rows.is_empty()).then(|| Table { of: recorded.resource.clone(), rows })
}

impl Prover<'_> {
    /// What keeps open what becomes of packets from a subnet to an address, where Azure was recorded to route it
    /// otherwise than is computed; with a remark for the findings.
    pub(crate) fn contradicted(&self, subnet: SubnetIx, to: IpAddr) -> Option<(Missing, Remark)> {
        let recorded = self.recorded.get_or_init(|| Recorded::of(self.network));
        let tables = recorded.0.get(&subnet)?;
        if matches!(self.select_address(&self.effective_routes(subnet), to), Selected::Platform) {
            return None; // no table has the host's own services (R24)
        }
        let model = &self.network.subnets[subnet];
        let asked = From { subnet: Some(model.id.as_written().to_owned()), nic: None };
        let computed = self.next_hop_answer(&asked, &to.to_string()).ok()?;
        if computed.next_hop_type == "unknown" {
            return None;
        }
        let ours =
            (plain(&computed.next_hop_type), computed.next_hop_ip.as_deref().and_then(|a| a.parse().ok()));
        let odd = tables.iter().find_map(|table| {
            let longest =
                |row: &&Row| row.prefixes.iter().filter(|p| p.contains(&to)).map(IpNet::prefix_len).max();
            let row = table.rows.iter().filter(|row| longest(row).is_some()).max_by_key(longest);
            let theirs = row.map_or(("None", None), |row| (plain(&row.hop), row.address));
            // Azure keeps the address of a hop that it cannot use (R41).
            let same = theirs.0 == ours.0 && (theirs.0 != "VirtualAppliance" || theirs.1 == ours.1);
            (!same).then_some((table, theirs))
        });
        let (table, theirs) = odd?;
        let show = |(hop, address): (&str, Option<IpAddr>)| match address {
            Some(address) => format!("{hop} {address}"),
            None => hop.to_owned(),
        };
        let what = format!(
            "the next hop of {to} in subnet {}: computed {}, recorded at {} {}",
            model.name,
            show(ours),
            table.of.name(),
            show(theirs)
        );
        let missing = evidence(
            what.clone(),
            "Azure's own effective routes say otherwise than the configuration that was read (R234)",
            "collect configuration and effective routes at the same time, and report it if they still differ",
        )
        .holds_if("the computed route is in force")
        .breaks_if("the recorded route is in force");
        let remark = Remark {
            kind: "computed-differs-from-azure",
            message: what,
            facts: vec!["R234"],
            evidence: vec![model.place.at("/properties/addressPrefix")],
        };
        Some((missing, remark))
    }
}

/// Both kinds of peering are one: which it is does not change the way.
fn plain(hop: &str) -> &str {
    if hop.eq_ignore_ascii_case("VNetGlobalPeering") { "VNetPeering" } else { hop }
}
