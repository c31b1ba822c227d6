//! POST /webhooks/stripe; `webhook_events` tests what an event changes.

use super::{PAYLOAD_TOO_LARGE, UNAVAILABLE};
use e2e::provider::Provider;
use e2e::{App, ProductWithoutTime, Rest, Visitor};
use serde_json::{Value, json};

const PATH: &str = "/webhooks/stripe";
const INVALID_SIGNATURE: (u16, &str, &str) = (400, "INVALID_SIGNATURE", "Assinatura do evento inválida.");

fn event(id: &str) -> String {
    json!({ "id": id, "object": "event", "type": "coisa.nova", "data": { "object": {} } }).to_string()
}

fn signed(visitor: &Visitor, now: i64, body: &str) -> reqwest::RequestBuilder {
    let signature = Provider::signs("whsec_garimpo", now, body);
    visitor.request("POST", PATH).header("stripe-signature", signature).body(body.to_owned())
}

#[tokio::test]
async fn a_signed_event_is_stored_once_and_acknowledged_each_time() {
    let app = App::start().await;
    let now = app.provider().now().await;
    let event = event("evt_do_contrato");

    for _ in 0..2 {
        signed(&app.visitor(), now, &event).answered().await.gives(200, json!({ "received": true }));
    }
    // The signature authenticates the call, so neither origin nor media type matters.
    let foreign =
        signed(&app.visitor(), now, &event).header("origin", "null").header("content-type", "text/plain");
    foreign.answered().await.gives(200, json!({ "received": true }));

    let kept = app.admin(&["events", "list", "--json"]).await;
    let kept: Vec<Value> = serde_json::from_str(&kept.stdout).expect("a list");
    let same = kept.iter().filter(|event| event["id"] == "evt_do_contrato").count();
    assert_eq!(same, 1, "{kept:?}");
}

#[tokio::test]
async fn a_missing_or_invalid_webhook_signature_gets_400() {
    let app = App::start().await;
    let now = app.provider().now().await;
    let event = event("evt_forjado");

    app.visitor().request("POST", PATH).raw(event.clone()).answered().await.refuses(INVALID_SIGNATURE);
    for (signature, body) in [
        (Provider::signs("whsec_outro", now, &event), event.clone()),
        (Provider::signs("whsec_garimpo", now, &event), event.clone() + " "),
        (Provider::signs("whsec_garimpo", now - 301, &event), event.clone()),
        ("sem sentido".to_owned(), String::new()),
    ] {
        let request = app.visitor().request("POST", PATH).header("stripe-signature", signature);
        request.raw(body).answered().await.refuses(INVALID_SIGNATURE);
    }
}

#[tokio::test]
async fn a_signed_body_that_is_no_event_gets_400() {
    let app = App::start().await;
    let now = app.provider().now().await;
    for body in ["", "[]", "{}", "{\"id\": 1}", "não", &event(""), &event("evt\u{0}")] {
        let refused = signed(&app.visitor(), now, body).answered().await;
        assert_eq!((refused.status, refused.code()), (400, "INVALID_ARGUMENT"), "{body:?} {refused:?}");
        refused.assert_common_headers();
    }
}

#[tokio::test]
async fn an_event_of_one_mebibyte_is_accepted_and_one_byte_more_is_refused() {
    let app = App::start().await;
    let now = app.provider().now().await;
    let frame = json!({ "id": "evt_grande", "object": "event", "type": "coisa.grande", "data": { "object": {} }, "x": "" });
    let full = json!({
        "id": "evt_grande", "object": "event", "type": "coisa.grande", "data": { "object": {} },
        "x": "a".repeat((1 << 20) - frame.to_string().len()),
    });
    let full = full.to_string();
    assert_eq!(full.len(), 1 << 20);

    signed(&app.visitor(), now, &full).answered().await.gives(200, json!({ "received": true }));
    signed(&app.visitor(), now, &(full + " ")).answered().await.refuses(PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn an_event_that_cannot_be_stored_gets_503() {
    let product = ProductWithoutTime::start().await;

    signed(&product.visitor(), 1_800_000_000, &event("evt_sem_hora")).answered().await.refuses(UNAVAILABLE);
}
