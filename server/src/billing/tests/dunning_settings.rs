//! Failed renewals under every setting of the provider's account that we cannot choose.

use serde_json::{Value, json};

use crate::billing::tests::{assert_sound, buys_by_hand, mails_about, text};
use crate::tests::database::Database;
use crate::tests::server::SignedInUser;
use crate::tests::world::{ANA, World};

/// A test card that can be attached and fails at every later charge.
const FAILS_LATER: &str = "4000000000000341";

/// Ana with a monthly plan, bought with a card.
async fn bought(world: &World, card: &str) -> SignedInUser {
    let ana = world.signs_up(ANA).await;
    world.subscribes_with(card, &ana, "top_afiliado", "month").await;
    assert_eq!(status_of(world, &ana).await, ("active".to_owned(), Some(true)));
    ana
}

async fn status_of(world: &World, who: &SignedInUser) -> (String, Option<bool>) {
    world.status_of(who).await.expect("a subscription")
}

async fn open_invoices(world: &World) -> Vec<Value> {
    world.provider_list("/v1/invoices?status=open").await
}

/// Attaches a good card to the customer and pays the newest open invoice with it, as support would.
async fn pays_open_invoice(world: &World) {
    let invoice = open_invoices(world).await.remove(0);
    let customer = text(&invoice["customer"]);
    world.provider_posts("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
    let methods = world.provider_list(&format!("/v1/customers/{customer}/payment_methods")).await;
    let card = text(&methods[0]["id"]);
    let subscription = text(&invoice["parent"]["subscription_details"]["subscription"]);
    let default = [("default_payment_method", card.as_str())];
    world.provider_posts(&format!("/v1/subscriptions/{subscription}"), &default).await;
    world.provider_posts(&format!("/v1/invoices/{}/pay", text(&invoice["id"])), &[]).await;
    world.rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn purchase_renewal_and_recovery_work_with_every_dunning_setting() {
    for behavior in [
        json!({}),
        json!({"retry_intent": "new"}),
        json!({"cancellation_stops": "subscription"}),
        json!({"retry_schedule": "smart"}),
        json!({"retry_schedule": "none", "retry_end": "unpaid"}),
        json!({"retry_schedule": "none", "retry_end": "past_due"}),
        json!({"void_reactivates": true}),
    ] {
        let world = World::on_sqlite().await;
        world.behaves(behavior.clone()).await;
        let ana = bought(&world, FAILS_LATER).await;

        world.advances_days(31).await;
        assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)), "{behavior}");
        pays_open_invoice(&world).await;

        assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)), "{behavior}");
        world.advances_days(30).await;
        let renewed = world.account_of(&ana).await.subscription.expect("one");
        assert_eq!((renewed.status.as_str(), renewed.active), ("active", Some(true)), "{behavior}");
        let charges = world.provider_list("/v1/charges").await;
        assert_eq!(charges.iter().filter(|one| one["paid"] == true).count(), 3, "{behavior}: {charges:?}");
        assert_eq!(mails_about(&world, "Pagamento confirmado").await.len(), 3, "{behavior}");
        assert_eq!(mails_about(&world, "Pagamento não aprovado").await.len(), 1, "{behavior}");
        assert_sound(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_last_attempt_a_new_purchase_replaces_the_unpaid_subscription() {
    for end in ["canceled", "unpaid", "past_due"] {
        let world = World::new().await;
        world.behaves(json!({"retry_schedule": "none", "retry_end": end})).await;
        let ana = bought(&world, FAILS_LATER).await;
        world.advances_days(31).await;
        let expected = if end == "canceled" { "canceled" } else { "suspended" };
        assert_eq!(status_of(&world, &ana).await, (expected.into(), Some(false)), "{end}");

        world.subscribes(&ana, "elite_nivel_1", "month").await;

        assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)), "{end}");
        assert!(open_invoices(&world).await.is_empty(), "{end}: what is over cannot be paid");
        let running = world.provider_list("/v1/subscriptions").await;
        assert_eq!(running.len(), 1, "{end}: {running:?}");
        world.advances_days(31).await;
        assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)), "{end}: it renews");
        assert_sound(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unpaid_subscription_without_further_attempts_ends_with_its_unpaid_period() {
    let world = World::new().await;
    world.behaves(json!({"retry_end": "unpaid"})).await;
    let ana = bought(&world, FAILS_LATER).await;
    world.advances_days(47).await;
    let at_provider = world.provider_list("/v1/subscriptions").await;
    assert_eq!(at_provider[0]["status"], "unpaid");
    assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)));

    world.advances_days(14).await;

    assert_eq!(status_of(&world, &ana).await, ("canceled".into(), Some(false)));
    assert!(world.provider_list("/v1/subscriptions").await.is_empty(), "nothing is invoiced any more");
    assert!(open_invoices(&world).await.is_empty());
    names_non_payment(&world).await;
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mail_about_an_end_after_the_last_attempt_names_non_payment() {
    let world = World::new().await;
    world.behaves(json!({"retry_schedule": "none", "retry_end": "canceled"})).await;
    let ana = bought(&world, FAILS_LATER).await;
    world.advances_days(31).await;
    assert_eq!(status_of(&world, &ana).await, ("canceled".into(), Some(false)));
    names_non_payment(&world).await;
}

