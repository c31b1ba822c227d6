//! Deletes old rows, with a limit per transaction.

use garimpo_domain::Timestamp;

use super::error::Result;
use super::statements::Statement;
use super::tx::{Tx, tx};

/// The statement that removes rows of a table by their key: at most `$2` of those that `$old` finds
/// with an instant, or a day, for `$1`.
macro_rules! purge {
    ($table:literal, $key:literal, $old:literal) => {
        $crate::store::engine::statements::statement!(concat!(
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
        ))
    };
}

pub(crate) use purge;

/// Runs a statement such as one of [`purge!`] with an instant; returns how many rows it removed.
pub(crate) async fn before(tx: &mut Tx, purge: Statement, at: Timestamp, limit: i64) -> Result<u64> {
    tx!(tx, affected registered purge, at, limit)
}

/// Runs a statement such as one of [`purge!`] with a day; returns how many rows it removed.
pub(crate) async fn before_day(tx: &mut Tx, purge: Statement, day: &str, limit: i64) -> Result<u64> {
    tx!(tx, affected registered purge, day, limit)
}
