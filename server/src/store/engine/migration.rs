//! Brings the schema to this binary's version, safely when many start at once.

use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, SqliteConnection};

use super::database::Db;
use super::error::StoreError;
use super::read::ro;
use crate::crash::{self, CrashPoint};

/// A step of the wait for the lock of migrations: CREATE INDEX CONCURRENTLY waits for every
/// snapshot that is older, also for that of a statement that waits for its end.
const LOCK_STEP: &str = "SET lock_timeout = '100ms'";
const LOCK_PAUSE: Duration = Duration::from_millis(100);
/// How the one statement of a migration without a transaction begins; the index's name follows.
pub(crate) const INDEX_CONCURRENTLY: &str = "CREATE INDEX CONCURRENTLY IF NOT EXISTS ";

pub(crate) static SQLITE: LazyLock<Migrator> =
    LazyLock::new(|| ignoring_newer(sqlx::migrate!("./migrations/sqlite")));
pub(crate) static POSTGRES: LazyLock<Migrator> =
    LazyLock::new(|| ignoring_newer(sqlx::migrate!("./migrations/postgres")));

/// Whether a newer schema still fits is decided by [`demand_schema`].
fn ignoring_newer(mut migrator: Migrator) -> Migrator {
    migrator.set_ignore_missing(true);
    migrator
}

/// Migrates an embedded database inside one write transaction, which serialises many starters.
pub(crate) async fn sqlite(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    apply(&mut *transaction, &SQLITE).await?;
    transaction.commit().await?;
    Ok(())
}

/// Checks what was applied, then applies what is newer.
async fn apply<C: Migrate>(connection: &mut C, migrator: &Migrator) -> Result<(), StoreError> {
    let table = &migrator.table_name;
    connection.ensure_migrations_table(table).await.map_err(named)?;
    let applied = connection.list_applied_migrations(table).await.map_err(named)?;
    let newest = applied.iter().map(|known| known.version).max().unwrap_or_default();
    migrator.run_direct(Some(newest), connection, false).await.map_err(named)?;
    for migration in migrator.iter().filter(|migration| migration.version > newest) {
        connection.apply(table, migration).await.map_err(named)?;
        crash::point(CrashPoint::MigrationApplied);
    }
    Ok(())
}

/// Migrates a PostgreSQL database under its advisory lock.
pub(crate) async fn postgres(pool: &PgPool) -> Result<(), StoreError> {
    postgres_by(&mut *pool.acquire().await?, &POSTGRES).await
}

/// Runs a migrator; the connection's end gives the lock back where this fails.
pub(crate) async fn postgres_by(
    connection: &mut PgConnection,
    migrator: &Migrator,
) -> Result<(), StoreError> {
    lock(connection).await?;
    drop_unfinished_indexes(connection, migrator).await?;
    // Its own lock is the same one, which a session may take twice.
    apply(&mut *connection, migrator).await?;
    connection.unlock().await.map_err(named)
}

async fn lock(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::raw_sql(LOCK_STEP).execute(&mut *connection).await?;
    loop {
        match connection.lock().await.map_err(named) {
            Err(StoreError::LockTimeout(_)) => tokio::time::sleep(LOCK_PAUSE).await,
            Err(error) => return Err(error),
            Ok(()) => break,
        }
    }
    sqlx::raw_sql("RESET lock_timeout").execute(connection).await?;
    Ok(())
}

/// Removes indexes whose migration ended before they were built, since IF NOT EXISTS would take
/// them for built.
async fn drop_unfinished_indexes(
    connection: &mut PgConnection,
    migrator: &Migrator,
) -> Result<(), StoreError> {
    let indexes = migrator.iter().filter_map(|migration| concurrent_index(migration.sql.as_str()));
    for index in indexes {
        let is_unfinished: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)",
        )
        .bind(index)
        .fetch_one(&mut *connection)
        .await?;
        if is_unfinished {
            tracing::warn!(index, "an index was left unfinished: it is built anew");
            let drops = AssertSqlSafe(format!("DROP INDEX CONCURRENTLY {index}"));
            sqlx::raw_sql(drops).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// The index that a migration builds beside writers.
fn concurrent_index(sql: &str) -> Option<&str> {
    let (_, rest) = sql.split_once(INDEX_CONCURRENTLY)?;
    rest.split_whitespace().next()
}

/// The refusal of a database without any migration.
pub(crate) fn absent() -> StoreError {
    StoreError::SchemaOlder { version: SQLITE.iter().map(|known| known.version).min().unwrap_or_default() }
}

/// The newest migration of this binary.
pub fn newest_migration() -> i64 {
    SQLITE.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Whether this binary may work on the schema as it is.
///
/// # Errors
/// [`StoreError::SchemaOlder`] without one of this binary's migrations, [`StoreError::SchemaNewer`]
/// when a migration requires a newer binary.
pub(crate) async fn demand_schema(db: &Db) -> Result<(), StoreError> {
    let applied = migrations_applied(db).await?;
    let missing = SQLITE.iter().map(|known| known.version).find(|known| !applied.contains(known));
    if let Some(version) = missing {
        return Err(StoreError::SchemaOlder { version });
    }
    let refusing: Option<i64> = ro!(db, c => sqlx::query_scalar(
        "SELECT migration FROM schema_requirements WHERE oldest_migration > $1 ORDER BY migration LIMIT 1")
        .bind(newest_migration()).fetch_optional(c).await)?;
    refusing.map_or(Ok(()), |version| Err(StoreError::SchemaNewer { version }))
}

/// Migrations that were applied; an empty database has none.
async fn migrations_applied(db: &Db) -> Result<Vec<i64>, StoreError> {
    let read = ro!(db, c => sqlx::query_scalar("SELECT version FROM _sqlx_migrations").fetch_all(c).await);
    match read {
        Err(StoreError::Statement(error)) if is_absent_table(&error) => Ok(Vec::new()),
        read => read,
    }
}

/// PostgreSQL has a code for it, SQLite a text alone.
fn is_absent_table(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.code().is_some_and(|code| code == "42P01") || error.message().starts_with("no such table")
    })
}

fn named(error: MigrateError) -> StoreError {
    match error {
        MigrateError::Execute(cause) => cause.into(),
        other => StoreError::Migration(Box::new(other)),
    }
}
