//! What the columns of a table are, as its schema tells it.

use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::{row::Rule, table::Row};

/// What a column says of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Which row it is.
    Identity,
    /// What was set.
    Factor,
    /// What came out.
    Outcome,
}

impl Role {
    const ALL: [Self; 3] = [Self::Identity, Self::Factor, Self::Outcome];

    /// As schemas have it under `x-role`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Factor => "factor",
            Self::Outcome => "outcome",
        }
    }
}

/// What may stand in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A number.
    Number,
    /// One of these words.
    Words(Vec<String>),
    /// `true` or `false`.
    Truth,
    /// Any text.
    Text,
}

/// A column as its schema describes it.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence or two.
    pub about: String,
    /// What it says of its row.
    pub role: Role,
    /// What may stand in it.
    pub domain: Domain,
    /// The unit of a number, which its name ends in.
    pub unit: Option<&'static str>,
    /// The name of an axis of it, if it is a factor.
    pub label: Option<String>,
    /// One level in words, of a factor that has such.
    pub level: Option<String>,
    /// The factor that it came of, if it was seen and not set.
    pub asked: Option<String>,
    /// What it must be beside what its type says.
    pub rules: &'static [Rule],
}

/// The columns of `R` in their order.
///
/// # Panics
/// When a column has no role, or is neither a number nor text: then it is no cell of a table.
pub fn described<R: Row + JsonSchema>() -> Vec<Column> {
    let schema = schema_for!(R).to_value();
    let rules = R::rules();
    let rules_of =
        |name| rules.iter().find(|(column, _)| *column == name).map_or(&[][..], |rules| rules.1);
    R::columns().into_iter().map(|name| column(&schema, name, rules_of(name))).collect()
}

fn column(schema: &Value, name: &'static str, rules: &'static [Rule]) -> Column {
    let property = &schema["properties"][name];
    let text = |key| property[key].as_str().map(str::to_owned);
    Column {
        name,
        about: text("description").unwrap_or_default().replace('\n', " "),
        role: Role::ALL
            .into_iter()
            .find(|role| property["x-role"] == role.word())
            .unwrap_or_else(|| panic!("{name}: {property} has no role")),
        domain: domain(schema, property).unwrap_or_else(|| panic!("{name}: {property} is no cell")),
        unit: unit(name),
        label: text("x-label"),
        level: text("x-level"),
        asked: text("x-asked"),
        rules,
    }
}

/// Absent where it is nothing that a cell can be.
fn domain(schema: &Value, property: &Value) -> Option<Domain> {
    let word = |choice: &Value| match choice {
        // A version of the format.
        Value::Number(number) => Some(number.to_string()),
        other => other.as_str().or(other["const"].as_str()).map(str::to_owned),
    };
    if let Some(choices) = property["oneOf"].as_array().or(property["enum"].as_array()) {
        return choices.iter().map(word).collect::<Option<_>>().map(Domain::Words);
    }
    if let Some(parts) = property["anyOf"].as_array() {
        return parts.iter().find_map(|part| domain(schema, part));
    }
    if let Some(reference) = property["$ref"].as_str() {
        return domain(schema, schema.pointer(reference.strip_prefix('#')?)?);
    }
    // Of an optional one the first: the second is "null".
    match property["type"].as_str().or(property["type"][0].as_str())? {
        "integer" | "number" => Some(Domain::Number),
        "boolean" => Some(Domain::Truth),
        "string" => Some(Domain::Text),
        _ => None,
    }
}

/// The unit that a column's name ends in.
#[must_use]
pub fn unit(name: &str) -> Option<&'static str> {
    let units = [
        ("_bytes", "B"),
        ("_ns", "ns"),
        ("_ms", "ms"),
        ("_ops", "operations/s"),
        ("_ops_per_second", "operations/s"),
        ("_per_second", "1/s"),
        ("_gbit_per_s", "Gbit/s"),
        ("_percent", "%"),
    ];
    units.iter().find(|(end, _)| name.ends_with(end)).map(|(_, unit)| *unit)
}
