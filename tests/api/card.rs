//! Purchases by card, over gRPC and REST.

use e2e::visitor::session_id;
use e2e::{App, Person};
use garimpo_proto::billing::v1::{
    CreateCheckoutSessionRequest, GetCheckoutSessionRequest, GetSubscriptionRequest,
};
use serde_json::json;
use tonic::Code;
use tonic_types::StatusExt;

const GOOD_CARD: &str = "4242424242424242";
const DECLINED_CARD: &str = "4000000000000002";

#[tokio::test]
async fn a_visitor_subscribes_by_card_over_grpc() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut billing = app.billing().await;

    let request = CreateCheckoutSessionRequest {
        email: ana.email.clone(),
        plan_name: "Elite Nível 2".into(),
        interval: "semestral".into(),
        ..Default::default()
    };
    let secret = e2e::eventually("the catalogue at the provider", || {
        let call = ana.authorized(request.clone());
        let mut billing = billing.clone();
        async move {
            match billing.create_checkout_session(call).await {
                Ok(answer) => Some(answer.into_inner().client_secret),
                Err(status) => {
                    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
                    None
                }
            }
        }
    })
    .await;
    let session = session_id(&secret);
    assert_eq!(app.provider().pays_by_card(&session, GOOD_CARD).await, 200);

    let record = ana.becomes_active().await;
    assert_eq!(record["subscription_plan"], "elite_nivel_2");
    assert_eq!(record["subscription_status"], "active");
    let days = (record["subscription_end"].as_i64().unwrap()
        - record["subscription_start"].as_i64().unwrap())
        / 86_400;
    assert_eq!(days, 180);
    let checkout = GetCheckoutSessionRequest { session_id: session };
    let checkout = billing.get_checkout_session(checkout).await.unwrap().into_inner();
    assert_eq!((checkout.status.as_str(), checkout.payment_status.as_str()), ("complete", "paid"));
    // 217,90 x 6 less a third: 871,60.
    assert_eq!(checkout.amount_total_centavos, 87_160);
    assert_eq!(checkout.plan_id, "elite_nivel_2");
    let subscription =
        billing.get_subscription(ana.authorized(GetSubscriptionRequest {})).await.unwrap().into_inner();
    assert_eq!(subscription.subscription.unwrap().status, "active");
}

#[tokio::test]
async fn a_visitor_subscribes_by_card_over_rest_and_gets_one_mail() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let session = ana.opens_checkout("Top Afiliado", "month").await;
    let open = app.visitor().calls("GET", &format!("/session-status?session_id={session}"), None).await;
    assert_eq!(open.body, json!({ "status": "open", "customer_email": ana.email }));
    assert_eq!(app.provider().pays_by_card(&session, GOOD_CARD).await, 200);

    let record = ana.becomes_active().await;
    assert_eq!(record["subscription_plan"], "top_afiliado");
    let done = app.visitor().calls("GET", &format!("/session-status?session_id={session}"), None).await;
    assert_eq!(done.body, json!({ "status": "complete", "customer_email": ana.email }));
    let paid = e2e::eventually("the mail of the payment", || async {
        app.provider().mails_to(&ana.email).await.into_iter().next()
    })
    .await;
    assert!(paid["subject"].as_str().unwrap().starts_with("Pagamento confirmado"), "{paid}");
    // Webhook and return page both read the payment, and only one of them sends the mail.
    app.provider().advances_kept(3_600).await;
    let mails = app.provider().mails_to(&ana.email).await;
    assert!(mails.iter().all(|mail| mail["repeats"] == 0), "sent once: {mails:?}");
}

#[tokio::test]
async fn a_declined_card_charges_nothing_and_the_session_can_be_paid_again() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("elite_nivel_1", "anual").await;

    let declined = app.provider().pays_by_card(&session, DECLINED_CARD).await;

    assert_eq!(declined, 402);
    assert!(ana.record().await["subscription_active"].is_null());
    let open = app.visitor().calls("GET", &format!("/session-status?session_id={session}"), None).await;
    assert_eq!(open.body["status"], "open");
    assert_eq!(app.provider().pays_by_card(&session, GOOD_CARD).await, 200);
    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_nivel_1");
}

