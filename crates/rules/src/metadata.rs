//! A rule's metadata: OPA's `# METADATA` block at the head of its file, read as YAML.

use pullproof_audit::model::Severity;
use serde::Deserialize;

/// One rule of the catalogue.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `PP` and four digits; of a user's own rule any other prefix.
    pub id: String,
    /// Kebab case.
    pub name: String,
    pub title: String,
    pub severity: Severity,
    /// `routing`, `filtering`, `resolution`, `endpoints`, `trust`, `identity`, `evidence`, `remark`.
    pub layer: String,
    /// What it checks and why that breaks pulls; Markdown.
    pub description: String,
    /// What to change; Markdown.
    pub remediation: String,
    /// Pages to read.
    pub references: Vec<String>,
    /// Fact numbers.
    pub facts: Vec<String>,
    /// The kinds of causes that it sees; `*` for every kind.
    pub kinds: Vec<String>,
    /// An example of what goes wrong; Markdown, may be empty.
    pub example: String,
    /// The file that it stands in, for errors.
    pub file: String,
    /// Shipped with the software; only these answer for a cause when it is suppressed.
    pub built_in: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    title: String,
    description: String,
    #[serde(default)]
    related_resources: Vec<Related>,
    custom: Custom,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Related {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default, rename = "description")]
    _description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Custom {
    id: String,
    name: String,
    severity: Word,
    layer: String,
    kinds: Vec<String>,
    remediation: String,
    #[serde(default)]
    facts: Vec<String>,
    #[serde(default)]
    example: String,
}

/// A severity as it is written in rules and in `[rules]` of `pullproof.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    Error,
    Warning,
    Note,
    Off,
}

impl Word {
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Off => None,
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "error" => Some(Self::Error),
            "warning" => Some(Self::Warning),
            "note" | "info" => Some(Self::Note),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// Layers that a rule may name.
pub const LAYERS: &[&str] =
    &["routing", "filtering", "resolution", "endpoints", "trust", "identity", "evidence", "remark"];

/// The metadata at the head of a rule's text.
///
/// # Errors
/// What is wrong, for the person who wrote the rule.
pub fn parse(file: &str, text: &str) -> Result<Rule, String> {
    let mut lines = text.lines().skip_while(|l| l.trim() != "# METADATA");
    if lines.next().is_none() {
        return Err("there is no `# METADATA` block".into());
    }
    let yaml: Vec<&str> =
        lines.map_while(|l| l.strip_prefix('#')).map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
    let block: Block = serde_saphyr::from_str(&yaml.join("\n")).map_err(|e| format!("its metadata: {e}"))?;
    let custom = block.custom;
    if !LAYERS.contains(&custom.layer.as_str()) {
        return Err(format!("layer `{}` is none of {}", custom.layer, LAYERS.join(", ")));
    }
    if custom.kinds.is_empty() {
        return Err("`kinds` is empty: the rule would never be asked".into());
    }
    let Some(severity) = custom.severity.severity() else {
        return Err("a rule is switched off in pullproof.toml, not in its file".into());
    };
    Ok(Rule {
        id: custom.id,
        name: custom.name,
        title: block.title,
        severity,
        layer: custom.layer,
        description: block.description.trim().to_owned(),
        remediation: custom.remediation.trim().to_owned(),
        references: block.related_resources.into_iter().map(|r| r.reference).collect(),
        facts: custom.facts,
        kinds: custom.kinds,
        example: custom.example.trim().to_owned(),
        file: file.to_owned(),
        built_in: false,
    })
}

/// The package that a rule's text declares: `pullproof.peering_not_connected`.
pub fn package(text: &str) -> Option<&str> {
    text.lines().find_map(|l| l.strip_prefix("package ")).map(str::trim)
}
