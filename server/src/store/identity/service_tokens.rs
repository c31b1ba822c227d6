//! Tokens of internal callers.

use garimpo_domain::Timestamp;

use crate::store::engine::{Store, StoreError, Tx, ro, tx};
use crate::store::identity::sessions::TokenHash;

/// A service token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow, serde::Serialize)]
pub struct ServiceTokenRow {
    /// Id to revoke it by.
    pub id: String,
    /// Who uses it.
    pub name: String,
    /// Scopes, separated by blanks.
    pub scopes: String,
    /// Creation in microseconds.
    pub created_at_us: i64,
    /// Last use in microseconds, to the minute.
    pub used_at_us: Option<i64>,
    /// Revocation in microseconds.
    pub revoked_at_us: Option<i64>,
}

/// Stores a token.
pub async fn insert(
    tx: &mut Tx,
    id: &str,
    name: &str,
    hash: &TokenHash,
    scopes: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO service_tokens (id, name, token_hash, scopes, created_at_us) VALUES ($1, $2, $3, $4, $5)")
        .bind(id).bind(name).bind(hash.as_slice()).bind(scopes).bind(now.as_micros())
        .execute(c).await.map(drop))
}

/// Notes the use of a token.
pub async fn record_use(tx: &mut Tx, id: &str, now: Timestamp) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query("UPDATE service_tokens SET used_at_us = $1 WHERE id = $2")
        .bind(now.as_micros()).bind(id).execute(c).await.map(drop))
}

/// Revokes a token by id; answers whether there was a live one.
pub async fn revoke(tx: &mut Tx, id: &str, now: Timestamp) -> Result<bool, StoreError> {
    tx!(tx, c => sqlx::query(
        "UPDATE service_tokens SET revoked_at_us = $1 WHERE id = $2 AND revoked_at_us IS NULL")
        .bind(now.as_micros()).bind(id).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// The service token of a hash, live or revoked.
pub async fn by_hash(store: &Store, hash: &TokenHash) -> Result<Option<ServiceTokenRow>, StoreError> {
    ro!(store, c => sqlx::query_as(
        "SELECT id, name, scopes, created_at_us, used_at_us, revoked_at_us FROM service_tokens
         WHERE token_hash = $1").bind(hash.as_slice()).fetch_optional(c).await)
}

/// Every service token, the newest first.
pub async fn list(store: &Store) -> Result<Vec<ServiceTokenRow>, StoreError> {
    ro!(store, c => sqlx::query_as(
        "SELECT id, name, scopes, created_at_us, used_at_us, revoked_at_us FROM service_tokens
         ORDER BY created_at_us DESC, id").fetch_all(c).await)
}
