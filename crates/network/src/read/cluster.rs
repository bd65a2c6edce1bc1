//! Clusters and agent pools.

use pullproof_snapshot::hole;
use serde_json::Value;

use super::fields::{Fields, Raw, arm_id};
use super::reader::{ChildSource, Reader, Source};
use super::{LOCATION, PROVISIONING_STATE};
use crate::model::cluster::{
    AciConnector, Cluster, ClusterNetwork, HostedSystemProfile, HttpProxyConfig, KubeletIdentity, cluster,
};
use crate::model::index::{ClusterIx, Ix, Ref, UserIdentityIx};
use crate::model::pool::{LocalDns, LocalDnsOverride, Pool, pool};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = ClusterIx::new(reader.objects.clusters.next());
    let (children, open) = reader.children(source, "agentPools", cluster::POOLS);
    let mut pools = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let read = read_pool(reader, &child, ix);
        pools.items.push(reader.objects.pools.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Cluster {
        id: source.id.clone(),
        place: source.place,
        location: f.text(LOCATION),
        provisioning_state: f.word(PROVISIONING_STATE),
        sku: f.text(cluster::SKU),
        kubernetes_version: f.text(cluster::KUBERNETES_VERSION),
        current_kubernetes_version: f.text(cluster::CURRENT_KUBERNETES_VERSION),
        power_state: f.word(cluster::POWER_STATE),
        node_resource_group: f.text(cluster::NODE_RESOURCE_GROUP),
        node_resource_group_restriction: f.text(cluster::NODE_RESOURCE_GROUP_RESTRICTION),
        network: network(&mut f),
        kubelet: KubeletIdentity {
            resource: f.reference(cluster::KUBELET_RESOURCE),
            object: f.lower(cluster::KUBELET_OBJECT),
            client: f.lower(cluster::KUBELET_CLIENT),
        },
        service_principal: f.lower(cluster::SERVICE_PRINCIPAL),
        identity_type: f.text(cluster::IDENTITY_TYPE),
        identity_principal: f.lower(cluster::IDENTITY_PRINCIPAL),
        identity_tenant: f.lower(cluster::IDENTITY_TENANT),
        user_identities: user_identities(&mut f),
        api_server_subnet: f.reference(cluster::API_SERVER_SUBNET),
        private_cluster: f.boolean(cluster::PRIVATE_CLUSTER),
        http_proxy: http_proxy(&mut f),
        custom_ca_certificates: f.texts(cluster::CUSTOM_CA_CERTIFICATES),
        artifact_source: f.word(cluster::ARTIFACT_SOURCE),
        bootstrap_registry: f.reference(cluster::BOOTSTRAP_REGISTRY),
        node_provisioning: f.word(cluster::NODE_PROVISIONING),
        default_node_pools: f.text(cluster::DEFAULT_NODE_POOLS),
        hosted_system: HostedSystemProfile {
            enabled: f.boolean(cluster::HOSTED_SYSTEM_ENABLED),
            system_node_subnet: f.reference(cluster::HOSTED_SYSTEM_NODE_SUBNET),
            node_subnet: f.reference(cluster::HOSTED_NODE_SUBNET),
        },
        aci_connector: AciConnector {
            enabled: f.boolean(cluster::ACI_ENABLED),
            subnet_name: f.text(cluster::ACI_SUBNET),
        },
        pools,
    };
    reader.objects.clusters.push(read);
}

/// The keys of `identity.userAssignedIdentities`.
pub(crate) fn user_identities(f: &mut Fields<'_, '_, '_>) -> List<Ref<UserIdentityIx>> {
    match f.raw(cluster::USER_IDENTITIES) {
        Raw::Absent => List::empty(),
        Raw::Sym(symbol) => List { items: Vec::new(), open: Some(symbol) },
        Raw::Here(Value::Object(map)) => {
            let ids = map.keys().filter_map(|key| arm_id(&Value::String(key.clone())));
            List { items: ids.map(Ref::NotRead).collect(), open: None }
        }
        Raw::Here(_) => {
            List { items: Vec::new(), open: Some(f.malformed(cluster::USER_IDENTITIES, None, "an object")) }
        }
    }
}

fn network(f: &mut Fields<'_, '_, '_>) -> ClusterNetwork {
    ClusterNetwork {
        plugin: f.text(cluster::NETWORK_PLUGIN),
        plugin_mode: f.text(cluster::NETWORK_PLUGIN_MODE),
        dataplane: f.text(cluster::NETWORK_DATAPLANE),
        policy: f.text(cluster::NETWORK_POLICY),
        pod_cidrs: cidrs(f, cluster::POD_CIDR, cluster::POD_CIDRS),
        service_cidrs: cidrs(f, cluster::SERVICE_CIDR, cluster::SERVICE_CIDRS),
        dns_service_ip: f.address(cluster::DNS_SERVICE_IP),
        outbound_type: f.word(cluster::OUTBOUND_TYPE),
        load_balancer_sku: f.text(cluster::LOAD_BALANCER_SKU),
        load_balancer_outbound_ips: f.references(cluster::LOAD_BALANCER_OUTBOUND_IPS),
        nat_gateway_outbound_ips: f.references(cluster::NAT_GATEWAY_OUTBOUND_IPS),
        ip_families: f.texts(cluster::IP_FAMILIES),
    }
}

fn cidrs(f: &mut Fields<'_, '_, '_>, one: &'static str, many: &'static str) -> List<ipnet::IpNet> {
    let mut out = f.prefixes(many);
    match f.prefix(one) {
        Val::Known(Some(prefix)) if !out.items.contains(&prefix) => out.items.push(prefix),
        Val::Known(_) => {}
        Val::Sym(symbol) => f.open(&mut out, symbol, one),
    }
    out
}

