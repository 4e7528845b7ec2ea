//! What the numbers of a row must be, whoever wrote them. Said once: rows are asked by it, and
//! `data/schema/columns.csv` has it for readers in other languages.

use std::{
    any::{Any, TypeId},
    fmt,
};

/// What a number must be, where it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// From the one to the other, both allowed.
    Within(f64, f64),
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
            Self::Within(least, most) => write!(formatter, "within {least} {most}"),
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

impl Rule {
    /// What would be right instead of a value outside the bounds that the rule sets by itself.
    pub(crate) fn outside(self, value: f64) -> Option<String> {
        match self {
            Self::Within(least, most) if !(least..=most).contains(&value) => {
                Some(format!("{least} to {most}"))
            }
            _ => None,
        }
    }
}

/// A column with its rules.
pub(crate) struct Ruled<R: 'static> {
    pub column: &'static str,
    pub value: fn(&R) -> Option<f64>,
    pub rules: &'static [Rule],
}

/// A row whose columns may have rules.
pub(crate) trait HasRules: Sized + 'static {
    /// Its columns, as the program names them: all that have rules or that rules of others name.
    const RULED: &'static [Ruled<Self>];
}

/// A column of the row type at hand and its rules, as in `throughput_ops, [NotNegative]`.
macro_rules! ruled_column {
    ($column:ident, $([$($rule:ident $(($($of:literal),+))?),*])?) => {
        $crate::row::rules::Ruled {
            column: stringify!($column),
            value: |row| $crate::row::rules::number(&row.$column),
            rules: &[$($($crate::row::Rule::$rule $(($($of),+))?),*)?],
        }
    };
}
pub(crate) use ruled_column;

/// A cell as a number: of what may be absent, where it is there; of a truth 1 or 0; of words none.
#[expect(clippy::cast_precision_loss, reason = "compared, and no count here is above 2^53")]
pub(crate) fn number(cell: &dyn Any) -> Option<f64> {
    fn of<T: Copy + 'static>(cell: &dyn Any, found: TypeId) -> Option<Option<T>> {
        if found == TypeId::of::<T>() {
            cell.downcast_ref::<T>().copied().map(Some)
        } else if found == TypeId::of::<Option<T>>() {
            cell.downcast_ref::<Option<T>>().copied()
        } else {
            None
        }
    }
    // Asked once: each downcast would ask anew, of ten types.
    let found = cell.type_id();
    let truth = |value: bool| f64::from(u8::from(value));
    let real = || of::<f64>(cell, found);
    let long = || of::<u64>(cell, found).map(|value| value.map(|value| value as f64));
    let word = || of::<u32>(cell, found).map(|value| value.map(f64::from));
    let byte = || of::<u8>(cell, found).map(|value| value.map(f64::from));
    let bool = || of::<bool>(cell, found).map(|value| value.map(truth));
    real().or_else(long).or_else(word).or_else(byte).or_else(bool).flatten()
}

/// The rules of every column that has some.
pub(crate) fn rules_of<R: HasRules>() -> Vec<(&'static str, &'static [Rule])> {
    let has_some = |ruled: &&Ruled<R>| !ruled.rules.is_empty();
    R::RULED.iter().filter(has_some).map(|ruled| (ruled.column, ruled.rules)).collect()
}

/// The first rule that a row breaks: the column, and what would be right there.
pub(crate) fn broken<R: HasRules>(row: &R) -> Option<(&'static str, String)> {
    R::RULED.iter().filter(|ruled| !ruled.rules.is_empty()).find_map(|ruled| {
        let value = (ruled.value)(row);
        let broken = |rule: &Rule| Some((ruled.column, wrong(row, *rule, value)?));
        ruled.rules.iter().find_map(broken)
    })
}

/// What would be right, where a rule is broken.
fn wrong<R: HasRules>(row: &R, rule: Rule, value: Option<f64>) -> Option<String> {
    // Other columns are looked up by their names: only where the value by itself does not tell.
    let named = |name: &str| R::RULED.iter().find(|ruled| ruled.column == name);
    let of = |name: &str| (named(name).expect("a rule names columns of the same row").value)(row);
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
    let counts = || named("valid").is_none_or(|valid| (valid.value)(row) != Some(0.0));
    match rule {
        Rule::Within(..) => {
            value.and_then(|value| rule.outside(value)).map(|allowed| format!("allowed: {allowed}"))
        }
        Rule::Positive => positive(),
        Rule::PositiveIfValid if !above(value, 0.0, true) && counts() => positive(),
        Rule::PositiveIfValid | Rule::NotNegative => not_negative(),
        Rule::PositiveWith(other) => {
            let none = !above(value, 0.0, true) && counts() && of(other).is_some();
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
            value?;
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
    use crate::{
        row::{
            ClaimCellRow, ClaimRow, ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow,
            FabricReadsRow, LatencyRow, MemoryLatencyRow, PredictionRow, RunRow,
        },
        table::Row,
    };

    fn name_columns_of_their_row<R: HasRules + Row>() {
        let ruled: Vec<_> = R::RULED.iter().map(|ruled| ruled.column).collect();
        assert!(rules_of::<R>().iter().all(|(name, _)| R::columns().contains(name)), "{ruled:?}");
        let named = R::RULED.iter().flat_map(|ruled| ruled.rules).flat_map(|rule| match *rule {
            Rule::LowOf(one, other) | Rule::HighOf(one, other) => vec![one, other],
            Rule::AtLeast(one) | Rule::Needs(one) | Rule::PositiveWith(one) => vec![one],
            Rule::Within(..) | Rule::Positive | Rule::PositiveIfValid | Rule::NotNegative => {
                Vec::new()
            }
        });
        named.for_each(|name| assert!(ruled.contains(&name), "{name}"));
    }

    #[test]
    fn rules_name_columns_of_their_row() {
        name_columns_of_their_row::<RunRow>();
        name_columns_of_their_row::<ConditionRow>();
        name_columns_of_their_row::<PredictionRow>();
        name_columns_of_their_row::<ClientRow>();
        name_columns_of_their_row::<MemoryLatencyRow>();
        name_columns_of_their_row::<FabricReadsRow>();
        name_columns_of_their_row::<FabricMessagesRow>();
        name_columns_of_their_row::<FabricPagerankRow>();
        name_columns_of_their_row::<ClaimRow>();
        name_columns_of_their_row::<ClaimCellRow>();
        name_columns_of_their_row::<LatencyRow>();
    }

    #[test]
    fn cells_are_numbers_where_they_have_one() {
        assert_eq!(number(&7_u32), Some(7.0));
        assert_eq!(number(&Some(7_u64)), Some(7.0));
        assert_eq!(number(&Some(0.5)), Some(0.5));
        assert_eq!((number(&None::<f64>), number(&"7".to_owned())), (None, None));
        assert_eq!((number(&true), number(&Some(false))), (Some(1.0), Some(0.0)));
    }
}
