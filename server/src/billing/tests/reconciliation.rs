//! Changes that no webhook delivered are found in the event list or by a sweep over the provider's
//! lists.

use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use serde_json::json;

use crate::billing::jobs::reconciliation::schedule_sweep;
use crate::operator::tests::execute_sql;
use crate::providers::CallClass;
use crate::queue::JobKind;
use crate::store::billing::{customers, invoices, reconciliation, subscriptions};
use crate::store::operator::invariants;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::store::{JobState, NewJob, StoreError, jobs, transaction};
use crate::tests::database::Database;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

/// Ana and Bia have subscriptions whose every event was read.
async fn two_subscribers(world: &World) -> [SignedInUser; 2] {
    let ana = world.signs_up("ana@exemplo.com.br").await;
    world.subscribes(&ana, "top_afiliado", "anual").await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    world.subscribes(&bia, "top_afiliado", "anual").await;
    world.advances_minutes(11).await;
    [ana, bia]
}

/// Cancels Ana's subscription at the provider's dashboard, without a webhook.
async fn cancel_without_webhook(world: &World, who: &SignedInUser) {
    let id = subscriptions::by_uid(world.app.store(), &who.uid).await.expect("readable").remove(0).id;
    world.fails(json!({ "webhooks": "drop" })).await;
    let form = [("cancel_at_period_end", "true")];
    let (status, body) = world.provider_tries(&format!("/v1/subscriptions/{id}"), &form).await;
    assert_eq!(status, 200, "{body}");
    world.rest().await;
    assert!(!is_canceled(world, who).await, "nobody has told us");
}

async fn is_canceled(world: &World, who: &SignedInUser) -> bool {
    subscriptions::by_uid(world.app.store(), &who.uid).await.expect("readable").remove(0).cancel_at_period_end
}

async fn tickets(world: &World, who: &SignedInUser) -> i64 {
    customers::by_uid(world.app.store(), &who.uid).await.expect("readable").expect("a customer").ticket_issued
}

async fn newest_event(world: &World) -> String {
    world.provider_list("/v1/events?limit=1").await[0]["id"].as_str().expect("an id").to_owned()
}

