//! Renewals by card: paid, declined, paid by another card, and cancelled after the last retry.

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use serde_json::{Value, json};

const GOOD_CARD: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn each_interval_renews_on_its_day_at_the_full_price() {
    let app = App::start().await;
    let provider = app.provider();
    let mut buyers = Vec::new();
    for (interval, coupon, days, price) in [
        ("mensal", "BF40", 30, "R$ 97,90"),
        ("trimestral", "", 90, "R$ 234,96"),
        ("semestral", "", 180, "R$ 391,60"),
        ("anual", "", 365, "R$ 587,40"),
    ] {
        let who = app.visitor().signs_up(&Person::new()).await;
        let ends = buys(&app, &who, interval, coupon, GOOD_CARD).await;
        buyers.push((who, days, price, ends));
    }

    for (who, days, price, ends) in &buyers {
        provider.goes_to(ends - MINUTE).await;
        assert_eq!(who.record().await["subscription_end"], *ends);
        // The provider keeps a renewal's invoice as a draft for an hour: no result yet, and access
        // continues.
        provider.goes_to(ends + HOUR / 2).await;
        let waiting = who.record().await;
        assert_eq!(
            (&waiting["subscription_active"], &waiting["subscription_end"]),
            (&json!(true), &json!(ends))
        );
        assert_eq!(waiting["subscription_status"], "active");

        provider.goes_to(ends + HOUR + MINUTE).await;

        let record = wait_for_renewal(who, ends + days * DAY).await;
        assert_eq!(record["subscription_start"], *ends);
        assert_eq!(record["subscription_status"], "active");
        let confirmed = mails(&provider, who, "Pagamento confirmado", 2).await;
        assert!(text(&confirmed[0]).contains(price), "{price} in {}", confirmed[0]);
        ledger::eventually_agrees(&provider, who).await;
        // Cancelled, because later renewals of this subscription would only slow down the clock.
        let subscription = subscription_of(&provider, who).await;
        provider
            .changes(&format!("/v1/subscriptions/{subscription}"), &[("cancel_at_period_end", "true")])
            .await;
    }
    let (monthly, ..) = &buyers[0];
    assert_eq!(monthly.becomes("canceled").await["subscription_active"], false);
    assert_eq!(mails(&provider, monthly, "Pagamento confirmado", 2).await.len(), 2);
}

#[tokio::test]
async fn a_renewal_without_a_result_keeps_access_for_24_hours() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, "mensal", "", GOOD_CARD).await;
    provider.goes_to(ends - HOUR).await;
    provider.add_fault(json!({ "path": "/v1", "status": 503 })).await;

    provider.goes_to(ends + DAY - 2 * MINUTE).await;
    let waiting = ana.record().await;
    assert_eq!(
        (&waiting["subscription_status"], &waiting["subscription_active"]),
        (&json!("active"), &json!(true))
    );
    provider.goes_to(ends + DAY + 1).await;
    let over = ana.record().await;
    assert_eq!(
        (&over["subscription_status"], &over["subscription_active"]),
        (&json!("suspended"), &json!(false))
    );

    // The renewal was paid meanwhile, and is found once the provider can be read again.
    provider.recovers().await;
    provider.goes_to(ends + DAY + 20 * MINUTE).await;
    wait_for_renewal(&ana, ends + 30 * DAY).await;
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_declined_renewal_suspends_at_once_and_a_new_card_restores_access() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, "mensal", "", CARD_OF_ONE_CHARGE).await;
    buys(&app, &rui, "mensal", "", CARD_OF_ONE_CHARGE).await;
    provider.goes_to(ends + HOUR - MINUTE).await;
    assert_eq!(ana.record().await["subscription_active"], true);

    provider.goes_to(ends + HOUR + 2 * MINUTE).await;

    let record = ana.becomes("suspended").await;
    assert_eq!((&record["subscription_active"], &record["subscription_end"]), (&json!(false), &json!(ends)));
    let declined_mails = mails(&provider, &ana, "Pagamento não aprovado", 1).await;
    assert!(text(&declined_mails[0]).contains("O seu acesso está suspenso"), "{}", declined_mails[0]);
    assert!(text(&declined_mails[0]).contains("R$ 97,90"), "{}", declined_mails[0]);

    provider.takes_card_in_portal(&ana.portal().await, GOOD_CARD).await;

    let record = wait_for_renewal(&ana, ends + 30 * DAY).await;
    assert_eq!(
        (&record["subscription_status"], &record["subscription_active"]),
        (&json!("active"), &json!(true))
    );
    mails(&provider, &ana, "Pagamento confirmado", 2).await;
    ledger::eventually_agrees(&provider, &ana).await;

    // Rui does nothing: three more retries, then the provider cancels.
    provider.goes_to(ends + 15 * DAY).await;
    assert_eq!(rui.record().await["subscription_status"], "suspended");
    provider.goes_to(ends + 16 * DAY).await;
    assert_eq!(rui.becomes("canceled").await["subscription_active"], false);
    assert_eq!(mails(&provider, &rui, "Pagamento não aprovado", 1).await.len(), 1, "four failures, one mail");
    ledger::eventually_agrees(&provider, &rui).await;
    // The open invoice is voided, because paying it would give no access.
    let customer = provider.customer_of(&rui.email).await;
    e2e::eventually("the invoice is void", || async {
        let invoices = provider.list(&format!("/v1/invoices?customer={customer}")).await;
        (invoices[0]["status"] == "void").then_some(())
    })
    .await;
    buys(&app, &rui, "trimestral", "", GOOD_CARD).await;
    ledger::eventually_agrees(&provider, &rui).await;
    assert_eq!(mails(&provider, &ana, "Pagamento não aprovado", 1).await.len(), 1);
}

