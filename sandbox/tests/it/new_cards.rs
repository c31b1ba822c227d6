//! A new card in the portal, and payments that their payer must authenticate, under each switch.

use serde_json::{Value, json};

use crate::support::{World, client, id};

/// A card that can be attached; each later charge fails.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
/// Requires authentication at each payment.
const ASKS_ALWAYS: &str = "4000002760003184";
/// Requires authentication, and is declined after it.
const ASKS_AND_DECLINES: &str = "4000008260003178";

/// The subscription of a purchase by this card, a month later.
async fn after_renewal(world: &World, card: &str) -> Value {
    let session = world.session().await;
    let (status, paid) = world.pay_by_card(&session, card).await;
    assert_eq!(status, 200, "{paid}");
    world.advance_days(31).await;
    let session = world.reread(&session, "").await;
    subscription(world, session["subscription"].as_str().unwrap()).await
}

async fn subscription(world: &World, id: &str) -> Value {
    let expand = "expand[]=latest_invoice.payments&expand[]=latest_invoice.confirmation_secret";
    world.get(&format!("/v1/subscriptions/{id}?{expand}&expand[]=customer")).await
}

async fn intent_of(world: &World, subscription: &Value) -> Value {
    let payment = &subscription["latest_invoice"]["payments"]["data"][0]["payment"]["payment_intent"];
    world.get(&format!("/v1/payment_intents/{}", payment.as_str().unwrap())).await
}

async fn behaves(world: &World, behavior: Value) {
    assert_eq!(world.json("PUT", "/_test/behavior", behavior).await.0, 200);
}

