//! Backups as the timer makes them, and the age of the copies in metrics and doctor rules.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use e2e::provider::{rfc3339, unix_seconds};
use e2e::{App, Person};
use tempfile::TempDir;

/// A product that expects its backups in this folder.
async fn expecting(folder: &TempDir) -> App {
    App::start_with(&[("GARIMPO_BACKUP_DIR", folder.path().to_str().expect("UTF-8"))]).await
}

/// The doctor's findings of a rule; empty without findings.
async fn findings(app: &App, rule: &str) -> String {
    let found = app.admin(&["doctor"]).await;
    let of_rule = found.stdout.lines().skip_while(|line| *line != rule).skip(1);
    of_rule.take_while(|line| line.starts_with(' ')).collect()
}

/// Sets the file's time back.
fn ages(file: &File, by: Duration) {
    let made_at = file.metadata().and_then(|file| file.modified()).expect("its time");
    file.set_modified(made_at - by).expect("its time");
}

/// Gives a backup the name of an earlier time.
fn ages_backup(folder: &Path, by: Duration) {
    let name = folder.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    let (date, time) = name.split_once('T').expect("a time");
    let made_at = unix_seconds(&format!("{date}T{}:{}:{}", &time[..2], &time[2..4], &time[4..]));
    let earlier = rfc3339(made_at - i64::try_from(by.as_secs()).expect("seconds"));
    std::fs::rename(folder, folder.with_file_name(earlier.replace(':', ""))).expect("renamed");
}

/// Waits for a value of the gauge that is as expected, and returns it in seconds.
async fn gauge(app: &App, name: &str, is_expected: impl Fn(f64) -> bool) -> f64 {
    let is_expected = &is_expected;
    e2e::eventually("the gauge", || async {
        let seconds = app.metric(name).await?.parse().ok()?;
        is_expected(seconds).then_some(seconds)
    })
    .await
}

#[tokio::test]
async fn a_missing_or_old_backup_is_reported_until_the_next_one_is_made() {
    let folder = TempDir::with_prefix("garimpo-backups-").expect("a folder");
    let mut app = expecting(&folder).await;
    if app.database_url().is_some() {
        assert_eq!(findings(&app, "backup_recent").await, "", "PostgreSQL has its own tools");
        return;
    }
    let keep = ["backup", "--keep", folder.path().to_str().expect("UTF-8")];
    assert!(findings(&app, "backup_recent").await.contains("the newest backup is missing"));
    gauge(&app, "garimpo_backup_age_seconds", f64::is_infinite).await;

    let made = app.admin(&keep).await;
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(findings(&app, "backup_recent").await, "");

    // The timer has not run for four hours.
    let entry = folder.path().read_dir().expect("the folder").next().expect("a backup").expect("an entry");
    ages_backup(&entry.path(), Duration::from_hours(4));
    let found = findings(&app, "backup_recent").await;
    assert!(found.contains("the newest backup is 240 min old; allowed are 180 min"), "{found}");
    // A restored replica beside the backups has a new file with old content.
    std::fs::create_dir(folder.path().join("replica")).expect("made");
    std::fs::write(folder.path().join("replica/garimpo.db"), "").expect("written");
    assert_eq!(findings(&app, "backup_recent").await, found);
    assert!(found.contains("garimpo-backup.timer"), "{found}");
    // Measured at the start, and then every 15 s.
    app.dies_and_restarts().await;
    gauge(&app, "garimpo_backup_age_seconds", |seconds| (14_400.0..14_500.0).contains(&seconds)).await;
}

