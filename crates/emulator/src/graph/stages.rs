//! The pipeline: stage after stage over the rows.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::QueryError;
use super::eval::{eval, order, truth};
use super::parse::{Expr, Stage};
use super::row::Row;
use crate::estate::Estate;

/// Rows, and the columns that are shown.
pub(super) struct Rows<'a> {
    pub rows: Vec<Row<'a>>,
    /// `None`: all that the rows have.
    pub shown: Option<Vec<String>>,
    /// A stage has cut rows off: there is no next page.
    pub limited: bool,
}

impl<'a> Rows<'a> {
    pub fn columns(&self) -> Vec<String> {
        match (&self.shown, self.rows.first()) {
            (Some(shown), _) => shown.clone(),
            (None, Some(row)) => row.columns(),
            (None, None) => Vec::new(),
        }
    }

    pub fn run(mut self, stage: &Stage, estate: &'a Estate) -> Result<Self, QueryError> {
        match stage {
            Stage::Where(condition) => {
                let mut kept = Vec::with_capacity(self.rows.len());
                for row in self.rows {
                    if truth(condition, &row)? {
                        kept.push(row);
                    }
                }
                self.rows = kept;
            }
            Stage::Extend(columns) => {
                self.compute(columns)?;
                if let Some(shown) = &mut self.shown {
                    shown.extend(columns.iter().map(|(name, _)| name.clone()));
                }
            }
            Stage::Project(columns) => {
                self.compute(columns)?;
                self.shown = Some(columns.iter().map(|(name, _)| name.clone()).collect());
            }
            Stage::ProjectAway(columns) => {
                let mut shown = self.columns();
                shown.retain(|name| !columns.contains(name));
                self.shown = Some(shown);
            }
            Stage::OrderBy(keys) => self.sort(keys)?,
            Stage::Limit(n) => {
                self.limited = true;
                self.rows.truncate(*n);
            }
            Stage::Top(n, key, descending) => {
                self.sort(&[(key.clone(), *descending)])?;
                self.limited = true;
                self.rows.truncate(*n);
            }
            Stage::Count => {
                let mut columns = Map::new();
                columns.insert("Count".into(), Value::from(self.rows.len()));
                return Ok(Self { rows: vec![Row::made(estate, columns)], shown: None, limited: false });
            }
            Stage::Distinct(columns) => return self.groups(columns, None, estate),
            Stage::CountBy(name, columns) => return self.groups(columns, Some(name), estate),
        }
        Ok(self)
    }

    fn compute(&mut self, columns: &[(String, Expr)]) -> Result<(), QueryError> {
        for row in &mut self.rows {
            for (name, expr) in columns {
                // A column that is only passed on is read when it is written.
                if !matches!(expr, Expr::Column(column) if column == name) {
                    let value = eval(expr, row)?;
                    row.computed.insert(name.clone(), value);
                }
            }
        }
        Ok(())
    }

    fn sort(&mut self, keys: &[(Expr, bool)]) -> Result<(), QueryError> {
        let mut keyed = Vec::with_capacity(self.rows.len());
        for row in std::mem::take(&mut self.rows) {
            let values: Result<Vec<Value>, _> = keys.iter().map(|(key, _)| eval(key, &row)).collect();
            keyed.push((values?, row));
        }
        keyed.sort_by(|(a, _), (b, _)| {
            let orders = a.iter().zip(b).zip(keys).map(|((a, b), (_, descending))| {
                let order = order(a, b).unwrap_or(Ordering::Equal);
                if *descending { order.reverse() } else { order }
            });
            orders.fold(Ordering::Equal, Ordering::then)
        });
        self.rows = keyed.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    fn groups(
        self,
        columns: &[(String, Expr)],
        count: Option<&String>,
        estate: &'a Estate,
    ) -> Result<Self, QueryError> {
        let mut groups: BTreeMap<String, (Vec<Value>, usize)> = BTreeMap::new();
        for row in &self.rows {
            let values: Result<Vec<Value>, _> = columns.iter().map(|(_, expr)| eval(expr, row)).collect();
            let values = values?;
            let key = Value::from(values.clone()).to_string();
            let entry = groups.entry(key).or_insert_with(|| (values, 0));
            entry.1 = entry.1.saturating_add(1);
        }
        let mut shown: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        shown.extend(count.cloned());
        let rows = groups.into_values().map(|(values, n)| {
            let mut made: Map<String, Value> =
                columns.iter().map(|(name, _)| name.clone()).zip(values).collect();
            if let Some(name) = count {
                made.insert(name.clone(), Value::from(n));
            }
            Row::made(estate, made)
        });
        Ok(Self { rows: rows.collect(), shown: Some(shown), limited: false })
    }
}
