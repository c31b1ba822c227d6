//! Deletions of accounts that a restored backup does not have.
//!
//! The replaced database has what became of a deleted account: refunds, cancellations, and the jobs
//! that go on at the provider. Its rows replace those of the backup, because deciding again would
//! refund again.

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use crate::store::engine::Result;
use crate::store::engine::restore::connect;

/// The feed numbers its rows, so the deletion is appended there.
const NUMBERED: &str = "entitlement_changes";

/// A deletion in the replaced database that the restored one does not have.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MissingDeletion {
    pub uid: String,
    pub deleted_at_us: i64,
}

/// Deletions that `replaced` has and `restored` has not, ordered by time. Both have the schema of
/// this program.
pub async fn missing(restored: &Path, replaced: &Path) -> Result<Vec<MissingDeletion>> {
    let mut connection = both(restored, replaced).await?;
    let missing = sqlx::query_as(
        "SELECT uid, deleted_at_us FROM replaced.deletions
         WHERE uid NOT IN (SELECT uid FROM main.deletions) ORDER BY deleted_at_us, uid",
    )
    .fetch_all(&mut connection)
    .await?;
    connection.close().await?;
    Ok(missing)
}

/// Replaces every row about these accounts by the rows of the replaced database, in one
/// transaction.
pub async fn take_rows(restored: &Path, replaced: &Path, uids: &[String]) -> Result<()> {
    let mut connection = both(restored, replaced).await?;
    let tables: Vec<(String,)> = sqlx::query_as(
        "SELECT m.name FROM main.sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'uid'
         WHERE m.type = 'table' ORDER BY m.name",
    )
    .fetch_all(&mut connection)
    .await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut *transaction).await?;
    for uid in uids {
        // Raw events name the customer alone. Those of an erased account have no content.
        for statement in [
            "DELETE FROM main.events WHERE customer_id IN
               (SELECT customer_id FROM main.customers WHERE uid = $1 AND customer_id IS NOT NULL)",
            "INSERT OR REPLACE INTO main.events SELECT * FROM replaced.events WHERE customer_id IN
               (SELECT customer_id FROM replaced.customers WHERE uid = $1 AND customer_id IS NOT NULL)",
        ] {
            sqlx::query(statement).bind(uid).execute(&mut *transaction).await?;
        }
        for (table,) in tables.iter().filter(|(table,)| table != NUMBERED) {
            let delete = format!("DELETE FROM main.{table} WHERE uid = $1");
            sqlx::query(AssertSqlSafe(delete)).bind(uid).execute(&mut *transaction).await?;
        }
        for (table,) in tables.iter().filter(|(table,)| table != NUMBERED) {
            let columns = columns(&mut transaction, table).await?;
            let insert = format!(
                "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM replaced.{table} WHERE uid = $1"
            );
            sqlx::query(AssertSqlSafe(insert)).bind(uid).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}

/// The columns of a table, whose order may differ between databases.
pub(super) async fn columns(connection: &mut SqliteConnection, table: &str) -> Result<String> {
    let columns: Vec<(String,)> =
        sqlx::query_as("SELECT name FROM pragma_table_info($1)").bind(table).fetch_all(connection).await?;
    Ok(columns.into_iter().map(|(name,)| name).collect::<Vec<_>>().join(", "))
}

/// A connection to the restored database with the replaced one attached as `replaced`.
pub(super) async fn both(restored: &Path, replaced: &Path) -> Result<SqliteConnection> {
    let mut connection = connect(restored, false).await?;
    let replaced = replaced.to_string_lossy().into_owned();
    sqlx::query("ATTACH DATABASE $1 AS replaced").bind(replaced).execute(&mut connection).await?;
    Ok(connection)
}
