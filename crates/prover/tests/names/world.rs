//! Small networks as ARM JSON.

use std::sync::Arc;

use pullproof_network::Network;
use pullproof_network::model::index::{ClusterIx, Ix, PoolIx, RegistryIx};
use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::lookup_answer::{LookupAnswers, RecordType, Scope, When};
use pullproof_prover::registry_answer::{Endpoint, RegistryKey};
use pullproof_prover::{Outcome, Prover, SourceContext};
use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::question::LookupResult;
use pullproof_snapshot::{ArmId, Declared, Gap, Layered};
use serde_json::{Value, json};

pub const SUBSCRIPTION: &str = "/subscriptions/11111111-1111-4111-8111-111111111111";
pub const ACR_PULL: &str = "7f951dda-4ed3-4680-a7ca-43fe172d538d";
pub const READER_OF_REPOSITORIES: &str = "b93aa761-3e63-49ed-ac28-beffa264f7ac";
pub const KUBELET: &str = "aaaaaaaa-0000-4000-8000-000000000001";
pub const CONTROL_PLANE: &str = "aaaaaaaa-0000-4000-8000-000000000002";

/// Resources, what is declared, and what is completely read: everything of the subscription, until told otherwise.
#[derive(Clone, Default)]
pub struct World {
    pub resources: Vec<Value>,
    pub toml: String,
    pub gaps: Vec<Gap>,
    /// Nothing counts as complete.
    pub partial: bool,
}

pub fn id(kind: &str, name: &str) -> String {
    format!("{SUBSCRIPTION}/resourceGroups/rg/providers/{kind}/{name}")
}

pub fn vnet_id(name: &str) -> String {
    id("Microsoft.Network/virtualNetworks", name)
}

pub fn zone_id(name: &str) -> String {
    id("Microsoft.Network/privateDnsZones", name)
}

pub fn registry_id(name: &str) -> String {
    id("Microsoft.ContainerRegistry/registries", name)
}

impl World {
    pub fn put(&mut self, id: String, kind: &str, properties: Value) -> &mut Value {
        let name = id.rsplit('/').next().unwrap_or_default().to_owned();
        self.resources.push(json!({ "id": id, "name": name, "type": kind, "location": "westeurope", "properties": properties }));
        let last = self.resources.len() - 1;
        &mut self.resources[last]
    }

    pub fn edit(&mut self, id: &str, pointer: &str, value: Value) {
        let resource = self.resources.iter_mut().find(|r| r["id"] == id).expect("no such resource");
        *resource.pointer_mut(pointer).expect("no such field") = value;
    }

    pub fn remove(&mut self, id: &str) {
        let before = self.resources.len();
        self.resources.retain(|r| r["id"] != id);
        assert_ne!(before, self.resources.len(), "no such resource: {id}");
    }

    /// A network of `10.<n>.0.0/16` with a subnet `nodes` of `10.<n>.1.0/24` and one `infra` of `10.<n>.3.0/24`.
    pub fn vnet(&mut self, name: &str, n: u8, dns: Value) {
        let subnet = |part: &str, m: u8| {
            json!({ "id": format!("{}/subnets/{part}", vnet_id(name)), "name": part,
                "properties": { "addressPrefix": format!("10.{n}.{m}.0/24"), "provisioningState": "Succeeded" } })
        };
        self.put(
            vnet_id(name),
            "Microsoft.Network/virtualNetworks",
            json!({ "provisioningState": "Succeeded", "addressSpace": { "addressPrefixes": [format!("10.{n}.0.0/16")] },
                "dhcpOptions": { "dnsServers": dns }, "virtualNetworkPeerings": [],
                "subnets": [subnet("nodes", 1), subnet("pe", 2), subnet("infra", 3), subnet("AzureFirewallSubnet", 4), subnet("outbound", 5)] }),
        );
    }

