//! Age of the copies of the embedded database: backups in a folder, and the replica of a side-car.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use garimpo_domain::Timestamp;

use super::settings::{StoreSettings, sqlite_file};

/// File beside the embedded database. The unit that waits for the replica touches it, each time
/// that the replica has every write.
pub const REPLICA_MARK: &str = "replica-synced";

/// Where the copies of the embedded database are; empty on PostgreSQL.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    backups: Option<Backups>,
    replica_mark: Option<PathBuf>,
}

#[derive(Debug, Clone)]
struct Backups {
    folder: PathBuf,
    /// File name of the database in each backup.
    database: PathBuf,
}

/// A copy that is expected, and when it was last made.
#[derive(Debug, PartialEq, Eq)]
pub struct ExpectedCopy {
    /// Folder of the backups, or mark of the replica.
    pub place: PathBuf,
    /// Time since the copy was made; `None` without a copy.
    pub age: Option<Duration>,
}

impl Copies {
    /// The copies that the settings expect.
    pub fn of(settings: &StoreSettings) -> Self {
        let Some(file) = sqlite_file(&settings.url) else { return Self::default() };
        let database = PathBuf::from(file.file_name().unwrap_or_default());
        let backups = settings.backup_dir.clone().map(|folder| Backups { folder, database });
        Self { backups, replica_mark: settings.replicated.then(|| file.with_file_name(REPLICA_MARK)) }
    }

    /// The newest backup; `None` if no folder of backups is set.
    pub fn backup(&self, now: Timestamp) -> Option<ExpectedCopy> {
        let Backups { folder, database } = self.backups.as_ref()?;
        Some(ExpectedCopy { place: folder.clone(), age: newest(folder, database).map(|at| age(now, at)) })
    }

    /// The replica; `None` if the database is not replicated.
    pub fn replica(&self, now: Timestamp) -> Option<ExpectedCopy> {
        let place = self.replica_mark.clone()?;
        let age = modified(&place).map(|at| age(now, at));
        Some(ExpectedCopy { place, age })
    }
}

/// A file of the future is new: the clock was set back.
fn age(now: Timestamp, at: SystemTime) -> Duration {
    let now = SystemTime::UNIX_EPOCH + Duration::from_micros(now.as_micros().unsigned_abs());
    now.duration_since(at).unwrap_or_default()
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|file| file.modified()).ok()
}

/// When the newest backup of the folder was made. Hidden folders are unfinished.
fn newest(folder: &Path, database: &Path) -> Option<SystemTime> {
    let is_finished = |entry: &DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_finished).filter_map(|entry| modified(&entry.path().join(database))).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(file: &Path) -> StoreSettings {
        StoreSettings::new(format!("sqlite://{}", file.display()))
    }

    #[test]
    fn the_newest_finished_backup_has_the_age() {
        let backups = tempfile::tempdir().expect("a folder");
        let made = |name: &str, hours: u64| {
            let folder = backups.path().join(name);
            std::fs::create_dir(&folder).expect("made");
            let file = std::fs::File::create(folder.join("garimpo.db")).expect("created");
            let at = SystemTime::UNIX_EPOCH + Duration::from_hours(hours);
            file.set_modified(at).expect("its time");
        };
        let now = Timestamp::from_unix_seconds(10 * 3_600);
        let settings = StoreSettings {
            backup_dir: Some(backups.path().to_path_buf()),
            ..settings(Path::new("/data/garimpo.db"))
        };
        let age = || Copies::of(&settings).backup(now).expect("expected").age;

        assert_eq!(age(), None);
        made("old", 2);
        made("new", 7);
        made(".garimpo-backup-unfinished", 9);
        std::fs::create_dir(backups.path().join("empty")).expect("made");
        assert_eq!(age(), Some(Duration::from_hours(3)));
        made("of-the-future", 12);
        assert_eq!(age(), Some(Duration::ZERO));
    }

    #[test]
    fn a_replica_is_as_old_as_its_mark_and_expected_only_if_it_is_set() {
        let data = tempfile::tempdir().expect("a folder");
        let settings = settings(&data.path().join("garimpo.db"));
        assert_eq!(Copies::of(&settings).replica(Timestamp::from_unix_seconds(0)), None);

        let replicated = Copies::of(&StoreSettings { replicated: true, ..settings });
        let mark = data.path().join(REPLICA_MARK);
        let now = Timestamp::from_unix_seconds(100);
        let expected = |age| Some(ExpectedCopy { place: mark.clone(), age });
        assert_eq!(replicated.replica(now), expected(None));

        let touched = std::fs::File::create(&mark).expect("created");
        touched.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(10)).expect("its time");
        let age = replicated.replica(now).and_then(|replica| replica.age).expect("a mark");
        assert_eq!(age.as_secs(), 90);
    }

    #[test]
    fn postgresql_has_no_copies_of_ours() {
        let url = StoreSettings::new("postgres://db/garimpo");
        let settings = StoreSettings { backup_dir: Some(PathBuf::from("/var/backups/garimpo")), ..url };
        assert_eq!(Copies::of(&settings).backup(Timestamp::from_unix_seconds(0)), None);
    }
}
