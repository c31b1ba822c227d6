//! Delivery to the advertising platform across outages, crashes and refusals.

use garimpo_domain::consent::TEXT_VERSION;
use garimpo_proto::tracking::v1 as track;
use garimpo_proto::users::v1 as users;
use serde_json::{Value, json};

use super::{by_service, event, from_page_of, held};
use crate::queue::JobKind;
use crate::retention;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter, JobRow};
use crate::store::{jobs, transaction};
use crate::tests::database::Database;
use crate::tests::server::{SignedInUser, TestServer, bearer};
use crate::tests::world::World;
use crate::tracking::too_old_to_send;

/// The wire to the platform.
const WIRE: &str = "/graph/v26.0";

async fn report_event(world: &World, event: track::TrackEventRequest) {
    world.tracking().track_event(by_service(world.app.store(), event).await).await.expect("it is taken");
}

/// Reports an event as a page of the site does for a signed-in visitor.
async fn report_event_as(world: &World, who: &SignedInUser, event: track::TrackEventRequest) {
    world.tracking().track_event(from_page_of(who, event)).await.expect("it is taken");
}

async fn jobs(world: &World, state: JobState) -> Vec<JobRow> {
    let filter = JobFilter { kind: Some(JobKind::Conversion), state: Some(state), ..JobFilter::default() };
    job_queries::list(world.app.store(), &filter, 100).await.expect("readable")
}

