//! What the numbers of a row must be, whoever wrote them. Said once: rows are asked by it, and
//! `data/schema/columns.csv` has it for readers in other languages.

use std::fmt;

use super::{ConditionRow, RunRow};

/// What a number must be, where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Above 0.
    Positive,
    /// Above 0 where the row counts, 0 or more where not: it may have measured nothing.
    PositiveIfValid,
    /// Above 0 where the row counts and has that other column.
    PositiveWith(&'static str),
    /// 0 or more.
    NotNegative,
    /// The low end of the interval of that value, with that other end: both are there or none.
    LowOf(&'static str, &'static str),
    /// The high end, likewise.
    HighOf(&'static str, &'static str),
    /// That other column, or more.
    AtLeast(&'static str),
    /// Absent where that other column is 0.
    Needs(&'static str),
}

/// As `columns.csv` has it: a word, and columns.
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positive => write!(formatter, "positive"),
            Self::PositiveIfValid => write!(formatter, "positive-if-valid"),
            Self::PositiveWith(other) => write!(formatter, "positive-with {other}"),
            Self::NotNegative => write!(formatter, "not-negative"),
            Self::LowOf(value, high) => write!(formatter, "low-of {value} {high}"),
            Self::HighOf(value, low) => write!(formatter, "high-of {value} {low}"),
            Self::AtLeast(other) => write!(formatter, "at-least {other}"),
            Self::Needs(other) => write!(formatter, "needs {other}"),
        }
    }
}

/// A column that has rules, or that rules of others name.
pub(crate) struct Ruled<R: 'static> {
    pub column: &'static str,
    value: fn(&R) -> Option<f64>,
    pub rules: &'static [Rule],
}

/// A row whose columns have rules.
pub(crate) trait HasRules: Sized + 'static {
    /// Every column of which there is a rule.
    const RULED: &'static [Ruled<Self>];

    /// Whether its numbers count.
    fn counts(&self) -> bool;
}

macro_rules! ruled {
    ($row:ident; $($column:ident as $value:expr => [$($rule:ident $(($($of:literal),+))?),*];)+) => {
        &[$(Ruled {
            column: stringify!($column),
            value: |$row: &Self| $value,
            rules: &[$(Rule::$rule $(($($of),+))?),*],
        }),+]
    };
}

#[expect(clippy::cast_precision_loss, reason = "compared, and no count here is above 2^53")]
fn whole(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

impl HasRules for RunRow {
    // Of the robust estimator a run that counts may have 0: its few operations may all be outside the
    // common windows.
    const RULED: &'static [Ruled<Self>] = ruled! { run;
        throughput_published_ops as run.throughput_published_ops => [PositiveIfValid];
        latency_mean_ns as run.latency_mean_ns => [PositiveIfValid];
        throughput_ops as run.throughput_ops => [NotNegative];
        latency_sd_ns as run.latency_sd_ns => [NotNegative];
        throughput_low_ops as run.throughput_low_ops => [LowOf("throughput_ops", "throughput_high_ops")];
        throughput_high_ops as run.throughput_high_ops => [HighOf("throughput_ops", "throughput_low_ops")];
        latency_p50_ns as whole(run.latency_p50_ns) => [];
        latency_p99_ns as whole(run.latency_p99_ns) => [AtLeast("latency_p50_ns")];
        latency_p999_ns as whole(run.latency_p999_ns)
            => [AtLeast("latency_p99_ns"), AtLeast("latency_p50_ns")];
        workers as Some(f64::from(run.workers)) => [];
        worker_accesses_per_second as run.worker_accesses_per_second => [Needs("workers"), NotNegative];
        load_accesses_per_second as run.load_accesses_per_second => [NotNegative];
        operations as whole(run.operations) => [PositiveWith("throughput_ops")];
    };

    fn counts(&self) -> bool {
        self.valid
    }
}

impl HasRules for ConditionRow {
    const RULED: &'static [Ruled<Self>] = ruled! { condition;
        runs as Some(f64::from(condition.runs)) => [Positive];
        throughput_ops as condition.throughput_ops => [Positive];
        throughput_published_ops as condition.throughput_published_ops => [Positive];
        latency_mean_ns as condition.latency_mean_ns => [Positive];
        throughput_log_sd as condition.throughput_log_sd => [NotNegative];
        throughput_low_ops as condition.throughput_low_ops
            => [LowOf("throughput_ops", "throughput_high_ops")];
        throughput_high_ops as condition.throughput_high_ops
            => [HighOf("throughput_ops", "throughput_low_ops")];
        throughput_published_low_ops as condition.throughput_published_low_ops
            => [LowOf("throughput_published_ops", "throughput_published_high_ops")];
        throughput_published_high_ops as condition.throughput_published_high_ops
            => [HighOf("throughput_published_ops", "throughput_published_low_ops")];
        latency_mean_low_ns as condition.latency_mean_low_ns
            => [LowOf("latency_mean_ns", "latency_mean_high_ns")];
        latency_mean_high_ns as condition.latency_mean_high_ns
            => [HighOf("latency_mean_ns", "latency_mean_low_ns")];
    };

    fn counts(&self) -> bool {
        true
    }
}

