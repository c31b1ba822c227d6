//! Databases on the run's PostgreSQL, one for each scenario.

use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// An empty database, when the run has a PostgreSQL.
pub async fn fresh() -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the run's PostgreSQL is named by the environment of the test"
    )]
    let server = std::env::var("GARIMPO_TEST_POSTGRES_URL").ok()?;
    Some(create(&server, "").await)
}

/// Changes a database from outside the product.
pub async fn executes(url: &str, statement: &str) {
    let mut connection = PgConnection::connect(url).await.expect("PostgreSQL answers");
    sqlx::query(AssertSqlSafe(statement.to_string())).execute(&mut connection).await.expect("it runs");
}

/// A copy of a database to which nobody is connected.
pub async fn copy_of(url: &str) -> String {
    let (server, template) = url.rsplit_once('/').expect("an address ends with the database");
    create(server, &format!("TEMPLATE {template}")).await
}

async fn create(server: &str, how: &str) -> String {
    let name = format!("e2e_{:016x}", rand::random::<u64>());
    let mut connection =
        PgConnection::connect(&format!("{server}/postgres")).await.expect("PostgreSQL answers");
    sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name} {how}")))
        .execute(&mut connection)
        .await
        .expect("a database can be made");
    format!("{server}/{name}")
}
