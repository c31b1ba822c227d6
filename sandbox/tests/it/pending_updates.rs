//! Plan changes that wait for their payment: `payment_behavior=pending_if_incomplete`.

use serde_json::{Value, json};

use crate::support::{World, id};

const ASKS: &str = "pm_card_authenticationRequired";
const ASKS_AND_DECLINES: &str = "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds";
const DECLINES: &str = "pm_card_chargeCustomerFail";
const VISA: &str = "pm_card_visa";

/// A subscription of 217,90 every 30 days, and a price of 407,90 to change to.
struct Change {
    world: World,
    path: String,
    item: String,
    price: String,
    before: Value,
}

impl Change {
    async fn with_card(token: &str) -> Self {
        let world = World::start().await;
        let session = world.session().await;
        assert_eq!(world.pay_by_card(&session, "4242424242424242").await.0, 200);
        let session = world.reread(&session, "expand[]=subscription").await;
        let before = session["subscription"].clone();
        let customer = before["customer"].as_str().unwrap();
        let card =
            world.post(&format!("/v1/payment_methods/{token}/attach"), &format!("customer={customer}")).await;
        let path = format!("/v1/subscriptions/{}", id(&before));
        let before = world.post(&path, &format!("default_payment_method={}", id(&card))).await;
        let product = world.post("/v1/products", "name=Outro").await;
        let form = format!(
            "currency=brl&unit_amount=40790&recurring[interval]=day&recurring[interval_count]=30&product={}",
            id(&product)
        );
        let price = id(&world.post("/v1/prices", &form).await).to_owned();
        Self { path, item: id(&before["items"]["data"][0]).to_owned(), price, before, world }
    }

    async fn call(&self, more: &str) -> (u16, Value) {
        let form = format!(
            "items[0][id]={}&items[0][price]={}&proration_behavior=always_invoice\
             &payment_behavior=pending_if_incomplete&expand[]=latest_invoice.confirmation_secret{more}",
            self.item, self.price
        );
        self.world.call("POST", &self.path, &form, None).await
    }

    async fn read(&self) -> Value {
        self.world.get(&format!("{}?expand[]=latest_invoice", self.path)).await
    }

    async fn answer(&self, waiting: &Value, challenge: &str) -> Value {
        let secret = waiting["latest_invoice"]["confirmation_secret"]["client_secret"].as_str().unwrap();
        let path = format!("/v3/authenticate/{secret}");
        let card = &self.before["default_payment_method"];
        self.world.json("POST", &path, json!({ "challenge": challenge, "payment_method": card })).await.1
    }

    async fn events(&self, kind: &str) -> usize {
        let path = format!("/v1/events?type=customer.subscription.{kind}");
        self.world.get(&path).await["data"].as_array().unwrap().len()
    }
}

fn price_of(subscription: &Value) -> &str {
    subscription["items"]["data"][0]["price"]["id"].as_str().unwrap()
}

#[tokio::test]
async fn a_card_that_needs_no_confirmation_changes_the_plan_at_once() {
    let ana = Change::with_card(VISA).await;

    let (status, changed) = ana.call("").await;

    assert_eq!(status, 200, "{changed}");
    assert_eq!((price_of(&changed), &changed["pending_update"]), (ana.price.as_str(), &Value::Null));
    assert_eq!(changed["latest_invoice"]["status"], "paid");
    assert_eq!(
        (ana.events("pending_update_applied").await, ana.events("pending_update_expired").await),
        (0, 0)
    );
}

