//! Hashes of outside ID tokens that were signed out before they expired.

use garimpo_domain::Timestamp;

use crate::store::engine::{Result, Statement, Tx, purge, tx};

/// Signs a token out. Idempotent.
pub async fn end(tx: &mut Tx, id: &str, ends_at: Timestamp) -> Result<()> {
    tx!(tx, execute "INSERT INTO ended_tokens (id, ends_at_us) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
        id, ends_at)
}

/// Whether a token was signed out.
pub async fn is_ended(tx: &mut Tx, id: &str) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM ended_tokens WHERE id = $1", id)
}

/// Removes tokens that ended by themselves before `$1`; at most `$2`.
pub const PURGE: Statement = purge!("ended_tokens", "id", "ends_at_us < $1");