async fn events_of(world: &World, invoice: &str) -> Vec<String> {
    let events = world.get("/v1/events?limit=100").await;
    let of_invoice = |event: &&Value| event["data"]["object"]["id"] == invoice;
    let all = events["data"].as_array().unwrap().iter().filter(of_invoice);
    all.map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_card_of_the_portal_is_stored_and_charged_as_configured() {
    for (place, pays) in [
        ("customer", false),
        ("customer", true),
        ("customer_and_subscriptions", false),
        ("customer_and_subscriptions", true),
    ] {
        let world = World::start().await;
        behaves(&world, json!({ "portal_card": place, "portal_pays_open_invoices": pays })).await;
        let before = after_renewal(&world, CARD_OF_ONE_CHARGE).await;
        let form =
            format!("customer={}&return_url=http%3A%2F%2F127.0.0.1%3A8080%2F", id(&before["customer"]));
        let portal = world.post("/v1/billing_portal/sessions", &form).await;
        let card = "number=4242424242424242&expiry=12/34&cvc=123&name=Ana";

        let url = format!("{}/card", portal["url"].as_str().unwrap());
        let page = client().post(url).body(card).send().await.unwrap().text().await.unwrap();

        assert!(page.contains("Alteração salva."), "{page}");
        let after = subscription(&world, id(&before)).await;
        let default = &after["customer"]["invoice_settings"]["default_payment_method"];
        assert!(default.is_string(), "{after}");
        let is_everywhere = place == "customer_and_subscriptions";
        assert_eq!(after["default_payment_method"] == *default, is_everywhere, "{place} {pays}");
        let status = if pays { "paid" } else { "open" };
        assert_eq!(after["latest_invoice"]["status"], status, "{place} {pays}");
    }
}

#[tokio::test]
async fn a_renewal_that_needs_authentication_has_the_configured_status_and_events() {
    for (status, events, expected) in [
        ("requires_action", "both", &["invoice.payment_action_required", "invoice.payment_failed"][..]),
        ("requires_payment_method", "both", &["invoice.payment_action_required", "invoice.payment_failed"]),
        ("requires_action", "action_required", &["invoice.payment_action_required"]),
        ("requires_payment_method", "payment_failed", &["invoice.payment_failed"]),
    ] {
        let world = World::start().await;
        let switches = json!({ "authentication_status": status, "authentication_events": events });
        behaves(&world, switches).await;

        let waiting = after_renewal(&world, ASKS_ALWAYS).await;

        assert_eq!(waiting["status"], "past_due", "{status} {events}");
        let intent = intent_of(&world, &waiting).await;
        assert_eq!(intent["status"], status);
        let failed = status == "requires_payment_method";
        assert_eq!(intent["last_payment_error"]["code"] == "authentication_required", failed, "{intent}");
        assert_eq!(intent["payment_method"].is_null(), failed, "{intent}");
        assert_eq!(
            intent["client_secret"],
            waiting["latest_invoice"]["confirmation_secret"]["client_secret"]
        );
        let mut sent = events_of(&world, id(&waiting["latest_invoice"])).await;
        sent.retain(|kind| kind.starts_with("invoice.payment_"));
        sent.sort_unstable();
        assert_eq!(sent, expected, "{status} {events}");

        // Retries are counted but not sent; the payer confirms the same payment.
        world.advance_days(4).await;
        let retried = subscription(&world, id(&waiting)).await;
        assert_eq!(retried["latest_invoice"]["attempt_count"], 2);
        let path = format!("/v3/authenticate/{}", intent["client_secret"].as_str().unwrap());
        let card = if failed { &intent["last_payment_error"]["payment_method"]["id"] } else { &Value::Null };
        let refused =
            world.json("POST", &path, json!({ "challenge": "refuse", "payment_method": card })).await.1;
        assert_eq!(refused["error"]["code"], "payment_intent_authentication_failure", "{refused}");
        let card = &refused["error"]["payment_intent"]["last_payment_error"]["payment_method"]["id"];
        let paid =
            world.json("POST", &path, json!({ "challenge": "authorize", "payment_method": card })).await.1;
        assert_eq!(paid["paymentIntent"]["status"], "succeeded", "{paid}");
        assert_eq!(paid["paymentIntent"]["id"], intent["id"]);
        let after = subscription(&world, id(&waiting)).await;
        assert_eq!(
            (&after["status"], &after["latest_invoice"]["status"]),
            (&json!("active"), &json!("paid"))
        );
        let again = world.json("POST", &path, json!({ "challenge": "authorize" })).await.1;
        assert_eq!(again["error"]["payment_intent"]["status"], "succeeded", "{again}");
    }
}

#[tokio::test]
async fn a_card_declined_after_authentication_leaves_the_invoice_open() {
    let world = World::start().await;
    let before = after_renewal(&world, CARD_OF_ONE_CHARGE).await;
    let customer = id(&before["customer"]);
    let form = format!("customer={customer}&return_url=http%3A%2F%2F127.0.0.1%3A8080%2F");
    let portal = world.post("/v1/billing_portal/sessions", &form).await;
    let url = format!("{}/card", portal["url"].as_str().unwrap());
    let card = format!("number={ASKS_AND_DECLINES}&expiry=12/34&cvc=123&name=Ana");
    client().post(url).body(card).send().await.unwrap();
    let invoice = id(&before["latest_invoice"]);
    let after = subscription(&world, id(&before)).await;
    let card = after["customer"]["invoice_settings"]["default_payment_method"].as_str().unwrap();

    let form = format!("payment_method={card}");
    let (status, asked) = world.call("POST", &format!("/v1/invoices/{invoice}/pay"), &form, None).await;

    assert_eq!((status, &asked["error"]["code"]), (402, &json!("invoice_payment_intent_requires_action")));
    let intent = intent_of(&world, &after).await;
    let path = format!("/v3/authenticate/{}", intent["client_secret"].as_str().unwrap());
    let declined = world.json("POST", &path, json!({ "challenge": "authorize" })).await.1;
    assert_eq!(declined["error"]["decline_code"], "insufficient_funds", "{declined}");
    assert_eq!(subscription(&world, id(&before)).await["latest_invoice"]["status"], "open");
    let unknown =
        world.json("POST", "/v3/authenticate/pi_x_secret_y", json!({ "challenge": "authorize" })).await.1;
    assert_eq!(unknown["error"]["code"], "resource_missing");
}