/// The rules of every column that has some.
pub(crate) fn rules_of<R: HasRules>() -> Vec<(&'static str, &'static [Rule])> {
    let has_some = |ruled: &&Ruled<R>| !ruled.rules.is_empty();
    R::RULED.iter().filter(has_some).map(|ruled| (ruled.column, ruled.rules)).collect()
}

/// The first rule that a row breaks: the column, and what would be right there.
pub(crate) fn broken<R: HasRules>(row: &R) -> Option<(&'static str, String)> {
    R::RULED.iter().find_map(|ruled| {
        let value = (ruled.value)(row);
        let broken = |rule: &Rule| Some((ruled.column, wrong(row, *rule, value)?));
        ruled.rules.iter().find_map(broken)
    })
}

/// What would be right, where a rule is broken.
fn wrong<R: HasRules>(row: &R, rule: Rule, value: Option<f64>) -> Option<String> {
    let of = |name: &str| {
        let ruled = R::RULED.iter().find(|ruled| ruled.column == name);
        (ruled.expect("a rule names columns of the same row").value)(row)
    };
    let above = |value: Option<f64>, least: f64, strictly: bool| {
        let is_above = |value: f64| if strictly { value > least } else { value >= least };
        value.is_none_or(is_above)
    };
    let positive = || {
        let what = "allowed: above 0, or nothing where it is not known";
        (!above(value, 0.0, true)).then(|| what.to_owned())
    };
    let not_negative = || {
        let what = "allowed: 0 or more, or nothing where it is not known";
        (!above(value, 0.0, false)).then(|| what.to_owned())
    };
    match rule {
        Rule::Positive => positive(),
        Rule::PositiveIfValid if row.counts() => positive(),
        Rule::PositiveIfValid | Rule::NotNegative => not_negative(),
        Rule::PositiveWith(other) => {
            let asked = row.counts() && of(other).is_some();
            let none = asked && !above(value, 0.0, true);
            none.then(|| format!("allowed: above 0, as there is a {other}"))
        }
        Rule::LowOf(name, end) | Rule::HighOf(name, end) => {
            let is_low = matches!(rule, Rule::LowOf(..));
            match (value, of(name), of(end)) {
                (None, _, None) => None,
                (None, _, Some(_)) => Some(format!("{end} is there, so this must be")),
                // Told of the other end.
                (Some(_), _, None) => None,
                (Some(_), None, Some(_)) => Some(format!("allowed: nothing, as {name} is absent")),
                (Some(low), Some(middle), _) if is_low => (!(0.0..=middle).contains(&low))
                    .then(|| format!("allowed: 0 to {middle}, the {name}")),
                (Some(high), Some(middle), _) => (!above(Some(high), middle, false))
                    .then(|| format!("allowed: from {middle}, the {name}")),
            }
        }
        Rule::AtLeast(other) => {
            let least = of(other)?;
            (!above(value, least, false)).then(|| format!("allowed: from {least}, the {other}"))
        }
        Rule::Needs(other) => {
            let has_none = value.is_some() && of(other) == Some(0.0);
            has_none.then(|| format!("the run has no {other}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of<R: HasRules>() -> Vec<&'static str> {
        R::RULED.iter().map(|ruled| ruled.column).collect()
    }

    fn named_by_rules<R: HasRules>() -> impl Iterator<Item = &'static str> {
        let rules = R::RULED.iter().flat_map(|ruled| ruled.rules);
        rules.flat_map(|rule| match *rule {
            Rule::LowOf(one, other) | Rule::HighOf(one, other) => vec![one, other],
            Rule::AtLeast(one) | Rule::Needs(one) | Rule::PositiveWith(one) => vec![one],
            Rule::Positive | Rule::PositiveIfValid | Rule::NotNegative => Vec::new(),
        })
    }

    #[test]
    fn rules_name_columns_of_their_row() {
        use crate::table::Row;
        let (runs, conditions) = (names_of::<RunRow>(), names_of::<ConditionRow>());
        assert!(named_by_rules::<RunRow>().all(|name| runs.contains(&name)));
        assert!(named_by_rules::<ConditionRow>().all(|name| conditions.contains(&name)));
        assert!(runs.iter().all(|name| RunRow::columns().contains(name)), "{runs:?}");
        assert!(conditions.iter().all(|name| ConditionRow::columns().contains(name)));
    }
}
