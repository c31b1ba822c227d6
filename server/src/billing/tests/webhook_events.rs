//! The provider's events doubled, lost, shuffled or forged lead to the same end.

use garimpo_domain::EventId;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;

use crate::billing::tests::VISA;
use crate::queue::JobKind;
use crate::store::billing::events;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::store::tests::support;
use crate::tests::port::receive_event;
use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::{World, signature};

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_and_unordered_events_end_in_the_same_state() {
    let world = World::new().await;
    for (email, fault) in [("ana@exemplo.com.br", "double"), ("bia@exemplo.com.br", "shuffle")] {
        let who = world.signs_up(email).await;
        world.fails(json!({ "webhooks": fault })).await;

        world.subscribes(&who, "top_afiliado", "anual").await;
        world.clear_faults().await;
        world.rest().await;

        assert_eq!(world.status_of(&who).await, Some(("active".into(), Some(true))), "{fault}");
        assert_eq!(world.mails_to(email).await.len(), 1, "{fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_events_are_found_by_reconciliation() {
    let (world, ana) = World::new().await.with_ana().await;
    world.fails(json!({ "webhooks": "drop" })).await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    assert_eq!(world.status_of(&ana).await, None, "nobody has told us");

    world.advances_hours(1).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_events_are_found_at_a_restart_and_on_the_return_page() {
    let mut world = World::new().await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    world.fails(json!({ "webhooks": "drop" })).await;
    let of_ana = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let of_bia = world.opens(&bia, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&of_ana, VISA).await;
    world.pays_by_card(&of_bia, VISA).await;

    assert_eq!(world.checkout(&of_ana).await.expect("known").payment_status, "paid");
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(world.status_of(&bia).await, None, "nobody has asked");
    world.restarts().await;

    assert_eq!(world.status_of(&bia).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_a_valid_signature_is_not_stored() {
    let world = World::new().await;
    let services = world.app.services();
    let payload = br#"{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}"#.to_vec();
    for signature in ["", "t=1,v1=00", "t=1700000000,v1=71d8e063d0e14edb336866bf8b3dbf96"] {
        let refused = receive_event(&services, payload.clone(), signature).await.expect_err("it refuses");

        assert_eq!(reason(&refused), ErrorReason::InvalidSignature, "{signature}");
    }
    assert_eq!(events::by_id(world.app.store(), &EventId::new("evt_1")).await.expect("readable"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_without_a_valid_signature_stores_nothing() {
    let world = World::new().await;
    world.fails(json!({ "webhooks": "drop" })).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, VISA).await;
    world.settles().await;
    let store = world.app.store();
    let before = (
        support::count_events(store).await.expect("readable"),
        support::jobs_seen(store).await.expect("readable"),
    );
    let events = world.events_of(&ana).await;
    let event = events.last().expect("the purchase made news");
    let body = event.to_string();
    let now = world.app.clock().now().as_unix_seconds();

    for (payload, signature) in [
        (body.clone(), signature("whsec_errado", now, &body)),
        (body.clone(), signature("whsec_garimpo", now - 301, &body)),
        // 60 s above the tolerance, because the clock advances during the six deliveries. The unit
        // tests of the signature check the exact limit.
        (body.clone(), signature("whsec_garimpo", now + 360, &body)),
        (body.replace("evt_", "evt_outro_"), signature("whsec_garimpo", now, &body)),
        (body.clone(), String::new()),
        // Signed, but not an event.
        ("[]".to_owned(), signature("whsec_garimpo", now, "[]")),
    ] {
        world.deliver_raw(payload, signature).await.expect_err("it is refused");
    }
    world.settles().await;

    let after = (
        support::count_events(store).await.expect("readable"),
        support::jobs_seen(store).await.expect("readable"),
    );
    assert_eq!(after, before);
    assert_eq!(world.status_of(&ana).await, None);
    world.delivers(event, "whsec_garimpo").await.expect("the same event, well signed, is still new");
    world.settles().await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_arrive_together_are_stored_once_each_with_its_job() {
    let world = World::new().await;
    let event = |number: usize| {
        json!({ "id": format!("evt_{number}"), "type": "invoice.paid",
        "data": { "object": { "id": "in_1", "customer": "cus_de_outro" } } })
    };
    let before = support::count_events(world.app.store()).await.expect("readable");

    let twice: Vec<_> = (0..150).map(|number| event(number % 75)).collect();
    let all = twice.iter().map(|event| world.delivers(event, "whsec_garimpo"));
    let taken = futures::future::join_all(all).await;
    world.settles().await;

    assert!(taken.iter().all(Result::is_ok), "{taken:?}");
    assert_eq!(support::count_events(world.app.store()).await.expect("readable"), before + 75);
    let done =
        JobFilter { kind: Some(JobKind::PaymentEvent), state: Some(JobState::Done), ..JobFilter::default() };
    let done = job_queries::list(world.app.store(), &done, 100).await.expect("readable");
    assert_eq!(done.len(), 75);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_replayed_by_the_operator_reads_the_provider_again() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let events = world.events_of(&ana).await;
    let paid = events.iter().find(|event| event["type"] == "invoice.paid").expect("it was paid");
    let before = world.provider_calls().await.len();

    let id = paid["id"].as_str().expect("an id");
    assert!(world.app.billing().events.replay(&EventId::new(id)).await.expect("storable"));
    world.settles().await;

    assert!(world.provider_calls().await.len() > before, "its milestone is stored, and it is read anyway");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_an_unhandled_type_is_stored_without_a_job() {
    let world = World::new().await;
    world.fails(json!({ "webhooks": "drop" })).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, VISA).await;
    let events = world.events_of(&ana).await;
    let noise = events.iter().find(|event| event["type"] == "charge.succeeded").expect("a charge");
    let before = support::count_events(world.app.store()).await.expect("readable");

    world.delivers(noise, "whsec_garimpo").await.expect("it is taken");
    world.settles().await;

    assert_eq!(support::count_events(world.app.store()).await.expect("readable"), before + 1);
    assert_eq!(world.status_of(&ana).await, None, "nothing was read for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_event_of_an_unknown_shape_is_stored_and_its_job_is_parked() {
    let world = World::new().await;
    let store = world.app.store();
    let before = support::count_events(store).await.expect("readable");

    for (id, body) in [
        ("evt_sem_data", json!({ "type": "invoice.paid" })),
        ("evt_sem_objeto", json!({ "type": "invoice.paid", "data": {} })),
        ("evt_objeto_texto", json!({ "type": "invoice.paid", "data": { "object": "in_1" } })),
        ("evt_sem_tipo", json!({ "data": { "object": {} } })),
        ("evt_tipo_numero", json!({ "type": 7, "data": { "object": {} } })),
        ("evt_novo_sem_data", json!({ "type": "coisa.nova" })),
    ] {
        let mut event = body;
        event["id"] = json!(id);
        for _ in 0..2 {
            world.delivers(&event, "whsec_garimpo").await.expect("it is the provider's");
        }
    }
    world.settles().await;

    assert_eq!(support::count_events(store).await.expect("readable"), before + 6);
    let parked = JobFilter {
        kind: Some(JobKind::PaymentEvent),
        state: Some(JobState::Parked),
        ..JobFilter::default()
    };
    let parked = job_queries::list(store, &parked, 10).await.expect("readable");
    let mut keys: Vec<_> = parked.iter().map(|job| job.key.as_str()).collect();
    keys.sort_unstable();
    let told = ["evt_objeto_texto", "evt_sem_data", "evt_sem_objeto", "evt_sem_tipo", "evt_tipo_numero"];
    assert_eq!(keys, told, "a type that tells nothing of ours causes no work");
    for job in parked {
        assert!(job.last_error.is_some_and(|why| why.contains("another shape")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daily_reconciliation_continues_after_days_without_the_provider() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "anual").await;
    let bought = world.provider_list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    world.fails(json!({ "path": "/v1", "method": "GET", "status": 503 })).await;
    for _ in 0..40 {
        world.advances_hours(2).await;
    }
    world.clear_faults().await;
    world.fails(json!({ "webhooks": "drop" })).await;
    world.ends_subscription(&bought).await;
    world.rest().await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "nobody has told us");
    // The circuit closes in real time.
    world.eventually("the provider is asked again", async || opens_portal(&world, &ana).await).await;

    world.advances_hours(1).await;
    world.advances_days(1).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
}

async fn opens_portal(world: &World, who: &SignedInUser) -> bool {
    let asked = pb::CreatePortalSessionRequest { email: who.email.clone() };
    world.billing().create_portal_session(bearer(asked, &who.session)).await.is_ok()
}
