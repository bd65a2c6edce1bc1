//! What the renderers write is valid: SARIF against the schema of OASIS, the report against our own.

mod reports;

use std::fs;
use std::path::Path;

use pullproof_audit::model::{BaselineState, Location, Report, Severity};
use pullproof_report::sarif::{BuildRun, Context, Profile};
use pullproof_report::{json, sarif};
use pullproof_rules::Rules;
use reports::{PEERING, finding, report};
use serde_json::{Value, json};

fn read(path: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).expect("JSON")
}

/// The schema of OASIS; the pattern of languages in it has a bracket too many, which no regex engine takes.
fn sarif_schema() -> Value {
    let mut schema = read("tests/schemas/sarif-2.1.0.json");
    for part in ["run", "toolComponent"] {
        if let Some(pattern) = schema.pointer_mut(&format!("/definitions/{part}/properties/language/pattern"))
        {
            *pattern = json!("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
        }
    }
    schema
}

fn assert_valid(schema: &Value, document: &Value) {
    let validator =
        jsonschema::options().should_validate_formats(true).build(schema).expect("the schema is a schema");
    let errors: Vec<String> =
        validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn sarif_of(report: &Report) -> Value {
    sarif_for(report, &Context { category: "audit".into(), ..Context::default() })
}

fn sarif_for(report: &Report, context: &Context) -> Value {
    let rules = Rules::load(None).expect("the built-in rules load");
    let mut out = Vec::new();
    sarif::write(report, rules.catalogue(), context, &mut out).expect("memory takes it");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn sarif_is_valid() {
    let schema = sarif_schema();
    assert_valid(&schema, &sarif_of(&report()));
    let mut nothing = report();
    (nothing.inputs, nothing.findings, nothing.audits) = (Vec::new(), Vec::new(), Vec::new());
    assert_valid(&schema, &sarif_of(&nothing));
}

#[test]
fn the_sarif_schema_refuses_what_is_wrong() {
    let mut log = sarif_of(&report());
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    let validator = jsonschema::validator_for(&sarif_schema()).expect("a schema");
    assert!(!validator.is_valid(&log));
}

/// What GitHub asks of a result beyond the schema: a known rule, a text, and a file with a line in every location.
#[test]
fn sarif_is_what_code_scanning_takes() {
    let log = sarif_of(&report());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for rule in rules {
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            assert!(
                rule.pointer(text).and_then(Value::as_str).is_some_and(|t| !t.is_empty()),
                "{text} of {rule}"
            );
        }
        let name = rule["name"].as_str().expect("a name");
        assert!(name.chars().all(char::is_alphanumeric), "{name} is no identifier");
    }
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    for result in results {
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
        assert!(result["partialFingerprints"]["pullproof/v1"].is_string());
        let hash = result["partialFingerprints"]["primaryLocationLineHash"].as_str().expect("a hash");
        assert!(hash.len() == 18 && hash.ends_with(":1"), "{hash}");
        if let Some(index) = result["ruleIndex"].as_u64() {
            assert_eq!(rules[usize::try_from(index).expect("small")]["id"], result["ruleId"]);
        }
        let flows = result["codeFlows"].as_array().into_iter().flatten();
        let steps = flows
            .flat_map(|f| f["threadFlows"][0]["locations"].as_array().expect("steps"))
            .map(|step| &step["location"]);
        for location in result["locations"].as_array().expect("locations").iter().chain(steps) {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a uri");
            assert!(!uri.is_empty() && !uri.contains(' ') && !uri.starts_with('/'), "{uri}");
            assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0));
        }
    }
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "infra/network.tf");
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
    assert_eq!(results[2]["suppressions"][0]["justification"], "known");
    let flow = &results[1]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow[1]["importance"], "essential");
    assert_eq!(flow[1]["location"]["message"]["text"], "the peering is not connected");
}