    pub fn peer(&mut self, a: &str, b: &str) {
        for (own, other) in [(a, b), (b, a)] {
            let peering = json!({ "id": format!("{}/virtualNetworkPeerings/{own}-{other}", vnet_id(own)), "name": format!("{own}-{other}"),
                "properties": { "remoteVirtualNetwork": { "id": vnet_id(other) }, "peeringState": "Connected", "peeringSyncLevel": "FullyInSync",
                    "allowVirtualNetworkAccess": true, "allowForwardedTraffic": true, "allowGatewayTransit": false, "useRemoteGateways": false,
                    "peerCompleteVnets": true, "provisioningState": "Succeeded" } });
            let vnet = self.resources.iter_mut().find(|r| r["id"] == vnet_id(own)).expect("no such network");
            vnet["properties"]["virtualNetworkPeerings"].as_array_mut().expect("a list").push(peering);
        }
    }

    pub fn zone(&mut self, name: &str, links: &[(&str, Value)]) {
        self.put(
            zone_id(name),
            "Microsoft.Network/privateDnsZones",
            json!({ "provisioningState": "Succeeded" }),
        );
        for (vnet, policy) in links {
            let mut link = json!({ "registrationEnabled": false, "virtualNetwork": { "id": vnet_id(vnet) },
                "virtualNetworkLinkState": "Completed", "provisioningState": "Succeeded" });
            if !policy.is_null() {
                link["resolutionPolicy"] = policy.clone();
            }
            self.put(link_id(name, vnet), "Microsoft.Network/privateDnsZones/virtualNetworkLinks", link);
        }
    }

    pub fn record(&mut self, zone: &str, name: &str, values: Value) {
        let records: Vec<Value> =
            values.as_array().expect("a list").iter().map(|v| json!({ "ipv4Address": v })).collect();
        self.put(
            record_id(zone, name),
            "Microsoft.Network/privateDnsZones/A",
            json!({ "ttl": 10, "aRecords": records }),
        );
    }

    pub fn cname(&mut self, zone: &str, name: &str, target: &str) {
        let cname_id = format!("{}/CNAME/{name}", zone_id(zone));
        self.put(
            cname_id,
            "Microsoft.Network/privateDnsZones/CNAME",
            json!({ "cnameRecord": { "cname": target } }),
        );
    }

    pub fn machine(&mut self, vnet: &str, address: &str) {
        self.named_machine(&format!("nic-{}", address.replace('.', "-")), vnet, address);
    }

    /// A running machine with one NIC of the same name.
    pub fn named_machine(&mut self, name: &str, vnet: &str, address: &str) {
        let nic = id("Microsoft.Network/networkInterfaces", name);
        self.put(
            nic.clone(),
            "Microsoft.Network/networkInterfaces",
            json!({ "provisioningState": "Succeeded", "virtualMachine": { "id": id("Microsoft.Compute/virtualMachines", name) },
                "ipConfigurations": [{ "id": format!("{nic}/ipConfigurations/ip"), "name": "ip", "properties": {
                    "privateIPAddress": address, "subnet": { "id": format!("{}/subnets/infra", vnet_id(vnet)) }, "primary": true } }] }),
        );
        self.put(
            id("Microsoft.Compute/virtualMachines", name),
            "Microsoft.Compute/virtualMachines",
            json!({ "provisioningState": "Succeeded", "networkProfile": { "networkInterfaces": [{ "id": nic }] },
                "instanceView": { "statuses": [{ "code": "PowerState/running" }] } }),
        );
    }

    /// A private resolver with an inbound endpoint at the address and an outbound endpoint.
    pub fn resolver(&mut self, vnet: &str, address: &str) {
        let resolver = id("Microsoft.Network/dnsResolvers", &format!("dpr-{vnet}"));
        self.put(
            resolver.clone(),
            "Microsoft.Network/dnsResolvers",
            json!({ "virtualNetwork": { "id": vnet_id(vnet) } }),
        );
        let subnet = json!({ "id": format!("{}/subnets/infra", vnet_id(vnet)) });
        self.put(
            format!("{resolver}/inboundEndpoints/in"),
            "Microsoft.Network/dnsResolvers/inboundEndpoints",
            json!({ "ipConfigurations": [{ "subnet": subnet, "privateIpAddress": address, "privateIpAllocationMethod": "Static" }] }),
        );
        self.put(
            format!("{resolver}/outboundEndpoints/out"),
            "Microsoft.Network/dnsResolvers/outboundEndpoints",
            json!({ "subnet": { "id": format!("{}/subnets/outbound", vnet_id(vnet)) } }),
        );
    }

