//! What every object has: its kind, its private part, and the fields that the sandbox does not use.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::state::{Document, Tx};

/// Keys and values of the API's caller.
pub type Metadata = BTreeMap<String, String>;

/// Fields that the sandbox neither reads nor changes, as they were created.
pub type Rest = Map<String, Value>;

/// Each object, and some of their parts, with every field that the provider's SDK declares.
static TEMPLATES: LazyLock<Rest> =
    LazyLock::new(|| serde_json::from_str(include_str!("templates.json")).expect("an object of objects"));

/// A new object from its template, with other values for some fields.
pub fn template<T: DeserializeOwned>(name: &str, given: Value) -> T {
    let mut object = TEMPLATES[name].clone();
    merge(&mut object, given);
    serde_json::from_value(object).expect("each value has the type of its field")
}

fn merge(into: &mut Value, given: Value) {
    match (into, given) {
        // An object without fields, such as metadata, takes any.
        (Value::Object(fields), Value::Object(given)) if !fields.is_empty() => {
            for (name, value) in given {
                merge(&mut fields[&name], value);
            }
        }
        (into, given) => *into = given,
    }
}

pub trait Object: Serialize + DeserializeOwned {
    /// Value of the field `object`.
    const KIND: &'static str;
    /// What the sandbox stores with the object.
    type Private: Serialize + DeserializeOwned + Default;

    fn private(&self) -> &Self::Private;
    fn set_private(&mut self, private: Self::Private);
}

/// Implements [`Object`] for a type and its kind, with the type of its field `private` if it has
/// one.
macro_rules! object {
    ($type:ty, $kind:literal) => {
        impl crate::objects::object::Object for $type {
            const KIND: &'static str = $kind;
            type Private = ();

            fn private(&self) -> &() {
                &()
            }

            fn set_private(&mut self, (): ()) {}
        }
    };
    ($type:ty, $kind:literal, $private:ty) => {
        impl crate::objects::object::Object for $type {
            const KIND: &'static str = $kind;
            type Private = $private;

            fn private(&self) -> &$private {
                &self.private
            }

            fn set_private(&mut self, private: $private) {
                self.private = private;
            }
        }
    };
}
pub(crate) use object;

impl<T: Object> Document for T {
    fn document(&self) -> Value {
        serde_json::to_value(self).expect("an object is JSON")
    }

    fn private(&self) -> Option<Value> {
        serde_json::to_value(Object::private(self)).ok().filter(|private| !private.is_null())
    }
}

fn read<T: Object>(row: &SqliteRow) -> Result<T, sqlx::Error> {
    let parsed = || {
        let mut object: T = serde_json::from_str(row.get(0))?;
        if let Some(private) = row.get::<Option<&str>, _>(1) {
            object.set_private(serde_json::from_str(private)?);
        }
        Ok::<_, serde_json::Error>(object)
    };
    parsed().map_err(|error| sqlx::Error::Decode(error.into()))
}

impl Tx {
    /// Reads an object by its id.
    pub async fn load<T: Object>(&mut self, id: &str) -> Result<Option<T>, sqlx::Error> {
        let row = sqlx::query("SELECT doc, private FROM objects WHERE id = $1 AND kind = $2")
            .bind(id)
            .bind(T::KIND)
            .fetch_optional(&mut *self.conn)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Reads the objects whose field (a JSON path after `$.`) has a value, newest first.
    pub async fn load_by<T: Object>(&mut self, field: &str, value: &str) -> Result<Vec<T>, sqlx::Error> {
        self.rows_by(T::KIND, "doc", field, value).await?.iter().map(read).collect()
    }

    /// Reads the objects whose private field has a value, newest first.
    pub async fn load_by_private<T: Object>(
        &mut self,
        field: &str,
        value: &str,
    ) -> Result<Vec<T>, sqlx::Error> {
        self.rows_by(T::KIND, "private", field, value).await?.iter().map(read).collect()
    }
}

/// A list inside an object. The sandbox changes its items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List<T> {
    pub data: Vec<T>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// How an invoice or a subscription can be paid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaymentSettings {
    pub payment_method_types: Vec<String>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// Who is charged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BillingDetails {
    pub address: Option<Address>,
    pub email: Option<String>,
    pub name: Option<String>,
    pub phone: Option<String>,
    /// CPF or CNPJ of a boleto's payer.
    pub tax_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    pub city: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    pub line1: Option<String>,
    pub line2: Option<String>,
    /// CEP.
    pub postal_code: Option<String>,
    /// Two letters.
    pub state: Option<String>,
}
