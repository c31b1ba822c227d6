//! A provider that does not have our customers, or deleted one: paid access continues.

mod deleted_customer;
mod provider_account;

use garimpo_domain::{Timestamp, Uid};
use garimpo_proto::billing::v1::GetSubscriptionResponse;
use serde_json::json;

use crate::billing::jobs::reconciliation::schedule_sweep;
use crate::billing::tests::customer_of;
use crate::billing::tests::reversals::{decided, disputes, refunds_at_dashboard, suspended_reason};
use crate::operator::Operator;
use crate::providers::stripe::StripeError;
use crate::store::billing::entitlement_changes::{self, EntitlementChange};
use crate::store::billing::invoices::{self, DisputeState, Invoice};
use crate::store::billing::provider_losses::{self, Absence};
use crate::store::billing::reconciliation::{self, SweepPhase};
use crate::store::billing::{customers, refunds, subscriptions};
use crate::store::engine::row::Text as _;
use crate::store::identity::accounts;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::store::tests::support::multiply;
use crate::store::{StoreError, transaction};
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

/// An account's rights as returned by GetEntitlements and WatchEntitlements.
async fn rights(world: &World, who: &SignedInUser) -> (EntitlementChange, EntitlementChange) {
    let read = world.app.billing().entitlements.read_rights(&who.uid).await.expect("an answer");
    let watched =
        entitlement_changes::states_by_uids(world.app.store(), std::slice::from_ref(&who.uid)).await;
    (read, watched.expect("readable").states.remove(0))
}

/// The reply of GetSubscription without the time.
async fn account(world: &World, who: &SignedInUser) -> GetSubscriptionResponse {
    GetSubscriptionResponse { server_time: None, ..world.account_of(who).await }
}

async fn failed_jobs(world: &World) -> Vec<String> {
    let jobs = job_queries::list(world.app.store(), &JobFilter::default(), 100).await.expect("readable");
    let failed = jobs.into_iter().filter(|job| job.state != JobState::Done && job.last_error.is_some());
    failed.map(|job| format!("{} {}: {:?}", job.kind, job.key, job.last_error)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_without_our_data_changes_no_rights_in_any_read() {
    for answer in ["empty_list", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "unknown_customer": answer })).await;
        let ana = world.signs_up("ana@exemplo.com.br").await;
        world.subscribes(&ana, "top_afiliado", "month").await;
        let (before, seen) = (account(&world, &ana).await, rights(&world, &ana).await);
        world.provider_forgets().await;

        world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");

        let (read, watched) = rights(&world, &ana).await;
        assert!(read.equals_state(&seen.0) && watched.equals_state(&read), "{read:?} {watched:?}");
        assert_eq!(account(&world, &ana).await, before);
        let rows = subscriptions::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        assert!(rows[0].live, "it keeps its place");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reconciliation_without_a_change_does_not_increment_the_revision() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let revision = async || {
        let account = accounts::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        account.expect("it stands").revision
    };
    let before = revision().await;

    for _ in 0..2 {
        world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");
    }

    assert_eq!(revision().await, before, "nothing changed");
    world.cancels(&ana, "caro").await.expect("it is cancelled");
    assert!(revision().await > before, "a change counts");
}

