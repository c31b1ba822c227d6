//! The log has no secrets and no personal data at any level, and one payment can be traced.

use e2e::{App, Person, Rest};
use serde_json::{Value, json};

const CPF: &str = "529.982.247-25";
const CARD: &str = "4242424242424242";

#[tokio::test]
async fn no_log_line_of_any_level_has_secrets_or_personal_data() {
    let app = App::start_with(&[("GARIMPO_LOG", "trace")]).await;
    let person = Person::new();
    let mut secrets = vec![person.email.clone(), person.password.clone(), person.phone_number.clone()];
    secrets.extend(
        ["Ana Maria", "Souza", CARD, CPF, "52998224725", "senha-errada", "valor-da-busca"].map(String::from),
    );

    let ana = app.visitor().signs_up(&person).await;
    ana.request("GET", "/planos?promo=valor-da-busca").send().await.unwrap();
    signs_in(&app, &person.email, "senha-errada").await.unwrap_err();
    signs_in(&app, &person.email, &person.password).await.unwrap();
    ana.calls("POST", "/api/password-reset", Some(json!({ "email": person.email }))).await;
    let voucher = ana.opens_checkout("Elite Nível 1", "trimestral").await;
    app.provider().asks_for_boleto(&voucher).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    let portal = "/api/create-customer-portal-session";
    let portal = ana.calls("POST", portal, Some(json!({ "email": person.email }))).await;
    e2e::eventually("the mail", || async {
        let mails = app.provider().mails_to(&ana.email).await;
        (!mails.is_empty()).then_some(())
    })
    .await;

    secrets.push(ana.id_token.clone().unwrap());
    secrets.push(ana.cookie.as_deref().and_then(|cookie| cookie.split_once('=')).unwrap().1.to_string());
    secrets.push(portal.body["url"].as_str().unwrap().to_string());
    for session in [voucher, session] {
        let held = app.provider().object(&format!("/v1/checkout/sessions/{session}")).await;
        secrets.extend(held["client_secret"].as_str().map(String::from));
    }
    for mail in app.provider().mails_to(&ana.email).await {
        secrets.extend(code_of(mail["text"].as_str().unwrap_or_default()));
    }
    let log = app.log_text();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "the log has the most detailed levels:\n{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret} is in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_page_error_is_counted_and_logged_without_personal_data() {
    let app = App::start().await;
    let error = json!({
        "release": "inventada",
        "path": "/inventada?email=ana@exemplo.com.br",
        "error": format!("TypeError: ana@exemplo.com.br\nat a ({}/assets/site-Cu35oAmy.js:1:2)\nat b", app.url()),
    });
    let report = |error: &Value| {
        let report = app.visitor().request("POST", "/api/client-errors").header("origin", app.url());
        report.json(error).answered()
    };

    assert_eq!(report(&error).await.status, 202);
    assert_eq!(report(&json!({ "error": "TypeError" })).await.status, 400);

    let series = r#"garimpo_gateway_page_errors_total{release="other",route="other"}"#;
    assert_eq!(app.metric(series).await.as_deref(), Some("1"));
    let log = app.log_text();
    assert_eq!(log.matches("a page broke").count(), 1, "{log}");
    assert!(log.contains("/assets/site-Cu35oAmy.js:1:2) | at b"), "{log}");
    assert!(!log.contains("ana@exemplo") && !log.contains("inventada"), "{log}");
}

/// The code of a recovery mail's link.
fn code_of(text: &str) -> Option<String> {
    let code = text.split("code=").nth(1)?;
    Some(code.split_whitespace().next()?.to_string())
}

async fn signs_in(app: &App, email: &str, password: &str) -> Result<(), tonic::Status> {
    let request = garimpo_proto::auth::v1::SignInRequest { email: email.into(), password: password.into() };
    app.auth().await.sign_in(request).await.map(drop)
}

#[tokio::test]
async fn a_payment_can_be_traced_from_webhook_event_to_mail_by_one_request_id() {
    let filter = "info,garimpo::request=debug,garimpo::provider=debug";
    let app = App::start_with(&[("GARIMPO_LOG", filter)]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;

    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;

    // The lines of the delivery, its job, the mail's job and the mail provider's call have the same
    // id.
    e2e::eventually("one id on the whole way", || async {
        let lines = lines(&app);
        let with = |message: &str| -> Vec<String> {
            lines.iter().filter(|line| line["message"] == message).filter_map(request_id).collect()
        };
        let (events, mails, sent) = (with("payment_event done"), with("mail done"), with("mail_send ok"));
        let deliveries = with("POST /webhooks/stripe 200");
        deliveries.into_iter().find(|id| events.contains(id) && mails.contains(id) && sent.contains(id))
    })
    .await;
}

#[tokio::test]
async fn each_response_has_the_request_id_of_its_log_line_with_the_account() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let body = json!({ "email": "outra@exemplo.com.br" });
    let answer = ana.calls("POST", "/api/create-customer-portal-session", Some(body)).await;

    let id = answer.headers["x-request-id"].to_str().unwrap().to_string();
    let lines = lines(&app);
    let mine: Vec<_> = lines.iter().filter(|line| request_id(line).as_ref() == Some(&id)).collect();
    assert_eq!(mine.len(), 1, "{mine:?}");
    assert_eq!(mine[0]["route"], "/api/create-customer-portal-session");
    assert_eq!((&mine[0]["status"], &mine[0]["reason"]), (&json!(403), &json!("PERMISSION_DENIED")));
    assert_eq!(mine[0]["user.id"], ana.uid);
    assert!(mine[0]["duration_ms"].is_number());
    // A sign-up has an account at the end of the call.
    let signed_up = lines.iter().find(|line| line["rpc"] == "garimpo.auth.v1.AuthService/SignUp");
    assert_eq!(signed_up.expect("a line of the sign-up")["user.id"], ana.uid);
}

#[tokio::test]
async fn a_first_start_logs_few_lines_and_sells_immediately() {
    let app = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", "2026-03-02T12:00:00Z")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;

    assert!(session.starts_with("cs_"), "{session}");
    let log = app.log_text();
    let of_start = log.lines().filter(|line| !line.contains("garimpo::request"));
    assert!(of_start.count() <= 5, "the banner of a terminal takes ten more:\n{log}");
}

/// The log as its JSON lines.
fn lines(app: &App) -> Vec<Value> {
    app.log_text().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn request_id(line: &Value) -> Option<String> {
    line["request.id"].as_str().map(String::from)
}
