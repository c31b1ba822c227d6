//! `garimpo admin restore`: puts a backup in the place of the database.
//!
//! The copy is complete before it takes the place: checked, migrated, without the accounts that
//! were deleted after the backup, and with the rows of the replaced database that the payment
//! provider does not have. The caller holds the lock of the data folder.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use garimpo_domain::{Timestamp, Uid};
use serde::Serialize;

use crate::billing::schedule_reconciliation;
use crate::clock::system_now;
use crate::crash::{self, CrashPoint};
use crate::rights::append_deletion;
use crate::store::engine::backup::{BackupError, sqlite_copy_reconciles_at_start};
use crate::store::engine::copies::BACKUP_DATABASE;
use crate::store::engine::restore::{
    REPLACED, check_integrity, database_id, put_in_place, refuse_unreleased, refuse_unreleased_backup,
    remove_unused_kept, with_suffix,
};
use crate::store::operator::repeated_deletions::{self, MissingDeletion};
use crate::store::operator::taken_over;
pub use crate::store::operator::taken_over::TakenOver;
use crate::store::{Store, StoreError, StoreSettings, accounts, payers_check, transaction};

/// Folder of the copy that is being prepared.
const UNFINISHED: &str = ".garimpo-restore";

/// What a restore did.
#[derive(Debug, Serialize)]
pub struct Restored {
    /// The folder that keeps the replaced database; `None` if there was none.
    pub replaced: Option<PathBuf>,
    #[serde(flatten)]
    pub carried: Carried,
    /// Rows of after the backup that are lost; `None` if the replaced database was read.
    pub not_known: Option<NotKnown>,
}

/// Rows of the replaced database that the restored one has too.
#[derive(Debug, Default, Serialize)]
pub struct Carried {
    /// Accounts that were deleted after the backup.
    pub deleted: Vec<Uid>,
    pub taken_over: Vec<TakenOver>,
    /// Ids of Pix refunds that are paid in the backup and requested in the replaced database.
    pub doubtful_refunds: Vec<String>,
}

/// The replaced database was not read.
#[derive(Debug, Serialize)]
pub struct NotKnown {
    pub why: String,
    /// Time of the backup.
    pub since: Timestamp,
}

/// Why the replaced database was not read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error("there was no database in place")]
    Absent,
    #[error("the database in place was another one ({0})")]
    Other(String),
    #[error("the database in place cannot be read")]
    Store(#[from] StoreError),
}

/// Why a restore was not done. The database in place is the one of before.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("{} has no {}", .0.display(), .1.display())]
    NoBackup(PathBuf, PathBuf),
    #[error("{} cannot be read by this user", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    #[error("the backup is no database of garimpo")]
    OtherProgram,
    #[error(
        "the backup is of another database ({backup}) than the one in place ({in_place}), which has accounts: \
         --replace-other restores it nevertheless"
    )]
    OtherDatabase { backup: String, in_place: String },
    #[error("the backup")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Files(String, #[source] io::Error),
}

/// Puts the database of the folder `backup` in the place of `file`. A database with another id that
/// has accounts is only replaced with `replaces_other`.
///
/// # Errors
/// See [`RestoreError`].
pub async fn restore(backup: &Path, file: &Path, replaces_other: bool) -> Result<Restored, RestoreError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = Path::new(file.file_name().unwrap_or_default());
    let source = source_of(backup, name)?;
    // Another failure is found in the copy.
    if let Err(refused @ StoreError::SchemaUnreleased { .. }) = refuse_unreleased_backup(&source).await {
        return Err(refused.into());
    }
    let files = |what: &str| {
        let what = format!("{what} {}", folder.display());
        move |error| RestoreError::Files(what, error)
    };
    let prepared = Prepared::create(folder.join(UNFINISHED)).map_err(files("writing"))?;
    remove_unused_kept(file).map_err(files("cleaning"))?;

    let copy = prepared.0.join(name);
    copy_files(&source, &copy).await.map_err(files("copying into"))?;
    check(&copy, &source).await?;
    let settings = StoreSettings::new(format!("sqlite://{}", copy.display()));
    // A start on the backup would migrate it too. Here the backup itself stays as it is.
    let store = Store::open(&settings).await?;
    let id = store.database_id().await?;
    if !replaces_other {
        refuse_other(file, id).await?;
    }
    let carried = carry_over(&store, &copy, file).await;
    store.close().await;
    let (carried, not_known) = match carried {
        Ok(carried) => (carried, None),
        Err(error) => {
            let why = crate::causes::Causes(&error).to_string();
            (Carried::default(), Some(NotKnown { why, since: made_at(&copy, &source).await? }))
        }
    };
    sqlite_copy_reconciles_at_start(&copy).await.map_err(damaged)?;
    crash::point(CrashPoint::RestorePrepared);

    let kept = folder.join(format!("{REPLACED}{}", system_now().to_rfc3339().replace(':', "-")));
    let had_one = put_in_place(&copy, file, &kept).await.map_err(files("replacing the database in"))?;
    Ok(Restored { replaced: had_one.then_some(kept), carried, not_known })
}

/// The database in a backup's folder: of the name in place, or of the name that backups have.
fn source_of(backup: &Path, name: &Path) -> Result<PathBuf, RestoreError> {
    let names = [name, Path::new(BACKUP_DATABASE)];
    for source in names.map(|name| backup.join(name)) {
        match fs::File::open(&source) {
            Ok(_) => return Ok(source),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(RestoreError::Unreadable(source, error)),
        }
    }
    Err(RestoreError::NoBackup(backup.to_owned(), names[1].to_owned()))
}

