//! POST /create-embedded-checkout-session

use super::{
    FOREIGN_ORIGIN_HEADERS, PAYMENTS_DOWN, PERMISSION_DENIED, PROVIDER_UNAVAILABLE, UNAUTHENTICATED,
    UNAVAILABLE,
};
use e2e::{App, Person, Rest, SeparateProcesses};
use serde_json::{Value, json};

const PATH: &str = "/create-embedded-checkout-session";

fn order(email: &str, plan: &str, interval: &str) -> Value {
    json!({ "email": email, "planName": plan, "interval": interval })
}

#[tokio::test]
async fn create_checkout_returns_only_the_client_secret() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "month").await;
    let mut body = order(&ana.email.to_uppercase(), " elite  nivel 2 ", "Semestral");
    body["couponId"] = json!("");
    body["shownPrice"] = json!(1);

    let opened = ana.calls_with_cookie("POST", PATH, Some(body)).await;

    let secret = opened.body["clientSecret"].as_str().expect("a secret").to_owned();
    opened.gives(200, json!({ "clientSecret": secret }));
    assert!(secret.starts_with("cs_") && secret.contains("_secret_"), "{secret}");
}

#[tokio::test]
async fn plan_interval_and_coupon_each_have_their_own_refusal() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let with_coupon = |coupon: &str| {
        let mut body = order(&ana.email, "Elite Nível 1", "month");
        body["couponId"] = json!(coupon);
        body
    };
    let coupon = (400, "COUPON_NOT_APPLICABLE", "Este cupom não vale para esta compra.");

    for (body, refusal) in [
        (order(&ana.email, "Ouro", "month"), (400, "UNKNOWN_PLAN", "Este plano não existe.")),
        (
            order(&ana.email, "profissional", "month"),
            (400, "PLAN_NOT_FOR_SALE", "Este plano não está à venda."),
        ),
        (order(&ana.email, "Top Afiliado", "semana"), (400, "UNKNOWN_INTERVAL", "Este período não existe.")),
        (with_coupon("blacknovember"), coupon),
        (with_coupon("cupom que não existe"), coupon),
    ] {
        ana.calls("POST", PATH, Some(body)).await.refuses(refusal);
    }
}

#[tokio::test]
async fn a_missing_null_or_blank_email_is_a_missing_field() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let with = |email: Value| {
        let mut body = order("", "Top Afiliado", "month");
        body["email"] = email;
        body
    };

    for body in [
        json!({ "planName": "Top Afiliado", "interval": "month" }),
        with(Value::Null),
        with(json!("")),
        with(json!(" \t")),
    ] {
        ana.calls("POST", PATH, Some(body)).await.blames("email é obrigatório");
    }
    ana.calls("POST", PATH, Some(with(json!(7)))).await.blames("email deve ser um texto");
    let missing = ana.calls("POST", PATH, Some(json!({ "email": null, "interval": [] }))).await;
    missing.blames("email é obrigatório; planName é obrigatório; interval deve ser um texto");
}

#[tokio::test]
async fn only_the_owner_of_the_email_can_open_a_checkout() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let own = order(&ana.email, "Top Afiliado", "month");

    app.visitor().calls("POST", PATH, Some(own.clone())).await.refuses(UNAUTHENTICATED);
    rui.calls("POST", PATH, Some(own.clone())).await.refuses(PERMISSION_DENIED);
    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        let refused = ana.request("POST", PATH).cookie_of(&ana).header(name, value).json(&own);
        refused.answered().await.refuses(PERMISSION_DENIED);
    }
}

#[tokio::test]
async fn a_subscriber_who_opens_a_checkout_gets_409() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite PRO 1", "monthly").await;
    app.provider().pays_by_card(&session, "4242424242424242").await;
    ana.becomes_active().await;

    let refused = ana.calls("POST", PATH, Some(order(&ana.email, "Top Afiliado", "mensal"))).await;

    refused.refuses((409, "ALREADY_SUBSCRIBED", "Você já tem uma assinatura ativa!"));
}

#[tokio::test]
async fn create_checkout_returns_502_with_retry_after_when_the_provider_is_down() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "month").await;
    app.provider().add_fault(json!({ "path": "/v1/checkout/sessions", "status": 500 })).await;

    let refused = ana.calls("POST", PATH, Some(order(&ana.email, "Elite Nível 3", "anual"))).await;

    refused.refuses(PROVIDER_UNAVAILABLE);
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds >= 1), "{refused:?}");
}

#[tokio::test]
async fn a_refused_key_is_reported_over_rest_and_counted_as_unauthorized() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "month").await;
    let counted = r#"garimpo_provider_requests_total{call="checkout_create",outcome="unauthorized"}"#;
    assert_eq!(app.metric(counted).await, None);
    app.provider().add_fault(json!({ "path": "/v1/checkout/sessions", "status": 401 })).await;

    let refused = ana.calls("POST", PATH, Some(order(&ana.email, "Elite Nível 3", "anual"))).await;

    refused.refuses(PAYMENTS_DOWN);
    assert_eq!(app.metric(counted).await.as_deref(), Some("1"));
    app.provider().recovers().await;
    ana.opens_checkout("Elite Nível 3", "anual").await;
}

#[tokio::test]
async fn create_checkout_returns_503_until_the_catalogue_is_at_the_provider() {
    let cluster =
        SeparateProcesses::start_with_faults(&[json!({ "path": "/v1/products", "status": 500 })]).await;
    let ana = cluster.visitor().signs_up(&Person::new()).await;

    let refused = ana.calls("POST", PATH, Some(order(&ana.email, "Top Afiliado", "month"))).await;
    cluster.provider().recovers().await;

    refused.refuses(UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), "1");
    // The push is retried by itself. Moving the clock is faster than waiting.
    cluster.provider().advances(900).await;
    let session = ana.opens_checkout("Top Afiliado", "month").await;
    assert!(session.starts_with("cs_"), "{session}");
}
