//! Typed objects of the payments API.
//!
//! A field whose name starts with `_` is stored and never shown: `store::public` drops it.

pub mod account;
pub mod balance;
pub mod charge;
pub mod discount;
pub mod dispute;
pub mod invoice_payment;
pub mod payment_intent;
pub mod refund;
pub mod test_clock;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::state::store::Tx;

/// Keys and values of the API's caller.
pub type Metadata = BTreeMap<String, String>;

/// An object with a type of its own in the store.
pub trait Stored: Serialize + DeserializeOwned {
    /// Value of the field `object`.
    const KIND: &'static str;
}

/// Who is charged. Fields that the payer did not give are null.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BillingDetails {
    /// Address.
    pub address: Option<Address>,
    /// Email.
    pub email: Option<String>,
    /// Full name.
    pub name: Option<String>,
    /// Phone.
    pub phone: Option<String>,
    /// CPF or CNPJ of a boleto's payer.
    pub tax_id: Option<String>,
}

/// A postal address.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    /// City.
    pub city: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    /// Street and number.
    pub line1: Option<String>,
    /// Complement.
    pub line2: Option<String>,
    /// CEP.
    pub postal_code: Option<String>,
    /// Two letters.
    pub state: Option<String>,
}

/// The stored form of an object.
pub fn to_document<T: Stored>(object: &T) -> Result<Value, sqlx::Error> {
    serde_json::to_value(object).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn from_document<T: Stored>(document: Value) -> Result<T, sqlx::Error> {
    serde_json::from_value(document).map_err(|error| sqlx::Error::Decode(error.into()))
}

impl Tx {
    /// Reads an object by its id.
    pub async fn load<T: Stored>(&mut self, id: &str) -> Result<Option<T>, sqlx::Error> {
        self.find_kind(T::KIND, id).await?.map(from_document).transpose()
    }

    /// Reads the objects whose field (a JSON path after `$.`) has a value, newest first.
    pub async fn load_by<T: Stored>(&mut self, field: &str, value: &str) -> Result<Vec<T>, sqlx::Error> {
        self.find_by(T::KIND, field, value).await?.into_iter().map(from_document).collect()
    }

    /// Inserts a new object and returns its document.
    pub async fn create<T: Stored>(&mut self, object: &T) -> Result<Value, sqlx::Error> {
        let document = to_document(object)?;
        self.insert(&document).await?;
        Ok(document)
    }

    /// Replaces a stored object and returns its document.
    pub async fn replace<T: Stored>(&mut self, object: &T) -> Result<Value, sqlx::Error> {
        let document = to_document(object)?;
        self.update(&document).await?;
        Ok(document)
    }
}
