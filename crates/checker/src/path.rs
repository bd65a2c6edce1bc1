//! One packet's way and its reply's.

use std::net::IpAddr;

use crate::crossed::Position;
use crate::egress::Sender;
use crate::missing;
use crate::nsg::Flow;
use crate::plain::{Plain, Source};
use crate::pools;
use crate::reach::Reach;
use crate::tri::Tri;
use crate::walk::Walk;

/// Follows one packet from `from` to `destination` and its reply back. `source_port` absent: any port of the client's
/// ephemeral range. `host` is the name in the TLS hello, where there is one.
pub fn reach(
    plain: &Plain,
    from: &Source,
    destination: IpAddr,
    protocol: &str,
    source_port: Option<u16>,
    destination_port: u16,
    host: Option<&str>,
) -> Reach {
    let Some(subnet) = plain.index().subnets.get(&from.subnet) else {
        return unread(from, destination);
    };
    let ports = match source_port {
        Some(port) => (port, port),
        None => pools::ephemeral_ports(plain, from.pool.as_ref()),
    };
    let flow = Flow {
        protocol: protocol.to_ascii_lowercase(),
        source: from.address,
        source_port: ports.0,
        destination,
        destination_port,
        host: host.map(str::to_owned),
    };
    let sender = match (&from.nic, &from.pool) {
        (Some(nic), _) => Sender::Nic(nic.clone()),
        (None, Some(pool)) => Sender::Node(pool.clone()),
        (None, None) => Sender::Anonymous,
    };
    let origin = Position::Subnet(subnet.id.clone());
    Walk::new(plain, flow, ports, host, origin).send(subnet, &sender)
}

fn unread(from: &Source, destination: IpAddr) -> Reach {
    let open = Tri::unknown(missing::resource(&from.subnet));
    Reach {
        forward_routing: open.clone(),
        forward_filter: open.clone(),
        return_routing: open.clone(),
        return_filter: open,
        trace: Vec::new(),
        delivery: None,
        destination,
        egress: Vec::new(),
        egress_missing: Vec::new(),
        devices: Vec::new(),
        assumptions: Vec::new(),
        findings: Vec::new(),
    }
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
