//! A new card pays open invoices exactly once, for every behaviour of the portal and every crash.

use e2e::{App, Person, Visitor, ledger};
use serde_json::{Value, json};

const GOOD_CARD: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// A subscriber whose monthly renewal was declined, and the end of the paid period.
async fn with_declined_renewal(app: &App) -> (Visitor, i64) {
    let who = app.visitor().signs_up(&Person::new()).await;
    let session = who.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD_OF_ONE_CHARGE).await, 200);
    let ends = who.becomes_active().await["subscription_end"].as_i64().expect("an end");
    app.provider().goes_to(ends + HOUR + 2 * MINUTE).await;
    who.becomes("suspended").await;
    (who, ends)
}

async fn paid_charges(app: &App, who: &Visitor) -> Vec<Value> {
    let customer = app.provider().customer_of(&who.email).await;
    let mut charges = app.provider().all(&format!("/v1/charges?customer={customer}")).await;
    charges.retain(|charge| charge["status"] == "succeeded");
    charges
}

async fn wait_for_renewal(who: &Visitor, end: i64) {
    e2e::eventually("the renewed period", || async {
        (who.record().await["subscription_end"] == end).then_some(())
    })
    .await;
}

#[tokio::test]
async fn purchase_renewal_and_new_card_work_under_each_portal_behavior() {
    let portals = [("customer", false), ("customer", true), ("customer_and_subscriptions", false)]
        .into_iter()
        .chain([("customer_and_subscriptions", true)]);
    let app = App::start().await;
    for (place, pays) in portals {
        let provider = app.provider();
        provider.behaves(json!({ "portal_card": place, "portal_pays_open_invoices": pays })).await;
        let (ana, ends) = with_declined_renewal(&app).await;

        provider.takes_card_in_portal(&ana.portal().await, GOOD_CARD).await;

        wait_for_renewal(&ana, ends + 30 * DAY).await;
        assert_eq!(paid_charges(&app, &ana).await.len(), 2, "{place} {pays}");
        ledger::eventually_agrees(&provider, &ana).await;
        provider.goes_to(ends + 30 * DAY + HOUR + 2 * MINUTE).await;
        wait_for_renewal(&ana, ends + 60 * DAY).await;
        let charges = paid_charges(&app, &ana).await;
        assert_eq!(charges[0]["payment_method"], charges[1]["payment_method"], "{place} {pays}");
        ledger::eventually_agrees(&provider, &ana).await;
        // Later renewals would only slow down the clock.
        let subscription =
            provider.list(&format!("/v1/subscriptions?customer={}", customer(&app, &ana).await)).await;
        let path = format!("/v1/subscriptions/{}", subscription[0]["id"].as_str().expect("an id"));
        provider.changes(&path, &[("cancel_at_period_end", "true")]).await;
    }
}

async fn customer(app: &App, who: &Visitor) -> String {
    app.provider().customer_of(&who.email).await
}

#[tokio::test]
async fn a_crash_between_saving_and_charging_a_new_card_charges_once() {
    let mut app = App::start().await;
    for point in ["intent.stored", "provider.answered"] {
        let (ana, ends) = with_declined_renewal(&app).await;
        let portal = ana.portal().await;
        app.restart_with_crash_point(point).await;

        // The process may crash before it responds.
        app.provider().tries_card_in_portal(&portal, GOOD_CARD).await;
        app.wait_for_end().await;
        app.restart().await;

        wait_for_renewal(&ana, ends + 30 * DAY).await;
        assert_eq!(paid_charges(&app, &ana).await.len(), 2, "{point}");
        ledger::eventually_agrees(&app.provider(), &ana).await;
        let subscription =
            app.provider().list(&format!("/v1/subscriptions?customer={}", customer(&app, &ana).await)).await;
        let path = format!("/v1/subscriptions/{}", subscription[0]["id"].as_str().expect("an id"));
        app.provider().changes(&path, &[("cancel_at_period_end", "true")]).await;
    }
}
