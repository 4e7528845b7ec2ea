//! What a filter lets through.

use onesided_results::word::UnknownWord;
use serde::Deserialize;
use toml::Value;

use crate::{
    columns::{Column, Domain},
    number::told,
};

/// A cell of a column that can be named by queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A word.
    Word(std::sync::Arc<str>),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => formatter.write_str(&told(*number)),
            Self::Word(word) => formatter.write_str(word),
        }
    }
}

/// The values that are asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub enum Level {
    /// One of these.
    Any(Vec<Scalar>),
    /// Anything else, nothing included.
    Except(Vec<Scalar>),
    /// Numbers from and to.
    Within {
        /// The smallest.
        at_least: Option<f64>,
        /// The largest.
        at_most: Option<f64>,
    },
}

impl TryFrom<Value> for Level {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::Array(values) => Ok(Self::Any(scalars(values)?)),
            Value::Table(table) => Self::of_table(table),
            single => Ok(Self::Any(scalars(vec![single])?)),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct LevelTable {
    except: Option<Vec<Value>>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Level {
    /// Just this word.
    pub fn only(word: &str) -> Self {
        Self::Any(vec![Scalar::Word(word.into())])
    }

    fn of_table(table: toml::Table) -> Result<Self, String> {
        let table: LevelTable = table.try_into().map_err(|error| error.message().to_owned())?;
        match table {
            LevelTable { except: Some(values), at_least: None, at_most: None } => {
                Ok(Self::Except(scalars(values)?))
            }
            LevelTable { except: None, at_least: None, at_most: None } => {
                Err("empty: give at-least, at-most or except".to_owned())
            }
            LevelTable { except: None, at_least, at_most } => {
                if [at_least, at_most].iter().flatten().any(|bound| !bound.is_finite()) {
                    return Err("not a finite number".to_owned());
                }
                if at_least.zip(at_most).is_some_and(|(low, high)| low > high) {
                    return Err("at-least is above at-most: no value is both".to_owned());
                }
                Ok(Self::Within { at_least, at_most })
            }
            LevelTable { except: Some(_), .. } => {
                Err("except and a range together: give one of them".to_owned())
            }
        }
    }

    /// Whether `cell`, of a column of words separated by spaces if `is_list`, is asked for.
    pub fn admits(&self, cell: Option<&Scalar>, is_list: bool) -> bool {
        let is_one_of = |scalars: &[Scalar]| match cell {
            Some(Scalar::Word(words)) if is_list => words
                .split(' ')
                .any(|word| scalars.iter().any(|s| matches!(s, Scalar::Word(w) if **w == *word))),
            Some(cell) => scalars.contains(cell),
            None => false,
        };
        match self {
            Self::Any(scalars) => is_one_of(scalars),
            Self::Except(scalars) => !is_one_of(scalars),
            Self::Within { at_least, at_most } => match cell {
                Some(Scalar::Number(number)) => {
                    at_least.is_none_or(|low| *number >= low)
                        && at_most.is_none_or(|high| *number <= high)
                }
                _ => false,
            },
        }
    }

    /// Whether it could ever admit something of `column`.
    ///
    /// # Errors
    /// With the reason why not.
    pub fn check(&self, column: &Column) -> Result<(), String> {
        let (Self::Any(scalars) | Self::Except(scalars)) = self else {
            return match column.domain {
                Domain::Number => Ok(()),
                _ => Err("a range, but the column holds words".to_owned()),
            };
        };
        if scalars.is_empty() {
            return Err("an empty list admits nothing".to_owned());
        }
        scalars.iter().try_for_each(|scalar| check_scalar(scalar, &column.domain))
    }
}

fn check_scalar(scalar: &Scalar, domain: &Domain) -> Result<(), String> {
    match (scalar, domain) {
        (Scalar::Number(_), Domain::Number) | (Scalar::Word(_), Domain::Text | Domain::List) => {
            Ok(())
        }
        (Scalar::Word(word), Domain::Words(words)) => {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            if words.contains(&&**word) {
                return Ok(());
            }
            Err(UnknownWord::new("word of this column", word, &words).to_string())
        }
        (Scalar::Word(word), Domain::Number) => Err(format!("\"{word}\" is not a number")),
        (Scalar::Number(number), _) => Err(format!("{number}, but the column holds words")),
    }
}

fn scalars(values: Vec<Value>) -> Result<Vec<Scalar>, String> {
    values.into_iter().map(scalar).collect()
}

fn scalar(value: Value) -> Result<Scalar, String> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "levels are far below 2^53")]
        Value::Integer(number) => Ok(Scalar::Number(number as f64)),
        Value::Float(number) if number.is_finite() => Ok(Scalar::Number(number)),
        Value::String(word) => Ok(Scalar::Word(word.into())),
        // As the tables spell it.
        Value::Boolean(yes) => Ok(Scalar::Word(if yes { "true" } else { "false" }.into())),
        other => Err(format!("{other} is neither a finite number nor a word")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Table, columns};

    fn level(text: &str) -> Result<Level, String> {
        let table: toml::Table = toml::from_str(&format!("level = {text}")).unwrap();
        Level::try_from(table["level"].clone())
    }

    fn word(word: &str) -> Scalar {
        Scalar::Word(word.into())
    }

    #[test]
    fn a_level_admits_what_it_names_and_nothing_admits_an_absent_cell_but_an_exception() {
        let eight = Some(&Scalar::Number(8.0));
        for (text, expected) in [
            ("8", true),
            ("[1, 8]", true),
            ("9", false),
            ("{ at-least = 8 }", true),
            ("{ at-most = 7.5 }", false),
            ("{ except = [8] }", false),
            ("{ except = [9] }", true),
        ] {
            assert_eq!(level(text).unwrap().admits(eight, false), expected, "{text}");
        }
        assert!(level("{ except = [\"a\"] }").unwrap().admits(None, false));
        assert!(!level("\"a\"").unwrap().admits(None, false));
        assert!(!level("{ at-least = 0 }").unwrap().admits(None, false));
    }

    #[test]
    fn a_list_is_asked_for_one_of_its_words() {
        let doubts = word("duplicate misfiled");
        assert!(level("\"misfiled\"").unwrap().admits(Some(&doubts), true));
        assert!(!level("\"mis\"").unwrap().admits(Some(&doubts), true));
        assert!(!level("{ except = [\"duplicate\"] }").unwrap().admits(Some(&doubts), true));
    }

    #[test]
    fn levels_that_admit_nothing_are_refused() {
        for text in [
            "{}",
            "{ at-least = 2, at-most = 1 }",
            "{ at-least = nan, at-most = 1 }",
            "{ except = [1], at-most = 1 }",
            "{ above = 1 }",
            "nan",
            "[[1]]",
            "1979-05-27",
        ] {
            assert!(level(text).is_err(), "{text}");
        }
        let of = |name: &str, text: &str| {
            let columns = columns(Table::Conditions);
            let column = columns.iter().find(|column| column.name == name).unwrap();
            level(text).unwrap().check(column)
        };
        assert!(of("operation", "\"raed\"").unwrap_err().contains("did you mean \"read\"?"));
        assert!(of("operation", "{ at-least = 1 }").is_err());
        assert!(of("operation", "3").is_err());
        assert!(of("queue_pairs", "\"eight\"").is_err());
        assert!(of("queue_pairs", "[]").is_err());
        assert!(of("operation", "[\"read\", \"write\"]").is_ok());
        assert!(of("profile", "\"anything\"").is_ok());
    }
}