/// Sets the cursor of the event list, as if it was read at an instant.
async fn moves_cursor(world: &World, to: &str, read_at: Timestamp) {
    let from = reconciliation::current(world.app.store()).await.expect("readable").event_cursor;
    let moved: Result<bool, StoreError> = transaction!(world.app.store(), (from, to = to.to_owned()), |tx| {
        reconciliation::move_event_cursor(tx, from, to, read_at).await
    });
    assert!(moved.expect("storable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missed_event_is_read_from_the_event_list_and_only_its_account_is_synced() {
    let world = World::new().await;
    let [ana, bia] = two_subscribers(&world).await;
    cancel_without_webhook(&world, &ana).await;
    let of_bia = tickets(&world, &bia).await;

    world.advances_minutes(11).await;

    assert!(is_canceled(&world, &ana).await);
    assert_eq!(tickets(&world, &bia).await, of_bia, "no unknown event names Bia");
    let span = (0, i64::MAX);
    let idle =
        invariants::events_without_job(world.app.store(), &["customer.subscription.updated"], span, 9).await;
    assert!(idle.expect("readable").is_empty(), "the doctor would name what was read otherwise");
    let of_ana = tickets(&world, &ana).await;
    world.advances_minutes(11).await;
    assert_eq!(tickets(&world, &ana).await, of_ana, "an event that was read is not read again");
    let cursor = reconciliation::current(world.app.store()).await.expect("readable").event_cursor;
    assert_eq!(cursor, newest_event(&world).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_cursor_that_the_provider_no_longer_has_starts_a_full_sweep() {
    let world = World::new().await;
    let [ana, bia] = two_subscribers(&world).await;
    let now = world.app.clock().now();

    cancel_without_webhook(&world, &ana).await;
    moves_cursor(&world, "evt_esquecido", now).await;
    world.advances_minutes(11).await;
    assert!(is_canceled(&world, &ana).await, "the cursor's event is unknown");
    assert_eq!(
        reconciliation::current(world.app.store()).await.expect("readable").event_cursor,
        newest_event(&world).await
    );

    cancel_without_webhook(&world, &bia).await;
    let newest = newest_event(&world).await;
    moves_cursor(&world, &newest, now.plus_days(-31)).await;
    world.advances_minutes(11).await;
    assert!(is_canceled(&world, &bia).await, "the list was not read for more than 30 days");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_paged_sweep_finds_changes_that_the_event_list_does_not_show() {
    let world = World::new().await;
    let [ana, bia] = two_subscribers(&world).await;
    cancel_without_webhook(&world, &ana).await;
    let invoice = invoices::by_uid(world.app.store(), &bia.uid).await.expect("readable").remove(0);
    let form = [("payment_intent", invoice.payment_intent_id.as_deref().expect("a payment"))];
    let (status, body) = world.provider_tries("/v1/refunds", &form).await;
    assert_eq!(status, 200, "{body}");
    let newest = newest_event(&world).await;
    moves_cursor(&world, &newest, world.app.clock().now()).await;
    world.advances_minutes(11).await;
    assert!(!is_canceled(&world, &ana).await, "the event list shows nothing");

    sweeps(&world).await;

    assert!(is_canceled(&world, &ana).await);
    let invoice = invoices::by_uid(world.app.store(), &bia.uid).await.expect("readable").remove(0);
    assert_eq!(invoice.refunded_centavos, invoice.amount_due_centavos);
    let (of_ana, of_bia) = (tickets(&world, &ana).await, tickets(&world, &bia).await);
    sweeps(&world).await;
    assert_eq!(tickets(&world, &ana).await, of_ana, "what agrees is not read again");
    assert_eq!(tickets(&world, &bia).await, of_bia);
}

async fn sweeps(world: &World) {
    let now = world.app.clock().now();
    let begun: Result<(), StoreError> = transaction!(world.app.store(), |tx| schedule_sweep(tx, now).await);
    begun.expect("storable");
    world.settles().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_checkout_without_an_event_is_synced_before_open_ones() {
    let (world, ana) = World::new().await.with_ana().await;
    world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.advances_minutes(25 * 60).await;
    // Its event came before the row had the session's id, so it was not settled. Thirty other
    // boletos are open.
    let others = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
         INSERT INTO checkouts (id, uid, email, plan_id, plan_interval, coupon_id, promo_code, price_id,
           price_centavos, quoted_centavos, first_payment_centavos, attempt, session_id, status, payment_status,
           settled, created_at_us)
         SELECT 'chk_' || i, 'a_' || i, '', plan_id, plan_interval, '', '', '', 1, 1, 1, 1, 'cs_' || i, 'complete',
           'unpaid', FALSE, created_at_us FROM checkouts, n;";
    let untold = "UPDATE checkouts SET settled = FALSE, status = 'open' WHERE expires_at_us IS NOT NULL";
    execute_sql(&world.database, &format!("{others} {untold}")).await;

    world.advances_minutes(11).await;

    let open = customers::overdue(world.app.store(), world.app.clock().now(), 1).await.expect("readable");
    assert!(open.is_empty(), "{open:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_opens_a_checkout_without_waiting_for_reconciliation() {
    let database = Database::new().await;
    let world = World::start_with(database, |settings| settings.payments.calls_per_second = 40).await;
    let [ana, _] = two_subscribers(&world).await;
    let housekeeping = world.app.billing().of_class(CallClass::Housekeeping);
    let looks: Vec<_> = (0..60)
        .map(|_| {
            let (billing, uid) = (housekeeping.clone(), ana.uid.clone());
            tokio::spawn(async move { billing.reconciliation.compare(&uid).await.map(drop) })
        })
        .collect();
    let carla = world.signs_up("carla@exemplo.com.br").await;

    let began = Instant::now();
    world.opens(&carla, "top_afiliado", "month", "").await.expect("a checkout opens");
    let took = began.elapsed();

    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(looks.iter().any(|look| !look.is_finished()), "the looks still wait for their quarter");
    looks.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_payload_names_no_account_is_parked() {
    let world = World::new().await;
    let (store, now) = (world.app.store(), world.app.clock().now());

    for kind in [JobKind::IdentityDelete, JobKind::Reconcile, JobKind::RightsChange] {
        let job = NewJob::new(kind, "of_nobody", json!({}), now);
        let stored: Result<(), StoreError> =
            transaction!(store, (job), |tx| jobs::reschedule(tx, job.clone()).await);
        stored.expect("storable");
    }
    world.settles().await;

    let parked = JobFilter { state: Some(JobState::Parked), ..JobFilter::default() };
    let parked = job_queries::list(store, &parked, 10).await.expect("readable");
    let keys: Vec<_> = parked.iter().map(|job| job.key.as_str()).collect();
    assert_eq!(keys, ["of_nobody"; 3]);
}
