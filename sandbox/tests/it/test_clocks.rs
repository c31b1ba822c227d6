//! Test clocks: a time of their own for at most three customers, as at the provider.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{World, id};

const DAY: i64 = 86_400;
const FROZEN: i64 = 1_800_000_000;

async fn clock_at(world: &World, frozen_time: i64) -> Value {
    world.post("/v1/test_helpers/test_clocks", &format!("frozen_time={frozen_time}")).await
}

fn path_of(clock: &Value) -> String {
    format!("/v1/test_helpers/test_clocks/{}", id(clock))
}

/// Advances a clock. Returns it as the call returned it, and as it is once it is ready.
async fn advance(world: &World, clock: &Value, to: i64) -> (Value, Value) {
    let path = path_of(clock);
    let advancing = world.post(&format!("{path}/advance"), &format!("frozen_time={to}")).await;
    (advancing, ready(world, clock).await)
}

async fn ready(world: &World, clock: &Value) -> Value {
    let deadline = Instant::now() + Duration::from_secs(15);
    loop {
        let now = world.get(&path_of(clock)).await;
        if now["status"] == "ready" {
            return now;
        }
        assert!(Instant::now() < deadline, "the clock is not ready: {now}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Buys by card as a customer of the clock; returns the session of the purchase.
async fn subscriber(world: &World, clock: &Value) -> Value {
    let open = world.session().await;
    let open = world.reread(&open, "expand[]=line_items").await;
    let customer =
        world.post("/v1/customers", &format!("email=bia@example.com&test_clock={}", id(clock))).await;
    let form = format!(
        "mode=subscription&ui_mode=embedded_page&customer={}&line_items[0][price]={}&line_items[0][quantity]=1\
         &allowed_payment_method_types[0]=card&allowed_payment_method_types[1]=boleto\
         &redirect_on_completion=never",
        id(&customer),
        id(&open["line_items"]["data"][0]["price"]),
    );
    let session = world.post("/v1/checkout/sessions", &form).await;
    assert_eq!(world.pay_by_card(&session, "4242424242424242").await.0, 200);
    world.reread(&session, "expand[]=subscription").await
}

async fn invoices_of(world: &World, session: &Value) -> Vec<Value> {
    let subscription = session["subscription"]["id"].as_str().or(session["subscription"].as_str()).unwrap();
    let list = world.get(&format!("/v1/invoices?subscription={subscription}")).await;
    list["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_test_clock_advances_only_the_subscriptions_of_its_customers() {
    let world = World::start().await;
    let other = world.session().await;
    world.pay_by_card(&other, "4242424242424242").await;
    let other = world.reread(&other, "").await;
    let clock = clock_at(&world, FROZEN).await;
    let own = subscriber(&world, &clock).await;
    let before = world.get("/clock").await;

    let (advancing, at_end) = advance(&world, &clock, FROZEN + 30 * DAY).await;
    let draft = invoices_of(&world, &own).await;
    let (_, after) = advance(&world, &clock, FROZEN + 30 * DAY + 3_600).await;
    let paid = invoices_of(&world, &own).await;

    assert_eq!((&clock["status"], &clock["frozen_time"]), (&json!("ready"), &json!(FROZEN)));
    assert_eq!(advancing["status"], "advancing");
    let target = &advancing["status_details"]["advancing"]["target_frozen_time"];
    assert_eq!((target, &advancing["frozen_time"]), (&json!(FROZEN + 30 * DAY), &json!(FROZEN)));
    assert_eq!(
        (at_end["frozen_time"].as_i64(), after["frozen_time"].as_i64()),
        (Some(FROZEN + 30 * DAY), Some(FROZEN + 30 * DAY + 3_600))
    );
    assert_eq!(own["subscription"]["test_clock"], clock["id"]);
    assert_eq!(own["subscription"]["items"]["data"][0]["current_period_end"], FROZEN + 30 * DAY);
    assert_eq!((draft.len(), &draft[0]["status"]), (2, &json!("draft")));
    assert_eq!((&paid[0]["status"], &paid[0]["created"]), (&json!("paid"), &json!(FROZEN + 30 * DAY)));
    assert_eq!(invoices_of(&world, &other).await.len(), 1, "the sandbox's own time stands");
    assert_eq!(world.get("/clock").await["revision"], before["revision"]);
    world.hooks.wait_for("test_helpers.test_clock.advancing", 2).await;
    world.hooks.wait_for("test_helpers.test_clock.ready", 2).await;
}

#[tokio::test]
async fn the_sandbox_clock_does_not_move_a_test_clock_which_lasts_30_days() {
    let world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    let own = subscriber(&world, &clock).await;

    world.advance_days(29).await;
    world.json("POST", "/clock", json!({"advance_seconds": DAY - 60})).await;
    let kept = world.get(&path_of(&clock)).await;
    let invoices = invoices_of(&world, &own).await.len();
    world.advance_days(2).await;
    let gone = world.call("GET", &path_of(&clock), "", None).await;

    assert_eq!((&kept["frozen_time"], invoices), (&json!(FROZEN), 1));
    assert_eq!(gone.0, 404, "30 days after its creation");
}

#[tokio::test]
async fn a_test_clock_advances_forward_at_most_two_periods_and_once_per_idempotency_key() {
    let world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    let path = format!("{}/advance", path_of(&clock));
    let years = world.call("POST", &path, &format!("frozen_time={}", FROZEN + 800 * DAY), None).await;
    subscriber(&world, &clock).await;
    let periods = world.call("POST", &path, &format!("frozen_time={}", FROZEN + 61 * DAY), None).await;
    let back = world.call("POST", &path, &format!("frozen_time={FROZEN}"), None).await;
    let hour = format!("frozen_time={}", FROZEN + 3_600);

    let first = world.call("POST", &path, &hour, Some("k")).await;
    let there = ready(&world, &clock).await;
    let again = world.call("POST", &path, &hour, Some("k")).await;

    for refused in [years, periods, back] {
        assert_eq!((refused.0, &refused.1["error"]["param"]), (400, &json!("frozen_time")));
    }
    assert_eq!(first, again);
    assert_eq!((first.0, &first.1["status"]), (200, &json!("advancing")));
    assert_eq!(there["frozen_time"], FROZEN + 3_600);
}

#[tokio::test]
async fn a_test_clock_that_was_advancing_at_a_crash_reaches_its_target() {
    let mut world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    let own = subscriber(&world, &clock).await;
    let form = format!("frozen_time={}", FROZEN + 30 * DAY + 3_600);
    world.post(&format!("{}/advance", path_of(&clock)), &form).await;

    world.crash_and_restart().await;

    assert_eq!(ready(&world, &clock).await["frozen_time"], FROZEN + 30 * DAY + 3_600);
    assert_eq!(invoices_of(&world, &own).await[0]["status"], "paid");
}

#[tokio::test]
async fn lists_omit_customers_of_test_clocks_unless_a_filter_names_them() {
    let world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    let own = subscriber(&world, &clock).await;
    let customer = own["customer"].as_str().unwrap();
    let count = async |path: &str| world.get(path).await["data"].as_array().unwrap().len();

    assert_eq!(count("/v1/customers?email=bia@example.com").await, 0);
    assert_eq!(count("/v1/subscriptions?status=all").await, 0);
    assert_eq!(count("/v1/invoices").await, 0);
    assert_eq!(count(&format!("/v1/customers?test_clock={}", id(&clock))).await, 1);
    assert_eq!(count(&format!("/v1/subscriptions?test_clock={}", id(&clock))).await, 1);
    assert_eq!(count(&format!("/v1/subscriptions?customer={customer}")).await, 1);
    assert_eq!(count(&format!("/v1/invoices?customer={customer}")).await, 1);
    assert_eq!(invoices_of(&world, &own).await.len(), 1);
}

#[tokio::test]
async fn the_event_list_includes_events_of_test_clocks_unless_configured_otherwise() {
    let world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    subscriber(&world, &clock).await;
    let of_clock = async || {
        let events = world.get("/v1/events?type=customer.subscription.created").await;
        events["data"].as_array().unwrap().len()
    };

    let by_default = of_clock().await;
    world.json("PUT", "/_test/behavior", json!({"events_omit_test_clocks": true})).await;

    assert_eq!((by_default, of_clock().await), (1, 0));
    assert_eq!(world.get("/v1/events?type=customer.created").await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_test_clock_has_at_most_three_customers_and_is_deleted_with_them() {
    let world = World::start().await;
    let clock = clock_at(&world, FROZEN).await;
    let own = subscriber(&world, &clock).await;
    let form = format!("email=caio@example.com&test_clock={}", id(&clock));
    world.post("/v1/customers", &form).await;
    world.post("/v1/customers", &form).await;

    let fourth = world.call("POST", "/v1/customers", &form, None).await;
    let unknown = world.call("POST", "/v1/customers", "email=a@b.c&test_clock=clock_x", None).await;
    let gone = world.call("DELETE", &path_of(&clock), "", None).await;

    assert_eq!((fourth.0, &fourth.1["error"]["param"]), (400, &json!("test_clock")));
    assert_eq!((unknown.0, &unknown.1["error"]["param"]), (400, &json!("test_clock")));
    assert_eq!((gone.0, &gone.1["deleted"]), (200, &json!(true)));
    let customer = world.get(&format!("/v1/customers/{}", own["customer"].as_str().unwrap())).await;
    let subscription = world.get(&format!("/v1/subscriptions/{}", id(&own["subscription"]))).await;
    assert_eq!((&customer["deleted"], &subscription["status"]), (&json!(true), &json!("canceled")));
}
