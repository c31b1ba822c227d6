//! Servers that start at the same time, and a program older than the database.

use std::time::Duration;

use e2e::fleet::Fleet;
use e2e::process::Process;

use super::fleet;

const AT_ONCE: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn five_servers_that_start_at_once_on_an_empty_database_all_become_ready() {
    let fleet = fleet!(Fleet::start_with(0, &[]));
    let folders: Vec<_> = (0..AT_ONCE).map(|_| tempfile::TempDir::new().unwrap()).collect();

    let mut starting = tokio::task::JoinSet::new();
    for folder in &folders {
        let (path, settings) = (folder.path().to_path_buf(), fleet.node_settings());
        starting.spawn(async move { Process::start("serve", &path, &settings).await });
    }
    let running = starting.join_all().await;

    assert_eq!(running.len(), AT_ONCE);
    let twice =
        "SELECT COUNT(*) FROM (SELECT version FROM _sqlx_migrations GROUP BY version HAVING COUNT(*) > 1) t";
    assert_eq!(fleet.count(twice.into()).await, 0);
    assert_eq!(fleet.count("SELECT COUNT(*) FROM _sqlx_migrations WHERE NOT success".into()).await, 0);
    let pushes = "SELECT COUNT(*) FROM jobs WHERE kind = 'catalog_push'";
    assert_eq!(fleet.count(pushes.into()).await, 1, "one start of all brings the catalogue");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_program_runs_until_a_migration_excludes_it_and_then_refuses_to_start() {
    let mut fleet = fleet!(Fleet::start_with(1, &[]));
    fleet
        .executes(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9999, 'of version N+1', true, 'x', 0)",
        )
        .await;
    let folder = tempfile::TempDir::new().unwrap();
    let (mut runs, _) = Process::start("serve", folder.path(), &fleet.node_settings()).await;
    runs.kill();
    fleet.executes("INSERT INTO schema_requirements (migration, oldest_migration) VALUES (9999, 9999)").await;
    let folder = tempfile::TempDir::new().unwrap();

    let mut late = Process::spawn("serve", folder.path(), &fleet.node_settings());

    assert_ne!(late.ends(Duration::from_secs(10)).await, Some(0));
    let log = late.log_text();
    let said: Vec<_> = log.lines().filter(|line| line.starts_with("garimpo: ")).collect();
    assert_eq!(said.len(), 1, "{log}");
    assert!(said[0].contains("newer than this program (migration 9999)"), "{log}");
    fleet.visitor().signs_up(&e2e::Person::new()).await;
    fleet.nodes[0].process.terminate();
    assert_eq!(fleet.nodes[0].process.ends(e2e::fleet::STOPS_WITHIN).await, Some(0));
}
