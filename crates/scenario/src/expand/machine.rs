//! NICs, machines and load balancers.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::types;
use crate::error::ScenarioError;
use crate::yaml::{Described, Document, LoadBalancer, NetworkInterface, VirtualMachine};

/// The NICs of a document: those listed, and those that machines state inline.
pub(crate) fn interfaces(document: &Document) -> Vec<NetworkInterface> {
    let inline = document.virtual_machines.iter().filter(|vm| vm.network_interfaces.is_empty());
    let inline = inline.map(|vm| NetworkInterface {
        name: format!("{}-nic", vm.name),
        subscription: vm.subscription.clone(),
        resource_group: vm.resource_group.clone(),
        location: vm.location.clone(),
        subnet: vm.subnet.clone().unwrap_or_default(),
        address: vm.address.clone(),
        enable_ip_forwarding: vm.enable_ip_forwarding,
        network_security_group: vm.network_security_group.clone(),
        application_security_groups: vm.application_security_groups.clone(),
        public_ip_address: vm.public_ip_address.clone(),
        ..NetworkInterface::default()
    });
    document.network_interfaces.iter().cloned().chain(inline).collect()
}

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    for nic in interfaces(d) {
        network_interface(x, &nic)?;
    }
    for vm in &d.virtual_machines {
        virtual_machine(x, vm)?;
    }
    for balancer in &d.load_balancers {
        load_balancer(x, balancer)?;
    }
    Ok(())
}

fn network_interface(x: &mut Expansion<'_>, nic: &NetworkInterface) -> Result<(), ScenarioError> {
    let place = format!("networkInterfaces {}", nic.name);
    let id = x.id_of(&nic.head(), types::NETWORK_INTERFACE);
    let subnet = x.names.find(types::SUBNET, &nic.subnet, &place)?;
    let (address, method) = match &nic.address {
        Some(address) => (address.clone(), "Static"),
        None => (x.addresses.next(&subnet, &place)?, "Dynamic"),
    };
    let configuration = format!("{id}/ipConfigurations/ipconfig1");
    let security_group =
        x.link_opt(types::NETWORK_SECURITY_GROUP, nic.network_security_group.as_deref(), &place)?;
    if let Some(group) = security_group["id"].as_str() {
        let group = group.to_owned();
        x.refer(&group, "/properties/networkInterfaces", &id);
    }
    let public = x.link_opt(types::PUBLIC_IP_ADDRESS, nic.public_ip_address.as_deref(), &place)?;
    if let Some(public) = public["id"].as_str() {
        let public = public.to_owned();
        x.over(&public, "/properties/ipConfiguration", &json!({ "id": configuration }), true);
    }
    let groups = x.links(types::APPLICATION_SECURITY_GROUP, &nic.application_security_groups, &place)?;
    refer_from_subnet(x, &subnet, &configuration);
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "ipConfigurations": [{
                "name": "ipconfig1",
                "id": configuration,
                "type": "Microsoft.Network/networkInterfaces/ipConfigurations",
                "properties": {
                    "provisioningState": "Succeeded",
                    "privateIPAddress": address,
                    "privateIPAllocationMethod": method,
                    "privateIPAddressVersion": if address.contains(':') { "IPv6" } else { "IPv4" },
                    "primary": true,
                    "subnet": {"id": subnet},
                    "publicIPAddress": public,
                    "applicationSecurityGroups": groups,
                },
            }],
            "dnsSettings": {"dnsServers": nic.dns_servers.0, "appliedDnsServers": []},
            "enableAcceleratedNetworking": true,
            "enableIPForwarding": nic.enable_ip_forwarding,
            "networkSecurityGroup": security_group,
            "nicType": "Standard",
        },
    });
    x.push(nic, types::NETWORK_INTERFACE, body);
    Ok(())
}

/// ARM lists in a subnet every configuration that has an address in it.
pub(crate) fn refer_from_subnet(x: &mut Expansion<'_>, subnet: &str, configuration: &str) {
    if let Some((vnet, index)) = position(x, subnet) {
        let pointer = format!("/properties/subnets/{index}/properties/ipConfigurations");
        x.refer(&vnet, &pointer, configuration);
    }
}

