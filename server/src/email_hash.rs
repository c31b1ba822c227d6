//! The hash by which an email is known again where the email itself is not kept.

use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::ids::Ids;
use crate::store::{Store, StoreError};

/// HMAC-SHA256 under a key that the product made for itself; without the database no list of emails can be tried.
#[derive(Clone)]
pub struct EmailHash(Arc<Vec<u8>>);

impl EmailHash {
    /// Reads the key, which the first start makes.
    ///
    /// # Errors
    /// The store's own.
    pub async fn open(store: &Store, ids: &Ids) -> Result<Self, StoreError> {
        let key = store.hash_key("email", ids.secret("").into_bytes()).await?;
        Ok(Self(Arc::new(key)))
    }

    /// The hash of an email as typed: its case and blanks around it do not count.
    pub fn of(&self, email: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(email.trim().to_lowercase().as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }
}
