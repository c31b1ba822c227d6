//! How PostgreSQL is used: its pool, its time-outs, and a pooler in front of it.

use std::time::Duration;

use garimpo_server::store::engine::Pooler;
use secrecy::{ExposeSecret, SecretString};

use super::problem::ConfigError;
use super::variables::{self, DatabaseVariables};
use super::{Config, Role};

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
            pooler: match given.database_pooler {
                variables::Pooler::None => Pooler::None,
                variables::Pooler::Transaction => Pooler::Transaction,
            },
            migration_url: given.database_migration_url,
        }
    }
}

/// Refuses a pooler without a way past it, because the lock of a migration belongs to its connection, and settings of
/// PostgreSQL beside the embedded database.
pub(super) fn check(config: &Config, errors: &mut Vec<ConfigError>) {
    const MIGRATION_URL: &str = "GARIMPO_DATABASE_MIGRATION_URL";
    let (postgres, has_direct) = (&config.postgres, config.postgres.migration_url.is_some());
    let is_pooled = postgres.pooler == Pooler::Transaction;
    if config.database_url.expose_secret().starts_with("sqlite:") {
        let is_user = !matches!(config.role, Role::Gateway | Role::Sandbox);
        let given = [("GARIMPO_DATABASE_POOLER", is_pooled), (MIGRATION_URL, has_direct)];
        for (name, _) in given.into_iter().filter(|(_, is_given)| is_user && *is_given) {
            errors.push(ConfigError::conflict(name, "while GARIMPO_DATABASE_URL is SQLite"));
        }
    } else if is_pooled && !has_direct && config.store_settings().migrates {
        let allowed = "the address of PostgreSQL past the pooler, or GARIMPO_MIGRATE=never";
        errors.push(ConfigError::missing(MIGRATION_URL, allowed));
    }
}
