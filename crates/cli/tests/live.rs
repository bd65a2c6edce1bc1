//! The binary against a small Azure on loopback: every kind of credential, and what it says of it.

#[path = "../../azure/tests/server/mod.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;
use server::{Answer, Asked, Server, TOKEN};

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-000000000001";

fn empty(asked: &Asked) -> Answer {
    if asked.path().contains("ResourceGraph") {
        return server::json(
            200,
            &json!({"totalRecords": 0, "count": 0, "data": [], "resultTruncated": "false"}),
        );
    }
    if asked.path() == SUBSCRIPTION {
        return server::json(
            200,
            &json!({"id": SUBSCRIPTION, "tenantId": "00000000-0000-0000-0000-0000000000aa"}),
        );
    }
    server::json(200, &json!({"value": []}))
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("pullproof-live-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}

fn collect(server: &Server, dir: &Path, auth: &str, env: &[(&str, String)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pullproof"));
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(dir);
    command.args(["collect", "--auth", auth, "--subscription", SUBSCRIPTION, "-o", "s.ndjson", "-v"]);
    command.args(["--arm-endpoint", &server.base(), "--authority", &server.base()]);
    command.envs(env.iter().map(|(key, value)| (key, value)));
    command.output().expect("the binary runs")
}

#[test]
fn every_kind_of_credential_reads_and_none_is_told() {
    let dir = folder("kinds");
    let server = Server::start(empty);
    let token_file = dir.join("federated");
    std::fs::write(&token_file, "a.federated.token").expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let az = dir.join("az");
        let answer =
            format!("{{\"accessToken\":\"{TOKEN}\",\"expires_on\":4102444800,\"tokenType\":\"Bearer\"}}");
        std::fs::write(&az, format!("#!/bin/sh\necho '{answer}'\n")).expect("a file");
        std::fs::set_permissions(&az, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let principal = [
        ("AZURE_TENANT_ID", "00000000-0000-0000-0000-0000000000aa".to_owned()),
        ("AZURE_CLIENT_ID", "00000000-0000-0000-0000-0000000000bb".to_owned()),
    ];
    let with = |more: &[(&'static str, String)]| {
        principal.iter().cloned().chain(more.iter().cloned()).collect::<Vec<(&str, String)>>()
    };
    let secret = with(&[("AZURE_CLIENT_SECRET", "hush-hush".to_owned())]);
    let workload = with(&[("AZURE_FEDERATED_TOKEN_FILE", token_file.display().to_string())]);
    let managed = vec![
        ("IDENTITY_ENDPOINT", format!("{}/msi/token", server.base())),
        ("IDENTITY_HEADER", "header".to_owned()),
    ];
    let cli = vec![("PATH", format!("{}:/usr/bin:/bin", dir.display()))];
    let github = with(&[
        ("ACTIONS_ID_TOKEN_REQUEST_URL", format!("{}/github?x=1", server.base())),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", TOKEN.to_owned()),
    ]);
    for (auth, env, told) in [
        ("client-secret", &secret, "client-secret"),
        ("workload-identity", &workload, "workload-identity"),
        ("managed-identity", &managed, "managed-identity"),
        ("cli", &cli, "cli"),
        ("auto", &secret, "environment"),
        ("auto", &workload, "workload-identity"),
        ("auto", &managed, "managed-identity"),
        ("github-oidc", &github, "github-oidc"),
    ] {
        let output = collect(&server, &dir, auth, env);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if auth == "github-oidc" {
            // The server gives no id token: the exchange was tried, and failed with a reason.
            assert!(!output.status.success() && text.contains("id token"), "{text}");
            continue;
        }
        assert!(output.status.success(), "{auth}: {text}");
        assert!(text.contains(&format!("credential: {told}")), "{auth}: {text}");
        let snapshot = std::fs::read_to_string(dir.join("s.ndjson")).expect("a snapshot");
        for told in [&text, &snapshot, &String::from_utf8_lossy(&output.stdout).into_owned()] {
            assert!(
                !told.contains(TOKEN) && !told.contains("hush") && !told.contains("federated.token"),
                "{told}"
            );
        }
        assert!(!text.contains('\r'), "no live line in a pipe");
    }
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn without_any_credential_every_kind_says_why_not() {
    let dir = folder("none");
    let server = Server::start(empty);
    let output = collect(&server, &dir, "client-certificate", &[]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("AZURE_CLIENT_CERTIFICATE_PATH is not set"), "{text}");
    assert!(!dir.join("s.ndjson").exists());
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn a_plain_endpoint_elsewhere_is_refused() {
    let dir = folder("plain");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pullproof"));
    command.current_dir(&dir).args(["collect", "-o", "s.ndjson", "--arm-endpoint", "http://192.0.2.1"]);
    let output = command.output().expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("not protected by TLS"), "{text}");
    std::fs::remove_dir_all(&dir).expect("removed");
}
