//! From bytes to a [`Plan`], as a stream: `planned_values` and everything else that is not needed is skipped.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::instance::StateResource;
use super::{Configuration, Deferred, Form, Instance, Mode, Plan};
use crate::Input;
use crate::error::Error;
use crate::what_if::WhatIf;

/// Reads a plan or state as `terraform show -json` (or `tofu show -json`) prints it.
///
/// # Errors
/// The input cannot be read, is no JSON, is another output of Terraform, or has a format of an unknown major version.
pub(crate) fn input(reader: impl Read) -> Result<Input, Error> {
    let mut reader = BufReader::new(reader);
    let saved = reader.fill_buf()?.starts_with(b"PK");
    if saved {
        return Err(Error::SavedPlan);
    }
    let mut top = Top::default();
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    deserializer.deserialize_map(&mut top).map_err(|error| match top.seen() {
        Some(refused) => refused,
        None => match error.io_error_kind() {
            Some(kind) => Error::Io(kind.into()),
            None => Error::Json(error),
        },
    })?;
    if let Some(refused) = top.seen() {
        return Err(refused);
    }
    match top.what_if.take() {
        Some(changes) if top.format_version.is_none() => {
            Ok(Input::WhatIf(WhatIf { status: top.status.take(), changes }))
        }
        _ => Ok(Input::Terraform(Box::new(top.plan()?))),
    }
}

/// What has been read so far.
#[derive(Default)]
struct Top {
    format_version: Option<String>,
    terraform_version: Option<String>,
    changes: Option<Vec<Instance>>,
    drift: Vec<Instance>,
    deferred: Vec<Deferred>,
    variables: std::collections::BTreeMap<String, Value>,
    values: Option<Vec<Instance>>,
    prior: Vec<Instance>,
    configuration: Configuration,
    relevant: Vec<(String, Vec<String>)>,
    errored: bool,
    complete: Option<bool>,
    planned: bool,
    messages: bool,
    raw_version: bool,
    serial: bool,
    what_if: Option<Vec<crate::what_if::Change>>,
    status: Option<String>,
}

#[derive(Deserialize)]
struct Variable {
    value: Option<Value>,
}

#[derive(Deserialize)]
struct Relevant {
    resource: String,
    #[serde(default)]
    attribute: Vec<Value>,
}

#[derive(Deserialize)]
struct DeferredChange {
    #[serde(default)]
    reason: String,
    resource_change: Named,
}

#[derive(Deserialize)]
struct Named {
    address: String,
    #[serde(rename = "type")]
    resource_type: String,
}

#[derive(Deserialize)]
struct State {
    values: Option<Resources>,
}

impl Top {
    /// What the input is instead of a plan.
    fn seen(&self) -> Option<Error> {
        if self.messages {
            return Some(Error::Messages);
        }
        if self.raw_version && self.serial {
            return Some(Error::RawState);
        }
        let version = self.format_version.as_deref()?;
        let known = version == "0.1" || version == "0.2" || version.split('.').next() == Some("1");
        (!known).then(|| Error::Version(version.to_owned()))
    }

    fn plan(self) -> Result<Plan, Error> {
        let format_version = self.format_version.ok_or(Error::Form)?;
        let is_plan = self.changes.is_some() || self.planned;
        let (mut instances, mut data) = (Vec::new(), Vec::new());
        let all = if is_plan { self.changes } else { self.values };
        for instance in all.into_iter().flatten() {
            match instance.mode {
                Mode::Managed => instances.push(instance),
                Mode::Data => data.push(instance),
            }
        }
        // What an address stands for comes last, so that it holds where both say something of one resource.
        instances.sort_by_key(|instance: &Instance| !instance.aside);
        // Data sources that are read during apply come with the changes; those read already only here (§1.2).
        for instance in self.prior {
            if instance.mode == Mode::Data && data.iter().all(|d| d.address != instance.address) {
                data.push(instance);
            }
        }
        Ok(Plan {
            form: if is_plan { Form::Plan } else { Form::State },
            format_version,
            terraform_version: self.terraform_version,
            instances,
            data,
            configuration: self.configuration,
            variables: self.variables,
            relevant: self.relevant,
            drift: self.drift,
            deferred: self.deferred,
            errored: self.errored,
            complete: self.complete,
        })
    }

