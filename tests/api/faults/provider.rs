//! The provider is down, slow, overloaded, or acts without a response, at each call of a checkout.

use std::time::{Duration, Instant};

use e2e::tcp_link::TcpLink;
use e2e::{App, ledger};
use serde_json::{Value, json};
use tonic::Code;
use tonic_types::StatusExt;

use super::{GOOD_CARD, asks, open_after_fault, somebody};

/// The calls that create an object before a visitor can pay.
const MAKES: [&str; 2] = ["/v1/customers", "/v1/checkout/sessions"];
/// The calls that read the result of a payment. A new subscription includes its invoices, and the
/// session of a paid subscription is not read.
const READS: [&str; 2] = ["/v1/subscriptions", "/v1/payment_intents"];

#[tokio::test]
async fn each_call_of_a_checkout_can_fail_in_every_way_and_recovers_without_duplicates() {
    let app = App::start().await;
    let provider = app.provider();
    // The catalogue is at the provider before the first fault.
    somebody(&app).await.opens_checkout("Top Afiliado", "mensal").await;
    let faults = [
        json!({ "status": 500 }),
        json!({ "status": 500, "kept": true }),
        json!({ "status": 503 }),
        json!({ "status": 429 }),
        json!({ "status": 429, "retry_after": 30 }),
        json!({ "drop": true }),
        json!({ "act_then_drop": true }),
    ];
    for (path, fault) in MAKES.iter().flat_map(|path| faults.iter().map(move |fault| (path, fault))) {
        let ana = somebody(&app).await;
        provider.add_fault(at(path, "POST", fault)).await;

        let down = asks(&ana, "Elite Nível 2", "semestral").await;

        assert_eq!((down.status, down.code()), (502, "PROVIDER_UNAVAILABLE"), "{path} {fault}");
        provider.recovers().await;
        let session = open_after_fault(&ana, "Elite Nível 2", "semestral").await;
        assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200, "{path} {fault}");
        ledger::eventually_agrees(&provider, &ana).await;
        let customers = provider.list(&format!("/v1/customers?email={}", ana.email)).await;
        let made = format!("/v1/checkout/sessions?customer={}", customers[0]["id"].as_str().unwrap());
        assert_eq!((customers.len(), provider.list(&made).await.len()), (1, 1), "{path} {fault}");
    }
}

#[tokio::test]
async fn a_short_provider_fault_does_not_reach_the_visitor() {
    let app = App::start().await;
    let provider = app.provider();
    somebody(&app).await.opens_checkout("Top Afiliado", "mensal").await;
    let faults = [
        json!({ "status": 500, "times": 2 }),
        json!({ "status": 429, "retry_after": 1, "times": 1 }),
        json!({ "drop": true, "times": 2 }),
        json!({ "act_then_drop": true, "times": 2 }),
    ];
    for (path, fault) in MAKES.iter().flat_map(|path| faults.iter().map(move |fault| (path, fault))) {
        let ana = somebody(&app).await;
        provider.add_fault(at(path, "POST", fault)).await;

        let opened = asks(&ana, "Elite Nível 1", "mensal").await;

        assert_eq!(opened.status, 200, "{path} {fault}: {opened:?}");
        provider.recovers().await;
        ledger::agrees(&provider, &ana).await;
    }
}

#[tokio::test]
async fn each_failed_read_after_payment_is_reported_and_recovers_by_itself() {
    let app = App::start().await;
    let provider = app.provider();
    let faults = [
        json!({ "status": 500 }),
        json!({ "status": 429, "retry_after": 30 }),
        json!({ "drop": true }),
        json!({ "status": 503 }),
    ];
    for (path, fault) in READS.iter().cycle().zip(&faults) {
        let ana = somebody(&app).await;
        let session = ana.opens_checkout("Elite Nível 3", "mensal").await;
        provider.add_fault(at(path, "GET", fault)).await;
        assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);

        let unknown = ana.checkout(&session).await.unwrap_err();
        let status = format!("/session-status?session_id={session}");
        let rest = app.visitor().calls("GET", &status, None).await;

        assert_eq!(unknown.code(), Code::Unavailable, "{path} {fault}");
        assert_eq!(
            unknown.get_details_error_info().unwrap().reason,
            "PROVIDER_UNAVAILABLE",
            "{path} {fault}"
        );
        assert_eq!((rest.status, rest.code()), (502, "PROVIDER_UNAVAILABLE"), "{path} {fault}");
        assert!(ana.record().await["subscription_active"].is_null(), "nothing is granted on a guess");
        provider.recovers().await;
        // A caller that received retry-after waits for it.
        provider.advances(31).await;
        ana.becomes_active().await;
        ledger::eventually_agrees(&provider, &ana).await;
    }
}

