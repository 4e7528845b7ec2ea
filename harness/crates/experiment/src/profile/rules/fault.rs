//! A rule that is broken, and where.

use crate::profile::{error::BrokenRule, place::Step};

/// A rule that is broken, and by what.
#[derive(Debug)]
pub(in crate::profile) struct Fault {
    pub at: Vec<Step>,
    pub value: String,
    pub rule: BrokenRule,
}

impl Fault {
    /// The field with its tables.
    pub fn field(&self) -> String {
        self.at.iter().fold(String::new(), |way, step| match step {
            Step::Key(key) if way.is_empty() => (*key).to_owned(),
            Step::Key(key) => format!("{way}.{key}"),
            Step::Index(index) => format!("{way}[{index}]"),
        })
    }
}

pub(super) type Checked = Result<(), Fault>;

/// A table, for the place of its fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Table(Vec<Step>);

impl Table {
    pub(super) fn of(key: &'static str) -> Self {
        Self(vec![Step::Key(key)])
    }

    pub(super) fn table(&self, key: &'static str) -> Self {
        Self([&self.0[..], &[Step::Key(key)]].concat())
    }

    pub(super) fn item(&self, key: &'static str, index: usize) -> Self {
        Self([&self.0[..], &[Step::Key(key), Step::Index(index)]].concat())
    }

    pub(super) fn fault(
        &self,
        field: &'static str,
        value: impl ToString,
        rule: BrokenRule,
    ) -> Checked {
        Err(Fault { at: self.table(field).0, value: value.to_string(), rule })
    }

    /// A text, where there is one, has content.
    pub(super) fn says(
        &self,
        field: &'static str,
        text: Option<&String>,
        what: &'static str,
    ) -> Checked {
        match text {
            Some(text) if text.trim().is_empty() => {
                self.fault(field, format!("\"{text}\""), BrokenRule::Empty { what })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn has_source(&self, source: Option<&String>) -> Checked {
        self.says("source", source, "where the facts are from")
    }

    /// A duration, where there is one, is one.
    pub(super) fn is_duration(&self, field: &'static str, value: Option<f64>) -> Checked {
        match value {
            Some(ns) if !ns.is_finite() || ns <= 0.0 => {
                self.fault(field, ns, BrokenRule::Outside { allowed: "more than 0 ns" })
            }
            _ => Ok(()),
        }
    }
}
