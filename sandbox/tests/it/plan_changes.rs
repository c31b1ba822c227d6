//! Plan changes: another price for a running subscription, previewed, charged or credited.

use serde_json::Value;

use crate::support::{World, amounts, id, period};

const DAY: i64 = 86_400;
const VISA: &str = "4242424242424242";

/// A subscription of 217,90 every 30 days, first paid with 10% off, and prices to change to.
struct Subscriber {
    world: World,
    subscription: String,
    customer: String,
    item: String,
    start: i64,
}

impl Subscriber {
    async fn with_card(card: &str) -> Self {
        let world = World::start().await;
        let session = world.session().await;
        assert_eq!(world.pay_by_card(&session, card).await.0, 200);
        Self::of(world, &session).await
    }

    async fn of(world: World, session: &Value) -> Self {
        let session = world.reread(session, "expand[]=subscription").await;
        let subscription = &session["subscription"];
        let item = &subscription["items"]["data"][0];
        Self {
            subscription: id(subscription).to_owned(),
            customer: subscription["customer"].as_str().unwrap().to_owned(),
            item: id(item).to_owned(),
            start: item["current_period_start"].as_i64().unwrap(),
            world,
        }
    }

    async fn price(&self, centavos: i64, days: i64) -> String {
        let product = self.world.post("/v1/products", "name=Outro").await;
        let form = format!(
            "currency=brl&unit_amount={centavos}&recurring[interval]=day&recurring[interval_count]={days}&product={}",
            id(&product)
        );
        id(&self.world.post("/v1/prices", &form).await).to_owned()
    }

    async fn preview(&self, price: &str, at: i64) -> Value {
        let (subscription, item) = (&self.subscription, &self.item);
        let form = format!(
            "subscription={subscription}&subscription_details[items][0][id]={item}\
             &subscription_details[items][0][price]={price}\
             &subscription_details[proration_behavior]=always_invoice&subscription_details[proration_date]={at}"
        );
        self.world.post("/v1/invoices/create_preview", &form).await
    }

    async fn change(&self, price: &str, at: i64, more: &str) -> (u16, Value) {
        let form = format!(
            "items[0][id]={}&items[0][price]={price}&proration_behavior=always_invoice&proration_date={at}\
             &payment_behavior=error_if_incomplete&expand[]=latest_invoice{more}",
            self.item
        );
        self.world.call("POST", &format!("/v1/subscriptions/{}", self.subscription), &form, None).await
    }

    async fn balance(&self) -> i64 {
        let customer = self.world.get(&format!("/v1/customers/{}", self.customer)).await;
        customer["balance"].as_i64().unwrap()
    }

    async fn invoices(&self) -> Vec<Value> {
        let path = format!("/v1/invoices?subscription={}", self.subscription);
        self.world.get(&path).await["data"].as_array().unwrap().clone()
    }
}

#[tokio::test]
async fn a_plan_change_in_the_same_interval_charges_the_preview_and_keeps_the_date() {
    let ana = Subscriber::with_card(VISA).await;
    let price = ana.price(40_790, 30).await;
    ana.world.advance_days(10).await;
    let at = ana.start + 10 * DAY;

    let shown = ana.preview(&price, at).await;
    let (status, changed) = ana.change(&price, at, "").await;

    assert_eq!(status, 200, "{changed}");
    // Two thirds of what was paid with the coupon (196,11), two thirds of the new price.
    assert_eq!(amounts(&shown), [-13_074, 27_193]);
    assert_eq!((&shown["total"], &shown["amount_due"]), (&Value::from(14_119), &Value::from(14_119)));
    let invoice = &changed["latest_invoice"];
    assert_eq!(amounts(invoice), amounts(&shown));
    assert_eq!((&invoice["status"], &invoice["amount_paid"]), (&Value::from("paid"), &Value::from(14_119)));
    assert_eq!(invoice["billing_reason"], "subscription_update");
    assert_eq!(period(&changed), (ana.start, ana.start + 30 * DAY));
    assert_eq!(changed["items"]["data"][0]["price"]["id"], price.as_str());
    assert_eq!(ana.invoices().await.len(), 2, "the preview is not stored");
    let updates = ana.world.get("/v1/events?type=customer.subscription.updated").await;
    assert!(updates["data"][0]["data"]["previous_attributes"]["items"].is_object());

    ana.world.advance_days(21).await;
    assert_eq!(ana.invoices().await[0]["total"], 40_790, "the coupon applies only once");
}

