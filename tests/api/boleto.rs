//! Purchases by boleto: issued, awaiting payment, paid, expired.

use e2e::{App, Person};
use garimpo_proto::billing::v1::{GetCheckoutSessionRequest, GetSubscriptionRequest};

#[tokio::test]
async fn an_issued_boleto_grants_nothing_and_a_paid_one_activates_the_subscription() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;

    assert_eq!(app.provider().asks_for_boleto(&session).await, 200);

    let waiting = e2e::eventually("the waiting boleto", || async {
        let record = ana.record().await;
        (record["subscription_status"] == "awaiting_payment").then_some(record)
    })
    .await;
    assert!(waiting["subscription_active"].is_null(), "issuing a boleto grants nothing");
    let mut billing = app.billing().await;
    let checkout = GetCheckoutSessionRequest { session_id: session.clone() };
    let seen = billing.get_checkout_session(checkout).await.unwrap().into_inner();
    assert_eq!((seen.status.as_str(), seen.payment_status.as_str()), ("complete", "unpaid"));
    let boleto = seen.boleto.expect("the boleto to pay");
    assert_eq!(boleto.line.len(), 47);
    assert_eq!(boleto.amount_centavos, 21_790);
    assert!(boleto.voucher_url.starts_with("http"));
    let mine =
        billing.get_subscription(ana.authorized(GetSubscriptionRequest {})).await.unwrap().into_inner();
    assert_eq!(mine.boleto.expect("the user area shows it too").line, boleto.line);

    assert_eq!(app.provider().pays_boleto(&session).await, 200);

    let record = ana.becomes_active().await;
    assert_eq!(record["subscription_plan"], "elite_nivel_2");
    let subjects: Vec<String> = e2e::eventually("both mails", || async {
        let mails = app.provider().mails_to(&ana.email).await;
        (mails.len() >= 2)
            .then(|| mails.iter().map(|mail| mail["subject"].as_str().unwrap().to_string()).collect())
    })
    .await;
    assert!(subjects.iter().any(|subject| subject.contains("boleto")), "{subjects:?}");
    assert!(subjects.iter().any(|subject| subject.starts_with("Pagamento confirmado")), "{subjects:?}");
}

#[tokio::test]
async fn an_expired_boleto_activates_nothing_and_allows_a_new_purchase() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    app.provider().asks_for_boleto(&session).await;

    app.provider().advances_days(5).await;

    e2e::eventually("the end of the boleto", || async {
        let record = ana.record().await;
        (record["subscription_status"] != "awaiting_payment").then_some(())
    })
    .await;
    assert_ne!(ana.record().await["subscription_active"], true);
    // The clock's move keeps the ID token valid, so the same visitor can buy again.
    let again = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_ne!(again, session);
    assert_eq!(app.provider().pays_by_card(&again, "4242424242424242").await, 200);
    ana.becomes_active().await;
}

#[tokio::test]
async fn the_most_expensive_period_can_be_paid_by_boleto() {
    // The most expensive period, Elite PRO 6 annual (R$ 6.287,40), is below the limit of R$
    // 49.999,99.
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let session = ana.opens_checkout("Elite PRO 6", "anual").await;

    let held = app.provider().object(&format!("/v1/checkout/sessions/{session}")).await;
    assert_eq!(held["amount_total"], 628_740);
    assert_eq!(held["payment_method_types"], serde_json::json!(["card", "boleto"]));
}