#[test]
fn rules_have_what_code_scanning_sorts_by() {
    let log = sarif_of(&report());
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules") {
        let of = &rule["properties"];
        let score: f64 = of["security-severity"].as_str().and_then(|s| s.parse().ok()).expect("a score");
        assert!((0.1..=10.0).contains(&score));
        assert!(["very-high", "high", "medium"].contains(&of["precision"].as_str().expect("a precision")));
        assert!(of["tags"].as_array().is_some_and(|tags| !tags.is_empty() && tags.len() <= 10));
        for text in ["shortDescription", "fullDescription"] {
            assert!(rule[text]["text"].as_str().is_some_and(|t| t.chars().count() <= 1024), "{rule}");
        }
    }
}

#[test]
fn a_source_line_is_the_place_and_the_calls_of_its_modules_are_related() {
    let mut report = report();
    let finding = &mut report.findings[1];
    finding.address = Some("module.spoke[\"weu\"].azurerm_virtual_network_peering.to_hub".into());
    finding.locations[0].column = Some(3);
    finding.locations[0].end_line = Some(12);
    finding.locations[0].end_column = Some(30);
    finding.locations[0].text = Some("allow_forwarded_traffic = false".into());
    finding.related = vec![Location {
        file: "main.tf".into(),
        line: 4,
        message: Some("module \"spoke\" [weu] is called here".into()),
        ..Location::default()
    }];
    let log = sarif_of(&report);
    assert_valid(&sarif_schema(), &log);
    let result = &log["runs"][0]["results"][1];
    let place = &result["locations"][0];
    let region = json!({"startLine": 12, "startColumn": 3, "endLine": 12, "endColumn": 30, "snippet": {"text": "allow_forwarded_traffic = false"}});
    assert_eq!(place["physicalLocation"]["region"], region);
    assert_eq!(
        place["logicalLocations"][1]["fullyQualifiedName"],
        report.findings[1].address.clone().unwrap_or_default()
    );
    assert_eq!(result["relatedLocations"][0]["id"], 1);
    let message = result["message"]["text"].as_str().expect("a text");
    assert!(message.ends_with(r#"([module "spoke"  weu  is called here](1))"#), "{message}");
    // A step at the finding's own element stands where the finding stands.
    let step = &result["codeFlows"][0]["threadFlows"][0]["locations"][1]["location"];
    assert_eq!(step["physicalLocation"]["artifactLocation"]["uri"], "infra/network.tf");
}

#[test]
fn a_line_hash_outlives_moved_lines_and_tells_twins_apart() {
    let hashes = |report: &Report| -> Vec<Value> {
        let log = sarif_of(report);
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        results.into_iter().map(|r| r["partialFingerprints"]["primaryLocationLineHash"].clone()).collect()
    };
    let mut before = report();
    before.findings[1].locations[0].text = Some("to_hub = x".into());
    let mut moved = before.clone();
    moved.findings[1].locations[0].line = 99;
    moved.findings[1].pointer = Some("/properties/other".into());
    assert_eq!(hashes(&before), hashes(&moved));
    let mut edited = before.clone();
    edited.findings[1].locations[0].text = Some("to_hub = y".into());
    assert_ne!(hashes(&before)[1], hashes(&edited)[1]);
    let mut twins = before.clone();
    twins.findings.push(twins.findings[1].clone());
    let found = hashes(&twins);
    assert_ne!(found[1], found[3]);
    assert!(found[3].as_str().is_some_and(|h| h.ends_with(":2")));
}

#[test]
fn github_gets_no_more_than_it_shows_and_hears_what_is_left_out() {
    let mut report = report();
    let note = finding("PP8901", "provisioning-failed", Severity::Note, &["r-1"]);
    report.findings = std::iter::repeat_n(note, 6_000).collect();
    report.findings.push(finding("PP1101", "peering-not-connected", Severity::Error, &["b-1"]));
    let log = sarif_for(&report, &Context { profile: Profile::Github, ..Context::default() });
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 5_000);
    assert_eq!(results.last().map(|r| r["level"].clone()), Some(json!("error")), "the severe stay");
    let told = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(told.contains("1001 findings are left out"), "{told}");
    assert_eq!(sarif_of(&report)["runs"][0]["results"].as_array().map(Vec::len), Some(6_001));
}

#[test]
fn azure_devops_knows_the_run_by_its_pipeline() {
    let variables = |name: &str| -> Option<String> {
        let value = match name {
            "SYSTEM_COLLECTIONURI" => "https://dev.azure.com/contoso/",
            "SYSTEM_TEAMPROJECTID" => "11111111-1111-4111-8111-111111111111",
            "SYSTEM_DEFINITIONID" => "12",
            "BUILD_DEFINITIONNAME" => "network",
            "SYSTEM_PHASEID" => "22222222-2222-4222-8222-222222222222",
            "SYSTEM_PHASENAME" => "plan",
            "BUILD_SOURCEBRANCH" => "refs/heads/main",
            "BUILD_BUILDID" => "345",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let context = Context {
        profile: Profile::Azdo,
        category: "plan".into(),
        build: Some(BuildRun::detect(variables).expect("all are set")),
        ..Context::default()
    };
    let log = sarif_for(&report(), &context);
    assert_valid(&sarif_schema(), &log);
    let details = &log["runs"][0]["automationDetails"];
    assert_eq!(
        details["id"],
        "azuredevops/pipeline/build/contoso/11111111-1111-4111-8111-111111111111/12/22222222-2222-4222-8222-222222222222/refs/heads/main/345"
    );
    assert_eq!(details["properties"]["azuredevops/pipeline/build/phaseName"], "plan");
    assert!(log["runs"][0]["tool"]["driver"]["fullName"].is_string());
    let without = |name: &str| if name == "SYSTEM_PHASEID" { None } else { variables(name) };
    assert_eq!(BuildRun::detect(without), Err(vec!["SYSTEM_PHASEID".to_owned()]));
}

#[test]
fn the_pipeline_says_whom_the_log_is_for() {
    let with = |set: &'static str| move |name: &str| (name == set).then(|| "true".to_owned());
    assert_eq!(Profile::detect(with("GITHUB_ACTIONS")), Profile::Github);
    assert_eq!(Profile::detect(|n| (n == "TF_BUILD").then(|| "True".into())), Profile::Azdo);
    assert_eq!(Profile::detect(with("CI")), Profile::Plain);
}

#[test]
fn a_log_says_what_became_of_the_run() {
    let context =
        Context { category: "plan".into(), label: Some("weu".into()), exit_code: 1, ..Context::default() };
    let mut report = report();
    report.gaps = vec![pullproof_snapshot::gap::Gap {
        scope: Some("/subscriptions/1".into()),
        code: Some("AuthorizationFailed".into()),
        ..Default::default()
    }];
    report.findings[1].baseline = Some(BaselineState::Unchanged);
    let log = sarif_for(&report, &context);
    assert_valid(&sarif_schema(), &log);
    let run = &log["runs"][0];
    assert_eq!(run["automationDetails"]["id"], "pullproof/plan/weu/");
    let invocation = &run["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(true), &json!(1)));
    assert_eq!(invocation["properties"]["inputs"][0]["sha256"], "0".repeat(64));
    let told = invocation["toolExecutionNotifications"].as_array().expect("notifications");
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(run["results"][1]["baselineState"], "unchanged");
    assert_eq!(run["results"][1]["suppressions"][0]["kind"], "external");
    let failed = sarif_for(&report, &Context { exit_code: 5, ..Context::default() });
    assert_eq!(failed["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_fingerprint_does_not_hang_on_wording_or_letter_case() {
    let fingerprint = |report: &Report| {
        sarif_of(report)["runs"][0]["results"][1]["partialFingerprints"]["pullproof/v1"].clone()
    };
    let before = report();
    let mut after = report();
    after.findings[1].message = "said otherwise".into();
    after.findings[1].resource = Some(PEERING.to_uppercase());
    assert_eq!(fingerprint(&before), fingerprint(&after));
    after.findings[1].causes = vec!["b-2".into()];
    assert_ne!(fingerprint(&before), fingerprint(&after));
}

#[test]
fn the_report_is_valid() {
    let mut out = Vec::new();
    json::write(&report(), &mut out).expect("memory takes it");
    let document: Value = serde_json::from_slice(&out).expect("JSON");
    assert_valid(&read("docs/schemas/report-v1.json"), &document);
}
