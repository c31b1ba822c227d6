//! Errors of the store.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::error::DatabaseError;

/// Why a read or a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or could not commit; the caller may try again.
    #[error("the database is unavailable")]
    Unavailable(#[source] Arc<sqlx::Error>),
    /// PostgreSQL ended a statement that waited too long for a lock (55P03); the caller may try
    /// again.
    #[error("a statement waited for a lock longer than GARIMPO_DATABASE_LOCK_SECONDS")]
    LockTimeout(#[source] sqlx::Error),
    /// PostgreSQL ended a statement that ran too long (57014); the caller may try again.
    #[error("a statement ran longer than GARIMPO_DATABASE_STATEMENT_SECONDS")]
    StatementTimeout(#[source] sqlx::Error),
    /// PostgreSQL gave no connection at the start.
    #[error(
        "{place} gives no connection: {cause}; check that it runs, that this machine reaches it, and that user, \
         password and database are right"
    )]
    Unreachable {
        /// Host, port, database and user, without the password.
        place: String,
        /// The cause, without repetition.
        cause: String,
    },
    /// The store is stopping and accepts no writes; the caller may try another server.
    #[error("the store is closing")]
    Closing,
    /// A unique index refused the row.
    #[error("a unique index refused the row")]
    Unique(#[source] sqlx::Error),
    /// PostgreSQL asks for the transaction to be run again (40001, 40P01).
    #[error("the transaction lost against another one")]
    Conflict(#[source] sqlx::Error),
    /// Any other failure of a statement. It is a bug.
    #[error("a statement failed")]
    Statement(#[source] sqlx::Error),
    /// A stored value that this program cannot read, with its position.
    #[error("{table}.{column} of {row} is not readable")]
    Inconsistent {
        /// Table of the row.
        table: &'static str,
        /// Column of the value.
        column: &'static str,
        /// Key of the row.
        row: String,
    },
    /// The write job panicked. Only this job was rolled back.
    #[error("the write job panicked")]
    Panicked,
    /// The schema has a migration with which this older program would work incorrectly.
    #[error("the database schema is newer than this program (migration {version}): start a newer garimpo")]
    SchemaNewer {
        /// The first such migration.
        version: i64,
    },
    /// The schema lacks a migration of this program, and the settings do not allow migrating.
    #[error(
        "the database schema is older than this program (without migration {version}): run garimpo migrate"
    )]
    SchemaOlder {
        /// The first missing migration.
        version: i64,
    },
    /// An unreleased version created the database. Its migrations are not in this program.
    #[error(
        "{database} has the schema of an unreleased version before 0.3.0 (migration {version}), which is not \
         carried over: start with an empty database, or use the garimpo that created this one"
    )]
    SchemaUnreleased {
        /// The file, or PostgreSQL's address without the password.
        database: String,
        /// The newest migration of unreleased versions that is applied.
        version: i64,
    },
    /// A migration failed.
    #[error("migrating the database")]
    Migration(#[source] Box<sqlx::migrate::MigrateError>),
    /// The address is neither `sqlite://` nor `postgres://`.
    #[error("the database address must begin with sqlite:// or postgres://")]
    Address,
}

/// A result of the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

impl StoreError {
    /// Whether rerunning the transaction immediately may succeed.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the server closed the connection during the statement. Another connection may work.
    pub(crate) fn is_lost_connection(&self) -> bool {
        let Self::Unavailable(cause) = self else { return false };
        match &**cause {
            sqlx::Error::Io(_) => true,
            sqlx::Error::Database(cause) => cause.code().is_some_and(|code| is_closed_connection(&code)),
            _ => false,
        }
    }

    /// Whether a unique index refused the row.
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Unique(_))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let sqlx::Error::Decode(cause) = error {
            return match cause.downcast::<Self>() {
                Ok(inconsistent) => *inconsistent,
                Err(cause) => Self::Statement(sqlx::Error::Decode(cause)),
            };
        }
        let code = error.as_database_error().and_then(DatabaseError::code).map(Cow::into_owned);
        match (&error, code.as_deref()) {
            (sqlx::Error::Database(cause), _) if cause.is_unique_violation() => Self::Unique(error),
            // Serialization failure and deadlock.
            (_, Some("40001" | "40P01")) => Self::Conflict(error),
            (_, Some("55P03")) => Self::LockTimeout(error),
            (_, Some("57014")) => Self::StatementTimeout(error),
            (_, Some(code)) if is_outage(code) => Self::Unavailable(Arc::new(error)),
            (
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed,
                _,
            ) => Self::Unavailable(Arc::new(error)),
            _ => Self::Statement(error),
        }
    }
}

/// PostgreSQL ended the session (57P01, 57P02), or the connection to it or to a pooler was lost
/// (class 08; PgBouncer uses 08P01 for all of them).
fn is_closed_connection(code: &str) -> bool {
    matches!(code, "57P01" | "57P02") || (code.len() == 5 && code.starts_with("08"))
}

/// PostgreSQL is shutting down, starting up or out of connections; SQLite is busy (5), its disk is
/// full (13) or failing (10).
fn is_outage(code: &str) -> bool {
    let is_of_sqlite = code.len() < 5;
    is_closed_connection(code)
        || matches!(code, "57P03" | "53300")
        || (is_of_sqlite && matches!(code.parse::<u32>().map(|code| code & 0xff), Ok(5 | 10 | 13)))
}

/// An error type that a write job may return.
pub trait WriteError: From<StoreError> + Send + 'static {
    /// The store's error inside this one, if there is one. It decides whether the job runs again.
    fn as_store(&self) -> Option<&StoreError>;
}

impl WriteError for StoreError {
    fn as_store(&self) -> Option<&StoreError> {
        Some(self)
    }
}