    pub fn ruleset(&mut self, name: &str, resolver: &str, linked: &str, rules: &[(&str, &[&str])]) {
        let set = ruleset_id(name);
        let out = format!(
            "{}/outboundEndpoints/out",
            id("Microsoft.Network/dnsResolvers", &format!("dpr-{resolver}"))
        );
        self.put(
            set.clone(),
            "Microsoft.Network/dnsForwardingRulesets",
            json!({ "dnsResolverOutboundEndpoints": [{ "id": out }] }),
        );
        self.put(
            format!("{set}/virtualNetworkLinks/{linked}"),
            "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks",
            json!({ "virtualNetwork": { "id": vnet_id(linked) } }),
        );
        for (i, (domain, targets)) in rules.iter().enumerate() {
            let targets: Vec<Value> = targets.iter().map(|t| json!({ "ipAddress": t, "port": 53 })).collect();
            self.put(
                format!("{set}/forwardingRules/rule-{i}"),
                "Microsoft.Network/dnsForwardingRulesets/forwardingRules",
                json!({ "domainName": domain, "targetDnsServers": targets, "forwardingRuleState": "Enabled" }),
            );
        }
    }

    pub fn firewall(&mut self, vnet: &str, address: &str, dns: Value) {
        let policy = id("Microsoft.Network/firewallPolicies", "fw-policy");
        self.put(
            policy.clone(),
            "Microsoft.Network/firewallPolicies",
            json!({ "provisioningState": "Succeeded", "dnsSettings": dns, "sku": { "tier": "Standard" } }),
        );
        self.put(
            id("Microsoft.Network/azureFirewalls", "fw"),
            "Microsoft.Network/azureFirewalls",
            json!({ "provisioningState": "Succeeded", "firewallPolicy": { "id": policy }, "sku": { "name": "AZFW_VNet", "tier": "Standard" },
                "ipConfigurations": [{ "name": "ip", "properties": { "privateIPAddress": address,
                    "subnet": { "id": format!("{}/subnets/AzureFirewallSubnet", vnet_id(vnet)) } } }] }),
        );
    }

    /// A registry `contoso` with data endpoints in one region, and with `more` over it.
    pub fn registry(&mut self, more: Value) {
        let mut properties = json!({ "loginServer": "contoso.azurecr.io", "provisioningState": "Succeeded", "publicNetworkAccess": "Disabled",
            "dataEndpointEnabled": true, "dataEndpointHostNames": ["contoso.westeurope.data.azurecr.io"],
            "privateEndpointConnections": [], "anonymousPullEnabled": false, "roleAssignmentMode": "LegacyRegistryPermissions" });
        for (key, value) in more.as_object().expect("an object") {
            properties[key] = value.clone();
        }
        let resource = self.put(registry_id("contoso"), "Microsoft.ContainerRegistry/registries", properties);
        resource["sku"] = json!({ "name": "Premium", "tier": "Premium" });
    }