#[tokio::test]
async fn the_grace_period_keeps_access_and_a_later_successful_retry_restores_it() {
    let app = App::start_with(&[("GARIMPO_GRACE_DAYS", "3")]).await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, "mensal", "", CARD_OF_ONE_CHARGE).await;
    provider.goes_to(ends + HOUR + 2 * MINUTE).await;

    let record = ana.becomes("past_due").await;
    assert_eq!(record["subscription_active"], true);
    let declined_mails = mails(&provider, &ana, "Pagamento não aprovado", 1).await;
    assert!(text(&declined_mails[0]).contains("O seu acesso continua até"), "{}", declined_mails[0]);
    provider.goes_to(ends + 3 * DAY + HOUR - 2 * MINUTE).await;
    assert_eq!(ana.record().await["subscription_status"], "past_due");
    provider.goes_to(ends + 3 * DAY + HOUR + MINUTE).await;
    assert_eq!(ana.becomes("suspended").await["subscription_active"], false);

    // Another card is attached, and the provider's next retry charges it.
    let customer = provider.customer_of(&ana.email).await;
    let card = provider.changes("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
    let path = format!("/v1/subscriptions/{}", subscription_of(&provider, &ana).await);
    let card = card["id"].as_str().expect("an id");
    provider.changes(&path, &[("default_payment_method", card)]).await;
    provider.goes_to(ends + 8 * DAY).await;
    assert_eq!(ana.record().await["subscription_status"], "suspended");
    provider.goes_to(ends + 8 * DAY + 2 * HOUR).await;

    wait_for_renewal(&ana, ends + 30 * DAY).await;
    mails(&provider, &ana, "Pagamento confirmado", 2).await;
    assert_eq!(mails(&provider, &ana, "Pagamento não aprovado", 1).await.len(), 1);
    ledger::eventually_agrees(&provider, &ana).await;
}

/// Buys Top Afiliado and returns the end of the paid period.
async fn buys(app: &App, who: &Visitor, interval: &str, coupon: &str, card: &str) -> i64 {
    let session = match coupon {
        "" => who.opens_checkout("Top Afiliado", interval).await,
        code => opens_with_coupon(who, interval, code).await,
    };
    assert_eq!(app.provider().pays_by_card(&session, card).await, 200);
    who.becomes_active().await["subscription_end"].as_i64().expect("an end")
}

async fn opens_with_coupon(who: &Visitor, interval: &str, coupon: &str) -> String {
    // Once this succeeds, the catalogue is at the provider.
    who.opens_checkout("Top Afiliado", interval).await;
    let body =
        json!({ "email": who.email, "planName": "Top Afiliado", "interval": interval, "couponId": coupon });
    let answer = who.calls("POST", "/create-embedded-checkout-session", Some(body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    e2e::visitor::session_id(answer.body["clientSecret"].as_str().expect("clientSecret"))
}

async fn wait_for_renewal(who: &Visitor, end: i64) -> Value {
    e2e::eventually("the renewed period", || async {
        let record = who.record().await;
        (record["subscription_end"] == end).then_some(record)
    })
    .await
}

/// Waits for this many mails of a subject and returns all of them, newest first.
async fn mails(provider: &Provider, who: &Visitor, subject: &str, count: usize) -> Vec<Value> {
    e2e::eventually(&format!("{count} mails: {subject}"), || async {
        let mut mails = provider.mails_to(&who.email).await;
        mails.retain(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject)));
        assert!(mails.len() <= count, "{mails:?}");
        (mails.len() == count).then_some(mails)
    })
    .await
}

async fn subscription_of(provider: &Provider, who: &Visitor) -> String {
    let customer = provider.customer_of(&who.email).await;
    let all = provider.list(&format!("/v1/subscriptions?customer={customer}")).await;
    all[0]["id"].as_str().expect("an id").to_owned()
}

fn text(mail: &Value) -> &str {
    mail["text"].as_str().expect("a text")
}
