//! The product's database, changed from outside.

use std::path::Path;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, SqliteConnection};

use crate::postgres;

/// How long to wait for the product's write lock.
const BUSY: Duration = Duration::from_secs(10);

/// Runs a statement on the PostgreSQL at `url`, or else on SQLite in the folder `data`.
pub async fn executes(url: Option<&str>, data: &Path, statement: &str) {
    let Some(url) = url else {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(data.join("garimpo.db"));
        let mut file =
            SqliteConnection::connect_with(&options.busy_timeout(BUSY)).await.expect("the file opens");
        let done = sqlx::query(AssertSqlSafe(statement)).execute(&mut file).await;
        let _ = file.close().await;
        done.expect("the statement runs");
        return;
    };
    postgres::executes(url, statement).await;
}
