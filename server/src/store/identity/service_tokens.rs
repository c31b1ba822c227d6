//! Tokens of internal callers.

use garimpo_domain::Timestamp;

use crate::store::engine::{Names, Result, Store, Tx, ro, row, tx};
use crate::store::identity::sessions::TokenHash;

row! {
    "service_tokens" by id, select, printed;

    /// A service token without its secret.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ServiceTokenRow {
        /// Id, used to revoke it.
        pub id: String,
        /// The service that uses it.
        pub name: String,
        /// Names of its scopes.
        pub scopes: Names,
        pub created_at: Timestamp as created_at_us,
        /// Last use, rounded to the minute.
        pub used_at: Option<Timestamp> as used_at_us,
        pub revoked_at: Option<Timestamp> as revoked_at_us,
    }
}

/// Stores a token.
pub async fn insert(
    tx: &mut Tx,
    id: &str,
    name: &str,
    hash: &TokenHash,
    scopes: &Names,
    now: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO service_tokens (id, name, token_hash, scopes, created_at_us) VALUES ($1, $2, $3, $4, $5)",
        id, name, hash.as_slice(), scopes, now)
}

/// Records a use of a token.
pub async fn record_use(tx: &mut Tx, id: &str, now: Timestamp) -> Result<()> {
    tx!(tx, execute "UPDATE service_tokens SET used_at_us = $1 WHERE id = $2", now, id)
}

/// Revokes a token by its id. Returns whether it was valid.
pub async fn revoke(tx: &mut Tx, id: &str, now: Timestamp) -> Result<bool> {
    tx!(tx, changed "UPDATE service_tokens SET revoked_at_us = $1 WHERE id = $2 AND revoked_at_us IS NULL",
        now, id)
}

/// The service token with this hash, valid or revoked.
pub async fn by_hash(store: &Store, hash: &TokenHash) -> Result<Option<ServiceTokenRow>> {
    ro!(store, first select!("WHERE token_hash = $1"), hash.as_slice())
}

/// All service tokens, newest first.
pub async fn list(store: &Store) -> Result<Vec<ServiceTokenRow>> {
    ro!(store, rows select!("ORDER BY created_at_us DESC, id"))
}
