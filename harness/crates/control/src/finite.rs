//! A check, before sending, that a value holds no number that JSON cannot express.

use std::fmt;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// What the check found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsound {
    /// A NaN or an infinity, in the named field if it is in one.
    #[error("{value} in {}", field.unwrap_or("an unnamed place"))]
    NotFinite { value: f64, field: Option<&'static str> },
    /// The value's own serialisation failed.
    #[error("{0}")]
    Other(String),
}

impl serde::ser::Error for Unsound {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }
}

/// Refuses NaN and infinities anywhere in `value`.
///
/// JSON has no form for them (RFC 8259, section 6) and `serde_json` writes `null` instead, which
/// the other side would read as an absent value wherever absence is allowed.
///
/// # Errors
/// [`Unsound::NotFinite`] for the first such number.
pub(crate) fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), Unsound> {
    value.serialize(Finite { field: None })
}

/// A serializer that writes nothing and looks at the numbers.
#[derive(Clone, Copy)]
struct Finite {
    field: Option<&'static str>,
}

macro_rules! nothing_to_check {
    ($($method:ident($($kind:ty),*);)*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<(), Unsound> { Ok(()) })*
    };
}

impl Serializer for Finite {
    type Ok = ();
    type Error = Unsound;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    nothing_to_check! {
        serialize_bool(bool);
        serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64); serialize_i128(i128);
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64); serialize_u128(u128);
        serialize_char(char); serialize_str(&str); serialize_bytes(&[u8]);
        serialize_none(); serialize_unit(); serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_f32(self, value: f32) -> Result<(), Unsound> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Unsound> {
        if value.is_finite() {
            Ok(())
        } else {
            Err(Unsound::NotFinite { value, field: self.field })
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unsound> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unsound> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unsound> {
        value.serialize(Finite { field: Some(variant) })
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Unsound> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Unsound> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Unsound> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Unsound> {
        Ok(Finite { field: Some(variant) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Unsound> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unsound> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unsound> {
        Ok(self)
    }
}

macro_rules! elements {
    ($($part:ident :: $method:ident),*) => {
        $(impl $part for Finite {
            type Ok = ();
            type Error = Unsound;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unsound> {
                value.serialize(*self)
            }
            fn end(self) -> Result<(), Unsound> {
                Ok(())
            }
        })*
    };
}

elements!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! fields {
    ($($part:ident),*) => {
        $(impl $part for Finite {
            type Ok = ();
            type Error = Unsound;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Unsound> {
                value.serialize(Finite { field: Some(name) })
            }
            fn end(self) -> Result<(), Unsound> {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Finite {
    type Ok = ();
    type Error = Unsound;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unsound> {
        key.serialize(*self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unsound> {
        value.serialize(*self)
    }

    fn end(self) -> Result<(), Unsound> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    enum Sample {
        Single(f64),
        Pair(f64, f64),
        Named { rate_ops: Option<f32> },
        Many(Vec<BTreeMap<String, Wrapped>>),
        Nothing,
    }

    #[derive(Serialize)]
    struct Wrapped(f64);

    fn many(value: f64) -> Sample {
        Sample::Many(vec![BTreeMap::from([("key".to_owned(), Wrapped(value))])])
    }

    #[test]
    fn finite_values_of_every_shape_pass() {
        for sample in [
            Sample::Single(1.0),
            Sample::Pair(f64::MAX, f64::MIN_POSITIVE),
            Sample::Named { rate_ops: None },
            many(-0.0),
            Sample::Nothing,
        ] {
            check(&sample).unwrap();
        }
    }

    #[test]
    fn a_number_that_is_not_finite_is_found_in_every_shape_and_its_field_is_named() {
        let found = |sample: Sample| match check(&sample) {
            Err(Unsound::NotFinite { field, .. }) => field,
            other => panic!("expected a number that is not finite, got {other:?}"),
        };
        assert_eq!(found(Sample::Single(f64::NAN)), Some("Single"));
        assert_eq!(found(Sample::Pair(0.0, f64::INFINITY)), Some("Pair"));
        assert_eq!(found(Sample::Named { rate_ops: Some(f32::NEG_INFINITY) }), Some("rate_ops"));
        assert_eq!(found(many(f64::NAN)), Some("Many"));
        assert!(check(&f64::NAN).is_err());
    }
}
