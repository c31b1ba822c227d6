//! Reads a JSON value into the type of a request, and names every missing and wrong field of it at
//! once.

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// Amounts are below it.
const MAX_REAIS: f64 = 1e10;
/// Whole numbers up to here are exact as floating point: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Fields by dotted path, each with what is wrong.
pub(crate) type Wrong = Vec<(String, String)>;

/// Reads a request. Null is the same as missing, and unknown fields are ignored.
pub(super) fn read<T: DeserializeOwned>(values: Map<String, Value>) -> Result<T, Wrong> {
    let wrong = RefCell::default();
    let read = T::deserialize(Reader { value: Value::Object(values), field: String::new(), wrong: &wrong });
    match (read, wrong.into_inner()) {
        (Ok(request), wrong) if wrong.is_empty() => Ok(request),
        (Err(error), wrong) if wrong.is_empty() => Err(vec![("corpo".to_owned(), error.to_string())]),
        (_, wrong) => Err(wrong),
    }
}

/// One value. serde stops at the first error, so a missing or wrong value is recorded here and an
/// empty one is read in its place.
struct Reader<'a> {
    value: Value,
    /// Dotted path; empty for the body itself.
    field: String,
    wrong: &'a RefCell<Wrong>,
}

impl Reader<'_> {
    fn or_wrong<T: Default>(&self, read: Option<T>, why: &str) -> T {
        read.unwrap_or_else(|| {
            let why = if self.value.is_null() { "é obrigatório" } else { why };
            self.wrong.borrow_mut().push((self.field.clone(), why.to_owned()));
            T::default()
        })
    }

    fn path_of(&self, name: &str) -> String {
        if self.field.is_empty() { name.to_owned() } else { format!("{}.{name}", self.field) }
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = serde_json::Error;

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let text = self.value.as_str().map(str::to_owned);
        visitor.visit_string(self.or_wrong(text, "deve ser um texto"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_bool(self.or_wrong(self.value.as_bool(), "deve ser true ou false"))
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_i64(self.or_wrong(whole_number(&self.value), "deve ser um número inteiro"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match name {
            "Reais" => {
                let centavos = self.or_wrong(centavos(&self.value), "deve ser um valor em reais");
                return visitor.visit_newtype_struct(centavos.into_deserializer());
            }
            "FilledEmail" if self.value.as_str().is_some_and(|text| text.trim().is_empty()) => {
                self.value = Value::Null;
            }
            _ => {}
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let values = self.or_wrong(self.value.as_object().map(Some), "deve ser um objeto");
        let ignored = RefCell::default();
        let fields = names.iter().map(|name| {
            let value = values.and_then(|values| values.get(*name)).cloned().unwrap_or_default();
            // The fields of a missing object are not missing one by one.
            let wrong = if values.is_some() { self.wrong } else { &ignored };
            (*name, Reader { value, field: self.path_of(name), wrong })
        });
        visitor.visit_map(MapDeserializer::new(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.value.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

impl IntoDeserializer<'_, serde_json::Error> for Reader<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// 1.0 is a whole number too, as JSON Schema has it.
fn whole_number(value: &Value) -> Option<i64> {
    let is_whole = |n: &f64| n.fract() == 0.0 && n.abs() <= EXACT;
    value.as_i64().or_else(|| value.as_f64().filter(is_whole).map(|n| n as i64))
}

/// An amount in reais, as a number or as text with a decimal point.
fn centavos(value: &Value) -> Option<i64> {
    let reais = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if is_decimal(text) => text.parse::<f64>().ok(),
        _ => None,
    };
    let reais = reais.filter(|reais| (0.0..MAX_REAIS).contains(reais))?;
    Some((reais * 100.0).round() as i64)
}

/// Digits, and perhaps a point with more of them.
fn is_decimal(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    [whole, part]
        .iter()
        .all(|digits| (1..=10).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}
