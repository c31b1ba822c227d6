//! A new card pays open invoices exactly once, for every behaviour of the portal and every crash.

use e2e::{App, Person, Visitor, ledger};
use serde_json::{Value, json};

const GOOD_CARD: &str = "4242424242424242";
/// Attaches, and every later charge fails.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Somebody whose monthly renewal was declined, and the end of the paid period.
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

async fn is_paid(who: &Visitor, end: i64) {
    e2e::eventually("the renewed period", || async {
        (who.record().await["subscription_end"] == end).then_some(())
    })
    .await;
}

#[tokio::test]
async fn compra_renovacao_e_cartao_novo_valem_em_cada_comportamento_do_portal() {
    let portals = [("customer", false), ("customer", true), ("customer_and_subscriptions", false)]
        .into_iter()
        .chain([("customer_and_subscriptions", true)]);
    let app = App::start().await;
    for (place, pays) in portals {
        let provider = app.provider();
        provider.behaves(json!({ "portal_card": place, "portal_pays_open_invoices": pays })).await;
        let (ana, ends) = with_declined_renewal(&app).await;

        provider.takes_card_in_portal(&ana.portal().await, GOOD_CARD).await;

        is_paid(&ana, ends + 30 * DAY).await;
        assert_eq!(paid_charges(&app, &ana).await.len(), 2, "{place} {pays}");
        ledger::eventually_agrees(&provider, &ana).await;
        provider.goes_to(ends + 30 * DAY + HOUR + 2 * MINUTE).await;
        is_paid(&ana, ends + 60 * DAY).await;
        let charges = paid_charges(&app, &ana).await;
        assert_eq!(charges[0]["payment_method"], charges[1]["payment_method"], "{place} {pays}");
        ledger::eventually_agrees(&provider, &ana).await;
        // Its later renewals would only make the clock's walk longer.
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
async fn queda_entre_guardar_e_cobrar_o_cartao_novo_cobra_uma_vez() {
    let mut app = App::start().await;
    for point in ["intent.stored", "provider.answered"] {
        let (ana, ends) = with_declined_renewal(&app).await;
        let portal = ana.portal().await;
        app.is_doomed(point).await;

        // The process may die before it answers.
        app.provider().tries_card_in_portal(&portal, GOOD_CARD).await;
        app.has_died().await;
        app.restart().await;

        is_paid(&ana, ends + 30 * DAY).await;
        assert_eq!(paid_charges(&app, &ana).await.len(), 2, "{point}");
        ledger::eventually_agrees(&app.provider(), &ana).await;
        let subscription =
            app.provider().list(&format!("/v1/subscriptions?customer={}", customer(&app, &ana).await)).await;
        let path = format!("/v1/subscriptions/{}", subscription[0]["id"].as_str().expect("an id"));
        app.provider().changes(&path, &[("cancel_at_period_end", "true")]).await;
    }
}
