//! Faults, and webhook events that are dropped, doubled or held.

use serde_json::{Value, json};

use crate::support::{World, client};

#[tokio::test]
async fn webhook_events_can_be_dropped_doubled_and_held() {
    let mut world = World::start().await;

    world.json("POST", "/_test/faults", json!({"webhooks": "double", "times": 1})).await;
    world.post("/v1/customers", "email=a@b.c").await;
    world.hooks.wait_for("customer.created", 2).await;
    world.json("POST", "/_test/faults", json!({"webhooks": "drop", "times": 1})).await;
    world.post("/v1/products", "name=Perdido").await;
    world.json("POST", "/_test/faults", json!({"webhooks": "hold"})).await;
    world.post("/v1/coupons", "id=c1&percent_off=5").await;
    world.advance_days(1).await;
    let held = world.hooks.count("coupon.created");
    world.crash_and_restart().await;
    world.json("DELETE", "/_test/faults", Value::Null).await;
    world.hooks.wait_for("coupon.created", 1).await;

    assert_eq!(held, 0);
    assert_eq!(world.hooks.count("product.created"), 0);
    world.only_undelivered("product.created").await;
    assert_eq!(world.get("/v1/events?types[]=customer.created").await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_undelivered_event_is_sent_again_also_after_a_restart() {
    let mut world = World::start().await;
    world.hooks.answer_with(503);
    world.post("/v1/customers", "email=a@b.c").await;
    let answer = world.advance_days(0).await;

    world.hooks.answer_with(200);
    world.hooks.wait_for("customer.created", 1).await;
    world.hooks.answer_with(503);
    world.post("/v1/products", "name=Depois").await;
    world.crash_and_restart().await;
    world.hooks.answer_with(200);
    world.hooks.wait_for("product.created", 1).await;

    assert_eq!(answer["pending"], 1);
}

#[tokio::test]
async fn a_fault_occurs_as_often_as_requested_and_a_dropped_response_still_acts() {
    let world = World::start().await;
    let fault = json!({"path": "/v1/customers", "status": 500, "times": 2});
    world.json("POST", "/_test/faults", fault).await;

    let answers = [
        world.call("POST", "/v1/customers", "email=a@b.c", Some("k")).await.0,
        world.call("GET", "/v1/customers/cus_x", "", None).await.0,
        world.call("POST", "/v1/customers", "email=a@b.c", Some("k")).await.0,
    ];
    world.json("POST", "/_test/faults", json!({"path": "/v1/coupons", "act_then_drop": true})).await;
    let dropped = client()
        .post(format!("{}/v1/coupons", world.url))
        .header("authorization", "Bearer sk_test_garimpo")
        .body("id=c1&percent_off=5")
        .send()
        .await;
    let (status, _) = world.json("DELETE", "/_test/faults", Value::Null).await;

    assert_eq!(answers, [500, 500, 200]);
    assert!(dropped.is_err());
    assert_eq!(status, 200);
    assert_eq!(world.get("/v1/coupons/c1").await["percent_off"], 5.0);
    assert_eq!(world.json("POST", "/_test/faults", json!({"status": 500})).await.0, 400);
}

#[tokio::test]
async fn shuffled_webhook_events_are_all_delivered() {
    let world = World::start().await;
    let session = world.session().await;
    world.json("POST", "/_test/faults", json!({"webhooks": "shuffle"})).await;

    world.pay_by_card(&session, "4242424242424242").await;
    let answer = world.advance_days(0).await;

    let sent = world.get("/v1/events?limit=100").await["data"].as_array().unwrap().len();
    assert_eq!(answer["pending"], 0);
    assert_eq!(world.hooks.types().len(), sent);
}

#[tokio::test]
async fn an_event_is_retried_for_three_days_and_listed_for_thirty() {
    let world = World::start().await;
    world.hooks.answer_with(503);
    let customer = world.post("/v1/customers", "email=a@b.c").await;
    let tried = async |days: i64| {
        world.advance_days(days).await;
        let (_, answer) = world.json("POST", "/clock", json!({"advance_seconds": 0})).await;
        answer["pending"].as_i64().unwrap()
    };

    let within = tried(2).await;
    let after = tried(2).await;
    world.hooks.answer_with(200);
    world.advance_days(1).await;
    let listed = async || {
        let events = world.get("/v1/events?type=customer.created").await;
        events["data"].as_array().unwrap().len()
    };
    let kept = listed().await;
    world.advance_days(26).await;

    assert_eq!((within, after), (1, 0));
    assert_eq!(world.hooks.count("customer.created"), 0, "it is not sent again: {customer}");
    assert_eq!((kept, listed().await), (1, 0));
}

#[tokio::test]
async fn a_429_has_a_rate_limit_reason_or_is_a_lock_timeout_to_retry() {
    let world = World::start().await;
    let ask = async |fault: Value| {
        world.json("POST", "/_test/faults", fault).await;
        let answer = client().get(format!("{}/v1/customers", world.url)).send().await.unwrap();
        let header = |name: &str| answer.headers().get(name).map(|v| v.to_str().unwrap().to_owned());
        let headers = (header("stripe-rate-limited-reason"), header("stripe-should-retry"));
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap();
        (status, headers, body["error"]["code"].as_str().unwrap_or_default().to_owned())
    };

    let limited =
        ask(json!({"path": "/v1", "status": 429, "rate_limited_reason": "endpoint-rate", "times": 1})).await;
    let locked = ask(json!({"path": "/v1", "status": 429, "times": 1})).await;
    let told = ask(json!({"path": "/v1", "status": 500, "should_retry": false, "times": 1})).await;

    assert_eq!(limited, (429, (Some("endpoint-rate".into()), None), "rate_limit".into()));
    assert_eq!(locked, (429, (None, Some("true".into())), "lock_timeout".into()));
    assert_eq!(told, (500, (None, Some("false".into())), String::new()));
}

#[tokio::test]
async fn search_finds_a_change_only_after_its_delay() {
    let world = World::start().await;
    world.json("PUT", "/_test/behavior", json!({"search_delay_ms": 3_600_000})).await;
    world.post("/v1/customers", "email=a@b.c").await;
    let search = "/v1/customers/search?query=email%3A%27a%40b.c%27";
    let found = async || world.get(search).await["data"].as_array().unwrap().len();

    let at_once = found().await;
    let listed = world.get("/v1/customers?email=a@b.c").await["data"].as_array().unwrap().len();
    world.json("DELETE", "/_test/behavior", Value::Null).await;

    assert_eq!((at_once, listed, found().await), (0, 1, 1));
}
