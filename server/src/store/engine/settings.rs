//! Settings of a store.

use std::path::PathBuf;
use std::time::Duration;

/// PostgreSQL connections of a process. Six servers use 72 of PostgreSQL's default of 100. The
/// other 28 are for a seventh server during a rollout, commands, backups and 3 superusers.
pub const CONNECTIONS: u32 = 12;
/// Longest run of a statement. Callers give up after 10 s, and every statement of a job has a row
/// limit.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest wait for a lock. Together with 5 s for a connection it ends before callers give up after
/// 10 s.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// Most jobs that share a COMMIT of the embedded database.
const MAX_BATCH: usize = 256;

/// Kind of pooler in front of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooler {
    /// No pooler: a connection keeps its session.
    None,
    /// Each transaction may run in another session, as with PgBouncer in transaction mode.
    Transaction,
}

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// `sqlite://<path>` or `postgres://…`.
    pub url: String,
    /// PostgreSQL connections of this process.
    pub connections: u32,
    /// Longest run of a statement on PostgreSQL; `None` for the role's own limit. Migrations use
    /// the role's limit.
    pub statement_timeout: Option<Duration>,
    /// Longest wait for a lock of PostgreSQL; `None` for the role's own limit.
    pub lock_timeout: Option<Duration>,
    /// The pooler in front of PostgreSQL.
    pub pooler: Pooler,
    /// Address of PostgreSQL for migrations; `None` for [`StoreSettings::url`]. It must bypass a
    /// pooler, because the migration lock belongs to a session.
    pub migration_url: Option<String>,
    /// Most writes that share a COMMIT of the embedded database; 1 disables sharing.
    pub batch: usize,
    /// Whether a replication sidecar copies the embedded database's log and controls its
    /// checkpoints.
    pub replicated: bool,
    /// Folder in which backups of the embedded database are expected; `None` expects none.
    pub backup_dir: Option<PathBuf>,
    /// Whether opening creates a missing embedded database and migrates an older schema. Otherwise
    /// both are errors.
    pub migrates: bool,
}

impl StoreSettings {
    /// The default settings for an address.
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
            backup_dir: None,
            migrates: true,
        }
    }
}

/// The file of an embedded database's address; `None` for PostgreSQL.
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    let place = url.strip_prefix("sqlite:")?;
    let place = place.strip_prefix("//").unwrap_or(place);
    Some(PathBuf::from(place.split('?').next().unwrap_or(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_the_file_of_the_embedded_database() {
        for (url, file) in [
            ("sqlite:///var/lib/garimpo.db", Some("/var/lib/garimpo.db")),
            ("sqlite://./data/garimpo.db?mode=rwc", Some("./data/garimpo.db")),
            ("postgres://u@h/d", None),
        ] {
            assert_eq!(sqlite_file(url), file.map(PathBuf::from), "{url}");
        }
    }
}
