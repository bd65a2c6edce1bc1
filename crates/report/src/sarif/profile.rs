//! Whom a log is for, and the name of the run by which that consumer tells its runs apart.

use serde_json::{Value, json};

use super::Context;

/// The consumer of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// GitHub code scanning: its limits are kept.
    Github,
    /// GitHub Advanced Security for Azure DevOps: the run has the name that it asks for.
    Azdo,
    /// Anything else that reads SARIF.
    #[default]
    Plain,
}

impl Profile {
    /// The consumer of the pipeline that runs us, by the variables that it sets.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let on = |name: &str| variable(name).is_some_and(|v| v.eq_ignore_ascii_case("true"));
        if on("GITHUB_ACTIONS") {
            Self::Github
        } else if on("TF_BUILD") {
            Self::Azdo
        } else {
            Self::Plain
        }
    }
}

/// One run of a pipeline of Azure DevOps, by its predefined variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRun {
    organization: String,
    project: String,
    definition: String,
    definition_name: String,
    phase: String,
    phase_name: String,
    branch: String,
    build: String,
}

impl BuildRun {
    /// The run that the variables name.
    ///
    /// # Errors
    /// The variables that are absent or empty: half a name is none.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<String>> {
        let mut absent = Vec::new();
        // The first that is set; of several names, the later are what older agents say.
        let mut read = |names: &[&str]| {
            let value = names.iter().find_map(|n| variable(n).filter(|v| !v.trim().is_empty()));
            if value.is_none() {
                absent.extend(names.first().map(|n| (*n).to_owned()));
            }
            value.unwrap_or_default().trim().to_owned()
        };
        let collection = read(&["SYSTEM_COLLECTIONURI"]);
        let run = Self {
            organization: organization(&collection).unwrap_or_default(),
            project: read(&["SYSTEM_TEAMPROJECTID"]),
            definition: read(&["BUILD_DEFINITIONID", "SYSTEM_DEFINITIONID"]),
            definition_name: read(&["BUILD_DEFINITIONNAME"]),
            phase: read(&["SYSTEM_PHASEID", "SYSTEM_JOBID"]),
            phase_name: read(&["SYSTEM_PHASENAME", "SYSTEM_JOBNAME"]),
            branch: read(&["BUILD_SOURCEBRANCH"]),
            build: read(&["BUILD_BUILDID"]),
        };
        if run.organization.is_empty() && !collection.is_empty() {
            absent.push("SYSTEM_COLLECTIONURI".to_owned());
        }
        if absent.is_empty() { Ok(run) } else { Err(absent) }
    }
}

/// `https://dev.azure.com/ORG/` and `https://ORG.visualstudio.com/`.
fn organization(collection: &str) -> Option<String> {
    let rest = collection.strip_prefix("https://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let name = match host.strip_suffix(".visualstudio.com") {
        Some(name) => name,
        None => path.split('/').next().unwrap_or_default(),
    };
    Some(name).filter(|n| !n.is_empty()).map(str::to_owned)
}

/// `automationDetails`. The part of the id before the last slash is the category: the same in every run over the same
/// kind of input, so that a later run closes the alerts of an earlier one and not those of another category.
pub(super) fn automation(context: &Context) -> Value {
    if let (Profile::Azdo, Some(run)) = (context.profile, &context.build) {
        let BuildRun { organization, project, definition, phase, branch, build, .. } = run;
        let branch =
            if branch.starts_with("refs/") { branch.clone() } else { format!("refs/heads/{branch}") };
        return json!({
            "id": format!("azuredevops/pipeline/build/{organization}/{project}/{definition}/{phase}/{branch}/{build}"),
            "properties": {
                "azuredevops/pipeline/build/buildDefinitionId": definition,
                "azuredevops/pipeline/build/buildDefinitionName": run.definition_name,
                "azuredevops/pipeline/build/phaseId": phase,
                "azuredevops/pipeline/build/phaseName": run.phase_name,
            },
        });
    }
    let label = context.label.as_deref().map(|label| format!("{label}/")).unwrap_or_default();
    json!({ "id": format!("pullproof/{}/{label}", context.category) })
}
