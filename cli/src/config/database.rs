//! How PostgreSQL is used: its pool, its time-outs, and a pooler in front of it.

use std::time::Duration;

use garimpo_server::store::engine::Pooler;
use secrecy::SecretString;

use super::variables::DatabaseVariables;

/// GARIMPO_DATABASE_…, but for the address.
#[derive(Debug, Clone)]
pub struct PostgresConfig {
    /// GARIMPO_DATABASE_POOL_SIZE: connections of this process.
    pub pool_size: u32,
    /// GARIMPO_DATABASE_STATEMENT_SECONDS: longest run of a statement.
    pub statement_timeout: Duration,
    /// GARIMPO_DATABASE_LOCK_SECONDS: longest wait of a statement for a lock.
    pub lock_timeout: Duration,
    /// GARIMPO_DATABASE_POOLER: what stands in front of PostgreSQL.
    pub pooler: Pooler,
    /// GARIMPO_DATABASE_MIGRATION_URL: where migrations connect, past a pooler.
    pub migration_url: Option<SecretString>,
}

impl From<DatabaseVariables> for PostgresConfig {
    fn from(given: DatabaseVariables) -> Self {
        Self {
            pool_size: given.database_pool_size,
            statement_timeout: Duration::from_secs(given.database_statement_seconds),
            lock_timeout: Duration::from_secs(given.database_lock_seconds),
            pooler: given.database_pooler,
            migration_url: given.database_migration_url,
        }
    }
}
