//! The names under which a struct's fields are written, in their order.

use serde::{
    Deserialize, Deserializer, de,
    de::{Visitor, value::Error},
    forward_to_deserialize_any,
};

/// Names of a struct's fields as serde writes them, in the order of their declaration.
///
/// Asked from the derived `Deserialize`, so that no list of columns stands beside the struct.
///
/// # Panics
/// When `T` is not a struct with named fields or flattens one of them: then it is no table row.
pub fn columns<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields = None;
    // The listener always answers with an error: it has no value to give.
    let _ = T::deserialize(FieldListener(&mut fields));
    fields.unwrap_or_else(|| {
        panic!("{} is not a struct with named fields", std::any::type_name::<T>())
    })
}

/// Hears which fields a struct asks for.
struct FieldListener<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldListener<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = Some(fields);
        Err(de::Error::custom("heard the fields"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("not a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_written_names_in_order() {
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only the names are asked for")]
        struct Row {
            zebra: u8,
            #[serde(rename = "loop")]
            loop_shape: Option<u8>,
        }
        assert_eq!(columns::<Row>(), ["zebra", "loop"]);
    }

    #[test]
    #[should_panic(expected = "not a struct with named fields")]
    fn asking_a_number_for_its_columns_is_our_mistake() {
        columns::<u32>();
    }
}
