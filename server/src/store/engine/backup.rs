//! Copies an embedded database while it is in use.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use super::error::StoreError;
use super::statements::only;
use crate::crash::{self, CrashPoint};

/// Longest wait for a writer's lock.
const BUSY: Duration = Duration::from_secs(10);

/// Why no copy was made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be read, or the copy cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The integrity check of the copy failed.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Writes one consistent state of the SQLite file `from` to the new file `to` and checks the copy.
/// It migrates nothing and does not block writers.
///
/// # Errors
/// See [`BackupError`].
pub async fn sqlite_copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let options = SqliteConnectOptions::new().filename(from).read_only(true).busy_timeout(BUSY);
    let mut source = options.disable_statement_logging().connect().await?;
    only!(Sqlite, &mut source, execute "VACUUM INTO $1", to.to_string_lossy().into_owned())?;
    source.close().await?;

    let options = SqliteConnectOptions::new().filename(to).disable_statement_logging();
    let mut copy = options.connect().await?;
    let found: String = only!(Sqlite, &mut copy, value "PRAGMA integrity_check")?;
    copy.close().await?;
    if found != "ok" {
        return Err(BackupError::Damaged(found));
    }
    crash::point(CrashPoint::BackupCopied);
    Ok(())
}

/// Marks the copy so that the product, when started on it, compares every account with the payment
/// provider immediately. Otherwise changes that happened at the provider after the copy would be
/// found within a day.
///
/// # Errors
/// The copy cannot be written.
pub async fn sqlite_copy_reconciles_at_start(copy: &Path) -> Result<(), BackupError> {
    let options = SqliteConnectOptions::new().filename(copy).disable_statement_logging();
    let mut copy = options.connect().await?;
    only!(Sqlite, &mut copy, execute
        "UPDATE jobs SET state = 'waiting', due_at_us = 0, attempts = 0, generation = generation + 1
         WHERE kind = 'reconcile' AND key = 'all'")?;
    copy.close().await?;
    Ok(())
}
