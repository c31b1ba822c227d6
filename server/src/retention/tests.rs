//! What is removed, and when; origins, counts and conversions stand in `users/tests/consent.rs`,
//! codes in `auth/tests/recovery.rs`, the audit trail in `auth/tests/audit.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::billing::record_pix_refund;
use crate::operator::tests::execute_sql;
use crate::store::engine::ro;
use crate::store::operator::refund_marks;
use crate::tests::clock::TestClock;
use crate::tests::database::Database;
use crate::tests::world::World;

async fn count(store: &Store, counting: &'static str) -> i64 {
    let count = ro!(store, value built counting);
    count.expect("the table can be read")
}

/// Runs as it would so many days later.
async fn run_after(world: &World, days: i64) {
    let clock = TestClock::at(&world.app.clock().now().plus_days(days).to_rfc3339());
    run(world.app.store().clone(), Arc::new(clock)).await.expect("it runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_kept_ninety_days_and_unused_sessions_thirty() {
    let (world, ana) = World::new().await.with_ana().await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let store = world.app.store();
    let kept = async |days| {
        run_after(&world, days).await;
        let events = count(store, "SELECT COUNT(*) FROM events").await;
        (events > 0, count(store, "SELECT COUNT(*) FROM sessions").await)
    };

    assert_eq!(kept(29).await, (true, 1));
    assert_eq!(kept(31).await, (true, 0));
    assert_eq!(kept(89).await, (true, 0));
    assert_eq!(kept(91).await, (false, 0));
    assert!(count(store, "SELECT COUNT(*) FROM invoices").await > 0, "what was paid is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pix_key_is_kept_until_seven_days_after_it_is_paid() {
    let (world, ana) = World::new().await.with_ana().await;
    let slip = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&slip).await;
    world.rest().await;
    world.pays_boleto(&slip).await;
    world.rest().await;
    world.wants_back(&ana, None).await.expect("it is given back");
    let store = world.app.store();
    let keys = async |days| {
        run_after(&world, days).await;
        count(store, "SELECT COUNT(*) FROM refunds WHERE pix_key IS NOT NULL").await
    };
    assert_eq!(keys(60).await, 1, "nobody was paid yet");

    let refund = refund_marks::list(store, None, 10).await.expect("readable").remove(0);
    let now = world.app.clock().now();
    assert_eq!(record_pix_refund(store, &refund.id, "TED", now).await.expect("written"), Some(now));

    assert_eq!(keys(6).await, 1);
    assert_eq!(keys(8).await, 0);
}

/// Done jobs that ended in this order, one a microsecond.
async fn ended_jobs(database: &Database, count: i64) {
    let rows = format!(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, priority, ended_at_us)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
         SELECT 'mail', CAST(n AS TEXT), '{{}}', 'done', 0, 1, 1, 8, n FROM numbers"
    );
    execute_sql(database, &rows).await;
}