/// Copies a database with its log, which a folder that was copied by hand has.
async fn copy_files(source: &Path, copy: &Path) -> io::Result<()> {
    let (source, copy) = (source.to_owned(), copy.to_owned());
    let copied = tokio::task::spawn_blocking(move || {
        fs::copy(&source, &copy)?;
        let log = with_suffix(&source, "-wal");
        if log.exists() {
            fs::copy(log, with_suffix(&copy, "-wal"))?;
        }
        Ok(())
    });
    copied.await.map_err(io::Error::other)?
}

async fn check(copy: &Path, source: &Path) -> Result<(), RestoreError> {
    check_integrity(copy).await.map_err(damaged)?;
    refuse_unreleased(copy, source).await?;
    if database_id(copy).await.is_none() {
        return Err(RestoreError::OtherProgram);
    }
    Ok(())
}

fn damaged(error: BackupError) -> RestoreError {
    match error {
        BackupError::Damaged(what) => RestoreError::Damaged(what),
        BackupError::Store(error) => RestoreError::Store(error),
    }
}

/// Refuses to replace another database that has accounts. One that cannot be read has lost them.
async fn refuse_other(file: &Path, backup: String) -> Result<(), RestoreError> {
    if !file.exists() {
        return Ok(());
    }
    let Some(in_place) = database_id(file).await.filter(|id| *id != backup) else { return Ok(()) };
    let settings = StoreSettings::new(format!("sqlite://{}", file.display()));
    let has_accounts = match Store::open_to_read(&settings).await {
        Ok(store) => {
            let has_accounts = payers_check::has_accounts(&store).await;
            store.close().await;
            has_accounts?
        }
        // An older or newer schema is that of a database in use.
        Err(_) => true,
    };
    if has_accounts { Err(RestoreError::OtherDatabase { backup, in_place }) } else { Ok(()) }
}

/// When the backup was made: the last write of a running server, or else the time of the file. A
/// copied file may be newer than its content.
async fn made_at(copy: &Path, source: &Path) -> Result<Timestamp, RestoreError> {
    if let Some(at) = taken_over::last_write(copy).await? {
        return Ok(at);
    }
    let modified = source.metadata().and_then(|file| file.modified());
    let modified = modified.map_err(|error| RestoreError::Files(source.display().to_string(), error))?;
    let since_1970 = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_unix_seconds(i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX)))
}

/// Repeats the deletions of the replaced database, and takes over its rows that the provider does
/// not have.
async fn carry_over(store: &Store, copy: &Path, file: &Path) -> Result<Carried, Unread> {
    if !file.exists() {
        return Err(Unread::Absent);
    }
    let in_place = Store::open_to_read(&StoreSettings::new(format!("sqlite://{}", file.display()))).await?;
    let id = in_place.database_id().await?;
    in_place.close().await;
    if id != store.database_id().await? {
        return Err(Unread::Other(id));
    }
    let deleted = repeat_deletions(store, copy, file).await?;
    let (taken_over, uids) = taken_over::take_over(copy, file).await?;
    // The sync decides by the refunds and cancellations, and repeats what the provider has not got.
    for uid in uids {
        transaction!(store, (uid), |tx| {
            match accounts::by_uid(&mut *tx, uid).await? {
                Some(_) => schedule_reconciliation(tx, uid, Timestamp::from_micros(0)).await,
                None => Ok(()),
            }
        })?;
    }
    let doubtful_refunds = taken_over::doubtful_refunds(copy, file).await?;
    Ok(Carried { deleted, taken_over, doubtful_refunds })
}

/// Repeats the deletions of accounts that the replaced database has and the backup has not; returns
/// their uids.
async fn repeat_deletions(store: &Store, copy: &Path, file: &Path) -> Result<Vec<Uid>, StoreError> {
    let missing = repeated_deletions::missing(copy, file).await?;
    for MissingDeletion { uid, deleted_at_us } in missing.clone() {
        let at = Timestamp::from_micros(deleted_at_us);
        transaction!(store, (uid), |tx| {
            // An account of after the backup is in no feed of the restored database.
            match accounts::by_uid(&mut *tx, uid).await? {
                Some(account) => append_deletion(tx, &account, at).await,
                None => Ok(()),
            }
        })?;
    }
    let uids: Vec<Uid> = missing.into_iter().map(|deletion| deletion.uid).collect();
    repeated_deletions::take_rows(copy, file, &uids).await?;
    Ok(uids)
}

/// The folder of the prepared copy; deleted with the value. The lock of the data folder is held, so
/// one that is there is of a command that died.
struct Prepared(PathBuf);

impl Prepared {
    fn create(folder: PathBuf) -> io::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_that_cannot_be_read_is_not_reported_as_absent() {
        let backup = tempfile::tempdir().expect("a folder");
        let source = backup.path().join("garimpo.db");
        let refused = || source_of(backup.path(), Path::new("garimpo.db")).expect_err("refused").to_string();
        assert!(refused().ends_with("has no garimpo.db"), "{}", refused());

        // Tests may run as root, whom no mode refuses: a link to itself cannot be read by anybody.
        std::os::unix::fs::symlink(&source, &source).expect("linked");

        assert_eq!(refused(), format!("{} cannot be read by this user", source.display()));
    }
}