#[tokio::test]
async fn the_same_choice_within_thirty_minutes_gets_the_same_checkout_session() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let first = ana.opens_checkout("Elite Nível 3", "trimestral").await;
    let same = ana.opens_checkout("elite  NIVEL 3", "quarterly").await;
    let other = ana.opens_checkout("Elite Nível 3", "anual").await;

    assert_eq!(first, same);
    assert_ne!(first, other);
}

#[tokio::test]
async fn a_subscriber_cannot_open_another_checkout_but_can_open_the_portal() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite PRO 1", "monthly").await;
    app.provider().pays_by_card(&session, GOOD_CARD).await;
    ana.becomes_active().await;

    let body = json!({ "email": ana.email, "planName": "Top Afiliado", "interval": "mensal" });
    let refused = ana.calls("POST", "/create-embedded-checkout-session", Some(body)).await;

    assert_eq!((refused.status, refused.code()), (409, "ALREADY_SUBSCRIBED"));
    let portal =
        ana.calls("POST", "/api/create-customer-portal-session", Some(json!({ "email": ana.email }))).await;
    assert_eq!(portal.status, 200, "{portal:?}");
    assert!(portal.body["url"].as_str().unwrap().starts_with("http"));
}

#[tokio::test]
async fn a_shown_price_that_is_not_current_is_refused_with_the_current_price() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "month").await;

    let request = CreateCheckoutSessionRequest {
        email: ana.email.clone(),
        plan_name: "Top Afiliado".into(),
        interval: "month".into(),
        shown_price_centavos: Some(100),
        ..Default::default()
    };
    let refused = app.billing().await.create_checkout_session(ana.authorized(request)).await.unwrap_err();

    let info = refused.get_details_error_info().expect("ErrorInfo");
    assert_eq!(info.reason, "PRICE_CHANGED");
    assert_eq!(info.metadata["price_centavos"], "9790");
}

#[tokio::test]
async fn black_november_takes_100_reais_off_the_first_month() {
    let app = App::start_with(&[("GARIMPO_BLACK_NOVEMBER", "on")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Elite Nível 1", "month").await;
    let request = CreateCheckoutSessionRequest {
        email: ana.email.clone(),
        plan_name: "Elite Nível 1".into(),
        interval: "month".into(),
        coupon_id: "blacknovember".into(),
        shown_price_centavos: Some(9_790),
        ..Default::default()
    };

    let secret =
        app.billing().await.create_checkout_session(ana.authorized(request)).await.unwrap().into_inner();

    let checkout = GetCheckoutSessionRequest { session_id: session_id(&secret.client_secret) };
    let checkout = app.billing().await.get_checkout_session(checkout).await.unwrap().into_inner();
    assert_eq!(checkout.amount_total_centavos, 9_790);
}

#[tokio::test]
async fn a_purchase_in_the_trial_can_be_charged_at_its_end() {
    let app = App::start_with(&[("GARIMPO_TRIAL_PURCHASE", "at_trial_end")]).await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let standing = ana.get_subscription().await;
    let trial_ends = standing.trial_ends_at.expect("a trial").seconds;
    assert_eq!(standing.first_charge_at.expect("later").seconds, trial_ends);
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(provider.asks_for_boleto(&session).await, 400, "a card alone can be charged later");

    assert_eq!(provider.pays_by_card(&session, "4242424242424242").await, 200);

    let record = ana.becomes("trialing").await;
    assert_eq!(record["subscription_active"], serde_json::Value::Null);
    let customer = provider.customer_of(&ana.email).await;
    let charges = format!("/v1/charges?customer={customer}");
    assert!(provider.list(&charges).await.is_empty());
    provider.goes_to(trial_ends + 2 * 3600).await;
    let record = ana.becomes_active().await;
    assert_eq!(record["subscription_start"], trial_ends);
    assert_eq!(provider.list(&charges).await[0]["amount"], 9_790);
}