    /// A private endpoint of `contoso` with the members and their addresses.
    pub fn endpoint(&mut self, name: &str, vnet: &str, status: &str, members: &[(&str, &str, &str)]) {
        let endpoint = id("Microsoft.Network/privateEndpoints", name);
        let nic = id("Microsoft.Network/networkInterfaces", &format!("{name}.nic"));
        let subnet = json!({ "id": format!("{}/subnets/pe", vnet_id(vnet)) });
        self.put(
            endpoint.clone(),
            "Microsoft.Network/privateEndpoints",
            json!({ "provisioningState": "Succeeded", "subnet": subnet, "networkInterfaces": [{ "id": nic }], "customDnsConfigs": [],
                "privateLinkServiceConnections": [{ "name": "c", "properties": { "privateLinkServiceId": registry_id("contoso"),
                    "groupIds": ["registry"], "privateLinkServiceConnectionState": { "status": status } } }] }),
        );
        let configs: Vec<Value> = members
            .iter()
            .map(|(member, fqdn, address)| {
                json!({ "name": member, "properties": { "privateIPAddress": address, "subnet": subnet,
                    "privateLinkConnectionProperties": { "groupId": "registry", "requiredMemberName": member, "fqdns": [fqdn] } } })
            })
            .collect();
        self.put(
            nic,
            "Microsoft.Network/networkInterfaces",
            json!({ "privateEndpoint": { "id": endpoint }, "ipConfigurations": configs }),
        );
        let registry =
            self.resources.iter_mut().find(|r| r["id"] == registry_id("contoso")).expect("no registry");
        registry["properties"]["privateEndpointConnections"].as_array_mut().expect("a list").push(json!({
            "id": format!("{}/privateEndpointConnections/{name}", registry_id("contoso")), "name": name,
            "properties": { "privateEndpoint": { "id": endpoint }, "privateLinkServiceConnectionState": { "status": status } } }));
    }

    /// A cluster with one pool in `<vnet>/nodes`; `pool` and `cluster` go over the usual properties.
    pub fn cluster(&mut self, name: &str, vnet: &str, pool: Value, cluster: Value) {
        let mut profile = json!({ "name": "np", "count": 1, "mode": "System", "osType": "Linux", "type": "VirtualMachineScaleSets",
            "currentOrchestratorVersion": "1.33.2", "vnetSubnetID": format!("{}/subnets/nodes", vnet_id(vnet)) });
        for (key, value) in pool.as_object().expect("an object") {
            profile[key] = value.clone();
        }
        let identity = id("Microsoft.ManagedIdentity/userAssignedIdentities", &format!("{name}-agentpool"));
        let mut properties = json!({ "provisioningState": "Succeeded", "nodeResourceGroup": format!("MC_{name}"),
            "agentPoolProfiles": [profile], "servicePrincipalProfile": { "clientId": "msi" },
            "identityProfile": { "kubeletidentity": { "resourceId": identity, "clientId": "c", "objectId": KUBELET } } });
        for (key, value) in cluster.as_object().expect("an object") {
            properties[key] = value.clone();
        }
        let resource = self.put(
            id("Microsoft.ContainerService/managedClusters", name),
            "Microsoft.ContainerService/managedClusters",
            properties,
        );
        resource["identity"] =
            json!({ "type": "SystemAssigned", "principalId": CONTROL_PLANE, "tenantId": "tenant-a" });
    }

    pub fn assign(&mut self, principal: &str, role: &str, scope: &str, more: Value) {
        let mut properties = json!({ "roleDefinitionId": format!("{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{role}"),
            "principalId": principal, "principalType": "ServicePrincipal", "scope": scope, "condition": null });
        for (key, value) in more.as_object().expect("an object") {
            properties[key] = value.clone();
        }
        let n = self.resources.len();
        self.put(
            format!("{scope}/providers/Microsoft.Authorization/roleAssignments/ra-{n}"),
            "Microsoft.Authorization/roleAssignments",
            properties,
        );
    }

    pub fn unreadable(&mut self, scope: &str, kind: &str) {
        self.gaps.push(Gap {
            scope: Some(scope.into()),
            types: vec![kind.into()],
            status: Some(403),
            ..Gap::default()
        });
    }

    pub fn network(&self) -> Network {
        let mut builder = Builder::default();
        for resource in &self.resources {
            let resource_id = ArmId::new(resource["id"].as_str().expect("an id"));
            let kind = resource["type"].as_str().expect("a type").to_owned();
            builder.resource(resource_id, &kind, None, resource.clone());
        }
        if !self.partial {
            builder.complete.state(SUBSCRIPTION, "*", true);
        }
        builder.gaps.clone_from(&self.gaps);
        let declared =
            Declared::parse("pullproof.toml", &format!("version = 1\n{}", self.toml)).expect("valid TOML");
        Network::read(Layered::new(Arc::new(builder.finish())), declared)
    }
}

