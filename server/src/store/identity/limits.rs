//! Rate limit counters. A counter's window begins with its first attempt.

use garimpo_domain::Timestamp;

use crate::store::engine::{Result, Statement, Store, Tx, purge, ro, row, tx};

row! {
    "limits" by key;

    /// A counter after an attempt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LimitCount {
        /// Attempts in this window, including this one.
        pub taken: i64,
        /// When the window ends.
        pub ends_at: Timestamp as ends_at_us,
    }
}

/// The stored counter. Its window may have ended.
pub async fn by_key(store: &Store, key: &str) -> Result<Option<LimitCount>> {
    ro!(store, first "SELECT taken, ends_at_us FROM limits WHERE key = $1", key)
}

/// Counts an attempt.
pub async fn add_attempt(
    tx: &mut Tx,
    key: &str,
    window_ends_at: Timestamp,
    now: Timestamp,
) -> Result<LimitCount> {
    tx!(tx, row "INSERT INTO limits (key, taken, ends_at_us) VALUES ($1, 1, $2)
         ON CONFLICT (key) DO UPDATE SET
           taken = CASE WHEN limits.ends_at_us <= $3 THEN 1 ELSE limits.taken + 1 END,
           ends_at_us = CASE WHEN limits.ends_at_us <= $3 THEN excluded.ends_at_us ELSE limits.ends_at_us END
         RETURNING taken, ends_at_us", key, window_ends_at, now)
}

/// Removes an attempt from the counter, because it did not fail.
pub async fn remove_attempt(tx: &mut Tx, key: &str) -> Result<()> {
    tx!(tx, execute "UPDATE limits SET taken = taken - 1 WHERE key = $1 AND taken > 0", key)
}

/// Deletes a counter.
pub async fn clear(tx: &mut Tx, key: &str) -> Result<()> {
    tx!(tx, execute "DELETE FROM limits WHERE key = $1", key)
}

/// Removes counters whose window ended by `$1`; at most `$2`.
pub const PURGE: Statement = purge!("limits", "key", "ends_at_us <= $1");
