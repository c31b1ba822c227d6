//! Changes to a subscription in the provider's dashboard: free days, pauses, payments outside of
//! the provider, and previews. Also the parameters that a call refuses instead of ignoring.

use serde_json::{Value, json};

use crate::support::{World, amounts, id, period};

const DAY: i64 = 86_400;

/// A subscription of 217,90 every 30 days, paid by card without a coupon.
struct Subscriber {
    world: World,
    subscription: String,
    customer: String,
    item: String,
    price: String,
    start: i64,
}

impl Subscriber {
    async fn new() -> Self {
        let world = World::start().await;
        let open = world.session().await;
        let open = world.reread(&open, "expand[]=line_items").await;
        let price = id(&open["line_items"]["data"][0]["price"]).to_owned();
        let customer = open["customer"].as_str().unwrap().to_owned();
        world.post("/v1/payment_methods/pm_card_visa/attach", &format!("customer={customer}")).await;
        let methods = world.get(&format!("/v1/payment_methods?customer={customer}")).await;
        let subscription = world
            .post(
                "/v1/subscriptions",
                &format!(
                    "customer={customer}&items[0][price]={price}&default_payment_method={}\
                     &payment_behavior=error_if_incomplete",
                    id(&methods["data"][0])
                ),
            )
            .await;
        let item = &subscription["items"]["data"][0];
        Self {
            subscription: id(&subscription).to_owned(),
            item: id(item).to_owned(),
            start: item["current_period_start"].as_i64().unwrap(),
            customer,
            price,
            world,
        }
    }

    async fn update(&self, form: &str) -> Value {
        self.world.post(&format!("/v1/subscriptions/{}", self.subscription), form).await
    }

    /// The code and the parameter of a refused update.
    async fn refused(&self, form: &str) -> (String, String) {
        let path = format!("/v1/subscriptions/{}", self.subscription);
        refusal(&self.world, "POST", &path, form).await
    }

    async fn now(&self) -> Value {
        self.world.get(&format!("/v1/subscriptions/{}", self.subscription)).await
    }

    /// Newest first.
    async fn invoices(&self) -> Vec<Value> {
        let path = format!("/v1/invoices?subscription={}", self.subscription);
        self.world.get(&path).await["data"].as_array().unwrap().clone()
    }

    async fn balance(&self) -> i64 {
        let customer = self.world.get(&format!("/v1/customers/{}", self.customer)).await;
        customer["balance"].as_i64().unwrap()
    }
}

