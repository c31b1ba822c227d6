//! The operator's looks, over databases with what a world has made.

mod doctor;
mod revenue;

use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use super::Operator;
use crate::app::{ClockSettings, Settings};
use crate::tests::clock::TestClock;
use crate::tests::database::Database;

/// An operator without a running server, at an instant.
pub(crate) async fn operator(database: &Database, now: &str, provider: &str) -> Operator {
    Operator::open_to_read(settings(database, now, provider)).await.expect("the database opens")
}

fn settings(database: &Database, now: &str, provider: &str) -> Settings {
    let mut settings = Settings::new(database.settings());
    settings.clock = ClockSettings::Given(Arc::new(TestClock::at(now)));
    provider.clone_into(&mut settings.payments.url);
    settings
}

/// Runs statements that bypass the product, also on a database that no store has opened.
pub(crate) async fn execute_sql(database: &Database, statements: &str) {
    let statements = AssertSqlSafe(statements.to_owned());
    if database.is_postgres() {
        let mut server = PgConnection::connect(&database.url).await.expect("PostgreSQL answers");
        sqlx::raw_sql(statements).execute(&mut server).await.expect("the statements run");
    } else {
        let url = format!("{}?mode=rwc", database.url);
        let mut file = SqliteConnection::connect(&url).await.expect("the file opens");
        sqlx::raw_sql("PRAGMA foreign_keys = OFF").execute(&mut file).await.expect("a pragma");
        sqlx::raw_sql(statements).execute(&mut file).await.expect("the statements run");
        file.close().await.expect("it closes");
    }
}
