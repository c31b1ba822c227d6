//! Which backups of a folder are kept: one of each hour for 48 hours, one of each day for 30 days,
//! and no more bytes than allowed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use garimpo_domain::Timestamp;
use garimpo_server::store::engine::copies::backups;
use garimpo_server::store::engine::restore::database_id;

const KEPT_HOURS: i64 = 48;
const KEPT_DAYS: i64 = 30;
const MICROS_PER_HOUR: i64 = 3_600 * 1_000_000;

/// A backup in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Backup {
    folder: PathBuf,
    at: Timestamp,
    bytes: u64,
}

/// Deletes the backups of a database that are not kept, and returns their folders. Backups of other
/// databases and other folders stay.
pub async fn rotate(folder: &Path, database: &str, now: Timestamp, max_bytes: u64) -> Result<Vec<PathBuf>> {
    let deleted = deleted(read(folder, database).await?, now, max_bytes);
    for backup in &deleted {
        std::fs::remove_dir_all(backup).with_context(|| format!("{} cannot be deleted", backup.display()))?;
    }
    Ok(deleted)
}

async fn read(folder: &Path, database: &str) -> Result<Vec<Backup>> {
    let mut found = Vec::new();
    for (at, file) in backups(folder)? {
        let Some(folder) = file.parent() else { continue };
        if database_id(&file).await.as_deref() == Some(database) {
            found.push(Backup { folder: folder.to_owned(), at, bytes: bytes(folder)? });
        }
    }
    Ok(found)
}

fn bytes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for file in std::fs::read_dir(folder)? {
        sum += file?.metadata()?.len();
    }
    Ok(sum)
}

/// The backups to delete. The newest one always stays.
fn deleted(mut backups: Vec<Backup>, now: Timestamp, max_bytes: u64) -> Vec<PathBuf> {
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.at));
    let (mut hours, mut days) = (HashSet::new(), HashSet::new());
    let (mut sum, mut is_newest) = (0, true);
    let mut is_kept = |backup: &Backup| {
        let hour = backup.at.as_micros() / MICROS_PER_HOUR;
        let is_of_hour = backup.at >= now.plus_hours(-KEPT_HOURS) && hours.insert(hour);
        // Each day's newest is counted also while it is kept as its hour's.
        let is_of_day = days.insert(hour / 24) && backup.at >= now.plus_days(-KEPT_DAYS);
        let is_newest = std::mem::take(&mut is_newest);
        let is_kept = is_newest || ((is_of_hour || is_of_day) && sum + backup.bytes <= max_bytes);
        sum += if is_kept { backup.bytes } else { 0 };
        is_kept
    };
    backups.retain(|backup| !is_kept(backup));
    backups.into_iter().map(|backup| backup.folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use garimpo_server::store::engine::copies::backup_name;

    const NOW: &str = "2026-11-29T10:30:00Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).expect("an instant")
    }

    /// A backup of 100 bytes, this many minutes before [`NOW`].
    fn ago(minutes: i64) -> Backup {
        let at = at(NOW).plus_minutes(-minutes);
        Backup { folder: PathBuf::from(backup_name(at)), at, bytes: 100 }
    }

    fn kept(backups: &[Backup], max_bytes: u64) -> Vec<Backup> {
        let deleted = deleted(backups.to_vec(), at(NOW), max_bytes);
        backups.iter().filter(|backup| !deleted.contains(&backup.folder)).cloned().collect()
    }

    #[test]
    fn forty_eight_hours_and_thirty_days_are_kept_of_a_year_of_hourly_backups() {
        let year: Vec<Backup> = (0..24 * 365).map(|hour| ago(60 * hour)).collect();

        let kept = kept(&year, u64::MAX);

        // 48 hours ago is within the limit, and the newest of each day before.
        let hourly = (0..=48).map(|hour| ago(60 * hour));
        let newest_of_day = |days: i64| ago(60 * (24 * days) - 60 * 13);
        let daily = (3..=30).map(newest_of_day);
        assert_eq!(kept, hourly.chain(daily).collect::<Vec<_>>());
    }

    #[test]
    fn the_newest_of_several_backups_in_one_hour_is_kept() {
        let kept = kept(&[ago(31), ago(20), ago(10), ago(5)], u64::MAX);
        assert_eq!(kept, [ago(31), ago(5)]);
    }

    #[test]
    fn the_oldest_are_deleted_first_when_bytes_are_short_and_the_newest_stays() {
        let backups = [ago(0), ago(60), ago(120), ago(180)];
        assert_eq!(kept(&backups, 250), backups[..2]);
        assert_eq!(kept(&backups, 10), backups[..1]);
    }
}