#[tokio::test]
async fn a_confirmed_payment_applies_the_pending_update_once() {
    let ana = Change::with_card(ASKS).await;

    let (status, waiting) = ana.call("").await;

    assert_eq!(status, 200, "{waiting}");
    assert_eq!(price_of(&waiting), price_of(&ana.before), "nothing changes before the payment");
    assert_eq!(
        (&waiting["status"], &waiting["latest_invoice"]["status"]),
        (&json!("active"), &json!("open"))
    );
    assert_eq!(waiting["pending_update"]["subscription_items"][0]["price"]["id"], ana.price.as_str());

    let paid = ana.answer(&waiting, "authorize").await;
    assert_eq!(paid["paymentIntent"]["status"], "succeeded", "{paid}");
    ana.answer(&waiting, "authorize").await;

    let after = ana.read().await;
    assert_eq!((price_of(&after), &after["pending_update"]), (ana.price.as_str(), &Value::Null));
    assert_eq!(after["latest_invoice"]["amount_paid"], waiting["latest_invoice"]["amount_due"]);
    ana.world.advance_days(2).await;
    assert_eq!(
        (ana.events("pending_update_applied").await, ana.events("pending_update_expired").await),
        (1, 0)
    );
}

#[tokio::test]
async fn an_unpaid_pending_update_expires_after_23_hours_and_its_invoice_is_void() {
    for card in [ASKS, ASKS_AND_DECLINES, DECLINES] {
        let ana = Change::with_card(card).await;
        let (status, waiting) = ana.call("").await;
        assert_eq!(status, 200, "{waiting}");
        if card == ASKS_AND_DECLINES {
            let declined = ana.answer(&waiting, "authorize").await;
            assert_eq!(declined["error"]["decline_code"], "insufficient_funds", "{declined}");
        }
        let made_at = waiting["latest_invoice"]["created"].as_i64().unwrap();
        assert_eq!(waiting["pending_update"]["expires_at"], made_at + 23 * 3_600);

        let hours = |hours: i64| json!({"advance_seconds": hours * 3_600});
        ana.world.json("POST", "/clock", hours(22)).await;
        let open = ana.read().await;
        assert_eq!((&open["status"], &open["latest_invoice"]["status"]), (&json!("active"), &json!("open")));
        ana.world.json("POST", "/clock", hours(2)).await;

        let after = ana.read().await;
        assert_eq!(
            (price_of(&after), &after["pending_update"]),
            (price_of(&ana.before), &Value::Null),
            "{card}"
        );
        assert_eq!(
            (&after["status"], &after["latest_invoice"]["status"]),
            (&json!("active"), &json!("void"))
        );
        assert_eq!(ana.events("pending_update_expired").await, 1);
        let late = ana.answer(&waiting, "authorize").await;
        assert!(late["error"].is_object(), "{late}");
        assert_eq!(price_of(&ana.read().await), price_of(&ana.before), "a late answer changes nothing");
    }
}

#[tokio::test]
async fn a_void_a_second_change_and_a_cancellation_discard_the_pending_update() {
    let ana = Change::with_card(ASKS).await;
    let (_, first) = ana.call("").await;
    let (_, second) = ana.call("").await;
    let invoice = |change: &Value| format!("/v1/invoices/{}", id(&change["latest_invoice"]));
    assert_ne!(invoice(&first), invoice(&second));
    assert_eq!(ana.world.get(&invoice(&first)).await["status"], "void");
    assert_eq!(second["latest_invoice"]["total"], first["latest_invoice"]["total"]);

    ana.world.post(&format!("{}/void", invoice(&second)), "").await;
    let after = ana.read().await;
    assert_eq!((price_of(&after), &after["pending_update"]), (price_of(&ana.before), &Value::Null));

    let (_, third) = ana.call("").await;
    let (status, canceled) = ana.world.call("DELETE", &ana.path, "", None).await;
    assert_eq!((status, &canceled["pending_update"]), (200, &Value::Null), "{canceled}");
    assert_eq!(ana.world.get(&invoice(&third)).await["status"], "void");
}

#[tokio::test]
async fn a_pending_update_refuses_the_parameters_that_it_does_not_support() {
    let ana = Change::with_card(ASKS).await;
    for (more, param) in [
        ("&cancel_at_period_end=false", "cancel_at_period_end"),
        ("&metadata[a]=b", "metadata"),
        ("&default_payment_method=pm_1", "default_payment_method"),
    ] {
        let (status, refused) = ana.call(more).await;
        assert_eq!((status, refused["error"]["param"].as_str()), (400, Some(param)), "{refused}");
    }
    assert_eq!(ana.read().await["pending_update"], Value::Null);
}
