//! Deletions of accounts that a restored backup does not have.
//!
//! The replaced database has what became of a deleted account: refunds, cancellations, and the jobs
//! that go on at the provider. Its rows replace those of the backup, because deciding again would
//! refund again.

use std::path::Path;

use garimpo_domain::Uid;
use sqlx::{Connection as _, SqliteConnection};

use crate::store::engine::restore::connect;
use crate::store::engine::{Result, only};

/// The feed numbers its rows, so the deletion is appended there.
const NUMBERED: &str = "entitlement_changes";

/// A deletion in the replaced database that the restored one does not have.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MissingDeletion {
    pub uid: Uid,
    pub deleted_at_us: i64,
}

/// Deletions that `replaced` has and `restored` has not, ordered by time. Both have the schema of
/// this program.
pub async fn missing(restored: &Path, replaced: &Path) -> Result<Vec<MissingDeletion>> {
    let mut connection = attach(restored, replaced).await?;
    let missing = only!(Sqlite, &mut connection, rows
        "SELECT uid, deleted_at_us FROM replaced.deletions
         WHERE uid NOT IN (SELECT uid FROM main.deletions) ORDER BY deleted_at_us, uid")?;
    connection.close().await?;
    Ok(missing)
}

/// Replaces every row about these accounts by the rows of the replaced database, in one
/// transaction.
pub async fn take_rows(restored: &Path, replaced: &Path, uids: &[Uid]) -> Result<()> {
    let mut connection = attach(restored, replaced).await?;
    let statements = replacing(&mut connection).await?;
    let mut transaction = connection.begin().await?;
    only!(Sqlite, &mut *transaction, execute "PRAGMA defer_foreign_keys = ON")?;
    for uid in uids {
        // Raw events name the customer alone, and their jobs the event alone. Those of an erased
        // account have no content.
        only!(Sqlite, &mut *transaction, execute
            "DELETE FROM main.events WHERE customer_id IN
               (SELECT customer_id FROM main.customers WHERE uid = $1 AND customer_id IS NOT NULL)", uid)?;
        only!(Sqlite, &mut *transaction, execute
            "INSERT OR REPLACE INTO main.events SELECT * FROM replaced.events WHERE customer_id IN
               (SELECT customer_id FROM replaced.customers WHERE uid = $1 AND customer_id IS NOT NULL)", uid)?;
        only!(Sqlite, &mut *transaction, execute
            "INSERT OR REPLACE INTO main.jobs SELECT * FROM replaced.jobs WHERE kind = 'payment_event' AND key IN
               (SELECT e.id FROM replaced.events e JOIN replaced.customers c ON c.customer_id = e.customer_id
                WHERE c.uid = $1)", uid)?;
        for statement in &statements {
            only!(Sqlite, &mut *transaction, execute built statement.as_str(), uid)?;
        }
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}

/// The statements that replace the rows about an account: the deletions in every table, then the
/// copies. The order of the columns may differ between databases.
pub(crate) async fn replacing(connection: &mut SqliteConnection) -> Result<Vec<String>> {
    let tables: Vec<(String, String)> = only!(Sqlite, &mut *connection, rows
        "SELECT m.name, (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name))
         FROM main.sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'uid'
         WHERE m.type = 'table' AND m.name <> $1 ORDER BY m.name", NUMBERED)?;
    let deletions = tables.iter().map(|(table, _)| format!("DELETE FROM main.{table} WHERE uid = $1"));
    let copies = tables.iter().map(|(table, columns)| {
        format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM replaced.{table} WHERE uid = $1")
    });
    Ok(deletions.chain(copies).collect())
}

/// Opens the restored database as `main`, and the replaced one as `replaced`.
pub(crate) async fn attach(restored: &Path, replaced: &Path) -> Result<SqliteConnection> {
    let mut connection = connect(restored, false).await?;
    let replaced = replaced.to_string_lossy().into_owned();
    only!(Sqlite, &mut connection, execute "ATTACH DATABASE $1 AS replaced", replaced)?;
    Ok(connection)
}
