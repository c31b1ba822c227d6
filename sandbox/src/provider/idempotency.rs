//! Idempotency keys. The first result, also a failure, is committed with its changes and returned
//! again for 24 hours of the sandbox's clock. Refused parameters and conflicts are not results.

use http::Method;
use sha2::{Digest, Sha256};

use crate::provider::{ApiError, Params};
use crate::state::{DAY, Tx, World, sql};

/// A key while its request runs.
pub struct Key<'w> {
    world: &'w World,
    text: String,
    fingerprint: String,
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        self.world.keys_in_use.lock().remove(&self.text);
    }
}

impl<'w> Key<'w> {
    /// Claims a key for the time of a request.
    ///
    /// # Errors
    /// 409 `idempotency_key_in_use` while another request uses it; 400 when it is too long.
    pub fn claim(
        world: &'w World,
        key: &str,
        method: &Method,
        path: &str,
        params: &Params,
    ) -> Result<Self, ApiError> {
        ensure!(key.len() <= 255, ApiError::state(None, "Idempotency-Key is longer than 255 characters."));
        let fresh = world.keys_in_use.lock().insert(key.to_owned());
        let message = "There is currently another in-progress request using this Idempotent Key.";
        ensure!(fresh, ApiError::idempotency(409, message));
        let fingerprint = hex::encode(Sha256::digest(format!("{method} {path} {}", params.value)));
        Ok(Self { world, text: key.to_owned(), fingerprint })
    }

    /// The earlier result under this key.
    ///
    /// # Errors
    /// 400 `idempotency_error` when the earlier request was different.
    pub async fn replay(&self, tx: &mut Tx) -> Result<Option<(u16, String)>, ApiError> {
        let sql = "SELECT fingerprint, status, body FROM idempotency WHERE key = $1 AND created_at_us > $2";
        let since = tx.sandbox_now.plus(-DAY);
        let kept = sqlx::query_as(sql).bind(&self.text).bind(since).fetch_optional(&mut *tx.conn);
        let Some((fingerprint, status, body)): Option<(String, _, _)> = kept.await? else { return Ok(None) };
        let message = "Keys for idempotent requests can only be used with the same parameters they were \
                       first used with.";
        ensure!(self.fingerprint == fingerprint, ApiError::idempotency(400, message));
        Ok(Some((status, body)))
    }

    pub async fn keep(&self, tx: &mut Tx, status: u16, body: &str) -> Result<(), ApiError> {
        let sql = "INSERT INTO idempotency (key, fingerprint, status, body, created_at_us) VALUES ($1, $2, $3, $4, $5)
                   ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                   body = excluded.body, created_at_us = excluded.created_at_us";
        let now = tx.sandbox_now;
        Ok(tx.execute(sql!(sql, &self.text, &self.fingerprint, status, body, now)).await.map(drop)?)
    }
}
