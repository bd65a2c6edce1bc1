//! What a run is about: from what was asked for to subscriptions and resource groups.

use pullproof_snapshot::ArmId;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Collector;
use crate::error::{Error, Failure};
use crate::types::{self, READS};

/// What is collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every subscription that can be seen.
    Everything,
    /// Ids or names of subscriptions.
    Subscriptions(Vec<String>),
    /// Id or name of a management group: every subscription below it.
    ManagementGroup(String),
    ResourceGroups {
        subscription: String,
        names: Vec<String>,
    },
    /// Ids of clusters: their subscriptions, and every subscription that is referred to from there.
    Clusters {
        ids: Vec<String>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    subscription_id: String,
    #[serde(default)]
    display_name: String,
    #[serde(default)]
    state: String,
}

#[derive(Deserialize)]
struct Descendant {
    #[serde(default, rename = "type")]
    kind: String,
    name: String,
}

impl Collector {
    /// The scopes as ARM ids: subscriptions or resource groups, in order.
    pub(super) async fn resolve(&self, scope: &Scope) -> Result<Vec<String>, Error> {
        let mut scopes = match scope {
            Scope::Everything => {
                let all = self.subscriptions().await?;
                all.into_iter().map(|s| s.subscription_id).map(of).collect()
            }
            Scope::Subscriptions(wanted) => self.named(wanted).await?,
            Scope::ManagementGroup(group) => self.below(group).await?,
            Scope::ResourceGroups { subscription, names } => {
                let found = self.named(std::slice::from_ref(subscription)).await?;
                let in_group = |s: &String| {
                    let names = names.iter();
                    names.map(move |name| format!("{s}/resourceGroups/{name}")).collect::<Vec<_>>()
                };
                found.iter().flat_map(in_group).collect::<Vec<_>>()
            }
            Scope::Clusters { ids } => {
                let own = ids.iter().filter_map(|id| Some(of(ArmId::new(id).subscription()?.to_owned())));
                own.collect()
            }
        };
        scopes.sort();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(Error::Scope(
                "no subscription is in it, or none can be seen with this credential".into(),
            ));
        }
        Ok(scopes)
    }

    /// Whether there is a token, and Azure takes it: without one every type of every scope would be a gap.
    pub(super) async fn admitted(&self, scopes: &[String]) -> Result<(), Error> {
        let version = types::of("Microsoft.Resources/subscriptions").map_or("", |row| row.api_version);
        let first = scopes.first().map(|scope| ArmId::new(scope));
        let Some(subscription) = first.as_ref().and_then(ArmId::subscription) else {
            return Ok(());
        };
        let url =
            self.client.url(&of(subscription.to_owned()), &[("api-version", version)]).map_err(refused)?;
        match self.client.get(url).await {
            Err(failure) if failure.code == "Credential" || failure.status == Some(401) => {
                Err(refused(failure))
            }
            _ => Ok(()),
        }
    }

    async fn subscriptions(&self) -> Result<Vec<Subscription>, Error> {
        let version = types::of("Microsoft.Resources/subscriptions").map_or("", |row| row.api_version);
        let mut found: Vec<Subscription> = Vec::new();
        let listed = async {
            let url = self.client.url("/subscriptions", &[("api-version", version)])?;
            self.client.list(url, |page| rows(page, &mut found)).await
        };
        listed.await.map_err(refused)?;
        // What is disabled keeps its resources, and serves them.
        found.retain(|s| !s.state.eq_ignore_ascii_case("Deleted"));
        Ok(found)
    }

    async fn named(&self, wanted: &[String]) -> Result<Vec<String>, Error> {
        let bare = |text: &str| text.trim_start_matches("/subscriptions/").to_ascii_lowercase();
        if wanted.iter().all(|text| is_guid(&bare(text))) {
            return Ok(wanted.iter().map(|text| of(bare(text))).collect());
        }
        let all = self.subscriptions().await?;
        let mut out = Vec::new();
        for text in wanted {
            let same = |s: &&Subscription| {
                s.display_name.eq_ignore_ascii_case(text)
                    || s.subscription_id.eq_ignore_ascii_case(&bare(text))
            };
            let mut found = all.iter().filter(same);
            match (found.next(), found.next()) {
                (Some(one), None) => out.push(of(one.subscription_id.clone())),
                (None, _) => return Err(Error::Scope(format!("no subscription {text:?} can be seen"))),
                (Some(_), Some(_)) => {
                    return Err(Error::Scope(format!(
                        "several subscriptions are named {text:?}; give the id"
                    )));
                }
            }
        }
        Ok(out)
    }

    async fn below(&self, group: &str) -> Result<Vec<String>, Error> {
        let operation = READS.iter().find(|operation| operation.path.ends_with("/descendants"));
        let (path, version) = operation.map_or(("", ""), |o| (o.path, o.api_version));
        let name = group.rsplit('/').next().unwrap_or(group);
        let mut found: Vec<Descendant> = Vec::new();
        let listed = async {
            let url = self.client.url(&path.replace("{group}", name), &[("api-version", version)])?;
            self.client.list(url, |page| rows(page, &mut found)).await
        };
        listed.await.map_err(refused)?;
        found.retain(|row| row.kind.to_ascii_lowercase().ends_with("/subscriptions"));
        Ok(found.into_iter().map(|row| of(row.name)).collect())
    }
}

fn of(subscription: String) -> String {
    format!("/subscriptions/{}", subscription.to_ascii_lowercase())
}

fn is_guid(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn rows<T: for<'de> Deserialize<'de>>(page: &[&RawValue], into: &mut Vec<T>) -> Result<(), Failure> {
    for raw in page {
        let row = serde_json::from_str(raw.get());
        into.push(row.map_err(|error| Failure::new("InvalidAnswer", error.to_string()))?);
    }
    Ok(())
}

fn refused(failure: Failure) -> Error {
    match failure.code.as_str() {
        "Credential" | "InvalidAuthenticationToken" | "ExpiredAuthenticationToken" => {
            Error::Credential { audience: "Azure Resource Manager".into(), why: failure.message }
        }
        code => Error::Scope(format!("{code}: {}", failure.message)),
    }
}