#[tokio::test]
async fn a_downgrade_becomes_credit_that_renewals_use() {
    let ana = Subscriber::with_card(VISA).await;
    let price = ana.price(5_000, 30).await;

    let (status, changed) = ana.change(&price, ana.start, "").await;

    assert_eq!(status, 200, "{changed}");
    let invoice = &changed["latest_invoice"];
    assert_eq!((amounts(invoice), &invoice["total"]), (vec![-19_611, 5_000], &Value::from(-14_611)));
    assert_eq!((&invoice["amount_due"], &invoice["status"]), (&Value::from(0), &Value::from("paid")));
    assert_eq!(
        (&invoice["starting_balance"], &invoice["ending_balance"]),
        (&Value::from(0), &Value::from(-14_611))
    );
    assert_eq!(ana.balance().await, -14_611);
    let charges = ana.world.get("/v1/charges").await["data"].as_array().unwrap().len();
    assert_eq!(charges, 1, "only the purchase");

    ana.world.advance_days(31).await;
    assert_eq!(ana.balance().await, -9_611);
    let renewal = &ana.invoices().await[0];
    assert_eq!((&renewal["status"], &renewal["amount_due"]), (&Value::from("paid"), &Value::from(0)));
    ana.world.advance_days(60).await;
    let third = &ana.invoices().await[0];
    assert_eq!((&third["amount_due"], &third["amount_paid"]), (&Value::from(389), &Value::from(389)));
    assert_eq!(ana.balance().await, 0);
}

#[tokio::test]
async fn a_change_to_another_interval_starts_a_new_period_now() {
    let ana = Subscriber::with_card(VISA).await;
    let price = ana.price(107_450, 365).await;
    ana.world.advance_days(15).await;
    let at = ana.start + 15 * DAY;

    let shown = ana.preview(&price, at).await;
    let (status, changed) = ana.change(&price, at, "").await;

    assert_eq!(status, 200, "{changed}");
    assert_eq!(amounts(&shown), [-9_806, 107_450]);
    assert_eq!(amounts(&changed["latest_invoice"]), amounts(&shown));
    let (start, end) = period(&changed);
    assert!(start >= at && end - start == 365 * DAY, "{start} {end}");
    assert_eq!(changed["billing_cycle_anchor"], start);
    ana.world.advance_days(30).await;
    assert_eq!(ana.invoices().await.len(), 2, "nothing is due on the old date");
}

#[tokio::test]
async fn a_declined_plan_change_is_402_and_changes_nothing() {
    let ana = Subscriber::with_card("4000000000000341").await;
    let price = ana.price(40_790, 30).await;
    let path = format!("/v1/subscriptions/{}", ana.subscription);
    let before = ana.world.get(&path).await;

    let (status, refused) = ana.change(&price, ana.start, "").await;

    assert_eq!((status, refused["error"]["code"].as_str()), (402, Some("card_declined")));
    assert_eq!(ana.world.get(&path).await, before);
    assert_eq!((ana.invoices().await.len(), ana.balance().await), (1, 0));
    let form = format!("items[0][id]={}&items[0][price]={price}&proration_behavior=always_invoice", ana.item);
    let incomplete = ana.world.post(&path, &form).await;
    assert_eq!(
        incomplete["status"], "past_due",
        "allow_incomplete changes the plan and leaves the invoice open"
    );
    assert_eq!(ana.invoices().await[0]["status"], "open");
}

