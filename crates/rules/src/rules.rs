//! The loaded rules: built-in ones and the user's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::metadata::{self, Rule};

include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    #[error("{}: cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{file}: {message}")]
    Invalid { file: String, message: String },
    #[error("pullproof.toml, [rules]: {message}")]
    Configured { message: String },
}

/// Every rule, ready to be evaluated.
pub struct Rules {
    pub(crate) engine: regorus::Engine,
    catalogue: Vec<Rule>,
    /// Rule id → the Rego rule that gives its findings.
    pub(crate) queries: BTreeMap<String, String>,
    /// Kind of cause → the rules that see it, as indices into `catalogue`; `*` holds those that see every kind.
    by_kind: BTreeMap<String, Vec<usize>>,
}

impl Rules {
    /// The built-in rules, and those of `own` (every `*.rego` below it), compiled.
    ///
    /// # Errors
    /// A file cannot be read, does not parse, has no metadata or no `findings`, takes an id, name or package that
    /// another one has, or (in `own`) takes an id of the built-in range or names a kind that no cause has.
    pub fn load(own: Option<&Path>) -> Result<Self, RuleError> {
        let mut rules = Self {
            engine: regorus::Engine::new(),
            catalogue: Vec::new(),
            queries: BTreeMap::new(),
            by_kind: BTreeMap::new(),
        };
        for (file, text) in BUILT_IN {
            rules.add(&format!("rules/{file}"), text, true)?;
        }
        if let Some(folder) = own {
            let mut files = Vec::new();
            collect(folder, &mut files)?;
            files.sort();
            for path in files {
                let text = std::fs::read_to_string(&path)
                    .map_err(|source| RuleError::Io { path: path.clone(), source })?;
                rules.add(&path.display().to_string(), &text, false)?;
            }
        }
        rules.catalogue.sort_by(|a, b| a.id.cmp(&b.id));
        rules.check_kinds()?;
        for (i, rule) in rules.catalogue.iter().enumerate() {
            for kind in &rule.kinds {
                rules.by_kind.entry(kind.clone()).or_default().push(i);
            }
        }
        rules.compile()?;
        Ok(rules)
    }

    fn add(&mut self, file: &str, text: &str, built_in: bool) -> Result<(), RuleError> {
        let invalid = |message: String| RuleError::Invalid { file: file.to_owned(), message };
        let mut rule = metadata::parse(file, text).map_err(invalid)?;
        rule.built_in = built_in;
        if !built_in && rule.id.to_ascii_uppercase().starts_with("PP") {
            return Err(invalid(format!(
                "its id {} starts with PP, which the built-in rules have; choose another prefix",
                rule.id
            )));
        }
        let package = metadata::package(text).ok_or_else(|| invalid("it declares no package".into()))?;
        let query = format!("data.{package}.findings");
        if let Some(other) = self.catalogue.iter().find(|r| r.id == rule.id || r.name == rule.name) {
            return Err(invalid(format!(
                "its id or name is taken by {} {} ({})",
                other.id, other.name, other.file
            )));
        }
        if self.queries.values().any(|q| *q == query) {
            return Err(invalid(format!("its package {package} is taken")));
        }
        self.engine.add_policy(file.to_owned(), text.to_owned()).map_err(|e| invalid(format!("{e:#}")))?;
        let declared = self.engine.has_declared_rule_rooted_at(file, "findings");
        if !declared.map_err(|e| invalid(format!("{e:#}")))? {
            return Err(invalid("it has no rule `findings`".into()));
        }
        self.queries.insert(rule.id.clone(), query);
        self.catalogue.push(rule);
        Ok(())
    }

    /// Every kind has a built-in rule, so a kind that none of them names is a slip: the rule would never be asked.
    fn check_kinds(&self) -> Result<(), RuleError> {
        let (built_in, own): (Vec<&Rule>, Vec<&Rule>) = self.catalogue.iter().partition(|r| r.built_in);
        for rule in own {
            let there = |kind: &&String| {
                *kind != "*" && !built_in.iter().any(|known| known.kinds.iter().any(|k| k == *kind))
            };
            if let Some(kind) = rule.kinds.iter().find(there) {
                return Err(RuleError::Invalid {
                    file: rule.file.clone(),
                    message: format!("no cause has the kind `{kind}`; docs/rules lists the kinds"),
                });
            }
        }
        Ok(())
    }

    /// Compiles everything once, by evaluating one rule without input. A fault that only the whole shows (an unsafe
    /// variable, a name that is not there) is laid at the file that the message names.
    fn compile(&mut self) -> Result<(), RuleError> {
        let Some(query) = self.queries.values().next().cloned() else { return Ok(()) };
        self.engine.eval_rule(query).map(|_| ()).map_err(|e| {
            let message = format!("{e:#}");
            let rule = self.catalogue.iter().find(|r| message.contains(&r.file));
            RuleError::Invalid { file: rule.map_or_else(|| "rules".into(), |r| r.file.clone()), message }
        })
    }

    /// The rules that see causes of this kind, in order of id.
    pub(crate) fn of_kind(&self, kind: &str) -> Vec<&Rule> {
        let mut indices: Vec<usize> =
            [kind, "*"].iter().filter_map(|k| self.by_kind.get(*k)).flatten().copied().collect();
        indices.sort_unstable();
        indices.dedup();
        indices.iter().filter_map(|i| self.catalogue.get(*i)).collect()
    }

    /// All rules in order of id.
    pub fn catalogue(&self) -> &[Rule] {
        &self.catalogue
    }

    /// A rule by id or name.
    pub fn find(&self, name: &str) -> Option<&Rule> {
        self.catalogue.iter().find(|r| r.id.eq_ignore_ascii_case(name) || r.name == name)
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), RuleError> {
    let io = |source| RuleError::Io { path: folder.to_path_buf(), source };
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rego") {
            files.push(path);
        }
    }
    Ok(())
}