/// Customers in the mass loss; 20,000 in `make soak`.
#[expect(clippy::disallowed_methods, reason = "tests have no settings of the binary")]
fn crowd() -> u32 {
    std::env::var("GARIMPO_SOAK_CUSTOMERS").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Time limit for all of them.
const CROWD_WAITS: std::time::Duration = std::time::Duration::from_mins(20);

async fn reconciles_all(world: &World) {
    let now = world.app.clock().now();
    let done: Result<(), StoreError> = transaction!(world.app.store(), |tx| schedule_sweep(tx, now).await);
    done.expect("it is enqueued");
    assert!(world.app.queue().settle(CROWD_WAITS).await, "the queue comes to rest");
    // A large sweep pauses after every twenty pages.
    while is_sweeping(world).await {
        world.advances_minutes(1).await;
    }
}

async fn is_sweeping(world: &World) -> bool {
    let store = world.app.store();
    let is_stopped = provider_losses::current_stop(store).await.expect("readable").is_some();
    !is_stopped && reconciliation::current(store).await.expect("readable").phase != SweepPhase::Idle
}

/// The doctor's findings about the provider.
async fn findings(world: &World) -> Vec<String> {
    let operator = Operator::beside(&world.app);
    let checked = operator.doctor().await;
    let about =
        |name: &str| ["provider_knows_customers", "live_as_rights_say", "jobs_parked"].contains(&name);
    let findings = checked.into_iter().filter(|one| about(one.invariant)).flat_map(|one| one.findings);
    findings.map(|found| format!("{}: {}", found.subject, found.what)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn reconciliation_stops_when_customers_are_missing_at_the_provider_and_resumes_by_itself() {
    let world = World::new().await;
    let count = crowd();
    let ana = world.signs_up("ana@exemplo.com.br").await;
    world.subscribes(&ana, "top_afiliado", "anual").await;
    let customer = customer_of(&world, &ana).await;
    world.provider_multiplies(&ana, &customer, count).await;
    let store = world.app.store();
    multiply(store, &ana.uid, count).await.expect("the copies are stored");
    let uids: Vec<Uid> =
        (1..=count).map(|i| Uid::new(format!("{}_{i}", ana.uid))).chain([ana.uid.clone()]).collect();
    let seen = async || {
        let mut read = Vec::new();
        for some in uids.chunks(500) {
            let states = world.app.billing().entitlements.read_many_rights(some).await.expect("answers");
            read.extend(
                states.into_iter().map(|state| EntitlementChange { at: Timestamp::default(), ..state }),
            );
        }
        read
    };
    let tickets = async || {
        let mut tickets = 0;
        for uid in &uids {
            tickets += customers::by_uid(store, uid).await.expect("readable").expect("a row").ticket_issued;
        }
        tickets
    };
    let tickets_before = tickets().await;
    reconciles_all(&world).await;
    assert_eq!(tickets().await, tickets_before, "the lists show that nothing differs: nobody is read alone");
    assert_eq!(findings(&world).await, [""; 0], "the provider knows them all");
    let (before, mine, tail) = (
        seen().await,
        account(&world, &ana).await,
        entitlement_changes::tail(store).await.expect("readable"),
    );
    assert_eq!(before.len(), uids.len());
    let read_before = tickets().await;

    world.provider_forgets().await;
    reconciles_all(&world).await;

    let read = tickets().await - read_before;
    assert!(read <= i64::from(count) / 100 + 20, "the sweep stops: {read} readings of {count}");
    let stop = provider_losses::current_stop(store).await.expect("readable").expect("it is stopped");
    world.app.billing().sync.refresh(&ana.uid).await.expect("as the return page reads it");
    let event = json!({ "id": "evt_perdido", "object": "event", "type": "customer.subscription.updated",
        "data": { "object": { "id": "sub_x", "object": "subscription", "customer": customer } } });
    world.delivers(&event, "whsec_garimpo").await.expect("it is taken");
    world.advances_minutes(30).await;
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), Some(stop), "one alarm");
    assert_eq!(seen().await, before, "GetEntitlements, BatchGetEntitlements, CheckLimit");
    assert_eq!(entitlement_changes::tail(store).await.expect("readable"), tail, "WatchEntitlements");
    assert_eq!(account(&world, &ana).await, mine, "GetSubscription");
    assert_eq!(failed_jobs(&world).await, [""; 0]);
    let told = findings(&world).await;
    assert!(told[0].starts_with("reconciliation: reconciliation is stopped since"), "{told:?}");
    assert!(told[0].contains("-03:00: "), "in São Paulo's time: {told:?}");

    world.provider_remembers().await;
    world.posts("/clock", json!({ "advance_seconds": 660, "keep_sessions": true })).await;
    assert!(world.app.queue().settle(CROWD_WAITS).await, "the queue comes to rest");
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), None, "it goes on by itself");
    assert_eq!(provider_losses::count(store).await.expect("readable"), 0);
    assert_eq!(findings(&world).await, [""; 0]);
    assert_eq!(seen().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_missing_customers_raise_an_alarm_and_do_not_stop_reconciliation() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    world.provider_forgets().await;

    world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");
    world.advances_minutes(15).await;

    let store = world.app.store();
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), None);
    let told = findings(&world).await;
    assert!(told[0].contains("the payment provider does not know the customer"), "{told:?}");
    let unreported = transaction!(store, |tx| provider_losses::mark_reported(tx).await);
    let unreported = unreported.expect("readable");
    assert!(unreported.is_empty(), "its alarm was raised: {unreported:?}");
    let compared = world.app.billing().reconciliation.compare(&ana.uid).await.expect("readable");
    assert_eq!((compared.lost, compared.differences.len()), (Some(Absence::Unknown), 0));
    let request = garimpo_proto::billing::v1::CreatePortalSessionRequest { email: ana.email.clone() };
    let portal = world
        .billing()
        .create_portal_session(crate::tests::server::bearer(request, &ana.session))
        .await
        .expect_err("no second customer is made");
    assert_eq!(
        crate::tests::server::reason(&portal),
        garimpo_proto::errors::v1::ErrorReason::ProviderUnavailable
    );
    world.provider_remembers().await;
    world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");
    assert_eq!(findings(&world).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_repair_suggested_by_the_doctor_restores_a_lost_live_subscription() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    transaction!(world.app.store(), (uid = ana.uid.clone()), |tx| subscriptions::project(tx, uid, &[]).await)
        .expect("the row is no longer live");
    world.provider_forgets().await;
    assert!(
        findings(&world)
            .await
            .iter()
            .any(|told| told.contains("gives access and is not the live subscription"))
    );

    world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("as admin reconcile --uid does");

    let told = findings(&world).await;
    assert!(!told.iter().any(|told| told.contains("does not hold")), "{told:?}");
}
