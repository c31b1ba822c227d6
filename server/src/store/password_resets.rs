//! Codes of password recovery: of each only its hash, for as long as it may be used.

use super::{Store, StoreError, TokenHash, Tx, ro, tx};

/// The code of a recovery link.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PasswordReset {
    /// Account that it opens.
    pub uid: String,
    /// When its link was asked for, in microseconds.
    pub requested_at_us: i64,
    /// When it ends, in microseconds.
    pub ends_at_us: i64,
}

/// Stores a code and voids those of earlier requests of its account; answers false, storing nothing, where a later
/// request has its code already. The account is held, so that two of them do not pass each other.
pub async fn password_reset_insert_in_tx(
    tx: &mut Tx,
    code: &TokenHash,
    reset: &PasswordReset,
) -> Result<bool, StoreError> {
    tx!(tx, c => sqlx::query("DELETE FROM password_resets WHERE uid = $1 AND requested_at_us < $2")
        .bind(&reset.uid).bind(reset.requested_at_us).execute(c).await.map(drop))?;
    let rows = tx!(tx, c => sqlx::query(
        "INSERT INTO password_resets (code_hash, uid, requested_at_us, ends_at_us)
         SELECT $1, uid, $3, $4 FROM accounts WHERE uid = $2
           AND NOT EXISTS (SELECT 1 FROM password_resets WHERE uid = $2 AND requested_at_us > $3)")
        .bind(code.as_slice()).bind(&reset.uid).bind(reset.requested_at_us).bind(reset.ends_at_us)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Uses a code up, and with it every other code of its account; answers whether it was there to be used.
pub async fn password_reset_use_in_tx(tx: &mut Tx, code: &TokenHash, uid: &str) -> Result<bool, StoreError> {
    let rows = tx!(tx, c => sqlx::query("DELETE FROM password_resets WHERE code_hash = $1 AND uid = $2")
        .bind(code.as_slice()).bind(uid).execute(c).await.map(|done| done.rows_affected()))?;
    if rows == 1 {
        password_resets_void_in_tx(tx, uid).await?;
    }
    Ok(rows == 1)
}

/// Voids every code of an account.
pub async fn password_resets_void_in_tx(tx: &mut Tx, uid: &str) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query("DELETE FROM password_resets WHERE uid = $1").bind(uid).execute(c).await.map(drop))
}

/// Removes codes that ended before an instant.
pub async fn password_resets_purge_in_tx(tx: &mut Tx, ended_before_us: i64) -> Result<u64, StoreError> {
    tx!(tx, c => sqlx::query("DELETE FROM password_resets WHERE ends_at_us < $1")
        .bind(ended_before_us).execute(c).await.map(|done| done.rows_affected()))
}

impl Store {
    /// What a code opens, ended or not; `None` for one that was never mailed, was used or is void.
    pub async fn password_reset_by_code(
        &self,
        code: &TokenHash,
    ) -> Result<Option<PasswordReset>, StoreError> {
        ro!(self, c => sqlx::query_as(
            "SELECT uid, requested_at_us, ends_at_us FROM password_resets WHERE code_hash = $1")
            .bind(code.as_slice()).fetch_optional(c).await)
    }
}
