//! A server that is killed or suspended while it runs a job.

use std::time::{Duration, Instant};

use e2e::Person;
use e2e::fleet::Fleet;
use serde_json::json;

use super::fleet;

/// A lease, the interval at which another server looks for due jobs, and a margin for a slow
/// machine.
const TAKEOVER: Duration = Duration::from_secs(12);

const MAIL: &str = "kind = 'mail'";

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_a_dead_server_is_taken_over_and_done_once() {
    let mut fleet = fleet!(Fleet::start_with(1, &[]));
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    // The mailbox is so slow that the server is killed during the delivery.
    fleet.provider().add_fault(json!({ "path": "/mail", "delay_ms": 4000, "times": 1 })).await;
    fleet.provider().pays_by_card(&session, "4242424242424242").await;
    wait_for_claim(&fleet, 1).await;

    let died_at = Instant::now();
    fleet.nodes[0].kill();
    fleet.starts_a_node().await;

    wait_for_claim(&fleet, 2).await;
    let taken_over = died_at.elapsed();
    fleet.wait_until_idle().await;
    println!("the job was taken over after {taken_over:?}");
    assert!(taken_over < TAKEOVER, "{taken_over:?}");
    assert_eq!(ana.record().await["subscription_active"], true);
    assert_eq!(fleet.provider().mails_to(&ana.email).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stalled_does_not_undo_a_job_that_another_took_over() {
    let mut fleet = fleet!(Fleet::start_with(1, &[]));
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    fleet.provider().add_fault(json!({ "path": "/mail", "delay_ms": 2000, "times": 2 })).await;
    fleet.provider().pays_by_card(&session, "4242424242424242").await;
    wait_for_claim(&fleet, 1).await;

    fleet.nodes[0].process.suspend();
    fleet.starts_a_node().await;
    wait_for_claim(&fleet, 2).await;
    // The first server resumes while the other one runs the same job.
    fleet.nodes[0].process.resume();

    fleet.wait_until_idle().await;
    let state = fleet.count(format!("SELECT COUNT(*) FROM jobs WHERE {MAIL} AND state = 'done'")).await;
    assert_eq!(state, 1);
    assert_eq!(fleet.count(format!("SELECT attempts FROM jobs WHERE {MAIL}")).await, 2);
    assert_eq!(fleet.provider().mails_to(&ana.email).await.len(), 1);
}

/// Waits until the mail's job was claimed for the `n`th time.
async fn wait_for_claim(fleet: &Fleet, n: i64) {
    let query = format!("SELECT COUNT(*) FROM jobs WHERE {MAIL} AND attempts = {n}");
    e2e::eventually("the claim of the mail", || async {
        (fleet.count(query.clone()).await == 1).then_some(())
    })
    .await;
}