#[tokio::test]
async fn a_boleto_subscription_cannot_pay_an_upgrade_at_once_but_gets_credit_for_a_downgrade() {
    let world = World::start().await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), serde_json::json!({})).await;
    let ana = Subscriber::of(world, &session).await;
    let (dearer, cheaper) = (ana.price(40_790, 30).await, ana.price(5_000, 30).await);

    let (status, refused) = ana.change(&dearer, ana.start, "").await;
    let code = refused["error"]["code"].as_str();
    assert_eq!((status, code), (402, Some("subscription_payment_intent_requires_action")));

    assert_eq!(ana.change(&cheaper, ana.start, "").await.0, 200);
    assert_eq!(ana.balance().await, -14_611);
}

#[tokio::test]
async fn a_voided_invoice_returns_the_credit_that_it_used() {
    let ana = Subscriber::with_card(VISA).await;
    let path = format!("/v1/customers/{}", ana.customer);
    ana.world.post(&path, "balance=-1000").await;
    let card = ana
        .world
        .post("/v1/payment_methods/pm_card_chargeCustomerFail/attach", &format!("customer={}", ana.customer))
        .await;
    let subscription = format!("/v1/subscriptions/{}", ana.subscription);
    ana.world.post(&subscription, &format!("default_payment_method={}", id(&card))).await;
    ana.world.advance_days(31).await;
    let renewal = ana.invoices().await[0].clone();
    assert_eq!((&renewal["status"], &renewal["amount_due"]), (&Value::from("open"), &Value::from(20_790)));
    assert_eq!(ana.balance().await, 0);

    ana.world.post(&format!("/v1/invoices/{}/void", id(&renewal)), "").await;

    assert_eq!(ana.balance().await, -1_000);
}

#[tokio::test]
async fn without_an_immediate_invoice_the_difference_is_charged_at_the_renewal() {
    let ana = Subscriber::with_card(VISA).await;
    let price = ana.price(40_790, 30).await;
    let path = format!("/v1/subscriptions/{}", ana.subscription);
    let items = format!("items[0][id]={}&items[0][price]={price}&proration_date={}", ana.item, ana.start);
    let preview = format!(
        "subscription={}&subscription_details[items][0][id]={}&subscription_details[items][0][price]={price}\
        &subscription_details[proration_date]={}",
        ana.subscription, ana.item, ana.start
    );
    let shown = ana.world.post("/v1/invoices/create_preview", &preview).await;
    assert_eq!(amounts(&shown), [-19_611, 40_790, 40_790]);

    ana.world.post(&path, &items).await;
    assert_eq!(ana.invoices().await.len(), 1);
    ana.world.advance_days(31).await;

    let renewal = &ana.invoices().await[0];
    assert_eq!((amounts(renewal), &renewal["total"]), (amounts(&shown), &shown["total"]));
    assert_eq!(renewal["status"], "paid");
    ana.world.advance_days(30).await;
    assert_eq!(amounts(&ana.invoices().await[0]), [40_790]);
}

#[tokio::test]
async fn a_malformed_plan_change_names_the_parameter() {
    let ana = Subscriber::with_card(VISA).await;
    let price = ana.price(40_790, 30).await;
    for (more, param) in [
        ("&proration_behavior=sometimes", "proration_behavior"),
        ("&billing_cycle_anchor=later", "billing_cycle_anchor"),
        ("&payment_behavior=maybe", "payment_behavior"),
        ("&items[0][price]=price_gone", "items[0][price]"),
        ("&items[0][id]=si_other", "items[0][id]"),
        ("&proration_date=5", "proration_date"),
    ] {
        let (status, answer) = ana.change(&price, ana.start, more).await;
        assert_eq!((status, answer["error"]["param"].as_str()), (400, Some(param)), "{more}: {answer}");
    }
}