    fn value<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "format_version" => {
                self.format_version = Some(map.next_value()?);
                if let Some(refused) = self.seen() {
                    return Err(serde::de::Error::custom(refused));
                }
            }
            "terraform_version" => self.terraform_version = map.next_value()?,
            "resource_changes" => {
                self.changes = Some(map.next_value_seed(Each::new(Instance::from_change))?);
            }
            "resource_drift" => {
                self.drift = map.next_value_seed(Each::new(Instance::from_change))?;
            }
            "deferred_changes" => {
                let deferred = |change: DeferredChange| {
                    Some(Deferred {
                        address: change.resource_change.address,
                        resource_type: change.resource_change.resource_type,
                        reason: change.reason,
                    })
                };
                self.deferred = map.next_value_seed(Each::new(deferred))?;
            }
            "variables" => {
                let read: std::collections::BTreeMap<String, Variable> = map.next_value()?;
                self.variables = read.into_iter().filter_map(|(k, v)| Some((k, v.value?))).collect();
            }
            "values" => {
                self.values = map.next_value::<Option<Resources>>()?.map(|r| r.0);
            }
            "prior_state" => {
                let state: Option<State> = map.next_value()?;
                self.prior = state.and_then(|s| s.values).map(|r| r.0).unwrap_or_default();
                self.prior.retain(|i| i.mode == Mode::Data);
            }
            "configuration" => self.configuration = map.next_value()?,
            "relevant_attributes" => {
                let path = |r: Relevant| {
                    let words = r.attribute.iter().map(|a| match a {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    });
                    Some((r.resource, words.collect()))
                };
                self.relevant = map.next_value_seed(Each::new(path))?;
            }
            "errored" => self.errored = map.next_value()?,
            "complete" => self.complete = map.next_value()?,
            "planned_values" => {
                self.planned = true;
                map.next_value::<IgnoredAny>()?;
            }
            "@level" => {
                self.messages = true;
                return Err(serde::de::Error::custom(Error::Messages));
            }
            "version" => {
                self.raw_version = map.next_value::<Value>()?.is_u64();
            }
            "changes" => self.what_if = map.next_value()?,
            "status" => self.status = map.next_value::<Value>()?.as_str().map(str::to_owned),
            "properties" if self.format_version.is_none() => {
                // The REST answer has the changes one level deeper than the command line prints them.
                let mut inner: Value = map.next_value()?;
                let changes = inner.get_mut("changes").map(Value::take);
                if let Some(changes) = changes {
                    self.what_if = serde_json::from_value(changes).map_err(serde::de::Error::custom)?;
                }
            }
            "serial" => {
                self.serial = true;
                map.next_value::<IgnoredAny>()?;
            }
            _ => {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for &mut Top {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.value(&key, &mut map)?;
        }
        Ok(())
    }
}

/// A list of `T`, each turned into what is kept of it as soon as it is read; null is an empty list.
struct Each<T, I, F: FnMut(T) -> I>(F, PhantomData<(T, I)>);

impl<T, I: IntoIterator, F: FnMut(T) -> I> Each<T, I, F> {
    fn new(keep: F) -> Self {
        Self(keep, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, I: IntoIterator, F: FnMut(T) -> I> DeserializeSeed<'de> for Each<T, I, F> {
    type Value = Vec<I::Item>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, I: IntoIterator, F: FnMut(T) -> I> Visitor<'de> for Each<T, I, F> {
    type Value = Vec<I::Item>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = seq.next_element()? {
            out.extend((self.0)(item));
        }
        Ok(out)
    }
}

/// The resources of a state, of all modules.
struct Resources(Vec<Instance>);

impl<'de> Deserialize<'de> for Resources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize, Default)]
        struct Module {
            #[serde(default)]
            resources: Vec<StateResource>,
            #[serde(default)]
            child_modules: Vec<Module>,
        }
        #[derive(Deserialize)]
        struct Values {
            #[serde(default)]
            root_module: Module,
        }
        fn collect(module: Module, out: &mut Vec<Instance>) {
            out.extend(module.resources.into_iter().map(Instance::from_state));
            for child in module.child_modules {
                collect(child, out);
            }
        }
        let mut out = Vec::new();
        collect(Values::deserialize(deserializer)?.root_module, &mut out);
        Ok(Self(out))
    }
}
