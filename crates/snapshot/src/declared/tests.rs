use super::*;

fn parse(text: &str) -> Result<Declared, String> {
    Declared::parse("pullproof.toml", text).map_err(|e| e.to_string())
}

fn fault(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

const GOOD: &str = r#"version = 1

[audit]
pairs = [{ cluster = "aks-1", registry = "harbor" }]

[[registry]]
name = "harbor"
hosts = [{ host = "harbor.corp.example", roles = ["login"], addresses = ["172.24.8.20"] }]
by = "platform team"

[[site]]
name = "dc"
prefixes = ["172.24.0.0/16"]
filter = "none"
expires = 2026-06-01

[[site]]
name = "branch"
firewall = [{ from = ["10.0.0.0/8"], to = ["*"], protocol = "tcp", ports = "80,443", action = "allow" },
            { ports = 53, action = "deny" }]

[[dns_server]]
address = "10.18.1.4"
forwards = [{ domain = ".", to = ["168.63.129.16", "public"] }]
zones = [{ name = "corp.example", records = [{ name = "harbor", type = "A", values = ["172.24.8.20"] }] }]
"#;

#[test]
fn a_good_file_knows_its_lines() {
    let declared = parse(GOOD).unwrap();
    assert_eq!(declared.line("registry", 0), 6);
    assert_eq!(declared.line("site", 0), 11);
    assert_eq!(declared.line("site", 1), 17);
    assert_eq!(declared.registries[0].provenance.by.as_deref(), Some("platform team"));
}

#[test]
fn faults_say_where_and_what_to_do() {
    let rows = [
        ("[audit]\nstrict = true", "pullproof.toml:1: `version = 1` is missing"),
        ("version = 2", "pullproof.toml:1: version 2"),
        (
            "version = 1\n[[registy]]\nname = \"a\"",
            ":2: unknown table or key `registy`; did you mean `registry`?",
        ),
        (
            "version = 1\n[[site]]\nname = \"a\"\nprefix = []",
            ":4: unknown key `prefix` in site; did you mean `prefixes`?",
        ),
        (
            "version = 1\n[[site]]\nname = \"a\"\n\nexpire = 2026-01-01",
            ":5: unknown key `expire` in site; did you mean `expires`?",
        ),
        (
            "version = 1\n[[registry]]\nname = \"a\"\nhosts = [\n { host = \"a.example\" },\n { hosts = \"b.example\" } ]",
            ":6: unknown key `hosts` in registry.hosts; did you mean `host`?",
        ),
        (
            "version = 1\n[[site]]\nname = \"a\"\nprefixes = [\n\"10.0.0.0/8\",\n\"10.0.0.0/33\"]",
            ":6: `10.0.0.0/33`",
        ),
        (
            "version = 1\n[[site]]\nname = \"a\"\nfirewall = [{ action = \"allow\", ports = \"443-80\" }]",
            ":4: ports are",
        ),
        (
            "version = 1\n[[site]]\nname = \"a\"\nfirewall = [{ action = \"allow\", protocol = \"tpc\" }]",
            "did you mean `tcp`?",
        ),
        ("version = 1\n[[site]]\nname = \"a\"\n[[site]]\nname = \"A\"", ":4: `A` is declared twice"),
        ("version = 1\n[[dns_server]]\naddress = \"10.0.0\"", ":3: "),
        (
            "version = 1\n[[dns_server]]\naddress = \"10.0.0.4\"\nsite = \"x\"\nvnet = \"v\"",
            ":2: `vnet` and `site`",
        ),
        (
            "version = 1\n[[registry]]\nname = \"a\"\npreset = \"dockerhub\"",
            ":4: `dockerhub` is unknown here; did you mean `docker-hub`?",
        ),
        ("version = 1\n[audit]\nfail_on = \"allways\"", ":3: `allways` is unknown here"),
        ("version = 1\n[rules]\nPP1203 = \"warn\"", ":3: `warn`"),
        ("version = 1\n[[suppress]]\nrule = \"PP1203\"\nreason = \"\"", ":4: a suppression needs a reason"),
        ("version = 1\nversion = 1", ":2: "),
    ];
    for (text, expected) in rows {
        let error = fault(text);
        assert!(error.contains(expected), "{text}\n  said {error}\n  not  {expected}");
    }
}

#[test]
fn an_expired_table_is_gone_and_named() {
    let declared = parse(GOOD).unwrap();
    let day = |text: &str| date_of(text).unwrap();
    let (before, none) = declared.as_of(day("2026-05-31"));
    assert_eq!((before.sites.len(), none.len()), (2, 0));
    let (after, expired) = declared.as_of(day("2026-06-01T00:00:00Z"));
    assert_eq!(expired, [Expired { name: "site:dc".into(), expires: "2026-06-01".into(), line: 11 }]);
    assert_eq!(after.sites.len(), 1);
    assert_eq!(after.line("site", 0), 17, "lines follow the tables that stay");
}

#[test]
fn names_resolve_or_list_candidates() {
    use crate::builder::Builder;
    use crate::{ArmId, Layered};
    const KIND: &str = "Microsoft.Network/virtualNetworks";
    let mut builder = Builder::default();
    for (group, name) in [("a", "hub"), ("b", "hub"), ("a", "spoke")] {
        let id = ArmId::new(&format!("/subscriptions/s/resourceGroups/{group}/providers/{KIND}/{name}"));
        builder.resource(id, KIND, None, serde_json::json!({}));
    }
    let layered = Layered::new(std::sync::Arc::new(builder.finish()));
    let found = resolve(&layered, "Spoke", &[KIND]).unwrap();
    assert_eq!(layered.id(found).name(), "spoke");
    assert_eq!(resolve(&layered, layered.id(found).as_written(), &[KIND]), Ok(found));
    assert!(
        matches!(resolve(&layered, "hub", &[KIND]), Err(ResolveError::Ambiguous { candidates, .. }) if candidates.len() == 2)
    );
    assert_eq!(
        resolve(&layered, "spoek", &[KIND]),
        Err(ResolveError::NotFound { name: "spoek".into(), near: vec!["spoke".into()] })
    );
    assert!(resolve(&layered, "spoke", &["Microsoft.Network/virtualHubs"]).is_err());
}
