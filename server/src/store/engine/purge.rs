//! Removal of old rows, a bounded number in one transaction.

/// Removes rows of a table by their key: at most `$limit` of those that `$old` finds with an
/// instant for `$1`.
macro_rules! purge {
    ($tx:expr, $table:literal, $key:literal, $old:literal, $before:expr, $limit:expr) => {
        $crate::store::engine::tx::tx!($tx, c => sqlx::query(concat!(
            "DELETE FROM ", $table, " WHERE (", $key, ") IN (SELECT ", $key, " FROM ", $table,
            " WHERE ", $old, " LIMIT $2)"))
            .bind($before).bind($limit).execute(c).await.map(|done| done.rows_affected()))
    };
}

pub(crate) use purge;