/// Makes the removal of one job fail.
async fn keeps(database: &Database, key: &str) {
    let statements = if database.is_postgres() {
        format!(
            "CREATE FUNCTION kept() RETURNS trigger AS
               $$ BEGIN RAISE EXCEPTION 'it cannot be removed'; END $$ LANGUAGE plpgsql;
             CREATE TRIGGER kept BEFORE DELETE ON jobs FOR EACH ROW WHEN (OLD.key = '{key}') EXECUTE FUNCTION kept()"
        )
    } else {
        format!(
            "CREATE TRIGGER kept BEFORE DELETE ON jobs WHEN OLD.key = '{key}'
             BEGIN SELECT RAISE(ABORT, 'it cannot be removed'); END"
        )
    };
    execute_sql(database, &statements).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_removes_at_most_a_thousand_rows_and_earlier_removals_are_kept() {
    let database = Database::new().await;
    let store = database.open().await;
    ended_jobs(&database, 3_500).await;
    keeps(&database, "2500").await;

    let failed = run(store.clone(), Arc::new(TestClock::at("2026-11-20T12:00:00Z"))).await;

    assert!(failed.is_err(), "{failed:?}");
    assert_eq!(count(&store, "SELECT COUNT(*) FROM jobs").await, 1_500, "two transactions of 1,000");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_expired_rows_are_removed_in_one_run() {
    let database = Database::new().await;
    let store = database.open().await;
    ended_jobs(&database, 3_500).await;

    let done = run(store.clone(), Arc::new(TestClock::at("2026-11-20T12:00:00Z"))).await;

    let tomorrow = Timestamp::parse_rfc3339("2026-11-21T12:00:00Z").expect("an instant");
    assert_eq!(done, Ok(JobOutcome::Again(tomorrow)));
    assert_eq!(count(&store, "SELECT COUNT(*) FROM jobs").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_checkout_is_kept_thirty_days_and_a_paid_one_stays() {
    let database = Database::new().await;
    let store = database.open().await;
    let now = Timestamp::parse_rfc3339("2026-11-20T12:00:00Z").expect("an instant");
    let checkout = |id: &str, days: i64, payment_status: &str, settled: &str| {
        let begun_us = now.plus_days(-days).as_micros();
        format!(
            "INSERT INTO checkouts (id, uid, email, plan_id, plan_interval, coupon_id, promo_code, price_id,
               price_centavos, quoted_centavos, first_payment_centavos, attempt, status, payment_status, settled,
               created_at_us)
             VALUES ('{id}', 'ana', 'ana@example.com', 'elite', 'monthly', '', '', '', 1, 1, 1, 1, 'expired',
               '{payment_status}', {settled}, {begun_us});
             INSERT INTO checkout_requests (uid, request_id, checkout_id, created_at_us)
             VALUES ('ana', '{id}', '{id}', {begun_us});"
        )
    };
    let rows = [
        checkout("abandoned", 31, "unpaid", "TRUE"),
        checkout("lately", 29, "unpaid", "TRUE"),
        checkout("paid", 400, "paid", "TRUE"),
        checkout("open", 400, "unpaid", "FALSE"),
    ];
    execute_sql(&database, &rows.concat()).await;

    run(store.clone(), Arc::new(TestClock::at("2026-11-20T12:00:00Z"))).await.expect("it runs");

    let kept: Vec<String> = ro!(&store, values "SELECT id FROM checkouts ORDER BY id").expect("readable");
    assert_eq!(kept, ["lately", "open", "paid"]);
    assert_eq!(count(&store, "SELECT COUNT(*) FROM checkout_requests").await, 1, "that of lately");
}

/// What the documentation says of each table: how long it is kept.
fn documentation() -> BTreeMap<&'static str, &'static str> {
    let page = include_str!("../../../docs/operation.md");
    let section = page.split("## What is kept how long\n").nth(1).expect("the section");
    let rows =
        section.split("\n## ").next().into_iter().flat_map(str::lines).filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let cells: Vec<_> = row.split(" | ").collect();
        let names: Vec<_> = cells[0].split('`').skip(1).step_by(2).collect();
        names.into_iter().map(move |name| (name, cells[2]))
    })
    .collect()
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documentation_states_the_retention_time_of_every_table() {
    let database = Database::sqlite();
    let store = database.open().await;
    let documentation = documentation();
    let tables: BTreeSet<String> = ro!(&store, values
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'
           AND name <> '_sqlx_migrations'")
    .map(|tables: Vec<String>| tables.into_iter().collect())
    .expect("readable");

    let documented: BTreeSet<String> =
        documentation.keys().filter(|name| !name.contains('.')).map(|name| (*name).to_owned()).collect();
    assert_eq!(documented, tables);
    for (name, kept) in documentation {
        let days = EXPIRING.iter().find(|expiring| expiring.name == name);
        let days = days.map(|expiring| expiring.kept_days).filter(|days| *days > 0);
        assert_eq!(numbers(kept), Vec::from_iter(days), "{name}: {kept}");
    }
    for Expiring { name, .. } in &EXPIRING {
        assert!(self::documentation().contains_key(*name), "{name}");
    }
}
