//! The hash by which an email is recognized where the email itself is not stored.

use std::sync::Arc;

use garimpo_domain::person::email_as_compared;
use garimpo_domain::{CanonicalAddress, Email};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::ids::Ids;
use crate::store::{Result, Store, Tx, hash_keys};

/// Name of the key in the store.
const KEY: &str = "email";

/// HMAC-SHA256 with a key of the database, so that nobody can try a list of emails without it.
#[derive(Clone)]
pub struct EmailHash(Arc<Vec<u8>>);

impl EmailHash {
    /// Reads the key, which the first start creates.
    pub async fn open(store: &Store, ids: &Ids) -> Result<Self> {
        Ok(Self::with(hash_keys::get_or_insert(store, KEY, ids.secret("").into_bytes()).await?))
    }

    /// Reads the key without creating it; `None` before a first start.
    pub async fn open_to_read(store: &Store) -> Result<Option<Self>> {
        Ok(hash_keys::by_name(store, KEY).await?.map(Self::with))
    }

    fn with(key: Vec<u8>) -> Self {
        Self(Arc::new(key))
    }

    /// The hash of an email as typed; case and surrounding blanks are ignored.
    pub fn of(&self, email: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(email_as_compared(email).as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    /// The hash of an email's canonical address, which identifies a person.
    pub fn of_person(&self, email: &Email) -> String {
        self.of(CanonicalAddress::of(email).as_str())
    }

    /// Reads the key within a transaction, and creates it if a command runs before the first start.
    pub(crate) async fn in_tx(tx: &mut Tx) -> Result<Self> {
        let key = match hash_keys::by_name(&mut *tx, KEY).await? {
            Some(key) => key,
            None => hash_keys::insert(tx, KEY, &Ids::system().secret("").into_bytes()).await?,
        };
        Ok(Self::with(key))
    }
}
