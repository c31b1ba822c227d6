//! Secret keys that the product generates.

use crate::store::engine::{Read, Result, Store, Tx, ro, transaction, tx};

/// The key with this name; `None` before the first start.
pub async fn by_name(db: impl Read<'_>, name: &str) -> Result<Option<Vec<u8>>> {
    ro!(db, first_value "SELECT value FROM hash_keys WHERE name = $1", name)
}

/// The key with this name. If there is none, `fresh` is stored; if several processes start at once,
/// one of their keys is stored.
pub async fn get_or_insert(store: &Store, name: &'static str, fresh: Vec<u8>) -> Result<Vec<u8>> {
    if let Some(key) = by_name(store, name).await? {
        return Ok(key);
    }
    transaction!(store, (fresh), |tx| insert(tx, name, fresh).await)
}

/// Stores a key unless there is one with this name. Returns the stored key.
pub async fn insert(tx: &mut Tx, name: &str, fresh: &[u8]) -> Result<Vec<u8>> {
    tx!(tx, execute "INSERT INTO hash_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        name, fresh)?;
    tx!(tx, value "SELECT value FROM hash_keys WHERE name = $1", name)
}
