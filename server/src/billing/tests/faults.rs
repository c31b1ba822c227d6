//! A failing provider: nothing is lost, and nothing happens twice.

use std::time::Duration;

use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;
use tonic_types::StatusExt as _;

use crate::billing::tests::VISA;
use crate::queue::JobKind;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::tests::server::reason;
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_is_reported_and_calls_succeed_after_it() {
    let (world, ana) = World::new().await.with_ana().await;
    world.fails(json!({ "path": "/v1/checkout/sessions", "status": 500 })).await;

    let down = world.opens(&ana, "top_afiliado", "month", "").await.expect_err("it is down");

    assert_eq!(reason(&down), ErrorReason::ProviderUnavailable);
    world.clear_faults().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("it is back");
    world.fails(json!({ "path": "/v1/checkout/sessions", "status": 503 })).await;
    let unknown = world.checkout(&session).await.expect_err("an open one asks the provider");
    assert_eq!(reason(&unknown), ErrorReason::ProviderUnavailable);
    world.clear_faults().await;
    world.subscribes_in(&session).await;
    world.fails(json!({ "path": "/v1", "status": 503 })).await;
    assert_eq!(world.checkout(&session).await.expect("a final one does not").payment_status, "paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_provider_reply_does_not_create_an_object_twice() {
    let (world, ana) = World::new().await.with_ana().await;
    world
        .fails(json!({ "path": "/v1/customers", "method": "POST", "act_then_drop": true, "times": 3 }))
        .await;
    let lost = world.opens(&ana, "top_afiliado", "month", "").await.expect_err("every answer is lost");
    assert_eq!(reason(&lost), ErrorReason::ProviderUnavailable);
    world
        .fails(
            json!({ "path": "/v1/checkout/sessions", "method": "POST", "act_then_drop": true, "times": 1 }),
        )
        .await;

    world.opens(&ana, "top_afiliado", "month", "").await.expect("the call is made again under its key");

    assert_eq!(world.provider_list("/v1/customers").await.len(), 1);
    assert_eq!(world.provider_list("/v1/checkout/sessions").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalog_is_pushed_to_the_provider_once() {
    let mut world = World::new().await;
    let prices = world.provider_list("/v1/prices?limit=100").await;
    assert_eq!(prices.len(), 13 * 4);
    let quarterly =
        prices.iter().find(|price| price["lookup_key"] == "top_afiliado_trimestral").expect("it is there");
    assert_eq!(
        (&quarterly["unit_amount"], &quarterly["recurring"]["interval_count"]),
        (&json!(23_496), &json!(90))
    );

    world.restarts().await;

    assert_eq!(world.provider_list("/v1/prices?limit=100").await.len(), 13 * 4);
    assert!(!world.app.billing().catalog_push.push().await.expect("nothing to do"));
}

#[tokio::test(flavor = "multi_thread")]
async fn brief_provider_failures_are_retried_without_an_error() {
    let (world, ana) = World::new().await.with_ana().await;
    for (status, interval) in [(429, "month"), (500, "trimestral"), (503, "anual")] {
        world.fails(json!({ "path": "/v1/checkout/sessions", "status": status, "times": 2 })).await;

        world.opens(&ana, "top_afiliado", interval, "").await.expect("the call is made again");
        world.clear_faults().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_circuit_fails_immediately() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.fails(json!({ "path": "/v1", "status": 503 })).await;
    for _ in 0..5 {
        world.app.billing().sync.refresh(&ana.uid).await.expect_err("it is down");
    }
    world.clear_faults().await;

    // The provider works again, so a call would succeed: this refusal was made without a call.
    let fast = world.checkout(&session).await.expect_err("the circuit is open");

    assert_eq!(reason(&fast), ErrorReason::ProviderUnavailable);
    world.eventually("the circuit closes", async || world.checkout(&session).await.is_ok()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pause_that_the_provider_requests_applies_to_checkouts_and_to_the_queue() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.fails(json!({ "webhooks": "drop" })).await;
    world.pays_by_card(&session, VISA).await;
    let events = world.events_of(&ana).await;
    let paid = events.iter().find(|event| event["type"] == "invoice.paid").expect("it was paid");
    world.fails(json!({ "path": "/v1", "status": 429, "retry_after": 600 })).await;

    world.delivers(paid, "whsec_garimpo").await.expect("it is taken");
    world.settles().await;
    let busy = world.opens(&ana, "elite_nivel_1", "month", "").await.expect_err("it is busy");

    let told = busy.get_details_retry_info().and_then(|info| info.retry_delay).expect("when to come back");
    assert_eq!(told, Duration::from_mins(10));
    let of_kind = JobFilter {
        kind: Some(JobKind::PaymentEvent),
        state: Some(JobState::Waiting),
        ..JobFilter::default()
    };
    let jobs = job_queries::list(world.app.store(), &of_kind, 100).await.expect("readable");
    let soonest = world.app.clock().now().plus_minutes(9);
    assert!(jobs.len() == 1 && jobs[0].due_at > soonest, "{jobs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_provider_refusal_has_the_reason_of_its_class() {
    let (world, ana) = World::new().await.with_ana().await;
    world.opens(&ana, "top_afiliado", "month", "").await.expect("the provider has the customer");
    for (status, plan, expected) in [
        (400, "elite_nivel_1", ErrorReason::Internal),
        (401, "elite_nivel_2", ErrorReason::PaymentsDown),
        (402, "elite_nivel_3", ErrorReason::PaymentDeclined),
        (403, "elite_pro_1", ErrorReason::PaymentsDown),
        (409, "elite_pro_2", ErrorReason::ProviderUnavailable),
        (429, "elite_pro_3", ErrorReason::ProviderUnavailable),
    ] {
        world.fails(json!({ "path": "/v1/checkout/sessions", "method": "POST", "status": status })).await;
        let refused = world.opens(&ana, plan, "month", "").await.expect_err("it is refused");
        assert_eq!(reason(&refused), expected, "{status}");
        assert!(!refused.message().contains("GARIMPO_"), "no setting is named to a visitor: {refused}");
        world.clear_faults().await;
        world.opens(&ana, plan, "month", "").await.expect("the next try is a call of its own");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_decides_which_calls_are_retried_immediately() {
    let (world, ana) = World::new().await.with_ana().await;
    world.opens(&ana, "top_afiliado", "month", "").await.expect("the provider has the customer");
    // One fault each: a repeated call succeeds, and one that is not repeated fails.
    for (plan, fault, repeated) in [
        ("elite_nivel_1", json!({ "status": 429, "rate_limited_reason": "endpoint-rate" }), false),
        ("elite_nivel_2", json!({ "status": 429 }), true),
        ("elite_nivel_3", json!({ "status": 500, "should_retry": false }), false),
        ("elite_pro_1", json!({ "status": 400, "should_retry": true }), true),
        ("elite_pro_2", json!({ "status": 409 }), true),
    ] {
        let mut once = fault.clone();
        once["path"] = json!("/v1/checkout/sessions");
        once["method"] = json!("POST");
        once["times"] = json!(1);
        world.fails(once).await;

        let opened = world.opens(&ana, plan, "month", "").await;

        assert_eq!(opened.is_ok(), repeated, "{fault}: {opened:?}");
        if let Err(refused) = opened {
            assert_eq!(reason(&refused), ErrorReason::ProviderUnavailable, "{fault}");
        }
        world.opens(&ana, plan, "month", "").await.expect("the next call is answered");
        world.clear_faults().await;
    }
}
