//! Azure Firewall and its policies (terraform-mapping.md §4.3).

use serde_json::{Value, json};

use super::Place::Append;
use super::Unset::{Flag, Text};
use super::apply::Build;
use super::virtual_network::network;
use super::{How, Row, finished, firewall_rules, how, into, or, same, whole};
use crate::value::is_unset;

macro_rules! classic {
    ($tf:literal, $list:literal, $argument:literal) => {
        finished(
            into(
                $tf,
                "Microsoft.Network/azureFirewalls",
                &[network!("azureFirewalls/{azure_firewall_name}")],
                Append($list),
                &[same(&["name"], "/name"), same(&["priority"], "/properties/priority")],
            ),
            |build| firewall_rules::classic(build, $argument),
        )
    };
}

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_firewall",
            "Microsoft.Network/azureFirewalls",
            &[network!("azureFirewalls/{name}")],
            &[
                same(&["location"], "/location"),
                or(&["sku_name"], "/properties/sku/name", Text("AZFW_VNet")),
                or(&["sku_tier"], "/properties/sku/tier", Text("Standard")),
                how(&["firewall_policy_id"], "/properties/firewallPolicy", How::Ref),
                same(&["threat_intel_mode"], "/properties/threatIntelMode"),
                how(
                    &["private_ip_ranges"],
                    "/properties/additionalProperties/Network.SNAT.PrivateRanges",
                    How::Joined,
                ),
                how(&["dns_servers"], "/properties/additionalProperties/Network.DNS.Servers", How::Joined),
            ],
        ),
        firewall,
    ),
    whole(
        "azurerm_firewall_policy",
        "Microsoft.Network/firewallPolicies",
        &[network!("firewallPolicies/{name}")],
        &[
            same(&["location"], "/location"),
            or(&["sku"], "/properties/sku/tier", Text("Standard")),
            how(&["base_policy_id"], "/properties/basePolicy", How::Ref),
            or(&["threat_intelligence_mode"], "/properties/threatIntelMode", Text("Alert")),
            how(
                &["threat_intelligence_allowlist"],
                "/properties/threatIntelWhitelist",
                How::One(&[same(&["ip_addresses"], "/ipAddresses"), same(&["fqdns"], "/fqdns")]),
            ),
            // D119.
            how(
                &["dns"],
                "/properties/dnsSettings",
                How::One(&[
                    or(&["proxy_enabled"], "/enableProxy", Flag(false)),
                    same(&["servers"], "/servers"),
                ]),
            ),
            same(&["private_ip_ranges"], "/properties/snat/privateRanges"),
            how(
                &["auto_learn_private_ranges_enabled"],
                "/properties/snat/autoLearnPrivateRanges",
                How::Words("Enabled", "Disabled"),
            ),
            how(
                &["intrusion_detection"],
                "/properties/intrusionDetection",
                How::One(&[or(&["mode"], "/mode", Text("Off"))]),
            ),
            how(
                &["tls_certificate"],
                "/properties/transportSecurity/certificateAuthority",
                How::One(&[same(&["name"], "/name"), same(&["key_vault_secret_id"], "/keyVaultSecretId")]),
            ),
            how(
                &["explicit_proxy"],
                "/properties/explicitProxy",
                How::One(&[
                    same(&["enabled"], "/enableExplicitProxy"),
                    same(&["http_port"], "/httpPort"),
                    same(&["https_port"], "/httpsPort"),
                ]),
            ),
        ],
    ),
    finished(
        whole(
            "azurerm_firewall_policy_rule_collection_group",
            "Microsoft.Network/firewallPolicies/ruleCollectionGroups",
            &["{firewall_policy_id}/ruleCollectionGroups/{name}"],
            &[same(&["priority"], "/properties/priority")],
        ),
        firewall_rules::policy_group,
    ),
    classic!(
        "azurerm_firewall_network_rule_collection",
        "/properties/networkRuleCollections",
        "network_rule_collection"
    ),
    classic!(
        "azurerm_firewall_application_rule_collection",
        "/properties/applicationRuleCollections",
        "application_rule_collection"
    ),
    classic!("azurerm_firewall_nat_rule_collection", "/properties/natRuleCollections", "nat_rule_collection"),
];

fn firewall(build: &mut Build<'_>) {
    let mut configs = Vec::new();
    // All configurations share the address of the one that names the subnet.
    for (n, block) in build.blocks("ip_configuration").iter().enumerate() {
        configs.push(config(build, block, &format!("ip_configuration[{n}]")));
    }
    build.set("/properties/ipConfigurations", Value::Array(configs));
    if let Some(block) = build.blocks("management_ip_configuration").first() {
        let config = config(build, block, "management_ip_configuration[0]");
        build.set("/properties/managementIpConfiguration", config);
    }
    if let Some(block) = build.blocks("virtual_hub").first() {
        let hub = block.get("virtual_hub_id").cloned().unwrap_or_default();
        let fixed = block.get("private_ip_address").filter(|v| !is_unset(Some(v))).cloned();
        let address = fixed.unwrap_or_else(|| build.chosen("virtual_hub[0].private_ip_address", None));
        build.set("/properties/virtualHub", json!({ "id": hub }));
        build.set("/properties/hubIPAddresses/privateIPAddress", address);
        let public = match block.get("public_ip_addresses") {
            Some(Value::Array(known)) if !known.is_empty() => {
                Value::Array(known.iter().map(|address| json!({ "address": address })).collect())
            }
            _ => build.chosen("virtual_hub[0].public_ip_addresses", None),
        };
        build.set("/properties/hubIPAddresses/publicIPs/addresses", public);
    }
    // Servers alone send the proxy too (§4.3).
    let proxy = match build.get("dns_proxy_enabled") {
        Some(Value::Bool(flag)) => Some(json!(if *flag { "true" } else { "false" })),
        Some(hole) => Some(hole.clone()),
        None => build.get("dns_servers").is_some().then(|| json!("true")),
    };
    if let Some(proxy) = proxy {
        build.set("/properties/additionalProperties/Network.DNS.EnableProxy", proxy);
    }
    for list in ["networkRuleCollections", "applicationRuleCollections", "natRuleCollections"] {
        build.set(&format!("/properties/{list}"), json!([]));
    }
}

fn config(build: &Build<'_>, block: &Value, path: &str) -> Value {
    let set = |name: &str| block.get(name).filter(|v| !is_unset(Some(v))).cloned();
    let subnet = set("subnet_id");
    let address = set("private_ip_address").or_else(|| {
        subnet.as_ref().map(|subnet| build.chosen(&format!("{path}.private_ip_address"), Some(subnet)))
    });
    let mut properties = json!({});
    let links = [("subnet", subnet), ("publicIPAddress", set("public_ip_address_id"))];
    for (key, id) in links {
        if let Some(id) = id {
            properties[key] = json!({ "id": id });
        }
    }
    properties["privateIPAddress"] = address.unwrap_or_default();
    json!({ "name": block.get("name"), "properties": properties })
}
