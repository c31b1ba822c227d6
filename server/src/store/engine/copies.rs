//! Age of the copies of the embedded database: backups in a folder, and the replica of a side-car.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use garimpo_domain::Timestamp;

use super::settings::{StoreSettings, sqlite_file};

/// File beside the embedded database. The unit that waits for the replica touches it, each time
/// that the replica has every write.
pub const REPLICA_MARK: &str = "replica-synced";

/// File of the product's database in a backup, whatever the name of the database in place.
pub const BACKUP_DATABASE: &str = "garimpo.db";

/// The name of a backup of the timer that is made now: `2026-11-29T101500Z`.
pub fn backup_name(now: Timestamp) -> String {
    let seconds = Timestamp::from_unix_seconds(now.as_unix_seconds());
    seconds.to_rfc3339().replace(':', "")
}

/// When the backup of this name was made; `None` for a name that [`backup_name`] does not give.
fn backup_made_at(name: &str) -> Option<Timestamp> {
    let (day, time) = name.split_once('T')?;
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    let at = Timestamp::parse_rfc3339(&format!("{day}T{hour}:{minute}:{second}")).ok()?;
    (backup_name(at) == name).then_some(at)
}

/// Where the copies of the embedded database are; empty on PostgreSQL.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    /// Folder of the backups.
    backups: Option<PathBuf>,
    replica_mark: Option<PathBuf>,
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
        let backups = settings.backup_dir.clone();
        Self { backups, replica_mark: settings.replicated.then(|| file.with_file_name(REPLICA_MARK)) }
    }

    /// The newest backup; `None` if no folder of backups is set.
    pub fn backup(&self, now: Timestamp) -> Option<ExpectedCopy> {
        let folder = self.backups.as_ref()?;
        let newest = backups(folder).unwrap_or_default().into_iter().next();
        let age = newest.map(|(at, _)| {
            let micros = now.as_micros().saturating_sub(at.as_micros());
            // A backup of the future is new: the clock was set back.
            Duration::from_micros(u64::try_from(micros).unwrap_or_default())
        });
        Some(ExpectedCopy { place: folder.clone(), age })
    }

    /// The databases in the backups of the timer, newest first; empty if no folder is set.
    pub fn backed_up_databases(&self) -> Vec<PathBuf> {
        let found = self.backups.as_deref().and_then(|folder| backups(folder).ok());
        found.unwrap_or_default().into_iter().map(|(_, file)| file).collect()
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

/// The databases in the backups of a folder and when they were made, newest first. The name has
/// the time, because files of a restored replica or a copied backup are newer than their content.
pub fn backups(folder: &Path) -> io::Result<Vec<(Timestamp, PathBuf)>> {
    let mut backups = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Some(at) = entry.file_name().to_str().and_then(backup_made_at) else { continue };
        let file = entry.path().join(BACKUP_DATABASE);
        if file.is_file() {
            backups.push((at, file));
        }
    }
    backups.sort_unstable_by(|one, other| other.cmp(one));
    Ok(backups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(file: &Path) -> StoreSettings {
        StoreSettings::new(format!("sqlite://{}", file.display()))
    }

    #[test]
    fn the_newest_finished_backup_of_the_timer_has_the_age_that_its_name_gives() {
        let backups = tempfile::tempdir().expect("a folder");
        let made = |name: &str| {
            let folder = backups.path().join(name);
            std::fs::create_dir(&folder).expect("made");
            std::fs::write(folder.join("garimpo.db"), "").expect("written");
        };
        let now = Timestamp::parse_rfc3339("2026-11-29T10:00:00Z").expect("an instant");
        let settings = StoreSettings {
            backup_dir: Some(backups.path().to_path_buf()),
            ..settings(Path::new("/data/loja.db"))
        };
        let age = || Copies::of(&settings).backup(now).expect("expected").age;

        assert_eq!(age(), None);
        // A restored replica beside the backups, and unfinished ones.
        made("replica");
        made(".garimpo-backup-unfinished");
        std::fs::create_dir(backups.path().join("2026-11-29T093000Z")).expect("made");
        assert_eq!(age(), None);
        made("2026-11-29T020000Z");
        made("2026-11-29T070000Z");
        assert_eq!(age(), Some(Duration::from_hours(3)));
        made("2026-11-29T120000Z");
        assert_eq!(age(), Some(Duration::ZERO));
    }

    #[test]
    fn a_name_gives_the_time_to_the_second_and_other_names_give_none() {
        let at = |text| Timestamp::parse_rfc3339(text).expect("an instant");
        assert_eq!(backup_name(at("2026-11-29T10:15:07.5Z")), "2026-11-29T101507Z");
        assert_eq!(backup_made_at("2026-11-29T101507Z"), Some(at("2026-11-29T10:15:07Z")));
        for other in [
            "2026-11-29",
            "2026-11-29T10:15:07Z",
            "2026-11-29T101507",
            "lost+found",
            "T",
            "2026-13-29T101507Z",
        ] {
            assert_eq!(backup_made_at(other), None, "{other}");
        }
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
