//! Invariants of the copies of the database: an empty database beside payers, copies inside the
//! data folder, and copies that are missing or too old.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Doctor;
use super::finding::{Finding, Findings, MAX_FINDINGS, instant};
use crate::clock::system_now;
use crate::store::engine::copies::ExpectedCopy;
use crate::store::engine::restore::{REPLACED, database_id};
use crate::store::operator::backup_contents;
use crate::store::{PayersState, StoreError, payers_check};

/// Depth at which a backup is looked for: `data/2026-11-29` and `data/backups/2026-11-29`.
const DEPTH: u32 = 2;
/// The timer makes a backup each hour, and one may fail.
const MAX_BACKUP_AGE: Duration = Duration::from_hours(3);
/// The replica is compared each minute.
const MAX_REPLICA_LAG: Duration = Duration::from_mins(5);

impl Doctor {
    /// The database has the accounts of those who pay at the provider.
    pub(super) async fn empty_beside_payers(&self) -> Findings {
        let found = payers_check::current(&self.store).await?;
        let Some(check) = found.filter(|check| check.state == PayersState::Found) else {
            return Ok(Vec::new());
        };
        let what = format!(
            "the payment provider has subscriptions with our metadata ({} were seen), and this database had no account at \
             {}: nothing is sold",
            check.subscriptions,
            instant(check.checked_at)
        );
        let repair = format!(
            "{}; if this shop is meant to begin empty: garimpo admin provider accept-empty",
            self.how_to_restore_accounts().await
        );
        Ok(vec![Finding::new("database", what, repair)])
    }

    /// How to get the accounts back. Backups of the empty database are newer than the right one.
    async fn how_to_restore_accounts(&self) -> String {
        if self.store.file().is_none() {
            return "pg_restore the newest dump with accounts into an empty database".to_owned();
        }
        for file in self.store.copies().backed_up_databases() {
            let has_accounts = backup_contents::read(&file).await.is_some_and(|found| found.has_accounts);
            if let Some(folder) = file.parent().filter(|_| has_accounts) {
                return format!(
                    "garimpo admin restore {} (the newest backup with accounts)",
                    folder.display()
                );
            }
        }
        "garimpo admin restore FOLDER with the newest backup with accounts".to_owned()
    }

    /// The newest backup is at most three hours old, if a folder of backups is set.
    pub(super) async fn backup_recent(&self) -> Findings {
        let copies = self.store.copies().clone();
        let copy = tokio::task::spawn_blocking(move || copies.backup(system_now())).await;
        let repair =
            "systemctl enable --now garimpo-backup.timer; journalctl -u garimpo-backup has its errors";
        Ok(too_old(copy.map_err(|_| StoreError::Closing)?, MAX_BACKUP_AGE, "the newest backup", repair))
    }

    /// The replica had every write in the last five minutes, if the database is replicated.
    pub(super) async fn replica_recent(&self) -> Findings {
        let copies = self.store.copies().clone();
        let copy = tokio::task::spawn_blocking(move || copies.replica(system_now())).await;
        let repair = "systemctl status garimpo-litestream garimpo-litestream-sync.timer; without a side-car unset \
                    GARIMPO_REPLICATED";
        Ok(too_old(copy.map_err(|_| StoreError::Closing)?, MAX_REPLICA_LAG, "the complete replica", repair))
    }

    /// No folder inside the data folder is a copy of the database.
    pub(super) async fn backup_inside_data_dir(&self) -> Findings {
        let Some(file) = self.store.file().map(Path::to_path_buf) else { return Ok(Vec::new()) };
        let found = tokio::task::spawn_blocking(move || backups_beside(&file)).await;
        let found = found.map_err(|_| StoreError::Closing)?;
        let id = self.store.database_id().await?;
        let mut findings = Vec::with_capacity(found.len());
        for database in found {
            let is_ours = database_id(&database).await.is_some_and(|of_copy| of_copy == id);
            findings.push(inside(database.parent().unwrap_or(&database), is_ours));
        }
        Ok(findings)
    }
}

/// A finding if the copy is missing or older than `max_age`.
fn too_old(copy: Option<ExpectedCopy>, max_age: Duration, what: &str, repair: &str) -> Vec<Finding> {
    let Some(ExpectedCopy { place, age }) = copy else { return Vec::new() };
    let what = match age {
        Some(age) if age <= max_age => return Vec::new(),
        Some(age) => {
            let (minutes, max) = (age.as_secs() / 60, max_age.as_secs() / 60);
            format!("{what} is {minutes} min old; allowed are {max} min")
        }
        None => format!("{what} is missing"),
    };
    vec![Finding::new(place.display().to_string(), what, repair)]
}

/// A copy of another database may be a restore that missed its target; one of this database is a
/// backup.
fn inside(folder: &Path, is_ours: bool) -> Finding {
    let shown = folder.display().to_string();
    let move_away = "move it to another disk, because it is lost with the data";
    let repair = if is_ours {
        move_away.to_owned()
    } else {
        format!("if you restored it: garimpo admin restore {shown}; else {move_away}")
    };
    Finding::new(shown, "a backup inside the data folder, which no server uses", repair)
}

/// Databases of this name in folders below that of the database.
fn backups_beside(file: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let (Some(folder), Some(name)) = (file.parent(), file.file_name()) {
        find(folder, Path::new(name), DEPTH, &mut found);
    }
    found.sort();
    found.truncate(usize::try_from(MAX_FINDINGS).unwrap_or(usize::MAX));
    found
}

fn find(folder: &Path, name: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    // A folder that cannot be read has no backup.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().filter(is_searched) {
        let folder = entry.path();
        if folder.join(name).is_file() {
            found.push(folder.join(name));
        } else if depth > 1 {
            find(&folder, name, depth - 1, found);
        }
    }
}

/// Hidden folders are unfinished or belong to other programs, and a restore keeps the database that
/// it replaced.
fn is_searched(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    entry.file_type().is_ok_and(|kind| kind.is_dir()) && !name.starts_with('.') && !name.starts_with(REPLACED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_below_the_data_folder_is_found_and_a_replaced_database_is_not() {
        let data = tempfile::tempdir().expect("a folder");
        let file = data.path().join("garimpo.db");
        for folder in ["2026-11-29", "backups/2026-11-28", "a/b/too-deep", "replaced-1", ".hidden", "acme"] {
            let folder = data.path().join(folder);
            std::fs::create_dir_all(&folder).expect("made");
            if !folder.ends_with("acme") {
                std::fs::write(folder.join("garimpo.db"), "x").expect("written");
            }
        }

        let found = backups_beside(&file);

        assert_eq!(
            found,
            ["2026-11-29", "backups/2026-11-28"].map(|folder| data.path().join(folder).join("garimpo.db"))
        );
    }
}
