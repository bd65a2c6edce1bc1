//! Markdown for people who read pull requests: it fits, and nothing in a name becomes markup.

mod reports;

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use pullproof_audit::compare::Fate;
use pullproof_audit::model::{Change, Report};
use pullproof_report::markdown;
use pullproof_report::sarif::Places;
use pullproof_snapshot::question::VerdictWord;
use reports::{PEERING, finding, report};

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    markdown::write(report, &Places::default(), &mut out).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

fn change(report: &Report, before: Option<VerdictWord>, fate: Fate) -> Change {
    let audit = &report.audits[0];
    Change {
        audit: audit.id.clone(),
        cluster: audit.cluster.clone(),
        node_pool: audit.node_pool.clone(),
        subnet: audit.subnet.clone(),
        registry: audit.registry.clone(),
        before,
        after: Some(audit.verdict),
        fate,
    }
}

#[test]
fn the_verdict_comes_first_then_the_path_the_change_its_owner_and_the_line() {
    let mut report = report();
    report.changes = vec![change(&report, Some(VerdictWord::Proven), Fate::NewlyDisproven)];
    let page = page(&report);
    let places = [
        "## ❌ pullproof: NOT PROVEN: 3 of 3",
        "| before | after |",
        "| aks-1 / apps | snet-apps | contosoreg | ✅ proven | ❌ disproven | newly disproven |",
        "### ❌ routing: the packet does not arrive",
        "**Fails:** TCP 10.20.0.4:32768 → 10.10.4.5:443",
        "```mermaid\nflowchart TD\n",
        ":::decides",
        "**Why:** peering to-hub is Disconnected",
        "- **Change:** create both halves again",
        "- **Owner:** network team",
        "- **Source:** infra/network.tf:12",
    ];
    let mut from = 0;
    for part in places {
        let at = page.get(from..).and_then(|rest| rest.find(part));
        from += at.unwrap_or_else(|| panic!("{part} is not behind the one before it:\n{page}"));
    }
}

#[test]
fn a_clean_run_says_so() {
    let mut report = report();
    (report.unpaired, report.unknown_images, report.findings) = (Vec::new(), Vec::new(), Vec::new());
    report.audits[0].verdict = VerdictWord::Proven;
    report.summary = pullproof_audit::model::Summary { proven: 1, ..Default::default() };
    assert!(page(&report).starts_with("## ✅ pullproof: every pull is proven\n"));
}

#[test]
fn what_does_not_fit_is_counted() {
    let mut report = report();
    let audit = report.audits[0].clone();
    report.audits = (0..3_000)
        .map(|i| {
            let mut one = audit.clone();
            one.id = format!("a-{i}");
            one.node_pool = format!("pool{i}");
            one.claims[0].blockers[0].id = format!("b-{i}");
            one.claims[0].blockers[0].kind =
                ["peering_not_connected", "nsg_denies", "no_route", "no_role"][i % 4];
            one
        })
        .collect();
    report.findings = (0..3_000)
        .map(|i| {
            finding(
                "PP8901",
                "provisioning-failed",
                pullproof_audit::model::Severity::Note,
                &[&format!("r-{i}")],
            )
        })
        .collect();
    let page = page(&report);
    assert!(page.len() <= 65_536, "{}", page.len());
    assert!(page.contains("more of 3000; `--format json` lists all."), "rows of the table are counted");
    assert!(page.contains("of 3000 further findings"), "{}", &page[page.len() - 300..]);
    assert_sound(&page);
}

/// Every text that somebody outside may have chosen.
fn with_names(hostile: &str) -> Report {
    let mut report = report();
    let audit = &mut report.audits[0];
    audit.cluster = format!("/subscriptions/0/{hostile}");
    audit.node_pool = hostile.into();
    audit.subnet = hostile.into();
    audit.registry = hostile.into();
    for claim in &mut audit.claims {
        for blocker in &mut claim.blockers {
            (blocker.message, blocker.remedy) = (hostile.into(), hostile.into());
        }
        for missing in &mut claim.missing {
            (missing.what, missing.why, missing.remedy) = (hostile.into(), hostile.into(), hostile.into());
        }
        if let Some(endpoint) = &mut claim.endpoint {
            endpoint.host = hostile.into();
        }
    }
    for finding in &mut report.findings {
        (finding.message, finding.address) = (hostile.into(), Some(hostile.into()));
        for location in &mut finding.locations {
            location.file = hostile.into();
        }
    }
    for step in report.proofs.values_mut().flat_map(|p| &mut p.branches).flat_map(|b| &mut b.path) {
        (step.text, step.device) = (hostile.into(), hostile.into());
    }
    report.notes = vec![hostile.into()];
    report.changes = vec![change(&report, Some(VerdictWord::Proven), Fate::NewlyDisproven)];
    report
}