/// The only mail about the end of the subscription gives non-payment as its reason.
async fn names_non_payment(world: &World) {
    let mails = mails_about(world, "Assinatura cancelada").await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let [subject, text] = ["subject", "text"].map(|part| mails[0][part].as_str().expect("a text"));
    assert!(subject.starts_with("Assinatura cancelada por falta de pagamento: "), "{subject}");
    assert!(text.contains("foi cancelada por falta de pagamento."), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_due_subscription_gets_no_second_grace_period_and_returns_when_paid() {
    let database = Database::new().await;
    let world = World::start_with(database, |settings| settings.billing.policy.grace_days = 5).await;
    world.behaves(json!({"retry_end": "past_due"})).await;
    let ana = bought(&world, FAILS_LATER).await;
    world.advances_days(31).await;
    assert_eq!(status_of(&world, &ana).await, ("past_due".into(), Some(true)));
    world.advances_days(16).await;
    assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)));

    // The next period's invoice fails as well: no second grace period, and one open invoice.
    world.advances_days(14).await;
    assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)));
    let open = open_invoices(&world).await;
    assert_eq!(open.len(), 1, "the invoice of the time that is over is void: {open:?}");
    assert_eq!(open[0]["attempt_count"], 1);
    assert_eq!(mails_about(&world, "Pagamento não aprovado").await.len(), 1);

    pays_open_invoice(&world).await;
    assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)));
    let ends = world.account_of(&ana).await.subscription.expect("one").ends_at.expect("paid").seconds;
    assert!(ends - world.app.clock().now().as_unix_seconds() > 28 * 86_400, "the period that was paid");
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_voided_at_the_provider_does_not_restore_the_access() {
    for reactivates in [false, true] {
        let world = World::new().await;
        world.behaves(json!({"void_reactivates": reactivates})).await;
        let ana = bought(&world, FAILS_LATER).await;
        world.advances_days(31).await;

        let invoice = text(&open_invoices(&world).await[0]["id"]);
        world.provider_posts(&format!("/v1/invoices/{invoice}/void"), &[]).await;
        world.rest().await;

        assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)), "{reactivates}");
        world.subscribes(&ana, "elite_nivel_1", "month").await;
        assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)));
        assert_eq!(world.provider_list("/v1/subscriptions").await.len(), 1, "{reactivates}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_one_subscription_does_not_stop_the_collection_of_another() {
    for scope in ["customer", "subscription"] {
        let world = World::new().await;
        world.behaves(json!({"cancellation_stops": scope})).await;
        let ana = bought(&world, FAILS_LATER).await;
        let other = buys_by_hand(&world).await;
        world.advances_days(31).await;
        assert_eq!(status_of(&world, &ana).await, ("suspended".into(), Some(false)), "{scope}");

        world.ends_subscription(&other).await;
        world.rest().await;

        let open = open_invoices(&world).await.remove(0);
        assert_eq!(open["auto_advance"], true, "{scope}: it is collected again");
        let path =
            format!("/v1/subscriptions/{}", text(&open["parent"]["subscription_details"]["subscription"]));
        let customer = text(&open["customer"]);
        world.provider_posts("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
        let methods = world.provider_list(&format!("/v1/customers/{customer}/payment_methods")).await;
        world.provider_posts(&path, &[("default_payment_method", &text(&methods[0]["id"]))]).await;
        world.advances_days(3).await;
        assert_eq!(status_of(&world, &ana).await, ("active".into(), Some(true)), "{scope}");
    }
}
