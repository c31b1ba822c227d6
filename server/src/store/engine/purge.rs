//! Deletes old rows, with a limit per transaction.

use garimpo_domain::Timestamp;

use super::error::Result;
use super::tx::{Tx, tx};

/// The statement that removes rows of a table by their key: at most `$2` of those that `$old` finds
/// with an instant, or a day, for `$1`.
macro_rules! purge {
    ($table:literal, $key:literal, $old:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE (",
            $key,
            ") IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " WHERE ",
            $old,
            " LIMIT $2)"
        )
    };
}

pub(crate) use purge;

/// Runs a statement of [`purge!`] with an instant; returns how many rows it removed.
pub(crate) async fn before(tx: &mut Tx, purge: &'static str, at: Timestamp, limit: i64) -> Result<u64> {
    tx!(tx, affected purge, at, limit)
}

/// Runs a statement of [`purge!`] with a day; returns how many rows it removed.
pub(crate) async fn before_day(tx: &mut Tx, purge: &'static str, day: &str, limit: i64) -> Result<u64> {
    tx!(tx, affected purge, day, limit)
}
