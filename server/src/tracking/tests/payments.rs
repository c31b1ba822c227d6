//! Conversions of payments: each is sent once, with the amount and the time of the payment.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::tracking::v1 as track;
use serde_json::{Value, json};

use super::{event, from_page};
use crate::billing::TrialPurchase;
use crate::tests::database::Database;
use crate::tests::server::{SignedInUser, bearer};
use crate::tests::world::{World, order};

async fn ana_who_allows(world: &World) -> SignedInUser {
    let ana = world.signs_up("ana@example.com").await;
    world.answers(&ana, Some(true)).await;
    ana
}

/// The id and value of each conversion that the platform counted, sorted by id.
async fn counted_values(world: &World) -> Vec<(String, Value)> {
    let mut values: Vec<_> = world
        .counted()
        .await
        .into_iter()
        .map(|(event, repeats)| {
            assert_eq!(repeats, 0, "{event}");
            assert_eq!(event["action_source"], "system_generated", "no browser is there");
            (event["event_id"].as_str().expect("an id").to_owned(), event["custom_data"]["value"].clone())
        })
        .collect();
    values.sort_by(|one, other| one.0.cmp(&other.0));
    values
}

fn both(session: &str, value: &Value) -> Vec<(String, Value)> {
    ["PVNewSubs", "pagamento_confirmado"].map(|name| (format!("{name}:{session}"), value.clone())).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_payment_is_counted_by_the_server_with_its_real_amount() {
    let world = World::new().await;
    let ana = ana_who_allows(&world).await;
    let session = world.opens(&ana, "top_afiliado", "month", "novo").await.expect("a checkout opens");
    for name in ["pagamento_confirmado", "PVNewSubs"] {
        let forged = track::TrackEventRequest {
            custom_data: Some(track::CustomData { value_centavos: Some(999_999), ..Default::default() }),
            ..event(name, &format!("{name}:{session}"))
        };
        world.tracking().track_event(from_page(forged, "10.0.0.1")).await.expect("it is taken and dropped");
    }
    world.rest().await;
    assert!(world.counted().await.is_empty());

    world.subscribes_in(&session).await;
    assert_eq!(counted_values(&world).await, both(&session, &json!(88.11)));

    // A renewal is another payment, under its invoice, and no new subscriber.
    world.advances_days(31).await;
    let renewed = counted_values(&world).await;
    assert_eq!(renewed.len(), 3, "{renewed:?}");
    let invoices = world.provider_list("/v1/invoices").await;
    let id = format!("pagamento_confirmado:{}", invoices[0]["id"].as_str().expect("an id"));
    assert!(renewed.contains(&(id, json!(97.9))), "{renewed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_is_counted_when_paid_and_not_when_issued_and_a_refund_is_not_counted() {
    let world = World::new().await;
    let ana = ana_who_allows(&world).await;
    let session = world.opens(&ana, "top_afiliado", "semestral", "").await.expect("a checkout opens");
    world.takes_boleto(&session).await;
    world.advances_days(1).await;
    assert!(world.counted().await.is_empty(), "issued is not paid");

    world.pays_boleto(&session).await;
    world.rest().await;

    assert_eq!(counted_values(&world).await, both(&session, &json!(391.6)));
    let paid_at = world.app.clock().now().as_unix_seconds();
    for (event, _) in world.counted().await {
        let ago = paid_at - event["event_time"].as_i64().expect("seconds");
        assert!((0..60).contains(&ago), "the moment of the payment: {ago}");
    }
    world.wants_back(&ana, None).await.expect("the guarantee holds");
    world.rest().await;
    assert_eq!(world.counted().await.len(), 2, "what goes back is told to nobody");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_change_counts_its_charge_and_credit_is_not_counted() {
    let world = World::new().await;
    let ana = ana_who_allows(&world).await;
    let session = world.subscribes(&ana, "top_afiliado", "month").await;
    world.advances_days(10).await;
    let charged = changes(&world, &ana, "elite_nivel_2").await;
    let invoices = world.provider_list("/v1/invoices").await;
    let invoice = invoices[0]["id"].as_str().expect("an id");

    let mut expected = both(&session, &json!(97.9));
    let value = serde_json::from_str(&garimpo_domain::Centavos::new(charged).decimal()).expect("a number");
    expected.push((format!("pagamento_confirmado:{invoice}"), value));
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(counted_values(&world).await, expected);

    assert_eq!(changes(&world, &ana, "top_afiliado").await, 0);
    assert_eq!(counted_values(&world).await, expected, "credit is no payment");
}

/// Changes the plan and answers what was charged.
async fn changes(world: &World, who: &SignedInUser, plan: &str) -> i64 {
    let request =
        pb::PreviewPlanChangeRequest { plan_id: plan.into(), interval: pb::PlanInterval::Monthly.into() };
    let shown = world.billing().preview_plan_change(bearer(request, &who.session)).await;
    let preview_token = shown.expect("a preview").into_inner().preview_token;
    let request = pb::ChangePlanRequest { preview_token, request_id: None };
    let done = world.billing().change_plan(bearer(request, &who.session)).await;
    world.rest().await;
    done.expect("it is changed").into_inner().charged_centavos
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_charged_at_the_trial_end_is_counted_when_it_is_paid() {
    let database = Database::new().await;
    let world = World::start_with(database, |settings| {
        settings.billing.trial_purchase = TrialPurchase::AtTrialEnd;
    })
    .await;
    let ana = ana_who_allows(&world).await;
    let session = world.subscribes(&ana, "top_afiliado", "month").await;
    assert!(world.counted().await.is_empty(), "nothing was charged yet");

    world.advances_days(8).await;

    assert_eq!(counted_values(&world).await, both(&session, &json!(97.9)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_in_a_browser_without_consent_is_not_counted_and_its_renewal_is() {
    let world = World::new().await;
    let ana = ana_who_allows(&world).await;
    let before = world.app.clock().now().plus_seconds(-60);
    let refused = track::Consent {
        ads_allowed: false,
        text_version: garimpo_domain::consent::TEXT_VERSION.to_owned(),
        at: Some(prost_types::Timestamp { seconds: before.as_unix_seconds(), nanos: 0 }),
    };
    let bought = pb::CreateCheckoutSessionRequest {
        consent: Some(refused),
        ..order(&ana, "top_afiliado", "month", "")
    };
    let session = world.asks(&ana, bought).await.expect("a checkout opens");
    world.answers(&ana, Some(true)).await;

    world.subscribes_in(&session).await;
    assert_eq!(counted_values(&world).await, [], "that browser said no");

    world.advances_days(31).await;
    assert_eq!(counted_values(&world).await.len(), 1, "the account says yes");
}
