//! Declared tables that no longer hold (CONTRACT §2, `expires`).

use std::collections::BTreeMap;

use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, Month, OffsetDateTime};

use super::{Declared, Lapsed, Provenance, Suppress};

/// A table that expired: unknown again, and a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// `site:dc`, `dns_server:10.18.1.4`, `suppress:PP1203` …
    pub name: String,
    /// As the file writes it.
    pub expires: String,
    /// Line of the table in the file.
    pub line: u64,
}

/// The date of a text in RFC 3339 (`captured_to`) or ISO form (`--as-of`). A time counts in UTC.
pub fn date_of(text: &str) -> Option<Date> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok().map(|t| t.to_offset(time::UtcOffset::UTC).date());
    time.or_else(|| Date::parse(text, &Iso8601::DEFAULT).ok())
}

impl Declared {
    /// What still holds on `date`, and what expired: a table with `expires = D` holds until the day before D.
    ///
    /// The caller chooses the date: `--as-of`, else the newest `captured_to` of the inputs
    /// ([`crate::Snapshot::captured_to`]), else the date of the run.
    pub fn as_of(&self, date: Date) -> (Self, Vec<Expired>) {
        let mut out = self.clone();
        let mut sieve = Sieve { date, of: self, expired: Vec::new(), lines: BTreeMap::new() };
        sieve.keep("registry", &mut out.registries, |t| (&t.provenance, t.name.clone()));
        sieve.keep("service_principal", &mut out.service_principals, |t| (&t.provenance, t.name.clone()));
        sieve.keep("site", &mut out.sites, |t| (&t.provenance, t.name.clone()));
        sieve.keep("dns_server", &mut out.dns_servers, |t| (&t.provenance, t.address.to_string()));
        sieve.keep("appliance", &mut out.appliances, |t| (&t.provenance, t.address.to_string()));
        sieve.keep("public_name", &mut out.public_names, |t| (&t.provenance, t.host.clone()));
        sieve.keep("trust", &mut out.trusts, |t| (&t.provenance, t.presented_by.to_string()));
        sieve.keep("suppress", &mut out.suppressions, |t| (&t.provenance, t.rule.clone()));
        let over = |t: &Suppress| t.provenance.expires.as_ref().is_some_and(|expires| sieve.is_over(expires));
        out.lapsed = self
            .suppressions
            .iter()
            .enumerate()
            .filter(|(_, t)| over(t))
            .map(|(i, t)| Lapsed { suppression: t.clone(), line: self.line("suppress", i) })
            .collect();
        for (key, line) in &self.lines {
            if key.starts_with("audit.") {
                sieve.lines.insert(key.clone(), *line);
            }
        }
        out.lines = sieve.lines;
        (out, sieve.expired)
    }
}

struct Sieve<'a> {
    date: Date,
    of: &'a Declared,
    expired: Vec<Expired>,
    /// Lines of what is kept, by its new number.
    lines: BTreeMap<String, u64>,
}

impl Sieve<'_> {
    fn keep<T>(&mut self, kind: &str, tables: &mut Vec<T>, about: impl Fn(&T) -> (&Provenance, String)) {
        let mut number = 0_usize;
        let mut kept = 0_usize;
        tables.retain(|table| {
            let line = self.of.line(kind, number);
            number = number.saturating_add(1);
            let (provenance, name) = about(table);
            let Some(expires) = provenance.expires.as_ref().filter(|expires| self.is_over(expires)) else {
                self.lines.insert(format!("{kind}.{kept}"), line);
                kept = kept.saturating_add(1);
                return true;
            };
            self.expired.push(Expired { name: format!("{kind}:{name}"), expires: expires.to_string(), line });
            false
        });
    }

    /// A date that is no date of the calendar is over: nothing is to rest on it.
    fn is_over(&self, expires: &toml::value::Datetime) -> bool {
        let date = expires.date.and_then(|date| {
            let month = Month::try_from(date.month).ok()?;
            Date::from_calendar_date(i32::from(date.year), month, date.day).ok()
        });
        date.is_none_or(|expires| self.date >= expires)
    }
}
