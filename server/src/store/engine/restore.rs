//! Puts a copy of an embedded database in the place of the database, so that a crash leaves one of
//! the two.
//!
//! The caller holds the lock of the data folder, so no server uses either file.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::backup::BackupError;
use super::error::StoreError;
use super::migration;
use super::statements::only;
use crate::crash::{self, CrashPoint};

/// Begins the name of the folder that keeps a replaced database.
pub const REPLACED: &str = "replaced-";
/// Longest wait for a command that reads.
const BUSY: Duration = Duration::from_secs(5);

/// Opens a file without creating or migrating it. What it deletes is overwritten, as by the server.
pub(crate) async fn connect(file: &Path, reads_only: bool) -> Result<SqliteConnection, StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(reads_only)
        .busy_timeout(BUSY)
        .pragma("secure_delete", "ON");
    Ok(options.disable_statement_logging().connect().await?)
}

/// Refuses a database that an unreleased version created. `name` names the database in the error.
///
/// # Errors
/// [`StoreError::SchemaUnreleased`], or the file cannot be read.
pub async fn refuse_unreleased(file: &Path, name: &Path) -> Result<(), StoreError> {
    refuse_unreleased_by(connect(file, true).await?, name).await
}

/// Refuses a backup that an unreleased version created. It reads no log and writes no file, so
/// that the folder of the backup stays as it is.
///
/// # Errors
/// As [`refuse_unreleased`].
pub async fn refuse_unreleased_backup(file: &Path) -> Result<(), StoreError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
    refuse_unreleased_by(options.disable_statement_logging().connect().await?, file).await
}

async fn refuse_unreleased_by(mut connection: SqliteConnection, name: &Path) -> Result<(), StoreError> {
    let released = migration::refuse_unreleased(&mut connection, &name.display().to_string()).await;
    connection.close().await?;
    released
}

/// Checks the integrity of a database.
///
/// # Errors
/// [`BackupError::Damaged`] if it is damaged or no database.
pub async fn check_integrity(file: &Path) -> Result<(), BackupError> {
    let found: Result<String, sqlx::Error> = async {
        let mut connection = SqliteConnectOptions::new().filename(file).connect().await?;
        let found = only!(Sqlite, &mut connection, value "PRAGMA integrity_check")?;
        connection.close().await?;
        Ok(found)
    }
    .await;
    match found {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(BackupError::Damaged(found)),
        Err(sqlx::Error::Database(error)) => Err(BackupError::Damaged(error.message().to_owned())),
        Err(error) => Err(error.into()),
    }
}

/// The id of a database; `None` if it cannot be read.
pub async fn database_id(file: &Path) -> Option<String> {
    let mut connection = connect(file, true).await.ok()?;
    let id = only!(Sqlite, &mut connection, value "SELECT database_id FROM database_identity");
    let _ = connection.close().await;
    id.ok()
}

/// Replaces the database `file` by `new`, which is complete, checked and on the same disk, and
/// keeps the replaced one in the folder `kept`. Returns whether there was one.
///
/// # Errors
/// The file system's error; the database in place is then the replaced one.
pub async fn put_in_place(new: &Path, file: &Path, kept: &Path) -> io::Result<bool> {
    let had_one = file.exists();
    if had_one {
        // A log of the replaced database must not be applied to the new one. A damaged database may
        // keep its log, which is kept with it.
        empty_log(file).await;
        DirBuilder::new().mode(0o700).create(kept)?;
        let name = file.file_name().unwrap_or_default();
        fs::hard_link(file, kept.join(name))?;
        let log = with_suffix(file, "-wal");
        if log.exists() {
            fs::hard_link(&log, with_suffix(&kept.join(name), "-wal"))?;
        }
        File::open(kept)?.sync_all()?;
        sync_folder(file)?;
        crash::point(CrashPoint::RestoreKept);
    }
    for suffix in ["-wal", "-shm"] {
        remove_if_present(&with_suffix(file, suffix))?;
    }
    File::open(new)?.sync_all()?;
    fs::rename(new, file)?;
    sync_folder(file)?;
    crash::point(CrashPoint::RestoreReplaced);
    Ok(had_one)
}

/// Deletes folders that a restore made for a database that is still in place, because it died.
///
/// # Errors
/// The file system's error.
pub fn remove_unused_kept(file: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(()) };
    let in_place = file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(REPLACED) {
            continue;
        }
        let kept = entry.path().join(name).metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
        if kept.is_none() {
            // It died before it linked the database. A folder with files is not ours.
            let _ = fs::remove_dir(entry.path());
        } else if kept == in_place {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Moves the log of a database into it; SQLite deletes an empty log with its last connection.
async fn empty_log(file: &Path) {
    let Ok(mut connection) = connect(file, false).await else { return };
    let _ = only!(Sqlite, &mut connection, execute "PRAGMA wal_checkpoint(TRUNCATE)");
    let _ = connection.close().await;
}

/// The path of a file that belongs to a database.
pub fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

fn remove_if_present(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_named_as_a_replaced_database_stays_if_it_has_files_and_no_database() {
        let data = tempfile::tempdir().expect("a folder");
        let file = data.path().join("garimpo.db");
        fs::write(&file, "x").expect("written");
        for name in ["replaced-empty", "replaced-notes", "replaced-linked"] {
            fs::create_dir(data.path().join(name)).expect("made");
        }
        fs::write(data.path().join("replaced-notes/notes.txt"), "x").expect("written");
        fs::hard_link(&file, data.path().join("replaced-linked/garimpo.db")).expect("linked");

        remove_unused_kept(&file).expect("removed");

        assert!(data.path().join("replaced-notes/notes.txt").exists());
        assert!(
            !data.path().join("replaced-empty").exists() && !data.path().join("replaced-linked").exists()
        );
    }
}