/// A page whose only markup is our own: no HTML, link, image, quote or further code; the table has its columns, and a
/// mention, an issue and an address lead nowhere.
fn assert_sound(page: &str) {
    let mut fenced = None;
    let mut cells = 0;
    for event in
        Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH)
    {
        match event {
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Rule => {
                panic!("{event:?} in\n{page}")
            }
            Event::Code(code) => assert_eq!(&*code, "--format json", "{page}"),
            Event::Start(Tag::CodeBlock(kind)) => {
                assert!(
                    matches!(&kind, CodeBlockKind::Fenced(language) if &**language == "mermaid"),
                    "{page}"
                );
                fenced = Some(String::new());
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => {
                assert_chart(&fenced.take().expect("a chart"));
            }
            Event::Start(Tag::TableRow) => cells = 0,
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(pulldown_cmark::TagEnd::TableRow) => {
                assert!(matches!(cells, 5 | 6), "{cells} cells in\n{page}")
            }
            Event::Start(
                tag @ (Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::BlockQuote(_)
                | Tag::Emphasis
                | Tag::Strikethrough),
            ) => panic!("{tag:?} in\n{page}"),
            Event::Text(text) => match &mut fenced {
                Some(chart) => chart.push_str(&text),
                None => {
                    for trap in ["://", "www."] {
                        assert!(!text.to_ascii_lowercase().contains(trap), "{trap} in {text}");
                    }
                    for (i, c) in text.char_indices().filter(|(_, c)| matches!(c, '@' | '#')) {
                        let next = text.get(i + 1..).and_then(|rest| rest.chars().next());
                        assert!(next.is_none_or(|n| n == '\u{200b}'), "{c} before {next:?}");
                    }
                }
            },
            _ => {}
        }
    }
}

/// Every line of a chart is one that we write, whatever is in its label.
fn assert_chart(chart: &str) {
    for line in chart.lines().map(str::trim) {
        let label = line.split_once("[\"").and_then(|(_, rest)| rest.split_once("\"]"));
        let ours = match label {
            Some((label, end)) => {
                assert!(
                    !label.contains(['"', '`', '<', '>', '&', '\\', '[', ']', '{', '}', '@', '%']),
                    "{line}"
                );
                end.is_empty() || end == ":::decides" || end.starts_with(" --> h")
            }
            None => line == "flowchart TD" || line.starts_with("classDef ") || line.contains(" --> h"),
        };
        assert!(ours, "{line}");
    }
}

const HOSTILE: &[&str] = &[
    "`code`",
    "```\n```mermaid\ngraph TD; a-->b",
    "|",
    "a|b|c",
    "<script>alert(1)</script>",
    "<!-- -->",
    "@contoso/admins",
    "#1",
    "GH-1",
    "[click](https://evil.example)",
    "![x](//evil.example)",
    "https://evil.example",
    "www.evil.example",
    "\n\n# heading",
    "\r\n> quote",
    "***bold***",
    "~~gone~~",
    "$x$",
    "\"]\n click h0 call alert()",
    "%%{init: {}}%%",
    "end",
    "&lt;b&gt;",
    "\u{202e}txt.exe",
    "1. one",
    "- [x] done",
    "#quot;",
    "a\\",
    "--> h9",
    "---",
    "\u{0}\u{1b}[31m",
    "",
];

#[test]
fn hostile_names_stay_names() {
    for hostile in HOSTILE {
        assert_sound(&page(&with_names(hostile)));
    }
    let page = page(&with_names("a`b|c<d>@e\nf"));
    assert!(page.contains("a&#96;b&#124;c&#60;d&#62;&#64;&#8203;e f"), "{page}");
    assert!(!page.contains(PEERING.split('/').next_back().unwrap_or_default()) || !page.contains('<'));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mixture_of_hostile_pieces_becomes_markup(
        pieces in prop::collection::vec(prop_oneof![
            prop::sample::select(HOSTILE).prop_map(str::to_owned),
            "[\\PC\n\t]{0,12}",
            "[`|<>@#\\[\\]()!*_~$&%{}\"'\\\\:/.w-]{1,8}",
        ], 0..8)
    ) {
        let page = page(&with_names(&pieces.concat()));
        prop_assert!(page.len() <= 65_536);
        assert_sound(&page);
    }
}