#[tokio::test]
async fn backups_of_the_timer_are_bounded_and_other_folders_stay() {
    let folder = TempDir::with_prefix("garimpo-backups-").expect("a folder");
    let app = expecting(&folder).await;
    if app.database_url().is_some() {
        return;
    }
    let path = folder.path().to_str().expect("UTF-8");
    for name in ["before-the-move", "2026-11-01T100000Z", "2019-11-01T100000Z"] {
        let made = app.admin(&["backup", folder.path().join(name).to_str().expect("UTF-8")]).await;
        assert_eq!(made.code, 0, "{made:?}");
        // More than the bound.
        std::fs::write(folder.path().join(name).join("notes"), vec![0; 2 << 20]).expect("written");
    }

    let bounded = app.admin(&["backup", "--keep", path, "--max-mib", "1"]).await;

    assert_eq!(bounded.code, 0, "{bounded:?}");
    let entries = folder.path().read_dir().expect("the folder");
    let mut left: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    left.sort();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(left[1], "before-the-move");
    assert!(bounded.stdout.contains(&left[0]), "{bounded:?}");
    assert_eq!(bounded.stdout.matches("Z  deleted").count(), 2, "{bounded:?}");

    let alone = app.admin(&["backup", path, "--max-mib", "1"]).await;
    assert_eq!(alone.code, 2, "a limit without --keep: {alone:?}");
}

#[tokio::test]
async fn a_replica_that_lacks_writes_is_reported() {
    let app = App::start().await;
    if app.database_url().is_some() {
        return;
    }
    assert_eq!(findings(&app, "replica_recent").await, "", "no replica is expected");
    assert_eq!(app.metric("garimpo_replica_lag_seconds").await, None);

    let mut app = app;
    app.restarts_with(&[("GARIMPO_REPLICATED", "1")]).await;
    assert!(findings(&app, "replica_recent").await.contains("the complete replica is missing"));
    gauge(&app, "garimpo_replica_lag_seconds", f64::is_infinite).await;

    let mark = File::create(app.folder("replica-synced")).expect("created");
    assert_eq!(findings(&app, "replica_recent").await, "");
    ages(&mark, Duration::from_mins(10));
    let found = findings(&app, "replica_recent").await;
    assert!(found.contains("the complete replica is 10 min old; allowed are 5 min"), "{found}");
}

#[tokio::test]
async fn backups_inside_the_data_folder_are_refused() {
    let app = App::start().await;
    let inside = app.folder("backups");
    let folder = TempDir::with_prefix("garimpo-backups-").expect("a folder");
    let settings = [("GARIMPO_BACKUP_DIR", inside.to_str().expect("UTF-8"))];

    let refused = app.runs_with(&["admin", "doctor"], &settings).await;

    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("GARIMPO_BACKUP_DIR"), "{refused:?}");
    let outside = [("GARIMPO_BACKUP_DIR", folder.path().to_str().expect("UTF-8"))];
    assert!(app.runs_with(&["admin", "doctor"], &outside).await.code < 2);
}

#[tokio::test]
async fn backups_of_another_database_stay_and_none_is_deleted_while_selling_is_stopped() {
    let folder = TempDir::with_prefix("garimpo-backups-").expect("a folder");
    let mut app = expecting(&folder).await;
    if app.database_url().is_some() {
        return;
    }
    let path = folder.path().to_str().expect("UTF-8");
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    let good = folder.path().join("2026-10-01T100000Z");
    assert_eq!(app.admin(&["backup", good.to_str().expect("UTF-8")]).await.code, 0);
    // A visitor started the shop on an empty database.
    app.kill();
    app.loses_database();
    app.restart().await;
    app.wait_for_metric("garimpo_selling_stopped", "1").await;
    let empty = folder.path().join("2019-10-01T100000Z");
    assert_eq!(app.admin(&["backup", empty.to_str().expect("UTF-8")]).await.code, 0);

    let stopped = app.admin(&["backup", "--keep", path]).await;

    assert_eq!(stopped.code, 0, "{stopped:?}");
    assert!(stopped.stdout.contains("no old backup is deleted while selling is stopped"), "{stopped:?}");
    assert!(good.exists() && empty.exists());
    let found = findings(&app, "empty_beside_payers").await;
    let advice = format!("garimpo admin restore {} (the newest backup with accounts)", good.display());
    assert!(found.contains(&advice), "{found}");

    assert_eq!(app.admin(&["provider", "accept-empty"]).await.code, 0);
    // Its name is the second, which the first one has taken.
    e2e::eventually("a backup", || async {
        (app.admin(&["backup", "--keep", path]).await.code == 0).then_some(())
    })
    .await;
    assert!(good.exists(), "a backup of another database");
    assert!(!empty.exists(), "an old backup of this database");
}
