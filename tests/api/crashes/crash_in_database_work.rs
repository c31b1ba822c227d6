//! Crashes between two transactions of retention, and after a migration.

use e2e::{Cluster, soak};

use super::Together;

const DAY: i64 = 86_400;
/// Rows that retention must delete; one transaction deletes a thousand.
const OLD_ROWS: i64 = 2_500;

#[tokio::test]
async fn a_retention_run_that_crashes_removes_the_rest_later() {
    let mut cluster = Cluster::start(Together).await;
    cluster.wait_until_idle().await;
    let mut pass = 1;
    while crash_retention(&mut cluster, pass).await && (soak::is_long() || pass < 2) {
        pass += 1;
    }
    eprintln!("rows.purged: {} passes of a day's retention", if soak::is_long() { pass - 1 } else { pass });
    assert!(pass > 1, "it was never reached");
}

/// Runs the retention of a day during a crash; returns whether the point was reached.
async fn crash_retention(cluster: &mut Cluster, pass: i64) -> bool {
    cluster
        .changes_ours(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {OLD_ROWS})
             INSERT INTO limits (key, taken, ends_at_us) SELECT 'velho:' || i, 1, 1 FROM n"
        ))
        .await;
    cluster.restart_with_crash_point(&format!("rows.purged:{pass}"));
    let who = cluster.retrying_visitor();
    let tomorrow = cluster.retrying_visitor().now().await + DAY + 60;
    let walk = tokio::spawn(async move { who.lets_time_pass(tomorrow).await });
    let died = cluster.crashes_during(&walk).await;
    if died {
        let left = old_rows(cluster).await;
        assert_eq!(left, (OLD_ROWS - pass * 1_000).max(0), "each transaction removes a thousand");
        cluster.restart().await;
    } else {
        cluster.restart_without_crash_point().await;
    }
    walk.await.expect("the day comes to its end");
    cluster.wait_until_idle().await;
    cluster.assert_files_intact().await;
    assert_eq!(old_rows(cluster).await, 0);
    died
}

async fn old_rows(cluster: &Cluster) -> i64 {
    let count = cluster.ours("SELECT CAST(count(*) AS TEXT) FROM limits WHERE key LIKE 'velho:%'").await;
    count[0].parse().expect("a number")
}

#[tokio::test]
async fn a_first_start_that_crashes_after_a_migration_continues_at_the_next_start() {
    let mut pass = 1;
    while crash_migration(pass).await {
        pass += 1;
    }
    eprintln!("migration.applied: {} passes of a first start", pass - 1);
    assert!(pass > 1, "it was never reached");
}

/// A first start that crashes after `pass` migrations, and the next start; returns whether it
/// crashed.
async fn crash_migration(pass: usize) -> bool {
    let mut cluster = Cluster::start_with_crash_point(Together, &format!("migration.applied:{pass}")).await;
    let mut who = cluster.retrying_visitor();
    let visit = tokio::spawn(async move {
        who.signs_up().await;
        who
    });
    let died = loop {
        if cluster.has_aborted() {
            break true;
        }
        if visit.is_finished() {
            break false;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    cluster.restart().await;
    let who = visit.await.expect("a sign-up");
    cluster.assert_files_intact().await;
    cluster.wait_until_idle().await;
    who.assert_acknowledged_kept().await;
    died
}
