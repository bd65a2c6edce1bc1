//! A rule's page: the same headings for every rule, from its metadata alone. `docs/rules/` holds them.

use crate::metadata::Rule;

/// The page as Markdown, with a final newline.
pub fn markdown(rule: &Rule) -> String {
    let severity = format!("{:?}", rule.severity).to_lowercase();
    let mut out = format!("# {} {}\n\n", rule.id, rule.name);
    out.push_str(&format!("{}\n\n", rule.title));
    out.push_str(&format!(
        "Layer: {}. Severity: {severity}. Causes: {}.\n",
        rule.layer,
        rule.kinds.join(", ")
    ));
    section(&mut out, "What it checks, and why it breaks pulls", &rule.description);
    section(&mut out, "Example", &rule.example);
    section(&mut out, "How to fix it", &rule.remediation);
    if !rule.facts.is_empty() {
        section(&mut out, "Facts", &rule.facts.join(", "));
    }
    if !rule.references.is_empty() {
        let list: Vec<String> = rule.references.iter().map(|r| format!("- <{r}>")).collect();
        section(&mut out, "References", &list.join("\n"));
    }
    out
}

fn section(out: &mut String, title: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("\n## {title}\n\n{text}\n"));
    }
}

/// The index of all rules, as Markdown.
pub fn index(rules: &[Rule]) -> String {
    let mut out = String::from(
        "# Rules\n\n| rule | name | layer | severity | title |\n| --- | --- | --- | --- | --- |\n",
    );
    for rule in rules {
        let severity = format!("{:?}", rule.severity).to_lowercase();
        out.push_str(&format!(
            "| [{0}]({0}.md) | {1} | {2} | {severity} | {3} |\n",
            rule.id, rule.name, rule.layer, rule.title
        ));
    }
    out
}