/// The network of a subnet of this scenario, and where the subnet stands in it.
pub(crate) fn position(x: &Expansion<'_>, subnet: &str) -> Option<(String, usize)> {
    let (vnet_id, name) = subnet.rsplit_once("/subnets/")?;
    x.document.virtual_networks.iter().find_map(|vnet| {
        let id = x.id_of(&vnet.head(), types::VIRTUAL_NETWORK);
        let index = vnet.subnets.iter().position(|s| s.name.eq_ignore_ascii_case(name))?;
        id.eq_ignore_ascii_case(vnet_id).then_some((id, index))
    })
}

fn virtual_machine(x: &mut Expansion<'_>, vm: &VirtualMachine) -> Result<(), ScenarioError> {
    let place = format!("virtualMachines {}", vm.name);
    let id = x.id_of(&vm.head(), types::VIRTUAL_MACHINE);
    let inline = [format!("{}-nic", vm.name)];
    let names = if vm.network_interfaces.is_empty() { &inline[..] } else { &vm.network_interfaces[..] };
    let mut interfaces = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let nic = x.names.find(types::NETWORK_INTERFACE, name, &place)?;
        interfaces.push(json!({"id": nic, "properties": {"primary": i == 0}}));
        x.over(&nic, "/properties/virtualMachine", &json!({ "id": id }), true);
        x.over(&nic, "/properties/primary", &json!(i == 0), true);
    }
    let os_type = vm.os_type.as_deref().unwrap_or("Linux");
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "vmId": x.guid(&id),
            "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
            "storageProfile": {
                "osDisk": {"osType": os_type, "name": format!("{}-disk", vm.name), "createOption": "FromImage"},
                "dataDisks": [],
            },
            "osProfile": {"computerName": vm.name},
            "networkProfile": {"networkInterfaces": interfaces},
        },
    });
    x.push(vm, types::VIRTUAL_MACHINE, body);
    Ok(())
}