/// `sandbox_error` or the error code, and the parameter of a refusal.
async fn refusal(world: &World, method: &str, path: &str, form: &str) -> (String, String) {
    let (status, body) = world.call(method, path, form, None).await;
    assert_eq!(status, 400, "{path} {form}: {body}");
    let error = &body["error"];
    let is_own = error["type"] == "sandbox_error";
    let what = if is_own { "sandbox_error" } else { error["code"].as_str().unwrap_or("wrong value") };
    (what.to_owned(), error["param"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn free_days_in_a_paid_period_move_the_next_charge_to_the_end_of_the_trial() {
    let ana = Subscriber::new().await;
    ana.world.advance_days(10).await;
    let until = ana.start + 45 * DAY;

    let given = ana.update(&format!("trial_end={until}&proration_behavior=none")).await;

    let began = given["trial_start"].as_i64().unwrap();
    assert!((ana.start + 10 * DAY..ana.start + 10 * DAY + 60).contains(&began), "{began}");
    assert_eq!((&given["status"], &given["trial_end"]), (&json!("trialing"), &json!(until)));
    assert_eq!((period(&given), &given["billing_cycle_anchor"]), ((began, until), &json!(until)));
    let first = &ana.invoices().await[0];
    assert_eq!((&first["billing_reason"], &first["status"]), (&json!("subscription_update"), &json!("paid")));
    assert_eq!((amounts(first), ana.balance().await), (vec![0], 0), "the paid time is not credited");
    let event = &ana.world.get("/v1/events?type=customer.subscription.updated").await["data"][0]["data"];
    assert_eq!(event["previous_attributes"]["status"], "active");

    ana.world.advance_days(33).await;
    assert_eq!(ana.world.hooks.count("customer.subscription.trial_will_end"), 1, "three days before");
    assert_eq!(ana.invoices().await.len(), 2, "the old period's end charges nothing");
    ana.world.advance_days(3).await;
    let (after, invoices) = (ana.now().await, ana.invoices().await);
    assert_eq!((&after["status"], period(&after)), (&json!("active"), (until, until + 30 * DAY)));
    assert_eq!(invoices.len(), 3);
    assert_eq!((&invoices[0]["status"], &invoices[0]["total"]), (&json!("paid"), &json!(21_790)));
}

#[tokio::test]
async fn free_days_with_prorations_turn_the_unused_time_into_credit() {
    let ana = Subscriber::new().await;
    ana.world.advance_days(10).await;
    let (until, at) = (ana.start + 40 * DAY, ana.start + 10 * DAY);

    ana.update(&format!("trial_end={until}&proration_date={at}")).await;

    // Two thirds of 217,90.
    assert_eq!(amounts(&ana.invoices().await[0]), [-14_527, 0]);
    assert_eq!(ana.balance().await, -14_527);
    ana.world.advance_days(31).await;
    let renewal = &ana.invoices().await[0];
    assert_eq!((&renewal["total"], &renewal["amount_paid"]), (&json!(21_790), &json!(7_263)));
}

#[tokio::test]
async fn a_running_trial_gets_another_end_and_ends_now_with_a_charge() {
    let ana = Subscriber::new().await;
    let (first, second) = (ana.start + 40 * DAY, ana.start + 50 * DAY);
    let began = ana.update(&format!("trial_end={first}&proration_behavior=none")).await;

    let moved = ana.update(&format!("trial_end={second}&proration_behavior=none")).await;
    assert_eq!((&moved["trial_start"], period(&moved).1), (&began["trial_start"], second));
    assert_eq!(ana.invoices().await.len(), 2, "another end is not billed");
    ana.world.advance_days(45).await;
    assert_eq!(ana.now().await["status"], "trialing");

    let ended = ana.update("trial_end=now&expand[]=latest_invoice").await;
    let now = ended["trial_end"].as_i64().unwrap();
    assert_eq!((&ended["status"], period(&ended)), (&json!("active"), (now, now + 30 * DAY)));
    let invoice = &ended["latest_invoice"];
    assert_eq!((&invoice["status"], amounts(invoice)), (&json!("paid"), vec![21_790]));
    ana.world.advance_days(6).await;
    assert_eq!(ana.invoices().await.len(), 3, "the earlier end charges nothing");

    ana.update("trial_end=now").await;
    assert_eq!(ana.invoices().await.len(), 3, "without a trial `now` ends nothing");
}

#[tokio::test]
async fn trials_of_unsupported_forms_are_refused() {
    let ana = Subscriber::new().await;
    let (subscription, item, price) = (&ana.subscription, &ana.item, &ana.price);
    let later = ana.start + 40 * DAY;
    for (form, what, param) in [
        (format!("trial_end={}", ana.start - 1), "wrong value", "trial_end"),
        (format!("trial_end={}", ana.start + 800 * DAY), "wrong value", "trial_end"),
        ("trial_end=soon".to_owned(), "parameter_invalid_integer", "trial_end"),
        (format!("trial_end={later}&proration_behavior=half"), "wrong value", "proration_behavior"),
        (
            format!("trial_end={later}&items[0][id]={item}&items[0][price]={price}"),
            "sandbox_error",
            "trial_end",
        ),
        (format!("trial_end={later}&payment_behavior=pending_if_incomplete"), "sandbox_error", "trial_end"),
    ] {
        assert_eq!(ana.refused(&form).await, (what.to_owned(), param.to_owned()), "{form}");
    }
    ana.world.call("DELETE", &format!("/v1/subscriptions/{subscription}"), "", None).await;
    assert_eq!(ana.refused(&format!("trial_end={later}")).await.0, "wrong value", "it has ended");
}

#[tokio::test]
async fn the_collection_of_new_invoices_pauses_until_a_day_or_a_call() {
    for (behavior, status) in
        [("void", "void"), ("keep_as_draft", "draft"), ("mark_uncollectible", "uncollectible")]
    {
        let ana = Subscriber::new().await;
        let resumes_at = ana.start + 70 * DAY;
        let form = format!("pause_collection[behavior]={behavior}&pause_collection[resumes_at]={resumes_at}");

        let paused = ana.update(&form).await;
        ana.world.advance_days(62).await;

        let pause = json!({"behavior": behavior, "resumes_at": resumes_at});
        assert_eq!(paused["pause_collection"], pause);
        let (now, invoices) = (ana.now().await, ana.invoices().await);
        assert_eq!((&now["status"], &now["pause_collection"]), (&json!("active"), &pause), "{behavior}");
        assert_eq!(period(&now).0, ana.start + 60 * DAY, "periods go on");
        let statuses: Vec<&Value> = invoices.iter().map(|invoice| &invoice["status"]).collect();
        assert_eq!(statuses, [status, status, "paid"]);
        assert!(invoices[..2].iter().all(|invoice| invoice["auto_advance"] == false), "{behavior}");
        assert_eq!(ana.world.hooks.count("invoice.upcoming"), 0, "{behavior}");
        ana.world.advance_days(29).await;
        assert_eq!(ana.now().await["pause_collection"], Value::Null);
        let newest = ana.invoices().await;
        assert_eq!((&newest[0]["status"], newest.len()), (&json!("paid"), 4), "{behavior}");
    }
}

#[tokio::test]
async fn a_pause_ends_by_a_call_and_a_voided_invoice_uses_no_credit() {
    let ana = Subscriber::new().await;
    let balance = "amount=-5000&currency=brl";
    ana.world.post(&format!("/v1/customers/{}/balance_transactions", ana.customer), balance).await;
    ana.update("pause_collection[behavior]=void").await;
    ana.world.advance_days(31).await;
    assert_eq!(ana.balance().await, -5_000);
    let other = format!("items[0][id]={}&items[0][price]={}", ana.item, other_price(&ana).await);
    let at_once = format!("{other}&proration_behavior=always_invoice");
    assert_eq!(ana.refused(&at_once).await, ("sandbox_error".to_owned(), "pause_collection".to_owned()));
    let wrong = ana.refused("pause_collection[behavior]=skip").await;
    assert_eq!(wrong, ("wrong value".to_owned(), "pause_collection[behavior]".to_owned()));
    let past = format!("pause_collection[behavior]=void&pause_collection[resumes_at]={}", ana.start);
    assert_eq!(ana.refused(&past).await.1, "pause_collection[resumes_at]");

    let resumed = ana.update("pause_collection=").await;
    ana.world.advance_days(30).await;

    assert_eq!(resumed["pause_collection"], Value::Null);
    let newest = &ana.invoices().await[0];
    assert_eq!((&newest["status"], &newest["amount_paid"]), (&json!("paid"), &json!(16_790)));
}

async fn other_price(ana: &Subscriber) -> String {
    let product = ana.world.post("/v1/products", "name=Outro").await;
    let form = format!(
        "currency=brl&unit_amount=40790&recurring[interval]=day&recurring[interval_count]=30&product={}",
        id(&product)
    );
    id(&ana.world.post("/v1/prices", &form).await).to_owned()
}

#[tokio::test]
async fn a_change_without_prorations_charges_the_new_price_from_the_next_period_on() {
    let ana = Subscriber::new().await;
    let price = other_price(&ana).await;
    ana.world.advance_days(10).await;
    let items = format!("[items][0][id]={}&subscription_details[items][0][price]={price}", ana.item);
    let preview = format!(
        "subscription={}&subscription_details{items}&subscription_details[proration_behavior]=none",
        ana.subscription
    );

    let shown = ana.world.post("/v1/invoices/create_preview", &preview).await;
    let form = format!("items[0][id]={}&items[0][price]={price}&proration_behavior=none", ana.item);
    let changed = ana.update(&form).await;

    assert_eq!(amounts(&shown), [40_790]);
    assert_eq!(changed["items"]["data"][0]["price"]["id"], price.as_str());
    assert_eq!(ana.invoices().await.len(), 1, "nothing is billed now");
    ana.world.advance_days(21).await;
    let renewal = &ana.invoices().await[0];
    assert_eq!((amounts(renewal), &renewal["status"]), (vec![40_790], &json!("paid")));
}

#[tokio::test]
async fn an_invoice_paid_outside_of_the_provider_is_paid_without_a_charge() {
    let ana = Subscriber::new().await;
    ana.world
        .post("/v1/payment_methods/pm_card_chargeCustomerFail/attach", &format!("customer={}", ana.customer))
        .await;
    let methods = ana.world.get(&format!("/v1/payment_methods?customer={}", ana.customer)).await;
    ana.update(&format!("default_payment_method={}", id(&methods["data"][0]))).await;
    ana.world.advance_days(31).await;
    let open = ana.invoices().await.remove(0);
    assert_eq!((&open["status"], &ana.now().await["status"]), (&json!("open"), &json!("past_due")));
    let charges = ana.world.get("/v1/charges").await["data"].as_array().unwrap().len();
    let succeeded = ana.world.hooks.count("invoice.payment_succeeded");
    let path = format!("/v1/invoices/{}/pay", id(&open));

    let both = format!("paid_out_of_band=true&payment_method={}", id(&methods["data"][1]));
    assert_eq!(refusal(&ana.world, "POST", &path, &both).await.1, "payment_method");
    let paid = ana.world.post(&path, "paid_out_of_band=true").await;

    assert_eq!((&paid["status"], &paid["amount_remaining"]), (&json!("paid"), &json!(0)));
    assert_eq!(paid["amount_paid_off_stripe"], 21_790);
    assert_eq!(ana.now().await["status"], "active");
    assert_eq!(ana.world.get("/v1/charges").await["data"].as_array().unwrap().len(), charges);
    ana.world.all_delivered().await;
    assert_eq!(ana.world.hooks.count("invoice.paid"), 2);
    assert_eq!(ana.world.hooks.count("invoice.payment_succeeded"), succeeded, "no payment succeeded");
    let payments = ana.world.get(&format!("/v1/invoice_payments?invoice={}", id(&open))).await;
    assert_eq!(payments["data"][0]["status"], "canceled");
}

#[tokio::test]
async fn a_preview_by_customer_is_that_of_the_subscription_that_renews_first() {
    let ana = Subscriber::new().await;
    let path = "/v1/invoices/create_preview";
    let (customer, subscription) = (&ana.customer, &ana.subscription);

    let shown = ana.world.post(path, &format!("customer={customer}")).await;
    let named = ana.world.post(path, &format!("customer={customer}&subscription={subscription}")).await;

    for invoice in [&shown, &named] {
        let details = &invoice["parent"]["subscription_details"];
        assert_eq!((&details["subscription"], amounts(invoice)), (&json!(subscription), vec![21_790]));
    }
    let other = ana.world.post("/v1/customers", "email=bia@example.com").await;
    let of_other = format!("customer={}&subscription={subscription}", id(&other));
    assert_eq!(refusal(&ana.world, "POST", path, &of_other).await.1, "subscription");
    assert_eq!(refusal(&ana.world, "POST", path, "").await, ("parameter_missing".into(), "customer".into()));
    let new = format!("customer={customer}&subscription_details[items][0][price]={}", ana.price);
    assert_eq!(refusal(&ana.world, "POST", path, &new).await.0, "sandbox_error");
    ana.update("cancel_at_period_end=true").await;
    for id in [customer.as_str(), id(&other)] {
        let (status, body) = ana.world.call("POST", path, &format!("customer={id}"), None).await;
        assert_eq!((status, &body["error"]["code"]), (404, &json!("invoice_upcoming_none")));
    }
}

#[tokio::test]
async fn a_new_subscription_takes_its_collection_method_types_and_presence_of_the_holder() {
    let ana = Subscriber::new().await;
    let (customer, price) = (&ana.customer, &ana.price);
    let attached = ana
        .world
        .post(
            "/v1/payment_methods/pm_card_authenticationRequiredOnSetup/attach",
            &format!("customer={customer}"),
        )
        .await;
    let order = format!(
        "customer={customer}&items[0][price]={price}&default_payment_method={}\
         &payment_behavior=error_if_incomplete",
        id(&attached)
    );
    let path = "/v1/subscriptions";

    let (status, asked) = ana.world.call("POST", path, &order, None).await;
    assert_eq!((status, &asked["error"]["code"]), (402, &json!("authentication_required")), "{asked}");
    let types = "payment_settings[payment_method_types][]";
    let made = ana.world.post(path, &format!("{order}&off_session=true&{types}=card&{types}=boleto")).await;
    assert_eq!(made["status"], "active", "off session, the bank requires no authentication");
    assert_eq!(made["payment_settings"]["payment_method_types"], json!(["card", "boleto"]));
    for (more, param) in [
        ("collection_method=send_invoice", "collection_method"),
        (
            "payment_settings[payment_method_types][]=card&payment_settings[payment_method_types][]=link",
            "payment_settings[payment_method_types]",
        ),
        ("items[1][price]=other", "items[1][price]"),
        ("discounts[0][coupon]=novo10&discounts[1][coupon]=novo10", "discounts[1][coupon]"),
    ] {
        let form = format!("{order}&off_session=true&{more}");
        assert_eq!(refusal(&ana.world, "POST", path, &form).await, ("sandbox_error".into(), param.into()));
    }
    let other = format!("{order}&off_session=true&{types}=boleto");
    assert_eq!(refusal(&ana.world, "POST", path, &other).await.1, "payment_settings[payment_method_types]");
    let list = ana.world.get(&format!("/v1/subscriptions?customer={customer}&status=all")).await;
    assert_eq!(list["data"].as_array().unwrap().len(), 2, "a refused call creates nothing");
}

/// Each call supports its parameter, which has no effect beside the others given here.
#[tokio::test]
async fn a_parameter_that_a_call_does_not_use_is_refused_and_nothing_is_stored() {
    let ana = Subscriber::new().await;
    let subscription = format!("/v1/subscriptions/{}", ana.subscription);
    for (path, form, param) in [
        (subscription.as_str(), "metadata[a]=1&proration_behavior=none", "proration_behavior"),
        (&subscription, "metadata[a]=1&proration_date=1", "proration_date"),
        (&subscription, "metadata[a]=1&default_payment_method=", "default_payment_method"),
        (
            "/v1/prices",
            "currency=brl&unit_amount=1&product_data[name]=A&transfer_lookup_key=true",
            "transfer_lookup_key",
        ),
        ("/v1/coupons", "percent_off=10&duration=once&currency=brl", "currency"),
        ("/v1/promotion_codes", "promotion[type]=coupon&promotion[coupon]=novo10&code=", "code"),
    ] {
        let refused = refusal(&ana.world, "POST", path, form).await;
        assert_eq!(refused, ("sandbox_error".to_owned(), param.to_owned()), "{path} {form}");
    }
    assert_eq!(ana.now().await["metadata"], json!({}));
    assert_eq!(ana.world.get("/v1/promotion_codes").await["data"], json!([]));
}
