//! The conversions platform: refused calls, counted events, and the page that shows them.

use serde_json::{Value, json};

use crate::support::{World, client};

const EVENTS: &str = "/graph/v26.0/123/events";
const HASH: &str = "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f";
/// Start of the sandbox's clock, in Unix seconds.
const NOW: i64 = 1_796_000_000;

fn event(id: &str) -> Value {
    json!({
        "event_name": "pagamento_confirmado", "event_time": NOW, "event_id": id, "action_source": "website",
        "event_source_url": "https://garimpo.example/checkout",
        "user_data": { "em": HASH, "client_user_agent": "Firefox", "fbp": "fb.1.1796000000000.1" },
        "custom_data": { "value": 217.9, "currency": "BRL", "subscription_plan": "elite" },
    })
}

fn call(events: Value) -> Value {
    json!({ "data": events, "access_token": "meta_test_garimpo" })
}

#[tokio::test]
async fn a_repeated_conversion_counts_once_within_two_days_and_again_after_them() {
    let world = World::start().await;

    let (status, taken) = world.json("POST", EVENTS, call(json!([event("e1"), event("e2")]))).await;
    assert_eq!((status, &taken["events_received"], &taken["messages"]), (200, &json!(2), &json!([])));
    for _ in 0..2 {
        world.json("POST", EVENTS, call(json!([event("e1")]))).await;
    }
    world.json("POST", "/graph/v26.0/456/events", call(json!([event("e1")]))).await;

    let counted = world.get("/graph/events.json").await;
    let seen: Vec<_> = counted.as_array().unwrap().iter().map(summary).collect();
    assert_eq!(seen, [("456", "e1", 0), ("123", "e2", 0), ("123", "e1", 2)]);
    assert_eq!(counted[1]["event"], event("e2"), "kept as it came");
    let page = client().get(format!("{}/graph", world.url)).send().await.unwrap().text().await.unwrap();
    for text in ["Ambiente de testes", "pagamento_confirmado", "veio mais 2 vezes", "217.9"] {
        assert!(page.contains(text), "{text}");
    }

    world.json("POST", "/clock", json!({ "advance_seconds": 2 * 86_400 })).await;
    world.json("POST", EVENTS, call(json!([event("e1")]))).await;
    assert_eq!(
        summary(&world.get("/graph/events.json").await[0]),
        ("123", "e1", 0),
        "after two days it is another"
    );
}

fn summary(counted: &Value) -> (&str, &str, u64) {
    let pixel = counted["pixel"].as_str().unwrap();
    (pixel, counted["event"]["event_id"].as_str().unwrap(), counted["repeats"].as_u64().unwrap())
}

#[tokio::test]
async fn one_bad_event_refuses_the_whole_call_with_the_error_of_the_platform() {
    let world = World::start().await;
    let with = |path: &str, value: Value| {
        let mut event = event("ruim");
        *event.pointer_mut(path).unwrap() = value;
        event
    };
    let added = |path: &str, name: &str| {
        let mut event = event("ruim");
        event.pointer_mut(path).unwrap()[name] = json!("x");
        event
    };
    for (bad, subcode, message) in [
        (with("/event_name", json!("")), None, "data[1]: event_name is required"),
        (with("/event_time", json!(NOW - 8 * 86_400)), Some(2_804_003), "more than 7 days in the past"),
        (with("/event_time", json!(NOW + 3600)), None, "in the future"),
        (with("/action_source", json!("site")), None, "action_source"),
        (with("/event_source_url", json!("")), None, "website events need"),
        (with("/user_data", json!({})), None, "does not say enough"),
        (with("/user_data", json!({ "client_user_agent": "Firefox" })), None, "does not say enough"),
        (with("/user_data/em", json!("ana@example.com")), None, "user_data.em must be hashed"),
        (with("/user_data/em", json!([])), None, "user_data.em must be hashed"),
        (with("/user_data/em", json!([HASH, "ana"])), None, "user_data.em must be hashed"),
        (with("/user_data/fbp", json!("1")), None, "user_data.fbp must be"),
        (with("/custom_data/value", json!("217.90")), None, "custom_data.value must be a number"),
        (with("/custom_data/currency", json!("real")), None, "custom_data.currency"),
        (added("", "event_source"), None, "event_source is not a known parameter"),
        (added("/user_data", "email"), None, "user_data.email is not a known parameter"),
        (added("/user_data", "client_ip_address"), None, "client_ip_address must be"),
    ] {
        let (status, answer) = world.json("POST", EVENTS, call(json!([event("boa"), bad]))).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"], &error["type"]), (400, &json!(100), &json!("OAuthException")));
        assert_eq!(error["error_subcode"].as_i64(), subcode, "{error}");
        assert!(error["error_user_msg"].as_str().unwrap().contains(message), "{message}: {error}");
        assert_eq!(error["is_transient"], false);
    }
    let many: Vec<_> = (0..1001).map(|n| event(&n.to_string())).collect();
    let (status, answer) = world.json("POST", EVENTS, call(json!(many))).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(100)), "{answer}");
    assert_eq!(world.get("/graph/events.json").await, json!([]), "nothing of them was kept");
}

#[tokio::test]
async fn a_wrong_token_version_or_pixel_and_a_requested_fault_return_their_own_error() {
    let world = World::start().await;
    let good = call(json!([event("e1")]));
    let mut stranger = good.clone();
    stranger["access_token"] = json!("outro");

    for (path, body, code) in [
        (EVENTS, stranger, 190),
        (EVENTS, json!({ "data": [event("e1")] }), 190),
        ("/graph/26/123/events", good.clone(), 2500),
        ("/graph/v1.0/123/events", good.clone(), 2500),
        ("/graph/v26.0/pixel/events", good.clone(), 2500),
    ] {
        let (status, answer) = world.json("POST", path, body).await;
        assert_eq!((status, answer["error"]["code"].as_i64()), (400, Some(code)), "{path}: {answer}");
    }
    let by_query = format!("{EVENTS}?access_token=meta_test_garimpo");
    assert_eq!(world.json("POST", &by_query, json!({ "data": [event("e1")] })).await.0, 200);
    world.json("POST", "/_test/faults", json!({ "path": "/graph/v26.0", "status": 500, "times": 1 })).await;
    assert_eq!(world.json("POST", EVENTS, good.clone()).await.0, 500);
    assert_eq!(world.json("POST", EVENTS, good).await.0, 200);
    assert_eq!(summary(&world.get("/graph/events.json").await[0]), ("123", "e1", 1));
}
