//! Objects at the provider that differ from the last push: no buyer pays another price, and the
//! catalogue is repaired automatically.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;

use crate::billing::tests::VISA;
use crate::tests::server::{bearer, reason};
use crate::tests::world::{World, order};

#[tokio::test(flavor = "multi_thread")]
async fn a_coupon_missing_at_the_provider_pauses_the_purchase_and_is_restored() {
    let (world, ana) = World::new().await.with_ana().await;
    world.provider_deletes("/v1/coupons/BF40").await;

    let refused = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect_err("it is gone");

    assert_eq!(reason(&refused), ErrorReason::Unavailable);
    world.rest().await;
    world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("it was pushed again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_inactive_at_the_provider_pauses_the_purchase_and_is_replaced() {
    let (world, ana) = World::new().await.with_ana().await;
    let prices = world.provider_list("/v1/prices?limit=100&lookup_keys[]=top_afiliado_monthly").await;
    let id = prices[0]["id"].as_str().expect("an id");
    world.provider_posts(&format!("/v1/prices/{id}"), &[("active", "false")]).await;

    let refused = world.opens(&ana, "top_afiliado", "month", "").await.expect_err("it is not sold");

    assert_eq!(reason(&refused), ErrorReason::Unavailable);
    world.rest().await;
    world.opens(&ana, "top_afiliado", "month", "").await.expect("a new price was pushed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_missing_at_the_provider_is_created_again() {
    let (world, ana) = World::new().await.with_ana().await;
    let before = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.provider_deletes(&customer_path(&world).await).await;
    world.rest().await;
    let asked = pb::CreatePortalSessionRequest { email: ana.email.clone() };

    let opened = world.billing().create_portal_session(bearer(asked, &ana.session)).await;

    opened.expect("the portal opens for a new customer");
    world.provider_deletes(&customer_path(&world).await).await;
    world.rest().await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    assert_ne!(session, before);
    world.subscribes_in(&session).await;
    assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
}

async fn customer_path(world: &World) -> String {
    let customers = world.provider_list("/v1/customers").await;
    format!("/v1/customers/{}", customers[0]["id"].as_str().expect("an id"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_expired_without_an_event_is_not_returned_again() {
    let (world, ana) = World::new().await.with_ana().await;
    let asked = || pb::CreateCheckoutSessionRequest {
        request_id: Some("pedido-1".to_owned()),
        ..order(&ana, "top_afiliado", "month", "")
    };
    let first = world.asks(&ana, asked()).await.expect("a checkout opens");
    world.fails(json!({ "webhooks": "hold" })).await;
    world.provider_posts(&format!("/v1/checkout/sessions/{first}/expire"), &[]).await;

    let second = world.asks(&ana, asked()).await.expect("another opens");

    assert_ne!(second, first);
    assert_eq!(world.opens(&ana, "top_afiliado", "month", "").await.expect("it is open"), second);
    world.fails(json!({ "path": "/v1", "method": "GET", "status": 503 })).await;
    let unread = world.opens(&ana, "top_afiliado", "month", "").await;
    assert_eq!(unread.expect("our row stands while the provider is down"), second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_paid_without_an_event_is_not_repeated() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.fails(json!({ "webhooks": "hold" })).await;
    world.pays_by_card(&session, VISA).await;

    let again = world.opens(&ana, "top_afiliado", "month", "").await.expect_err("it is paid");

    assert_eq!(reason(&again), ErrorReason::AlreadySubscribed);
}
