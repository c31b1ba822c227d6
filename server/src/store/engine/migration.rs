//! Migrates the schema to this program's version. Safe if many servers start at once.

use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, SqliteConnection};

use super::database::Db;
use super::error::StoreError;
use super::read::ro;
use super::statements::{only, statement};
use crate::crash::{self, CrashPoint};

/// Time limit of one attempt to get the migration lock. CREATE INDEX CONCURRENTLY waits for every
/// older snapshot, and a statement that waits for the lock holds one.
const LOCK_STEP: &str = "SET lock_timeout = '100ms'";
const LOCK_PAUSE: Duration = Duration::from_millis(100);
/// Prefix of a migration that builds an index without a transaction. The index's name follows.
pub(crate) const INDEX_CONCURRENTLY: &str = "CREATE INDEX CONCURRENTLY IF NOT EXISTS ";

/// The migration that creates the schema. Versions before 0.3.0 used the numbers below it and were
/// never released.
pub(crate) const FIRST: i64 = 100;

pub(crate) static SQLITE: LazyLock<Migrator> =
    LazyLock::new(|| ignoring_newer(sqlx::migrate!("./migrations/sqlite")));
pub(crate) static POSTGRES: LazyLock<Migrator> =
    LazyLock::new(|| ignoring_newer(sqlx::migrate!("./migrations/postgres")));

/// Accepts unknown applied migrations: [`demand_schema`] decides whether a newer schema fits.
fn ignoring_newer(mut migrator: Migrator) -> Migrator {
    migrator.set_ignore_missing(true);
    migrator
}

/// Migrates an embedded database.
pub(crate) async fn sqlite(connection: &mut SqliteConnection, database: &str) -> Result<(), StoreError> {
    refuse_unreleased(&mut *connection, database).await?;
    sqlite_by(connection, &SQLITE).await
}

/// Runs a migrator in one write transaction, which serialises concurrent starts.
pub(crate) async fn sqlite_by(
    connection: &mut SqliteConnection,
    migrator: &Migrator,
) -> Result<(), StoreError> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    apply(&mut *transaction, migrator).await?;
    transaction.commit().await?;
    Ok(())
}

/// Refuses a database that an unreleased version created. It only reads, so that it can precede
/// everything else.
pub(super) async fn refuse_unreleased<C: Migrate>(
    connection: &mut C,
    database: &str,
) -> Result<(), StoreError> {
    let applied = match connection.list_applied_migrations(&SQLITE.table_name).await {
        // An empty database.
        Err(MigrateError::Execute(error)) if is_absent_table(&error) => return Ok(()),
        applied => applied.map_err(named)?,
    };
    let applied: Vec<i64> = applied.iter().map(|known| known.version).collect();
    demand_released(&applied, database)
}

fn demand_released(applied: &[i64], database: &str) -> Result<(), StoreError> {
    match applied.iter().copied().filter(|version| *version < FIRST).max() {
        Some(version) => Err(StoreError::SchemaUnreleased { database: database.to_owned(), version }),
        None => Ok(()),
    }
}

/// Checks the applied migrations, then applies the missing ones.
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

/// Migrates a PostgreSQL database.
pub(crate) async fn postgres(pool: &PgPool, database: &str) -> Result<(), StoreError> {
    let mut connection = pool.acquire().await?;
    refuse_unreleased(&mut *connection, database).await?;
    postgres_by(&mut connection, &POSTGRES).await
}

/// Runs a migrator under an advisory lock. If it fails, the closed connection releases the lock.
pub(crate) async fn postgres_by(
    connection: &mut PgConnection,
    migrator: &Migrator,
) -> Result<(), StoreError> {
    lock(connection).await?;
    drop_unfinished_indexes(connection, migrator).await?;
    // `apply` locks the same advisory lock, which a session may hold twice.
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

/// Drops indexes whose build was interrupted, because IF NOT EXISTS would treat them as complete.
async fn drop_unfinished_indexes(
    connection: &mut PgConnection,
    migrator: &Migrator,
) -> Result<(), StoreError> {
    let indexes = migrator.iter().filter_map(|migration| concurrent_index(migration.sql.as_str()));
    for index in indexes {
        let is_unfinished: bool = only!(Postgres, &mut *connection, value
            "SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)",
            index)?;
        if is_unfinished {
            tracing::warn!(index, "an index is unfinished: it is built again");
            let drops = AssertSqlSafe(format!("DROP INDEX CONCURRENTLY {index}"));
            sqlx::raw_sql(drops).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// Name of the index that a migration builds concurrently.
fn concurrent_index(sql: &str) -> Option<&str> {
    let (_, rest) = sql.split_once(INDEX_CONCURRENTLY)?;
    rest.split_whitespace().next()
}

/// The error for a database without migrations.
pub(crate) fn absent() -> StoreError {
    StoreError::SchemaOlder { version: FIRST }
}

/// The newest migration of this binary.
pub fn newest_migration() -> i64 {
    SQLITE.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// The first migration of this binary that is not applied.
fn first_missing(applied: &[i64]) -> Option<i64> {
    SQLITE.iter().map(|known| known.version).find(|known| !applied.contains(known))
}

/// Whether this program can use the schema.
///
/// # Errors
/// [`StoreError::SchemaUnreleased`] if an unreleased version created it,
/// [`StoreError::SchemaOlder`] without one of this binary's migrations,
/// [`StoreError::SchemaNewer`] when a migration requires a newer binary.
pub(crate) async fn demand_schema(db: &Db, database: &str) -> Result<(), StoreError> {
    let of_applied = statement!("SELECT version FROM _sqlx_migrations");
    let of_refusing = statement!(
        "SELECT migration FROM schema_requirements WHERE oldest_migration > $1 ORDER BY migration LIMIT 1"
    );
    // One read, because a second one would open a second connection: the pool gets the first back
    // only after a moment.
    let (applied, refusing) = ro!(db, c => async {
        let applied: Vec<i64> = match sqlx::query_scalar(of_applied.text()).fetch_all(&mut *c).await {
            // An empty database.
            Err(error) if is_absent_table(&error) => Vec::new(),
            read => read?,
        };
        if first_missing(&applied).is_some() {
            return Ok((applied, None));
        }
        let refusing = sqlx::query_scalar(of_refusing.text()).bind(newest_migration());
        let refusing = refusing.fetch_optional(&mut *c).await;
        refusing.map(|refusing: Option<i64>| (applied, refusing))
    }.await)?;
    demand_released(&applied, database)?;
    if let Some(version) = first_missing(&applied) {
        return Err(StoreError::SchemaOlder { version });
    }
    refusing.map_or(Ok(()), |version| Err(StoreError::SchemaNewer { version }))
}

/// PostgreSQL has an error code for it, SQLite only a text.
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