/// Lets hours pass until nothing waits: the longest pause of a failed job is one.
async fn wait_until_tried(world: &World) {
    world
        .eventually("no conversion waits", async || {
            world.advances_hours(1).await;
            jobs(world, JobState::Waiting).await.is_empty()
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_day_of_outage_the_platform_receives_each_conversion_once() {
    let world = World::new().await;
    world.fails(json!({ "path": WIRE, "drop": true })).await;
    for id in ["cadastro:1", "cadastro:2", "cadastro:1"] {
        report_event(&world, event("cadastro", id)).await;
    }
    world.advances_days(1).await;
    assert_eq!(jobs(&world, JobState::Waiting).await.len(), 2);
    assert!(world.counted().await.is_empty());

    world.clear_faults().await;
    wait_until_tried(&world).await;

    assert_eq!(world.counted_ids().await, ["cadastro:1", "cadastro:2"]);
    assert!(world.counted().await.iter().all(|(_, repeats)| *repeats == 0));
    assert!(jobs(&world, JobState::Parked).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_platform_reply_sends_the_same_event_id_again_and_it_counts_once() {
    let world = World::new().await;
    world.fails(json!({ "path": WIRE, "act_then_drop": true, "times": 1 })).await;
    report_event(&world, event("cadastro", "cadastro:1")).await;

    wait_until_tried(&world).await;

    let counted = world.counted().await;
    assert_eq!((counted.len(), counted[0].1), (1, 1), "{counted:?}");
}

/// Keeps only the first name in a waiting event. The platform refuses such an event, and the
/// intake no longer accepts one.
async fn keep_only_first_name(world: &World, id: &str) {
    let held = jobs(world, JobState::Waiting).await;
    let of_id = held.iter().find(|job| job.payload.contains(&format!("\"{id}\""))).expect("it waits");
    let mut payload: Value = serde_json::from_str(&of_id.payload).expect("JSON");
    payload["user_data"].as_object_mut().expect("fields").retain(|name, _| name == "fn");
    (payload["fbp"], payload["fbc"]) = (Value::Null, Value::Null);
    let key = of_id.key.clone();
    let written = transaction!(world.app.store(), (key, payload), |tx| {
        jobs::set_payload(tx, JobKind::Conversion, key, payload).await
    });
    written.expect("it is written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_event_is_parked_with_its_reason_and_the_others_of_the_batch_are_delivered() {
    let world = World::new().await;
    world.fails(json!({ "path": WIRE, "status": 503 })).await;
    for n in 0..4 {
        report_event(&world, event("cadastro", &format!("cadastro:{n}"))).await;
    }
    report_event(&world, event("cadastro", "ruim")).await;
    world.rest().await;
    keep_only_first_name(&world, "ruim").await;
    world.clear_faults().await;

    wait_until_tried(&world).await;

    assert_eq!(world.counted_ids().await, ["cadastro:0", "cadastro:1", "cadastro:2", "cadastro:3"]);
    let parked = jobs(&world, JobState::Parked).await;
    assert_eq!(parked.len(), 1);
    let why = parked[0].last_error.as_deref().unwrap_or_default();
    assert!(
        why.contains("refused it: 100 Invalid parameter") && why.contains("does not say enough"),
        "{why}"
    );
    assert_eq!(too_old_to_send(&parked[0], world.app.clock().now()), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_valid_consent_or_an_account_nothing_is_sent_and_the_job_records_the_reason() {
    let world = World::new().await;
    let people = ["ana", "bia", "caio", "davi", "eva"].map(|name| format!("{name}@example.com"));
    let mut who = Vec::new();
    for (email, consent) in people.iter().zip([Some(true), Some(true), Some(false), None, None]) {
        let person = world.signs_up(email).await;
        if consent.is_some() {
            world.answers(&person, consent).await;
        }
        who.push(person);
    }
    let [ana, bia, caio, davi, eva] = &who[..] else { panic!("five people") };
    // Eva's page counts an answer of more than a year ago as valid.
    let long_ago = world.app.clock().now().plus_days(-366).as_unix_seconds();
    let consent = track::Consent {
        ads_allowed: true,
        text_version: TEXT_VERSION.to_owned(),
        at: Some(prost_types::Timestamp { seconds: long_ago, nanos: 0 }),
    };
    let asked = bearer(users::SaveConsentRequest { consent: Some(consent) }, &eva.session);
    world.users().save_consent(asked).await.expect("it is kept");
    world.fails(json!({ "path": WIRE, "drop": true })).await;
    for person in [ana, bia, eva] {
        report_event_as(&world, person, event("cadastro", "x")).await;
    }
    for (person, consent) in [(caio, Some(true)), (davi, None)] {
        let posted = track::TrackEventRequest { consent, ..event("cadastro", "x") };
        report_event_as(&world, person, posted).await;
    }
    world.rest().await;
    // Ana withdraws her consent while the conversions wait.
    world.answers(ana, Some(false)).await;
    world.clear_faults().await;

    wait_until_tried(&world).await;

    assert_eq!(world.counted_ids().await, [format!("cadastro:{}", bia.uid)]);
    let done = jobs(&world, JobState::Done).await;
    let mut dropped: Vec<_> = done.iter().filter_map(|job| job.last_error.clone()).collect();
    dropped.dedup();
    assert_eq!((done.len(), dropped), (5, vec!["dropped: no consent".to_owned()]));
    let kept = held(world.app.store()).await;
    let of_nobody = kept.iter().filter(|conversion| conversion["user_data"] == json!({})).count();
    assert_eq!(of_nobody, 5, "also the one that was told forgets whose it was: {kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_access_token_waits_for_the_operator_and_parks_nothing() {
    let database = Database::new().await;
    let world = World::start_with(database, |settings| {
        let platform = settings.conversions.as_mut().expect("the sandbox's");
        platform.access_token = "errado".into();
    })
    .await;
    report_event(&world, event("cadastro", "cadastro:1")).await;
    world.rest().await;

    let waiting = jobs(&world, JobState::Waiting).await;

    assert_eq!(waiting.len(), 1);
    let why = waiting[0].last_error.as_deref().unwrap_or_default();
    assert!(why.contains("access token, pixel or version: 190") && !why.contains("errado"), "{why}");
    let pause_us = waiting[0].due_at.micros_since(world.app.clock().now());
    assert!(pause_us > 9 * 60_000_000, "{pause_us}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversion_older_than_seven_days_is_parked_with_its_date() {
    let server = TestServer::with(|settings| {
        settings.conversions = Some(crate::providers::meta::MetaSettings {
            url: "http://127.0.0.1:9".into(),
            version: "v26.0".into(),
            pixel_id: "1".into(),
            access_token: "t".into(),
        });
    })
    .await;
    let now = server.app.clock().now();
    let event_time = Some(prost_types::Timestamp { seconds: now.as_unix_seconds(), nanos: 0 });
    let posted = track::TrackEventRequest { event_time, ..event("cadastro", "cadastro:1") };
    server.tracking().track_event(by_service(server.app.store(), posted).await).await.expect("it is taken");

    let filter =
        |state| JobFilter { kind: Some(JobKind::Conversion), state: Some(state), ..JobFilter::default() };
    let in_state =
        async |state| job_queries::list(server.app.store(), &filter(state), 10).await.expect("readable");
    assert!(server.app.queue().settle(std::time::Duration::from_secs(10)).await);
    assert_eq!(in_state(JobState::Waiting).await.len(), 1);
    server.clock.advance_days(8);
    server.app.queue().wake();
    assert!(server.app.queue().settle(std::time::Duration::from_secs(10)).await);

    let parked = in_state(JobState::Parked).await;
    assert_eq!(parked.len(), 1);
    let why = parked[0].last_error.as_deref().unwrap_or_default();
    assert!(why.starts_with("it happened at 2026-11-20T12:00:00"), "{why}");
    assert!(why.ends_with("more than 7 days ago: the platform no longer accepts it"), "{why}");
    let stale = too_old_to_send(&parked[0], server.app.clock().now());
    assert_eq!(stale.as_deref(), Some(why), "so a replay is refused with the same words");

    // It can no longer be sent, so its personal data is removed; the last error is kept.
    server.clock.advance_days(9);
    retention::run(server.app.store().clone(), server.app.clock()).await.expect("it runs");
    let rest = in_state(JobState::Parked).await;
    assert_eq!((rest.len(), &rest[0].last_error), (1, &parked[0].last_error));
    assert_eq!(too_old_to_send(&rest[0], server.app.clock().now()), stale);
    let payload: Value = serde_json::from_str(&rest[0].payload).expect("JSON");
    for personal in ["client_address", "user_agent", "fbp", "consent"] {
        assert_eq!(payload[personal], Value::Null, "{personal}");
    }
    assert_eq!(payload["user_data"], json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn with_conversions_off_an_event_is_dropped_without_personal_data() {
    let server = TestServer::new().await;
    let now = server.app.clock().now().as_unix_seconds();
    let event_time = Some(prost_types::Timestamp { seconds: now, nanos: 0 });
    let posted = track::TrackEventRequest { event_time, ..event("cadastro", "cadastro:1") };
    server.tracking().track_event(by_service(server.app.store(), posted).await).await.expect("it is taken");
    assert!(server.app.queue().settle(std::time::Duration::from_secs(10)).await);

    let filter = JobFilter { kind: Some(JobKind::Conversion), state: Some(JobState::Done), due_before: None };
    let done = job_queries::list(server.app.store(), &filter, 10).await.expect("readable");

    assert_eq!(done[0].last_error.as_deref(), Some("dropped: conversions are off"));
    assert_eq!(held(server.app.store()).await[0]["user_data"], json!({}));
}