fn http_proxy(f: &mut Fields<'_, '_, '_>) -> HttpProxyConfig {
    let effective = !matches!(f.raw(cluster::EFFECTIVE_NO_PROXY), Raw::Absent);
    HttpProxyConfig {
        configured: f.has("/properties/httpProxyConfig"),
        http_proxy: f.text(cluster::HTTP_PROXY),
        https_proxy: f.text(cluster::HTTPS_PROXY),
        no_proxy: f.texts(cluster::NO_PROXY),
        effective_no_proxy: effective.then(|| f.texts(cluster::EFFECTIVE_NO_PROXY)),
        trusted_ca: f.text(cluster::PROXY_TRUSTED_CA),
        // A189.
        enabled: f.boolean(cluster::PROXY_ENABLED).or_default(true),
    }
}

/// An inline profile has its fields at its top, a child resource below `properties` (A170).
fn read_pool(reader: &mut Reader<'_>, child: &ChildSource<'_>, cluster: ClusterIx) -> Pool {
    let mut json = std::borrow::Cow::Borrowed(child.json.as_ref());
    if child.place.base.is_empty() && reader.layered.id(child.place.resource) == &child.id {
        let own = reader.layered.json(child.place.resource);
        if *own != *json {
            prefer(json.to_mut(), &own);
        }
    }
    let nested = json.get("properties").is_some();
    let mut f = if nested || child.place.base.is_empty() {
        Fields::new(reader, &json, child.place)
    } else {
        Fields::flat(reader, &json, child.place)
    };
    Pool {
        id: child.id.clone(),
        place: f.place,
        name: child.name.clone(),
        cluster,
        provisioning_state: f.word(PROVISIONING_STATE),
        vnet_subnet: f.reference(pool::VNET_SUBNET),
        pod_subnet: f.reference(pool::POD_SUBNET),
        mode: f.word(pool::MODE),
        pool_type: f.word(pool::POOL_TYPE),
        count: f.number(pool::COUNT),
        min_count: f.number(pool::MIN_COUNT),
        max_count: f.number(pool::MAX_COUNT),
        enable_auto_scaling: f.boolean(pool::ENABLE_AUTO_SCALING),
        power_state: f.word(pool::POWER_STATE),
        os_type: f.word(pool::OS_TYPE),
        os_sku: f.text(pool::OS_SKU),
        vm_size: f.text(pool::VM_SIZE),
        node_image_version: f.text(pool::NODE_IMAGE_VERSION),
        orchestrator_version: f.text(pool::ORCHESTRATOR_VERSION),
        current_orchestrator_version: f.text(pool::CURRENT_ORCHESTRATOR_VERSION),
        enable_node_public_ip: f.boolean(pool::ENABLE_NODE_PUBLIC_IP),
        node_public_ip_prefix: f.reference(pool::NODE_PUBLIC_IP_PREFIX),
        asgs: f.list(pool::ASGS, "a resource id", |_, value, _| arm_id(value).map(Ref::NotRead)),
        has_allowed_host_ports: f.has(pool::ALLOWED_HOST_PORTS),
        artifact_streaming: f.boolean(pool::ARTIFACT_STREAMING),
        local_dns: LocalDns {
            mode: f.word(pool::LOCAL_DNS_MODE),
            state: f.word(pool::LOCAL_DNS_STATE),
            overrides: overrides(&mut f),
        },
        local_port_range: f.text(pool::LOCAL_PORT_RANGE),
        inline: f.is_flat(),
    }
}

/// Puts a child resource's own values where it and the inline profile differ: the child list is the fresher source
/// (A170).
fn prefer(merged: &mut Value, own: &Value) {
    let conflict = hole::hole(merged).is_some_and(|hole| hole.name.starts_with("conflicting-input:"));
    match (merged, own) {
        (merged, own) if conflict => *merged = own.clone(),
        (Value::Object(merged), Value::Object(own)) => {
            for (key, value) in merged {
                if let Some(own) = own.get(key) {
                    prefer(value, own);
                }
            }
        }
        _ => {}
    }
}

/// `vnetDNSOverrides`: an object with one key a zone.
fn overrides(f: &mut Fields<'_, '_, '_>) -> List<LocalDnsOverride> {
    let map = match f.raw(pool::LOCAL_DNS_OVERRIDES) {
        Raw::Absent => return List::empty(),
        Raw::Sym(symbol) => return List { items: Vec::new(), open: Some(symbol) },
        Raw::Here(Value::Object(map)) => map,
        Raw::Here(_) => {
            let symbol = f.malformed(pool::LOCAL_DNS_OVERRIDES, None, "an object");
            return List { items: Vec::new(), open: Some(symbol) };
        }
    };
    let mut out = List::empty();
    for (zone, value) in map {
        if let Some(hole) = hole::hole(value) {
            let symbol = f.reader.hole(hole, f.at(pool::LOCAL_DNS_OVERRIDES), true);
            f.open(&mut out, symbol, pool::LOCAL_DNS_OVERRIDES);
            continue;
        }
        let mut inner = Fields::new(f.reader, value, f.place);
        out.items.push(LocalDnsOverride {
            zone: if zone == "." { ".".into() } else { super::fields::domain(zone) },
            protocol: inner.word("/protocol"),
            forward_destination: inner.word("/forwardDestination"),
            forward_policy: inner.word("/forwardPolicy"),
        });
    }
    out
}
