//! Brings the schema to this binary's version, safely when many start at once.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Connection as _, PgPool, SqliteConnection};

use super::StoreError;

pub(super) static SQLITE: Migrator = sqlx::migrate!("./migrations/sqlite");
pub(super) static POSTGRES: Migrator = sqlx::migrate!("./migrations/postgres");

/// Migrates an embedded database inside one write transaction, which serialises many starters.
pub(super) async fn sqlite(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    SQLITE.run_direct(None, &mut *transaction, false).await.map_err(named)?;
    transaction.commit().await?;
    Ok(())
}

/// Migrates a PostgreSQL database under its advisory lock.
pub(super) async fn postgres(pool: &PgPool) -> Result<(), StoreError> {
    POSTGRES.run(pool).await.map_err(named)
}

/// Whether a schema with these migrations is the one that this binary works on.
pub(super) fn demand_current(applied: &[i64]) -> Result<(), StoreError> {
    let known = || SQLITE.iter().map(|migration| migration.version);
    if let Some(version) = known().find(|version| !applied.contains(version)) {
        return Err(StoreError::SchemaOlder { version });
    }
    match applied.iter().find(|version| !known().any(|known| known == **version)) {
        Some(version) => Err(StoreError::SchemaNewer { version: *version }),
        None => Ok(()),
    }
}

fn named(error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(version) => StoreError::SchemaNewer { version },
        MigrateError::Execute(cause) => cause.into(),
        other => StoreError::Migration(Box::new(other)),
    }
}
