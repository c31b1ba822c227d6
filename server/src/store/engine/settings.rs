//! Settings of a store.

use std::time::Duration;

/// PostgreSQL connections of a process. Six servers take 72 of PostgreSQL's default of 100. The
/// other 28 serve a seventh server during a rollout, commands, backups and 3 superusers.
pub const CONNECTIONS: u32 = 12;
/// Longest run of a statement: callers give up after 10 s, and every statement of a job is bounded
/// in rows.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest wait for a lock. With the 5 s for a connection it ends before callers give up, after 10
/// s.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// Most jobs that share a COMMIT of the embedded database.
const MAX_BATCH: usize = 256;

/// The pooler in front of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooler {
    /// No pooler: a connection keeps its session.
    None,
    /// A pooler that gives each transaction another session, as PgBouncer in transaction mode.
    Transaction,
}

/// How to open a store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// `sqlite://<path>` or `postgres://…`.
    pub url: String,
    /// PostgreSQL connections of this process.
    pub connections: u32,
    /// Longest run of a statement on PostgreSQL; `None`: the role's own. Migrations have no limit
    /// of ours.
    pub statement_timeout: Option<Duration>,
    /// Longest wait of a statement for a lock of PostgreSQL; `None`: the role's own.
    pub lock_timeout: Option<Duration>,
    /// The pooler in front of PostgreSQL.
    pub pooler: Pooler,
    /// Address of PostgreSQL for migrations; `None`: [`StoreSettings::url`]. It must bypass a
    /// pooler, because the lock of a migration belongs to its connection.
    pub migration_url: Option<String>,
    /// How many writes may share one COMMIT of the embedded database; 1 switches sharing off.
    pub batch: usize,
    /// Whether a replication side-car copies the embedded database's log and owns its checkpoints.
    pub replicated: bool,
    /// Whether opening creates an absent embedded database and migrates an older schema. Otherwise
    /// both are errors.
    pub migrates: bool,
}

impl StoreSettings {
    /// The defaults for an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: CONNECTIONS,
            statement_timeout: Some(STATEMENT_TIMEOUT),
            lock_timeout: Some(LOCK_TIMEOUT),
            pooler: Pooler::None,
            migration_url: None,
            batch: MAX_BATCH,
            replicated: false,
            migrates: true,
        }
    }
}