pub fn link_id(zone: &str, vnet: &str) -> String {
    format!("{}/virtualNetworkLinks/{vnet}", zone_id(zone))
}

pub fn record_id(zone: &str, name: &str) -> String {
    format!("{}/A/{name}", zone_id(zone))
}

pub fn ruleset_id(name: &str) -> String {
    id("Microsoft.Network/dnsForwardingRulesets", name)
}

/// A node of the first pool of the first cluster, or a machine in `<vnet>/nodes` where there is none.
pub fn lookup_from(world: &World, vnet: &str, cluster: Option<&str>, name: &str) -> LookupAnswers {
    let network = world.network();
    let wanted = ArmId::new(&format!("{}/subnets/nodes", vnet_id(vnet)));
    let (subnet, object) = network.subnets.iter().find(|(_, s)| s.id == wanted).expect("a subnet");
    let pool = cluster.map(|cluster| {
        let wanted = ArmId::new(&id("Microsoft.ContainerService/managedClusters", cluster));
        let found = network.pools.iter().find(|(_, p)| network.clusters[p.cluster].id == wanted);
        found.expect("a pool").0
    });
    let sources = Addresses::of(object.prefixes.iter().copied());
    let by = SourceContext { subnet, pool, nic: None, sources, sports: Ports::range(32768, 60999) };
    Prover::new(&network).lookup(&by, name, RecordType::A)
}

pub fn lookup(world: &World, vnet: &str, name: &str) -> LookupAnswers {
    lookup_from(world, vnet, None, name)
}

/// The ends of a lookup in short: `private 10.1.2.4`, `public`, `nxdomain`, …, those of later servers in brackets.
pub fn short(answers: &LookupAnswers) -> Vec<String> {
    let one = |end: &pullproof_prover::lookup_answer::LookupEnd| {
        let addresses: Vec<String> = end.addresses.iter().map(ToString::to_string).collect();
        let text = match (end.result, end.scope) {
            (LookupResult::Answer, Some(Scope::Private)) => format!("private {}", addresses.join(",")),
            (LookupResult::Answer, _) => format!("public {}", addresses.join(",")).trim().to_owned(),
            (other, _) => format!("{other:?}").to_lowercase(),
        };
        match end.when {
            When::First => text,
            When::Random => format!("perhaps {text}"),
            When::EarlierSilent => format!("({text})"),
        }
    };
    answers.ends.iter().map(one).collect()
}

/// All that is missing and all that blocks, for looking for words in it.
pub fn reasons(answers: &LookupAnswers) -> String {
    let missing =
        answers.ends.iter().flat_map(|e| &e.missing).map(|m| format!("{} {} {}", m.what, m.why, m.remedy));
    let blockers = answers.ends.iter().flat_map(|e| &e.blockers).map(|b| b.message.clone());
    missing.chain(blockers).collect::<Vec<_>>().join("\n")
}

pub fn acr() -> RegistryKey {
    RegistryKey::Acr(RegistryIx::new(0))
}

pub fn first_cluster() -> ClusterIx {
    ClusterIx::new(0)
}

pub fn first_pool() -> PoolIx {
    PoolIx::new(0)
}

pub fn endpoint_of(prover: &Prover<'_>, registry: RegistryKey, host: &str) -> Endpoint {
    let set = prover.endpoints(registry, None, None);
    set.endpoints.into_iter().find(|e| e.host == host).expect("a host of the registry")
}

/// `holds`, the kinds of the blockers, or `open`.
pub fn word(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Holds => "holds".into(),
        Outcome::Open(..) => "open".into(),
        Outcome::Fails(..) => {
            outcome.blockers().iter().map(|b| b.kind.as_str()).collect::<Vec<_>>().join(" ")
        }
    }
}