#[tokio::test]
async fn a_slow_provider_is_reported_in_time_and_creates_no_second_session() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    ana.opens_checkout("Top Afiliado", "mensal").await;
    provider.add_fault(json!({ "path": "/v1/checkout/sessions", "method": "POST", "delay_ms": 9000 })).await;

    let began = Instant::now();
    let slow = asks(&ana, "Elite Nível 1", "anual").await;

    assert_eq!((slow.status, slow.code()), (502, "PROVIDER_UNAVAILABLE"));
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    provider.recovers().await;
    // The slow request was completed, and the retry under the same idempotency key finds it.
    let session = open_after_fault(&ana, "Elite Nível 1", "anual").await;
    provider.pays_by_card(&session, GOOD_CARD).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    let customers = provider.list(&format!("/v1/customers?email={}", ana.email)).await;
    let made = format!("/v1/checkout/sessions?customer={}", customers[0]["id"].as_str().unwrap());
    assert_eq!(provider.list(&made).await.len(), 2, "one for each choice");
}

#[tokio::test]
async fn an_open_circuit_refuses_without_calling_the_provider_and_closes_by_itself() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite PRO 1", "mensal").await;
    provider.add_fault(json!({ "path": "/v1", "status": 503 })).await;

    e2e::eventually("the circuit opens", || async {
        let down = asks(&ana, "Elite PRO 1", "anual").await;
        assert_eq!((down.status, down.code()), (502, "PROVIDER_UNAVAILABLE"));
        (gauge(&app, "garimpo_provider_circuit_open").await == "1").then_some(())
    })
    .await;
    let fast = asks(&ana, "Elite PRO 1", "anual").await;
    assert_eq!((fast.status, fast.code()), (502, "PROVIDER_UNAVAILABLE"));
    let refused = metrics(&app).await;
    assert!(refused.contains(r#"outcome="circuit_open""#), "the provider is not called:\n{refused}");
    // Our own data can still be read.
    assert_eq!(ana.record().await["email"], ana.email.as_str());

    provider.recovers().await;
    provider.pays_by_card(&session, GOOD_CARD).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    assert_eq!(gauge(&app, "garimpo_provider_circuit_open").await, "0");
}

#[tokio::test]
async fn a_provider_that_refuses_connections_is_reported_and_payments_sync_when_it_returns() {
    let sandbox = e2e::ports::free_address();
    let mut wire = TcpLink::start(&sandbox).await;
    let app =
        App::start_with(&[("GARIMPO_SANDBOX_LISTEN", &sandbox), ("GARIMPO_SANDBOX_URL", &wire.url())]).await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;

    wire.disconnect().await;
    let down = asks(&ana, "Elite Nível 2", "anual").await;
    assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);
    let unknown = ana.checkout(&session).await.unwrap_err();

    assert_eq!((down.status, down.code()), (502, "PROVIDER_UNAVAILABLE"));
    assert_eq!(unknown.get_details_error_info().unwrap().reason, "PROVIDER_UNAVAILABLE");
    // Sign-up and records work without the provider, the mailbox and the source of the clock.
    let rui = somebody(&app).await;
    assert!(rui.record().await["subscription_active"].is_null());
    wire.reconnect().await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    open_after_fault(&rui, "Top Afiliado", "mensal").await;
}

#[tokio::test]
async fn an_outage_of_eight_days_loses_no_payment() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let rui = somebody(&app).await;
    let card = ana.opens_checkout("Elite Nível 2", "mensal").await;
    let slip = rui.opens_checkout("Elite Nível 2", "mensal").await;
    provider.add_fault(json!({ "path": "/v1", "drop": true })).await;
    provider.pays_by_card(&card, GOOD_CARD).await;
    provider.asks_for_boleto(&slip).await;
    provider.pays_boleto(&slip).await;

    for _ in 0..8 {
        provider.advances_days(1).await;
    }
    assert!(ana.record().await["subscription_active"].is_null());
    provider.recovers().await;
    provider.advances_days(1).await;

    for who in [&ana, &rui] {
        who.becomes_active().await;
        ledger::eventually_agrees(&provider, who).await;
    }
}

/// A fault at one call.
fn at(path: &str, method: &str, fault: &Value) -> Value {
    let mut fault = fault.clone();
    fault["path"] = json!(path);
    fault["method"] = json!(method);
    fault
}

async fn metrics(app: &App) -> String {
    let answer = reqwest::get(format!("{}/metrics", app.metrics_url())).await.expect("the port answers");
    answer.text().await.expect("text")
}

async fn gauge(app: &App, name: &str) -> String {
    let all = metrics(app).await;
    let line = all.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.rsplit(' ').next().unwrap_or_default().to_owned()
}
