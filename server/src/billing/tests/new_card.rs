//! A new default card of the customer is used by the subscription and pays open invoices.

use crate::store::billing::card_payments;
use crate::store::operator::job_queries;
use futures::future::join;

use serde_json::{Value, json};

use crate::billing::tests::{VISA, customer_of, text};
use crate::queue::JobKind;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

/// A test card that can be attached and fails at every later charge.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";

/// Every combination of the portal's behaviours after a new card.
fn portals() -> impl Iterator<Item = Value> {
    let places = ["customer", "customer_and_subscriptions"];
    places.into_iter().flat_map(|place| {
        [false, true].map(|pays| json!({ "portal_card": place, "portal_pays_open_invoices": pays }))
    })
}

/// A subscriber whose renewal was declined.
async fn with_declined_renewal(world: &World, email: &str) -> SignedInUser {
    let who = world.signs_up(email).await;
    world.subscribes_with(CARD_OF_ONE_CHARGE, &who, "top_afiliado", "month").await;
    world.advances_days(31).await;
    assert_eq!(world.status_of(&who).await, Some(("suspended".into(), Some(false))));
    who
}

async fn subscription_of(world: &World, who: &SignedInUser) -> Value {
    let customer = customer_of(world, who).await;
    world.provider_list(&format!("/v1/subscriptions?customer={customer}&status=all")).await.remove(0)
}

/// The charges of a customer with this status, newest first.
async fn charges(world: &World, who: &SignedInUser, status: &str) -> Vec<Value> {
    let customer = customer_of(world, who).await;
    let mut all = world.provider_list(&format!("/v1/charges?customer={customer}&limit=100")).await;
    all.retain(|charge| charge["status"] == status);
    all
}

async fn open_invoice(world: &World, who: &SignedInUser) -> String {
    let customer = customer_of(world, who).await;
    let open = world.provider_list(&format!("/v1/invoices?customer={customer}&status=open")).await;
    assert_eq!(open.len(), 1, "{open:?}");
    text(&open[0]["id"])
}

async fn failure_mails(world: &World, who: &SignedInUser) -> usize {
    let mails = world.mails_to(&who.email).await;
    let subjects = mails.iter().filter_map(|mail| mail["subject"].as_str());
    subjects.filter(|subject| subject.starts_with("Pagamento não aprovado")).count()
}

/// Saves a card for the customer, not as the default.
async fn saved_card(world: &World, who: &SignedInUser, token: &str) -> String {
    let customer = customer_of(world, who).await;
    let path = format!("/v1/payment_methods/{token}/attach");
    let (status, card) = world.provider_tries(&path, &[("customer", &customer)]).await;
    assert_eq!(status, 200, "{card}");
    text(&card["id"])
}

