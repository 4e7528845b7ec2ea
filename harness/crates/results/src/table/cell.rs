//! A row's cells as the fields of a struct.
//!
//! The csv crate's own way loses the column of an error that a field's type raises itself, which
//! is where the words of [`crate::vocabulary`] are refused.

use csv::StringRecord;
use serde::{
    Deserialize, Deserializer,
    de::{
        Error as _, IntoDeserializer, MapAccess, Visitor,
        value::{Error, MapAccessDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};

/// A cell that cannot be what its column says.
pub(super) struct CellError {
    /// Index of the column in the file.
    pub(super) column: usize,
    /// Why.
    pub(super) reason: String,
}

/// Reads the cells of `record` in the columns `places`, given as name and index, as a `T`. Columns
/// behind the last one are empty.
pub(super) fn read_row<'de, T: Deserialize<'de>>(
    record: &'de StringRecord,
    places: &'de [(&'static str, usize)],
) -> Result<T, CellError> {
    let mut column = 0;
    let cells = Cells { record, left: places.iter(), column: &mut column };
    T::deserialize(MapAccessDeserializer::new(cells))
        .map_err(|error| CellError { column, reason: error.to_string() })
}

/// The cells that are still to be read, and the column of the last one that was.
struct Cells<'de, 'a> {
    record: &'de StringRecord,
    left: std::slice::Iter<'de, (&'static str, usize)>,
    column: &'a mut usize,
}

impl<'de> MapAccess<'de> for Cells<'de, '_> {
    type Error = Error;

    fn next_key_seed<K: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(&(name, column)) = self.left.next() else { return Ok(None) };
        *self.column = column;
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Error> {
        seed.deserialize(Cell(self.record.get(*self.column).unwrap_or_default()))
    }
}

/// The text of one cell; what it means is decided by the field's type.
struct Cell<'de>(&'de str);

impl Cell<'_> {
    fn parse<T: std::str::FromStr>(&self, what: &str) -> Result<T, Error> {
        self.0.parse().map_err(|_| match self.0 {
            "" => Error::custom(format!("empty, but {what} is needed")),
            _ => Error::custom(format!("not {what}")),
        })
    }
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident $type:ty, $what:literal;)+) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.parse::<$type>($what)?)
        }
    )+};
}

impl<'de> Deserializer<'de> for Cell<'de> {
    type Error = Error;

    parsed! {
        deserialize_u8 visit_u8 u8, "a whole number from 0 to 255";
        deserialize_u32 visit_u32 u32, "a whole number from 0 to 4294967295";
        deserialize_u64 visit_u64 u64, "a whole number from 0 to 18446744073709551615";
        deserialize_i64 visit_i64 i64, "a whole number from -9223372036854775808 to \
            9223372036854775807";
        deserialize_bool visit_bool bool, "true or false";
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let number = self.parse::<f64>("a number")?;
        // What Rust calls a number here is what R would call missing.
        if !number.is_finite() {
            return Err(Error::custom("not a finite number; leave the cell empty if unknown"));
        }
        visitor.visit_f64(number)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u16 u128 f32 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
