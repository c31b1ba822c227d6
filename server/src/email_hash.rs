//! The hash by which an email is known again where the email itself is not kept.

use std::sync::Arc;

use garimpo_domain::person::{CanonicalAddress, Email, email_as_compared};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::ids::Ids;
use crate::store::identity::hash_keys;
use crate::store::{Store, StoreError, Tx};

/// The key's name.
const KEY: &str = "email";

/// HMAC-SHA256 under a key that the product made for itself; without the database no list of emails can be tried.
#[derive(Clone)]
pub struct EmailHash(Arc<Vec<u8>>);

impl EmailHash {
    /// Reads the key, which the first start makes.
    ///
    /// # Errors
    /// The store's own.
    pub async fn open(store: &Store, ids: &Ids) -> Result<Self, StoreError> {
        Ok(Self::with(hash_keys::get_or_insert(store, KEY, ids.secret("").into_bytes()).await?))
    }

    /// Reads the key without creating it; `None` before a first start.
    ///
    /// # Errors
    /// The store's own.
    pub async fn open_to_read(store: &Store) -> Result<Option<Self>, StoreError> {
        Ok(hash_keys::by_name(store, KEY).await?.map(Self::with))
    }

    fn with(key: Vec<u8>) -> Self {
        Self(Arc::new(key))
    }

    /// The hash of an email as typed: its case and blanks around it do not count.
    pub fn of(&self, email: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(email_as_compared(email).as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    /// The hash of the person behind an email: of its canonical address.
    pub fn of_person(&self, email: &Email) -> String {
        self.of(CanonicalAddress::of(email).as_str())
    }

    /// Reads the key within a transaction; `None` before a first start.
    pub(crate) async fn in_tx(tx: &mut Tx) -> Result<Option<Self>, StoreError> {
        Ok(hash_keys::by_name(&mut *tx, KEY).await?.map(Self::with))
    }
}
