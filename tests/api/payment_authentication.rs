//! Renewals that need authentication at the payer's bank, under each behaviour of the provider.

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use garimpo_proto::billing::v1::{GetPaymentAuthenticationRequest, GetPaymentAuthenticationResponse};
use serde_json::{Value, json};
use tonic::{Code, Status};

const GOOD_CARD: &str = "4242424242424242";
/// Requires authentication for every payment.
const ASKS_ALWAYS: &str = "4000002760003184";
/// Requires authentication when it is saved; later payments need none.
const ASKS_ONCE: [&str; 2] = ["4000002500003155", "4000003800000446"];
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

async fn buys(app: &App, card: &str) -> (Visitor, i64) {
    let who = app.visitor().signs_up(&Person::new()).await;
    let session = who.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, card).await, 200);
    let ends = who.becomes_active().await["subscription_end"].as_i64().expect("an end");
    (who, ends)
}

/// Signs up, buys, and moves the clock to a renewal that waits for authentication.
async fn with_unauthenticated_renewal(app: &App) -> (Visitor, i64) {
    let (who, ends) = buys(app, ASKS_ALWAYS).await;
    app.provider().goes_to(ends + HOUR + 2 * MINUTE).await;
    who.becomes("suspended").await;
    (who, ends)
}

async fn asks(who: &Visitor, invoice: &str) -> Result<GetPaymentAuthenticationResponse, Status> {
    let request = GetPaymentAuthenticationRequest { invoice_id: invoice.to_owned() };
    let answer = who.billing().await.get_payment_authentication(who.authorized(request)).await;
    answer.map(tonic::Response::into_inner)
}

/// Runs the step of the provider's script with the client secret, and answers the bank's challenge.
async fn authenticates(
    provider: &Provider,
    payment: &GetPaymentAuthenticationResponse,
    challenge: &str,
) -> Value {
    let method = Some(&payment.payment_method_id).filter(|id| !id.is_empty());
    let body = json!({ "challenge": challenge, "payment_method": method });
    provider.acts(&format!("/v3/authenticate/{}", payment.client_secret), body).await
}

async fn mails(provider: &Provider, who: &Visitor, subject: &str, count: usize) -> Vec<Value> {
    e2e::eventually(&format!("{count} mails: {subject}"), || async {
        let mut mails = provider.mails_to(&who.email).await;
        mails.retain(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject)));
        assert!(mails.len() <= count, "{mails:?}");
        (mails.len() == count).then_some(mails)
    })
    .await
}

async fn wait_for_renewal(who: &Visitor, end: i64) {
    e2e::eventually("the renewed period", || async {
        (who.record().await["subscription_end"] == end).then_some(())
    })
    .await;
}

async fn paid_charges(provider: &Provider, who: &Visitor) -> usize {
    let customer = provider.customer_of(&who.email).await;
    let charges = provider.all(&format!("/v1/charges?customer={customer}")).await;
    charges.iter().filter(|charge| charge["status"] == "succeeded").count()
}

#[tokio::test]
async fn a_renewal_that_needs_authentication_mails_once_and_is_paid_under_each_behavior() {
    let app = App::start().await;
    let provider = app.provider();
    for (status, events) in [
        ("requires_action", "both"),
        ("requires_payment_method", "both"),
        ("requires_action", "action_required"),
        ("requires_payment_method", "payment_failed"),
        ("requires_action", "payment_failed"),
        ("requires_payment_method", "action_required"),
    ] {
        provider.behaves(json!({ "authentication_status": status, "authentication_events": events })).await;
        let (ana, ends) = with_unauthenticated_renewal(&app).await;
        let asked = mails(&provider, &ana, "Confirme o pagamento no seu banco", 1).await;
        let text = asked[0]["text"].as_str().expect("a text");
        for part in ["/confirmar-pagamento", "R$ 97,90", "O seu acesso está suspenso", "CNPJ"] {
            assert!(text.contains(part), "{part} in {text}");
        }

        let payment = asks(&ana, "").await.expect("it waits");
        assert_eq!(payment.amount_centavos, 9_790);
        assert!(payment.hosted_invoice_url.starts_with("http"), "{}", payment.hosted_invoice_url);
        let answer = authenticates(&provider, &payment, "authorize").await;
        assert_eq!(answer["paymentIntent"]["status"], "succeeded", "{status} {events}: {answer}");

        wait_for_renewal(&ana, ends + 30 * DAY).await;
        assert_eq!(ana.becomes("active").await["subscription_active"], true);
        assert_eq!(paid_charges(&provider, &ana).await, 2, "{status} {events}");
        mails(&provider, &ana, "Pagamento confirmado", 2).await;
        mails(&provider, &ana, "Pagamento não aprovado", 0).await;
        ledger::eventually_agrees(&provider, &ana).await;
        let again = asks(&ana, "").await.expect_err("nothing waits any more");
        assert_eq!(again.code(), Code::NotFound);
        cancel_at_period_end(&provider, &ana).await;
    }
}

/// Cancels at the end of the period, because later renewals would only slow down the clock.
async fn cancel_at_period_end(provider: &Provider, who: &Visitor) {
    let customer = provider.customer_of(&who.email).await;
    let subscription = provider.list(&format!("/v1/subscriptions?customer={customer}")).await;
    let path = format!("/v1/subscriptions/{}", subscription[0]["id"].as_str().expect("an id"));
    provider.changes(&path, &[("cancel_at_period_end", "true")]).await;
}

