//! Lost, duplicated, shuffled and delayed webhook events, for every kind of purchase. No buyer
//! returns to our pages.

use e2e::provider::Provider;
use e2e::{App, Visitor, ledger};
use serde_json::json;

use super::{GOOD_CARD, somebody, wait_for_status};

#[tokio::test]
async fn lost_duplicated_reordered_and_held_events_end_with_matching_ledgers() {
    let app = App::start().await;
    let provider = app.provider();
    for fault in ["drop", "double", "shuffle", "hold"] {
        let buyers = [somebody(&app).await, somebody(&app).await, somebody(&app).await];
        buyers[0].opens_checkout("Top Afiliado", "mensal").await;
        provider.add_fault(json!({ "webhooks": fault })).await;

        buy_by_card_boleto_and_twice(&provider, &buyers).await;

        // Reconciliation runs every ten minutes and finds changes without an event.
        provider.advances(11 * 60).await;
        for who in &buyers {
            ledger::eventually_agrees(&provider, who).await;
            assert_eq!(who.record().await["subscription_active"], true, "{fault}");
        }
        provider.recovers().await;
        provider.advances(60).await;
        for who in &buyers {
            ledger::eventually_agrees(&provider, who).await;
        }
    }
}

#[tokio::test]
async fn the_ledger_shows_differences_that_are_not_yet_settled() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Top Afiliado", "mensal").await;
    let two = ana.opens_checkout("Elite Nível 1", "mensal").await;
    ledger::agrees(&provider, &ana).await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;

    provider.pays_by_card(&one, GOOD_CARD).await;
    let unknown = ledger::differences(&provider, &ana).await.join("\n");
    provider.pays_by_card(&two, GOOD_CARD).await;
    let twice = ledger::differences(&provider, &ana).await.join("\n");

    assert!(unknown.contains("payments and their mails differ in number"), "{unknown}");
    assert!(unknown.contains("paid at the provider, not active with us"), "{unknown}");
    assert!(twice.contains("two live subscriptions at the provider"), "{twice}");
    assert!(twice.contains("the same time was charged twice and kept"), "{twice}");
    provider.recovers().await;
    ledger::eventually_agrees(&provider, &ana).await;
}

/// One account buys by card, one by boleto, and one twice at the same time.
async fn buy_by_card_boleto_and_twice(provider: &Provider, [card, slip, both]: &[Visitor; 3]) {
    let session = card.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);

    let session = slip.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(provider.asks_for_boleto(&session).await, 200);
    assert_eq!(provider.pays_boleto(&session).await, 200);

    let one = both.opens_checkout("Elite Nível 3", "anual").await;
    let two = both.opens_checkout("Top Afiliado", "anual").await;
    let paid = tokio::join!(provider.pays_by_card(&one, GOOD_CARD), provider.pays_by_card(&two, GOOD_CARD));
    assert!(paid.0 == 200 || paid.1 == 200, "{paid:?}");
}

#[tokio::test]
async fn a_boleto_issued_and_paid_without_any_event_is_found() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite PRO 5", "trimestral").await;
    provider.add_fault(json!({ "webhooks": "drop" })).await;

    provider.asks_for_boleto(&session).await;
    provider.advances(11 * 60).await;
    wait_for_status(&ana, "awaiting_payment").await;
    provider.pays_boleto(&session).await;
    provider.advances(11 * 60).await;

    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_pro_5");
    ledger::eventually_agrees(&provider, &ana).await;
}

const DAY: i64 = 86_400;

#[tokio::test]
async fn reconciliation_repairs_three_days_without_any_event() {
    let app = App::start().await;
    let provider = app.provider();
    let [renews, fails, slip, refunded, disputed, ended] = &subscribers(&app).await[..] else {
        unreachable!("six subscribers")
    };
    let ends = renews.record().await["subscription_end"].as_i64().expect("an end");
    provider.goes_to(ends - DAY).await;
    // The provider ends its retries of each event before the endpoint responds again.
    provider.add_fault(json!({ "webhooks": "drop" })).await;

    let new_by_card = somebody(&app).await;
    let session = new_by_card.opens_checkout("Elite Nível 3", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);
    let new_by_slip = somebody(&app).await;
    let new_slip = new_by_slip.opens_checkout("Elite PRO 1", "mensal").await;
    assert_eq!(provider.asks_for_boleto(&new_slip).await, 200);
    let charge = last_charge(&provider, refunded).await;
    provider.changes("/v1/refunds", &[("charge", &charge)]).await;
    let customer = provider.customer_of(&ended.email).await;
    let running = provider.list(&format!("/v1/subscriptions?customer={customer}")).await;
    let id = running[0]["id"].as_str().expect("an id");
    provider.changes(&format!("/v1/subscriptions/{id}"), &[("cancel_at_period_end", "true")]).await;
    provider.goes_to(ends + 3 * 3_600).await;
    // The payer's bank disputes the renewal.
    let charge = last_charge(&provider, disputed).await;
    provider.acts("/_test/disputes", json!({ "charge": charge })).await;
    assert_eq!(provider.pays_boleto(&new_slip).await, 200);
    provider.goes_to(ends + 2 * DAY + DAY / 2).await;

    let everybody = [renews, fails, slip, refunded, disputed, ended, &new_by_card, &new_by_slip];
    for who in everybody {
        ledger::eventually_agrees(&provider, who).await;
    }
    assert_eq!(renews.record().await["subscription_end"], ends + 30 * DAY);
    for (who, status, active) in [
        (renews, "active", true),
        (fails, "suspended", false),
        (slip, "active", true),
        (refunded, "canceled", false),
        (disputed, "suspended", false),
        (ended, "canceled", false),
        (&new_by_card, "active", true),
        (&new_by_slip, "active", true),
    ] {
        let record = who.record().await;
        let seen = (&record["subscription_status"], &record["subscription_active"]);
        assert_eq!(seen, (&json!(status), &json!(active)), "{status}: {record}");
    }
    // Events that arrive later change nothing.
    provider.recovers().await;
    provider.advances_days(1).await;
    for who in everybody {
        ledger::eventually_agrees(&provider, who).await;
    }
}

/// Six people who subscribed today: the third one by boleto, the second one with a card that fails
/// at renewals.
async fn subscribers(app: &App) -> Vec<Visitor> {
    let provider = app.provider();
    let mut all = Vec::new();
    for at in 0..6 {
        let who = somebody(app).await;
        let session = who.opens_checkout("Top Afiliado", "mensal").await;
        if at == 2 {
            assert_eq!(provider.asks_for_boleto(&session).await, 200);
            assert_eq!(provider.pays_boleto(&session).await, 200);
        } else {
            let card = if at == 1 { "4000000000000341" } else { GOOD_CARD };
            assert_eq!(provider.pays_by_card(&session, card).await, 200);
        }
        who.becomes_active().await;
        all.push(who);
    }
    all
}

async fn last_charge(provider: &Provider, who: &Visitor) -> String {
    let customer = provider.customer_of(&who.email).await;
    let charges = provider.list(&format!("/v1/charges?customer={customer}")).await;
    charges[0]["id"].as_str().expect("an id").to_owned()
}
