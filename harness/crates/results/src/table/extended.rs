//! Rows that have the columns of a common table, and behind them some of their own.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, DeserializeSeed, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{Row, Versioned};
use crate::{
    columns,
    row::{
        Rule,
        rules::{self, HasRules},
    },
};

/// A row of the table of `A`, with the columns of `B` behind it.
///
/// Whoever reads `A` reads such a table, too, with [`super::Extra::Skipped`].
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct Extended<A, B> {
    /// What every table of this kind has.
    #[schemars(flatten)]
    pub common: A,
    /// What only this one has.
    #[schemars(flatten)]
    pub own: B,
}

impl<A: Row, B: Serialize + DeserializeOwned + HasRules> Row for Extended<A, B> {
    const FILE: &'static str = A::FILE;
    const VERSIONED: Versioned = A::VERSIONED;
    const SINCE: &'static [(&'static str, u32)] = A::SINCE;

    fn broken_rule(&self) -> Option<(&'static str, String)> {
        self.common.broken_rule().or_else(|| rules::broken(&self.own))
    }

    fn rules() -> Vec<(&'static str, &'static [Rule])> {
        [A::rules(), rules::rules_of::<B>()].concat()
    }

    fn fields() -> Vec<&'static str> {
        [A::fields(), columns::<B>().to_vec()].concat()
    }

    fn columns() -> Vec<&'static str> {
        [A::columns(), columns::<B>().to_vec()].concat()
    }
}

impl<A: Serialize, B: Serialize> Serialize for Extended<A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // To a table a pair of rows is one row: cells have no names.
        (&self.common, &self.own).serialize(serializer)
    }
}

impl<'de, A: Row, B: Deserialize<'de>> Deserialize<'de> for Extended<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Halves(PhantomData))
    }
}

/// Reads the two halves from cells that come in the order of [`Row::columns`].
struct Halves<A, B>(PhantomData<(A, B)>);

impl<'de, A: Row, B: Deserialize<'de>> Visitor<'de> for Halves<A, B> {
    type Value = Extended<A, B>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the cells of a row")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut cells: M) -> Result<Self::Value, M::Error> {
        let first = First { cells: &mut cells, left: A::fields().len() };
        let common = A::deserialize(MapAccessDeserializer::new(first))?;
        let own = B::deserialize(MapAccessDeserializer::new(cells))?;
        Ok(Extended { common, own })
    }
}

/// The first `left` cells of a row.
struct First<'a, M> {
    cells: &'a mut M,
    left: usize,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for First<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.cells.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.cells.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Extra, TableError, TableReader, write_table};
    use super::*;
    use crate::{
        row::{LatencyRow, WindowRow},
        version,
        vocabulary::Source,
    };

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Own {
        weather: Option<String>,
        degrees: f64,
    }

    impl HasRules for Own {
        const RULED: &'static [rules::Ruled<Self>] = &[];
    }

    fn row(weather: Option<&str>) -> Extended<WindowRow, Own> {
        let common = WindowRow {
            schema_version: version::WINDOWS.written,
            source: Source::Published,
            profile: "p".to_owned(),
            experiment: "e".to_owned(),
            run_id: "r".to_owned(),
            window: 0,
            start_ns: 0,
            queue_pair: 1,
            operations: 2,
        };
        Extended { common, own: Own { weather: weather.map(str::to_owned), degrees: 3.5 } }
    }

    #[test]
    fn both_halves_survive_a_table_that_either_kind_of_reader_reads() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("windows.csv.gz");
        let rows = [row(None), row(Some("fair"))];
        write_table(&path, &rows).unwrap();
        let back = TableReader::open(&path, Extra::Refused).unwrap();
        assert_eq!(back.collect::<Result<Vec<Extended<WindowRow, Own>>, _>>().unwrap(), rows);
        let common = TableReader::open(&path, Extra::Skipped).unwrap();
        let common = common.collect::<Result<Vec<WindowRow>, _>>().unwrap();
        assert_eq!(common, rows.map(|row| row.common));
    }

    #[test]
    fn a_bad_cell_of_either_half_is_told_with_its_column() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("windows.csv");
        write_table(&path, &[row(None)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let told = |from: &str, to: &str| {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let reader = TableReader::<Extended<WindowRow, Own>>::open(&path, Extra::Refused);
            match reader.unwrap().next().unwrap().unwrap_err() {
                TableError::Cell { column, .. } => column,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(told("3.5", "warm"), "degrees");
        assert_eq!(told(",1,2,", ",1,two,"), "operations");
    }

    #[test]
    fn the_columns_of_its_own_are_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("windows.csv");
        write_table(&path, &[row(None).common]).unwrap();
        let error = TableReader::<Extended<WindowRow, Own>>::open(&path, Extra::Refused).err();
        assert!(matches!(error, Some(TableError::MissingColumn { column: "weather", .. })));
        assert_eq!(<Extended<LatencyRow, Own> as Row>::FILE, LatencyRow::FILE);
    }
}