#[tokio::test]
async fn a_failed_authentication_can_be_retried_and_another_card_pays_the_renewal() {
    for status in ["requires_action", "requires_payment_method"] {
        let app = App::start().await;
        let provider = app.provider();
        provider.behaves(json!({ "authentication_status": status })).await;
        // Both buy at the same time, because a renewal that waits for a whole period is voided.
        let (ana, ends) = buys(&app, ASKS_ALWAYS).await;
        let (rui, rui_ends) = buys(&app, ASKS_ALWAYS).await;
        provider.goes_to(rui_ends + HOUR + 2 * MINUTE).await;
        ana.becomes("suspended").await;
        rui.becomes("suspended").await;

        let payment = asks(&ana, "").await.expect("it waits");
        let refused = authenticates(&provider, &payment, "refuse").await;
        assert_eq!(refused["error"]["code"], "payment_intent_authentication_failure", "{refused}");
        assert_eq!(ana.record().await["subscription_status"], "suspended");
        let payment = asks(&ana, "").await.expect("it may be tried again");
        assert!(!payment.payment_method_id.is_empty(), "a failed attempt took the card off the payment");
        let answer = authenticates(&provider, &payment, "authorize").await;
        assert_eq!(answer["paymentIntent"]["status"], "succeeded", "{answer}");
        wait_for_renewal(&ana, ends + 30 * DAY).await;

        provider.takes_card_in_portal(&rui.portal().await, GOOD_CARD).await;
        wait_for_renewal(&rui, rui_ends + 30 * DAY).await;
        for who in [&ana, &rui] {
            assert_eq!(paid_charges(&provider, who).await, 2, "{status}");
            ledger::eventually_agrees(&provider, who).await;
        }
        mails(&provider, &ana, "Confirme o pagamento no seu banco", 1).await;
    }
}

#[tokio::test]
async fn provider_retries_of_an_unauthenticated_renewal_charge_nothing_and_send_no_mail() {
    let app = App::start().await;
    let provider = app.provider();
    let (ana, ends) = with_unauthenticated_renewal(&app).await;

    provider.goes_to(ends + 15 * DAY).await;

    assert_eq!(ana.record().await["subscription_status"], "suspended");
    assert_eq!(paid_charges(&provider, &ana).await, 1, "the purchase alone");
    mails(&provider, &ana, "Confirme o pagamento no seu banco", 1).await;
    let payment = asks(&ana, "").await.expect("it still waits");
    authenticates(&provider, &payment, "authorize").await;
    wait_for_renewal(&ana, ends + 30 * DAY).await;
}

#[tokio::test]
async fn the_grace_period_keeps_access_while_authentication_is_pending() {
    let app = App::start_with(&[("GARIMPO_GRACE_DAYS", "3")]).await;
    let provider = app.provider();
    let (ana, ends) = buys(&app, ASKS_ALWAYS).await;

    provider.goes_to(ends + HOUR + 2 * MINUTE).await;

    assert_eq!(ana.becomes("past_due").await["subscription_active"], true);
    let asked = mails(&provider, &ana, "Confirme o pagamento no seu banco", 1).await;
    assert!(asked[0]["text"].as_str().expect("a text").contains("O seu acesso continua até"), "{asked:?}");
    provider.goes_to(ends + 3 * DAY + 2 * HOUR).await;
    assert_eq!(ana.becomes("suspended").await["subscription_active"], false);
}

#[tokio::test]
async fn a_card_authenticated_at_purchase_renews_without_authentication() {
    let app = App::start().await;
    let provider = app.provider();
    let mut buyers = Vec::new();
    for card in ASKS_ONCE {
        buyers.push(buys(&app, card).await);
    }
    provider.goes_to(buyers[1].1 + HOUR + 2 * MINUTE).await;
    for (who, ends) in &buyers {
        wait_for_renewal(who, ends + 30 * DAY).await;
        mails(&provider, who, "Confirme o pagamento no seu banco", 0).await;
    }
}

#[tokio::test]
async fn a_new_card_that_needs_authentication_mails_once_and_pays_once_authenticated() {
    let app = App::start().await;
    let provider = app.provider();
    let (ana, ends) = buys(&app, "4000000000000341").await;
    provider.goes_to(ends + HOUR + 2 * MINUTE).await;
    ana.becomes("suspended").await;
    mails(&provider, &ana, "Pagamento não aprovado", 1).await;

    provider.takes_card_in_portal(&ana.portal().await, ASKS_ALWAYS).await;

    mails(&provider, &ana, "Confirme o pagamento no seu banco", 1).await;
    let payment = asks(&ana, "").await.expect("it waits");
    authenticates(&provider, &payment, "authorize").await;
    wait_for_renewal(&ana, ends + 30 * DAY).await;
    mails(&provider, &ana, "Pagamento não aprovado", 1).await;
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_payment_client_secret_is_returned_only_to_the_invoice_owner_and_never_logged() {
    let app = App::start().await;
    let (ana, _) = with_unauthenticated_renewal(&app).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let payment = asks(&ana, "").await.expect("it waits");

    let mine = asks(&ana, &payment.invoice_id).await.expect("by its id too");
    assert_eq!(mine.client_secret, payment.client_secret);
    for (who, invoice) in
        [(&rui, payment.invoice_id.as_str()), (&rui, ""), (&ana, "in_outra"), (&ana, "in_1%2Fpay")]
    {
        let refused = asks(who, invoice).await.expect_err("another account's payment");
        assert_eq!(refused.code(), Code::NotFound, "{invoice}");
    }
    let nobody = app.visitor();
    assert_eq!(asks(&nobody, "").await.expect_err("a session is needed").code(), Code::Unauthenticated);
    // A holder of the secret can pay, so no log line contains it.
    assert!(!app.log_text().contains(&payment.client_secret), "the secret is logged");
}
