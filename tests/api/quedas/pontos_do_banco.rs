//! Deaths between two transactions of retention, and between two migrations.

use std::sync::Arc;

use e2e::{Cluster, soak};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Together, at_once};

const DAY: i64 = 86_400;
/// Rows that retention is to remove, of which one transaction removes a thousand.
const OLD_ROWS: i64 = 2_500;

#[tokio::test]
async fn retencao_que_morre_remove_o_resto_depois() {
    let mut cluster = Cluster::start(Together).await;
    cluster.comes_to_rest().await;
    let mut pass = 1;
    while retention_dies(&mut cluster, pass).await && (soak::is_long() || pass < 2) {
        pass += 1;
    }
    eprintln!("rows.purged: {} passes of a day's retention", if soak::is_long() { pass - 1 } else { pass });
    assert!(pass > 1, "it was never reached");
}

/// One day's retention over one death; answers whether the point was reached.
async fn retention_dies(cluster: &mut Cluster, pass: i64) -> bool {
    cluster
        .changes_ours(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {OLD_ROWS})
             INSERT INTO limits (key, taken, ends_at_us) SELECT 'velho:' || i, 1, 1 FROM n"
        ))
        .await;
    cluster.is_doomed(&format!("rows.purged:{pass}"));
    let who = cluster.survivor();
    let tomorrow = cluster.survivor().now().await + DAY + 60;
    let walk = tokio::spawn(async move { who.lets_time_pass(tomorrow).await });
    let died = cluster.dies_within(&walk).await;
    if died {
        let left = old_rows(cluster).await;
        assert_eq!(left, (OLD_ROWS - pass * 1_000).max(0), "each transaction removes a thousand");
        cluster.rise().await;
    } else {
        cluster.is_pardoned().await;
    }
    walk.await.expect("the day comes to its end");
    cluster.comes_to_rest().await;
    cluster.is_whole().await;
    assert_eq!(old_rows(cluster).await, 0);
    died
}

async fn old_rows(cluster: &Cluster) -> i64 {
    let count = cluster.ours("SELECT CAST(count(*) AS TEXT) FROM limits WHERE key LIKE 'velho:%'").await;
    count[0].parse().expect("a number")
}

#[tokio::test]
async fn migracao_que_morre_continua_no_proximo_inicio() {
    if !soak::is_long() {
        assert!(migration_dies(9).await);
        return;
    }
    let (mut all, places) = (JoinSet::new(), Arc::new(Semaphore::new(at_once())));
    // More than there are: the last ones are not reached.
    for pass in 1..=60 {
        let places = places.clone();
        all.spawn(async move {
            let _place = places.acquire().await;
            migration_dies(pass).await
        });
    }
    let died = all.join_all().await.into_iter().filter(|died| *died).count();
    eprintln!("migration.applied: {died} passes of a first start");
    assert!(died > 20, "{died}");
}

/// A first start that dies after so many migrations, and the next one; answers whether it died.
async fn migration_dies(pass: usize) -> bool {
    let mut cluster = Cluster::dies_at_birth(Together, &format!("migration.applied:{pass}")).await;
    let mut who = cluster.survivor();
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
    cluster.rise().await;
    let who = visit.await.expect("somebody signs up");
    cluster.is_whole().await;
    cluster.comes_to_rest().await;
    who.finds_all_again().await;
    died
}