/// Makes a saved card the customer's default, as the portal does.
async fn chooses(world: &World, who: &SignedInUser, card: &str) {
    let path = format!("/v1/customers/{}", customer_of(world, who).await);
    world.provider_posts(&path, &[("invoice_settings[default_payment_method]", card)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_card_pays_the_open_renewal_once_with_every_portal_behavior() {
    for portal in portals() {
        let world = World::new().await;
        world.behaves(portal.clone()).await;
        let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
        let invoice = open_invoice(&world, &ana).await;

        world.takes_card(&ana, VISA).await;

        assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "{portal}");
        let paid = charges(&world, &ana, "succeeded").await;
        assert_eq!(paid.len(), 2, "the purchase and the renewal: {portal} {paid:?}");
        let bought = subscription_of(&world, &ana).await;
        assert_eq!(bought["default_payment_method"], paid[0]["payment_method"], "{portal}");
        let renewed = world.provider_object(&format!("/v1/invoices/{invoice}")).await;
        assert_eq!(renewed["status"], "paid", "{portal}");

        world.advances_days(30).await;
        let later = charges(&world, &ana, "succeeded").await;
        assert_eq!(later.len(), 3, "the next renewal: {portal}");
        assert_eq!(later[0]["payment_method"], later[1]["payment_method"], "by the new card");
        assert_eq!(failure_mails(&world, &ana).await, 1, "{portal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_new_card_sends_a_mail_and_the_next_card_pays() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;

    world.takes_card(&ana, CARD_OF_ONE_CHARGE).await;
    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));
    assert_eq!(failure_mails(&world, &ana).await, 2, "the renewal and the new card");
    world.takes_card(&ana, VISA).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2);
    assert_eq!(failure_mails(&world, &ana).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_card_is_tried_again_when_it_is_chosen_again_after_a_decline() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let failed = charges(&world, &ana, "failed").await.len();
    let first = saved_card(&world, &ana, "pm_card_chargeCustomerFail").await;
    let other = saved_card(&world, &ana, "pm_card_chargeCustomerFail").await;

    for card in [&first, &other, &first] {
        chooses(&world, &ana, card).await;
        world.rest().await;
    }

    let tried = charges(&world, &ana, "failed").await;
    assert_eq!(tried.len(), failed + 3, "none of them is the replay of a stored decline");
    let by_first = tried.iter().filter(|charge| charge["payment_method"] == first);
    assert_eq!(by_first.count(), 2);
    assert_eq!(failure_mails(&world, &ana).await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_change_seen_twice_is_charged_once() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    world.fails(json!({ "webhooks": "double" })).await;
    let billing = world.app.billing().clone();

    let card = saved_card(&world, &ana, "pm_card_visa").await;
    chooses(&world, &ana, &card).await;
    let (first, second) = join(billing.sync.refresh(&ana.uid), billing.sync.refresh(&ana.uid)).await;
    first.and(second).expect("the provider is read");
    world.rest().await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2);
    let jobs = job_queries::of_uid(world.app.store(), JobKind::CardChange, &ana.uid).await.expect("readable");
    assert_eq!(jobs.len(), 1, "{jobs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_to_a_payment_is_not_charged_again() {
    for (fault, times) in [("act_then_drop", 4), ("drop", 4)] {
        let world = World::new().await;
        let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
        let invoice = open_invoice(&world, &ana).await;
        let path = format!("/v1/invoices/{invoice}/pay");
        world.fails(json!({ "path": path, fault: true, "times": times })).await;

        world.takes_card(&ana, VISA).await;
        world.advances_minutes(5).await;

        assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "{fault}");
        assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2, "{fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_with_a_lost_reply_is_attempted_once_and_sends_one_mail() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let failed = charges(&world, &ana, "failed").await.len();
    let path = format!("/v1/invoices/{}/pay", open_invoice(&world, &ana).await);
    world.fails(json!({ "path": path, "act_then_drop": true, "times": 4 })).await;

    world.takes_card(&ana, CARD_OF_ONE_CHARGE).await;
    world.advances_minutes(5).await;

    assert_eq!(charges(&world, &ana, "failed").await.len(), failed + 1);
    assert_eq!(failure_mails(&world, &ana).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_failure_kept_under_the_idempotency_key_does_not_prevent_the_payment() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let path = format!("/v1/invoices/{}/pay", open_invoice(&world, &ana).await);
    world.fails(json!({ "path": path, "status": 500, "kept": true, "times": 1 })).await;

    world.takes_card(&ana, VISA).await;
    world.advances_minutes(5).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_by_the_portal_at_the_same_time_is_not_charged_twice() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let path = format!("/v1/invoices/{}/pay", open_invoice(&world, &ana).await);
    let card = saved_card(&world, &ana, "pm_card_visa").await;
    // The product's call waits at the provider while the portal pays.
    world.fails(json!({ "path": path, "delay_ms": 500, "times": 1 })).await;
    chooses(&world, &ana, &card).await;
    let store = world.app.store();
    let is_called = async || card_payments::count_pending(store).await.expect("readable") == 1;
    world.eventually("the product begins to pay", is_called).await;

    let (status, answer) = world.provider_tries(&path, &[("payment_method", &card)]).await;
    world.rest().await;

    assert!(matches!(status, 200 | 400), "{answer}");
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_card_does_not_pay_the_invoice_of_a_canceled_subscription() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    world.cancels(&ana, "").await.expect("a suspended subscription can be cancelled");
    world.rest().await;

    world.takes_card(&ana, VISA).await;

    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 1, "the purchase alone");
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_card_after_a_cancellation_at_the_provider_is_stored_and_not_charged() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let path = format!("/v1/subscriptions/{}", text(&subscription_of(&world, &ana).await["id"]));
    world.provider_posts(&path, &[("cancel_at_period_end", "true")]).await;
    world.rest().await;

    let card = saved_card(&world, &ana, "pm_card_visa").await;
    chooses(&world, &ana, &card).await;
    world.rest().await;

    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 1, "the purchase alone");
    assert_eq!(subscription_of(&world, &ana).await["default_payment_method"], card);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_that_the_provider_has_not_received_also_prevents_the_payment() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let path = format!("/v1/invoices/{}/void", open_invoice(&world, &ana).await);
    let card = saved_card(&world, &ana, "pm_card_visa").await;
    world.fails(json!({ "path": path, "status": 503 })).await;
    world.cancels(&ana, "").await.expect_err("the provider does not answer");
    world.clear_faults().await;

    chooses(&world, &ana, &card).await;
    world.rest().await;

    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 1, "the purchase alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_waits_for_a_payment_in_progress() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    let path = format!("/v1/invoices/{}/pay", open_invoice(&world, &ana).await);
    let card = saved_card(&world, &ana, "pm_card_visa").await;
    world.fails(json!({ "path": path, "delay_ms": 1_500, "times": 1 })).await;
    chooses(&world, &ana, &card).await;
    let store = world.app.store();
    let is_called = async || card_payments::count_pending(store).await.expect("readable") == 1;
    world.eventually("the product begins to pay", is_called).await;

    world.cancels(&ana, "").await.expect_err("the cancellation is kept until the payment is known");
    world.rest().await;
    world.advances_minutes(11).await;

    // The renewal was paid, so its period counts before the cancellation ends the subscription.
    assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2);
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(subscription_of(&world, &ana).await["cancel_at_period_end"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_customer_card_does_not_replace_the_card_of_the_newest_purchase() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    world.takes_card(&ana, VISA).await;
    let first = subscription_of(&world, &ana).await;
    world.ends_subscription(&text(&first["id"])).await;
    world.advances_days(31).await;

    world.subscribes(&ana, "top_afiliado", "month").await;
    let bought = subscription_of(&world, &ana).await;
    world.app.billing().sync.refresh(&ana.uid).await.expect("the provider is read");
    world.advances_days(31).await;

    let after = subscription_of(&world, &ana).await;
    assert_ne!(after["id"], first["id"]);
    assert_eq!(after["default_payment_method"], bought["default_payment_method"]);
    assert_eq!(
        charges(&world, &ana, "succeeded").await[0]["payment_method"],
        bought["default_payment_method"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_after_an_unseen_card_change_keeps_its_own_card() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let first = text(&subscription_of(&world, &ana).await["id"]);
    world.ends_subscription(&first).await;
    world.advances_days(31).await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");

    world
        .with_events_held(async || {
            let card = saved_card(&world, &ana, "pm_card_visa").await;
            chooses(&world, &ana, &card).await;
            world.advances_minutes(1).await;
            world.pays_by_card(&session, VISA).await;
        })
        .await;

    let bought = subscription_of(&world, &ana).await;
    let customer = customer_of(&world, &ana).await;
    let customer = world.provider_object(&format!("/v1/customers/{customer}")).await;
    assert_ne!(bought["default_payment_method"], customer["invoice_settings"]["default_payment_method"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_change_with_lost_events_is_found_by_reconciliation() {
    let world = World::new().await;
    let ana = with_declined_renewal(&world, "ana@exemplo.com.br").await;
    world.fails(json!({ "webhooks": "drop" })).await;
    let card = saved_card(&world, &ana, "pm_card_visa").await;
    chooses(&world, &ana, &card).await;
    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));

    world.advances_minutes(11).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(subscription_of(&world, &ana).await["default_payment_method"], card);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_in_the_portal_pays_the_boleto_renewal_and_voids_the_boleto() {
    for portal in portals() {
        let world = World::new().await;
        world.behaves(portal.clone()).await;
        let ana = world.signs_up("ana@exemplo.com.br").await;
        world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
        world.advances_days(31).await;
        assert!(world.account_of(&ana).await.boleto.is_some(), "the renewal's boleto waits");

        world.takes_card(&ana, VISA).await;

        let account = world.account_of(&ana).await;
        assert_eq!(account.boleto, None, "{portal}");
        let subscription = account.subscription.expect("there is one");
        assert_eq!((subscription.active, subscription.payment_method.as_str()), (Some(true), "card"));
        assert_eq!(charges(&world, &ana, "succeeded").await.len(), 2, "{portal}");
        world.advances_days(31).await;
        assert_eq!(charges(&world, &ana, "succeeded").await.len(), 3, "{portal}");
    }
}