fn load_balancer(x: &mut Expansion<'_>, balancer: &LoadBalancer) -> Result<(), ScenarioError> {
    let place = format!("loadBalancers {}", balancer.name);
    let id = x.id_of(&balancer.head(), types::LOAD_BALANCER);
    let rule_ids = |list: &str, name: &str, is_first: bool| -> Vec<Value> {
        let named = balancer.rules.iter().filter(|rule| {
            let chosen = if list == "frontend" { &rule.frontend } else { &rule.backend };
            chosen.as_deref().map_or(is_first, |chosen| chosen == name)
        });
        named.map(|rule| json!({"id": format!("{id}/loadBalancingRules/{}", rule.name)})).collect()
    };
    let mut frontends = Vec::new();
    for (i, frontend) in balancer.frontends.iter().enumerate() {
        let frontend_id = format!("{id}/frontendIPConfigurations/{}", frontend.name);
        let mut properties = json!({
            "provisioningState": "Succeeded",
            "loadBalancingRules": rule_ids("frontend", &frontend.name, i == 0),
        });
        if let Some(subnet) = &frontend.subnet {
            let subnet = x.names.find(types::SUBNET, subnet, &place)?;
            let (address, method) = match &frontend.address {
                Some(address) => (address.clone(), "Static"),
                None => (x.addresses.next(&subnet, &place)?, "Dynamic"),
            };
            refer_from_subnet(x, &subnet, &frontend_id);
            properties["privateIPAddress"] = json!(address);
            properties["privateIPAllocationMethod"] = json!(method);
            properties["privateIPAddressVersion"] = json!("IPv4");
            properties["subnet"] = json!({ "id": subnet });
        } else {
            let public = frontend.public_ip_address.as_deref().unwrap_or_default();
            let public = x.names.find(types::PUBLIC_IP_ADDRESS, public, &place)?;
            x.over(&public, "/properties/ipConfiguration", &json!({ "id": frontend_id }), true);
            properties["privateIPAllocationMethod"] = json!("Dynamic");
            properties["publicIPAddress"] = json!({ "id": public });
        }
        frontends.push(json!({
            "name": frontend.name,
            "id": frontend_id,
            "type": "Microsoft.Network/loadBalancers/frontendIPConfigurations",
            "properties": properties,
        }));
    }
    let mut backends = Vec::new();
    for (i, backend) in balancer.backends.iter().enumerate() {
        let backend_id = format!("{id}/backendAddressPools/{}", backend.name);
        let mut members = Vec::new();
        for nic in &backend.network_interfaces {
            let nic = x.names.find(types::NETWORK_INTERFACE, nic, &place)?;
            members.push(json!({"id": format!("{nic}/ipConfigurations/ipconfig1")}));
            let at = "/properties/ipConfigurations/0/properties/loadBalancerBackendAddressPools";
            x.refer(&nic, at, &backend_id);
        }
        backends.push(json!({
            "name": backend.name,
            "id": backend_id,
            "type": "Microsoft.Network/loadBalancers/backendAddressPools",
            "properties": {
                "provisioningState": "Succeeded",
                "backendIPConfigurations": members,
                "loadBalancingRules": rule_ids("backend", &backend.name, i == 0),
            },
        }));
    }
    let rules = rules(x, balancer, &id, &place)?;
    let probes = json!([{
        "name": "probe",
        "id": format!("{id}/probes/probe"),
        "type": "Microsoft.Network/loadBalancers/probes",
        "properties": {
            "provisioningState": "Succeeded",
            "protocol": "Tcp",
            "port": balancer.rules.first().map_or(443, |r| if r.port == 0 { 443 } else { r.port }),
            "intervalInSeconds": 5,
            "numberOfProbes": 2,
        },
    }]);
    let body = json!({
        "sku": {"name": balancer.sku.as_deref().unwrap_or("Standard"), "tier": "Regional"},
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "frontendIPConfigurations": frontends,
            "backendAddressPools": backends,
            "loadBalancingRules": rules,
            "probes": if balancer.rules.is_empty() { json!([]) } else { probes },
            "inboundNatRules": [],
            "outboundRules": [],
        },
    });
    x.push(balancer, types::LOAD_BALANCER, body);
    Ok(())
}

fn rules(
    x: &mut Expansion<'_>,
    balancer: &LoadBalancer,
    id: &str,
    place: &str,
) -> Result<Vec<Value>, ScenarioError> {
    let mut out = Vec::new();
    for (i, rule) in balancer.rules.iter().enumerate() {
        let missing = |what: &str| ScenarioError::invalid(format!("{place}, rule {}", rule.name), what);
        let frontend = rule.frontend.clone().or_else(|| Some(balancer.frontends.first()?.name.clone()));
        let backend = rule.backend.clone().or_else(|| Some(balancer.backends.first()?.name.clone()));
        let frontend = frontend.ok_or_else(|| missing("there is no frontend"))?;
        let backend = backend.ok_or_else(|| missing("there is no backend"))?;
        let pool = json!({"id": format!("{id}/backendAddressPools/{backend}")});
        out.push(json!({
            "name": rule.name,
            "id": format!("{id}/loadBalancingRules/{}", rule.name),
            "type": "Microsoft.Network/loadBalancers/loadBalancingRules",
            "properties": {
                "provisioningState": "Succeeded",
                "frontendIPConfiguration": {"id": format!("{id}/frontendIPConfigurations/{frontend}")},
                "frontendPort": rule.port,
                "backendPort": rule.backend_port.unwrap_or(rule.port),
                "protocol": rule.protocol.as_deref().unwrap_or("Tcp"),
                "enableFloatingIP": rule.enable_floating_ip,
                "enableTcpReset": false,
                "idleTimeoutInMinutes": 4,
                "loadDistribution": "Default",
                "disableOutboundSnat": true,
                "backendAddressPool": pool,
                "backendAddressPools": [pool],
                "probe": {"id": format!("{id}/probes/probe")},
            },
        }));
        let at = format!("/properties/loadBalancingRules/{i}/properties");
        x.over_part(id, &at, rule.properties.as_ref(), None);
    }
    Ok(out)
}
