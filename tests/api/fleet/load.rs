//! Visitors buy without pause while processes behind a load balancer are drained, killed and
//! started.

use std::time::Instant;

use e2e::fleet::{Fleet, Node, STOPS_WITHIN};
use e2e::ledger;
use e2e::shoppers::{Failed, Payment, Record, Shoppers};
use e2e::soak;

use super::fleet;

const PROXIES: (&str, &str) = ("GARIMPO_TRUSTED_PROXIES", "127.0.0.0/8");
const PEOPLE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn processes_can_drain_die_and_join_under_load_without_loss() {
    let mut fleet = fleet!(Fleet::start_with(2, &[PROXIES]));
    // The first checkout would wait until the catalogue is at the provider.
    fleet.wait_until_idle().await;
    let shoppers = Shoppers::start(&[fleet.balancer.url()], fleet.provider(), PEOPLE);
    shoppers.buys(4).await;
    assert_work_is_shared(&fleet).await;

    // A third process enters and the second one leaves.
    fleet.starts_a_node().await;
    drains(&mut fleet.nodes[1], &shoppers).await;
    shoppers.buys(3).await;
    assert_no_failures("while a process was drained", &shoppers.failed());
    fleet.nodes[1].restart().await;
    // The balancer skips a process for a while after a failed check.
    e2e::eventually("a call over the process that came back", || async {
        let calls = fleet.nodes[1].counts("garimpo_gateway_http_requests_total", "").await;
        (calls > 0).then_some(())
    })
    .await;

    // The first process is killed.
    let killed_at = Instant::now();
    fleet.nodes[0].kill();
    shoppers.buys(5).await;
    let lost = shoppers.failed();
    fleet.nodes[0].restart().await;
    shoppers.buys(3).await;

    let record = shoppers.stop().await;
    println!(
        "{} calls, {} purchases, the slowest call {} ms",
        record.calls,
        record.paid.len(),
        record.slowest_ms
    );
    println!("lost with the killed process: {lost:?}");
    for failed in &record.failed {
        assert!(failed.why == "Unavailable", "{failed:?}");
        assert!(failed.at.duration_since(killed_at).as_secs() < 3, "later calls all succeed: {failed:?}");
    }
    assert!(record.failed.len() <= PEOPLE, "only calls in flight may fail: {:?}", record.failed);
    assert_nothing_lost_or_doubled(&fleet, &record).await;
}

/// Runs in `make soak` only, because it takes minutes.
#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_under_random_kills_and_drains_loses_only_calls_in_flight() {
    let seconds = soak::number("GARIMPO_SOAK_SECONDS", if soak::is_long() { 600 } else { 0 });
    if seconds == 0 {
        return;
    }
    let mut fleet = fleet!(Fleet::start_with(3, &[PROXIES]));
    fleet.wait_until_idle().await;
    let shoppers = Shoppers::start(&[fleet.balancer.url()], fleet.provider(), PEOPLE);
    let (began, mut kills) = (Instant::now(), 0);

    while began.elapsed().as_secs() < seconds {
        let node = &mut fleet.nodes[rand::random::<u32>() as usize % 3];
        if rand::random() {
            kills += 1;
            node.kill();
        } else {
            drains(node, &shoppers).await;
        }
        shoppers.buys(2).await;
        node.restart().await;
        shoppers.buys(2).await;
    }

    let record = shoppers.stop().await;
    println!("{kills} kills, {} purchases, {} calls lost", record.paid.len(), record.failed.len());
    assert!(record.failed.iter().all(|failed| failed.why == "Unavailable"), "{:?}", record.failed);
    assert!(record.failed.len() <= PEOPLE * kills, "only calls in flight may fail: {:?}", record.failed);
    assert_nothing_lost_or_doubled(&fleet, &record).await;
}

/// Stops a node under load: it exits with 0, and no call fails although calls are made.
async fn drains(node: &mut Node, shoppers: &Shoppers) {
    let (began, calls, failed) = (Instant::now(), shoppers.calls(), shoppers.failed().len());
    node.process.terminate();
    assert_eq!(node.process.ends(STOPS_WITHIN).await, Some(0));
    let calls = shoppers.calls() - calls;
    eprintln!("drained in {:?}, {calls} calls meanwhile", began.elapsed());
    assert!(calls > 0, "calls were made during the stop");
    assert_no_failures("while a process was drained", &shoppers.failed()[failed..]);
}

async fn assert_work_is_shared(fleet: &Fleet) {
    let mut counts = Vec::new();
    for node in &fleet.nodes {
        counts.push(node.counts("garimpo_rpc_requests_total", "Service/").await);
    }
    assert!(counts.iter().all(|count| *count > 0), "the work is not shared: {counts:?}");
}

fn assert_no_failures(when: &str, failed: &[Failed]) {
    assert!(failed.is_empty(), "{when}: {failed:?}");
}

/// Asserts that everything that was acknowledged exists exactly once.
async fn assert_nothing_lost_or_doubled(fleet: &Fleet, record: &Record) {
    fleet.wait_until_idle().await;
    let within = |uids: Vec<&String>| {
        let quoted: Vec<_> = uids.into_iter().map(|uid| format!("'{uid}'")).collect();
        quoted.join(", ")
    };
    let signed_up = within(record.signed_up.iter().collect());
    let accounts = fleet.count(format!("SELECT COUNT(*) FROM accounts WHERE uid IN ({signed_up})")).await;
    assert_eq!(accounts, record.signed_up.len() as i64, "every acknowledged account");

    let paid = within(record.paid.iter().map(|purchase| &purchase.visitor.uid).collect());
    for (what, query) in [
        ("subscriptions", format!("SELECT COUNT(*) FROM subscriptions WHERE uid IN ({paid})")),
        ("live ones", format!("SELECT COUNT(*) FROM subscriptions WHERE live AND uid IN ({paid})")),
        (
            "invoices",
            format!("SELECT COUNT(*) FROM invoices WHERE paid_at_us IS NOT NULL AND uid IN ({paid})"),
        ),
    ] {
        assert_eq!(fleet.count(query).await, record.paid.len() as i64, "one each: {what}");
    }
    for purchase in &record.paid {
        ledger::eventually_agrees(&fleet.provider(), &purchase.visitor).await;
        let mails = fleet.provider().mails_to(&purchase.visitor.email).await;
        let expected = if purchase.payment == Payment::Boleto { 1..=2 } else { 1..=1 };
        assert!(expected.contains(&mails.len()), "{}: {mails:?}", purchase.session);
    }
    let parked = fleet.count("SELECT COUNT(*) FROM jobs WHERE state = 'parked'".into()).await;
    assert_eq!(parked, 0, "no job was given up");
}
