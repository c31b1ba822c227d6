//! Typed objects of the payments API, each complete as the provider's SDK declares it.
//!
//! A struct has the fields that the sandbox uses. `fixed` has the others, with the value that an
//! account without that feature sees. `private` is stored beside the object and never shown.

pub mod charge;
pub mod checkout_session;
pub mod discount;
pub mod dispute;
pub mod invoice;
pub mod invoice_payment;
pub mod payment_intent;
pub mod payment_method;
pub mod refund;
pub mod subscription;
pub mod test_clock;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::state::store::{Document, Tx};

/// Keys and values of the API's caller.
pub type Metadata = BTreeMap<String, String>;

pub trait Object: Serialize + DeserializeOwned {
    /// Value of the field `object`.
    const KIND: &'static str;
    /// What the sandbox stores with the object.
    type Private: Serialize + DeserializeOwned + Default;

    fn private(&self) -> &Self::Private;
    fn set_private(&mut self, private: Self::Private);
    /// Fields of features that the sandbox does not play.
    fn fixed() -> Value;
}

/// Implements [`Object`]: type, kind, fields that never change, and the type of the field `private`.
macro_rules! object {
    ($type:ty, $kind:literal, $fixed:tt) => {
        crate::objects::object!(@ $type, $kind, $fixed, (), |_object| &(), |_object, _private| {});
    };
    ($type:ty, $kind:literal, $fixed:tt, $private:ty) => {
        crate::objects::object!(@ $type, $kind, $fixed, $private, |object| &object.private,
            |object, private| { object.private = private });
    };
    (@ $type:ty, $kind:literal, $fixed:tt, $private:ty, |$get:ident| $read:expr, |$set:ident, $new:ident| $write:block) => {
        impl crate::objects::Object for $type {
            const KIND: &'static str = $kind;
            type Private = $private;

            fn private(&self) -> &Self::Private {
                let $get = self;
                $read
            }

            fn set_private(&mut self, $new: Self::Private) {
                let $set = self;
                $write
            }

            fn fixed() -> serde_json::Value {
                serde_json::json!($fixed)
            }
        }
    };
}
pub(crate) use object;

impl<T: Object> Document for T {
    fn document(&self) -> Value {
        let mut document = T::fixed();
        document["object"] = json!(T::KIND);
        if let Value::Object(fields) = serde_json::to_value(self).expect("an object is JSON")
            && let Some(all) = document.as_object_mut()
        {
            all.extend(fields);
        }
        document
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

    /// The same by a private field.
    pub async fn load_by_private<T: Object>(
        &mut self,
        field: &str,
        value: &str,
    ) -> Result<Vec<T>, sqlx::Error> {
        self.rows_by(T::KIND, "private", field, value).await?.iter().map(read).collect()
    }
}

/// A list inside an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "object", rename = "list")]
pub struct List<T> {
    pub data: Vec<T>,
    pub has_more: bool,
    pub url: String,
}

impl<T> List<T> {
    pub fn whole(url: String, data: Vec<T>) -> Self {
        Self { data, has_more: false, url }
    }
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
