//! The shape of every object and event of a customer's life, held against a recording.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::{World, id};

/// Answers with ids, times and random texts replaced by names.
const RECORDED: &str = include_str!("shapes.json");
/// Start of the tests' clock, in Unix seconds.
const START: i64 = 1_796_000_000;

#[derive(Default)]
struct Recording {
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
    events: Vec<String>,
    kinds: Vec<String>,
    answers: Vec<Value>,
}

impl Recording {
    fn add(&mut self, what: &str, body: &Value) {
        let body = self.plain("", body);
        self.answers.push(json!({"what": what, "body": body}));
    }

    fn plain(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), self.plain(name, value))).collect()
            }
            Value::Array(items) => items.iter().map(|item| self.plain(name, item)).collect(),
            Value::Number(number) => match number.as_i64() {
                Some(at) if at > 1_000_000_000 => json!(format!("+{} min", (at - START + 300) / 600 * 10)),
                _ => value.clone(),
            },
            Value::String(text) => json!(self.text(name, text)),
            other => other.clone(),
        }
    }

    fn text(&mut self, name: &str, text: &str) -> String {
        let is_random =
            matches!(name, "fingerprint" | "invoice_prefix" | "client_secret" | "secret" | "request_log_url");
        let is_line = name == "number" && text.len() == 47;
        if is_random || is_line || text.starts_with("http://127") {
            return format!("<{name}>");
        }
        if let Some((prefix, number)) = text.split_once("-00")
            && prefix.len() == 8
        {
            return format!("<prefix>-00{number}");
        }
        text.split(' ').map(|word| self.word(word)).collect::<Vec<_>>().join(" ")
    }

    /// Names an id by its prefix and a number.
    fn word(&mut self, word: &str) -> String {
        if let Some((head, tail)) = word.split_once('=') {
            return format!("{head}={}", self.word(tail));
        }
        if let Some(middle) = word.strip_prefix("/v1/") {
            return format!(
                "/v1/{}",
                middle.split('/').map(|part| self.word(part)).collect::<Vec<_>>().join("/")
            );
        }
        let Some((prefix, tail)) = word.rsplit_once('_') else { return word.to_owned() };
        if tail.len() < 14 || !tail.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) {
            return word.to_owned();
        }
        let next = self.counts.entry(prefix.to_owned()).or_default();
        self.names
            .entry(word.to_owned())
            .or_insert_with(|| {
                *next += 1;
                format!("{prefix}_{next}")
            })
            .clone()
    }
}

/// A customer buys by card and by boleto, changes the plan, renews, gets money back and leaves.
async fn life(world: &World) -> Recording {
    let mut seen = Recording::default();
    let bought = buys_by_card(world, &mut seen).await;
    changes_plan(world, &mut seen, &bought).await;
    gets_money_back(world, &mut seen).await;
    events(world, &mut seen).await;
    buys_by_boleto(world, &mut seen).await;
    tries_hosted(world, &mut seen).await;
    events(world, &mut seen).await;
    fails_to_renew(world, &mut seen).await;
    events(world, &mut seen).await;
    world.advance_days(31).await;
    for (what, path) in [
        ("sessions", "/v1/checkout/sessions?limit=100&expand[]=data.line_items"),
        ("subscriptions", "/v1/subscriptions?limit=100&status=all"),
        ("invoices", "/v1/invoices?limit=100&expand[]=data.payments"),
        ("intents", "/v1/payment_intents?limit=100"),
        ("charges", "/v1/charges?limit=100"),
        ("refunds", "/v1/refunds?limit=100"),
        ("disputes", "/v1/disputes?limit=100"),
        ("methods", "/v1/payment_methods?limit=100"),
        ("coupons", "/v1/coupons?limit=100&expand[]=data.applies_to"),
        ("customers", "/v1/customers?limit=100&expand[]=data.subscriptions"),
        ("prices", "/v1/prices?limit=100&expand[]=data.product"),
        ("endpoints", "/v1/webhook_endpoints?limit=100"),
    ] {
        let body = world.get(path).await;
        seen.add(what, &body);
    }
    events(world, &mut seen).await;
    seen
}

async fn buys_by_card(world: &World, seen: &mut Recording) -> Value {
    let session = world.session_with("&client_reference_id=u1&locale=pt-BR").await;
    seen.add("open session", &session);
    let declined = world.pay_by_card(&session, "4000000000009995").await;
    seen.add("declined", &declined.1);
    seen.add("paid", &world.pay_by_card(&session, "4242424242424242").await.1);
    let expand =
        "expand[]=subscription.latest_invoice&expand[]=invoice&expand[]=customer&expand[]=line_items";
    let bought = world.reread(&session, expand).await;
    seen.add("session", &bought);
    let subscription = world
        .get(&format!(
            "/v1/subscriptions/{}?expand[]=latest_invoice.payments&expand[]=default_payment_method&expand[]=discounts\
             &expand[]=latest_invoice.confirmation_secret",
            id(&bought["subscription"])
        ))
        .await;
    seen.add("subscription", &subscription);
    bought
}

async fn changes_plan(world: &World, seen: &mut Recording, bought: &Value) {
    // A change within the second of the purchase would keep the anchor of the billing cycle.
    world.advance_seconds(60).await;
    let subscription = &bought["subscription"];
    let item = &subscription["items"]["data"][0];
    let at = item["current_period_start"].as_i64().unwrap() + 864_000;
    let product = world.post("/v1/products", "name=Outro&metadata[a]=b").await;
    let price = async |amount: i64, days: i64| {
        let form = format!(
            "currency=brl&unit_amount={amount}&recurring[interval]=day&recurring[interval_count]={days}&product={}",
            id(&product)
        );
        id(&world.post("/v1/prices", &form).await).to_owned()
    };
    let (dear, long, cheap) = (price(39_790, 30).await, price(99_790, 90).await, price(9_790, 90).await);
    let path = format!("/v1/subscriptions/{}", id(subscription));
    for price in [&dear, &long] {
        let form = format!(
            "subscription={}&subscription_details[items][0][id]={}&subscription_details[items][0][price]={price}\
             &subscription_details[proration_behavior]=always_invoice&subscription_details[proration_date]={at}",
            id(subscription),
            id(item)
        );
        seen.add("preview", &world.post("/v1/invoices/create_preview", &form).await);
    }
    for (price, behavior) in
        [(&dear, "always_invoice"), (&long, "create_prorations"), (&cheap, "create_prorations")]
    {
        let form = format!(
            "items[0][id]={}&items[0][price]={price}&proration_behavior={behavior}&metadata[plano]={behavior}",
            id(item)
        );
        let form = if *price == dear { format!("{form}&proration_date={at}") } else { form };
        let changed = world.post(&path, &form).await;
        if *price == dear {
            seen.add("changed", &changed);
        }
    }
    seen.add(
        "leaving",
        &world.post(&path, "cancel_at_period_end=true&cancellation_details[comment]=caro").await,
    );
    seen.add("staying", &world.post(&path, "cancel_at_period_end=false").await);
    let upcoming = format!("subscription={}", id(subscription));
    let mut upcoming = world.post("/v1/invoices/create_preview", &upcoming).await;
    for name in ["amount_due", "amount_remaining", "starting_balance"] {
        upcoming[name] = Value::Null;
    }
    seen.add("upcoming", &upcoming);
    let customer = subscription["customer"].as_str().unwrap();
    world.post(&format!("/v1/customers/{customer}"), "balance=0").await;
    let adjusted = world
        .post(
            &format!("/v1/customers/{customer}/balance_transactions"),
            "amount=-500&currency=brl&description=x",
        )
        .await;
    seen.add("balance transaction", &adjusted);
    let portal =
        world.post("/v1/billing_portal/sessions", &format!("customer={customer}&return_url=http://x")).await;
    seen.add("portal session", &portal);
}

async fn gets_money_back(world: &World, seen: &mut Recording) {
    let charges = world.get("/v1/charges").await;
    let paid: Vec<&Value> =
        charges["data"].as_array().unwrap().iter().filter(|charge| charge["paid"] == true).collect();
    for charge in &paid[..2] {
        let (status, _) = world.json("POST", "/_test/disputes", json!({"charge": id(charge)})).await;
        assert_eq!(status, 200);
    }
    let refund = format!("charge={}&amount=100&reason=requested_by_customer", id(paid[0]));
    let (status, refund) = world.call("POST", "/v1/refunds", &refund, None).await;
    seen.add(&format!("refund {status}"), &refund);
    let disputes = world.get("/v1/disputes").await;
    seen.add("disputes", &disputes);
    for dispute in disputes["data"].as_array().unwrap() {
        let won = world
            .post(&format!("/v1/disputes/{}", id(dispute)), "evidence[uncategorized_text]=winning_evidence")
            .await;
        seen.add("won", &won);
    }
    let refund = format!("charge={}&amount=100&metadata[a]=b", id(paid[0]));
    seen.add("refund", &world.post("/v1/refunds", &refund).await);
}

async fn buys_by_boleto(world: &World, seen: &mut Recording) {
    let session = world.session_with("&payment_method_options[boleto][expires_after_days]=2").await;
    seen.add("issued", &world.issue_boleto(&session).await.1);
    let waiting = world.reread(&session, "expand[]=subscription.latest_invoice.payments").await;
    seen.add("waiting", &waiting);
    seen.add("intent", &world.get("/v1/payment_intents?limit=1").await);
    seen.add("paid", &world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), json!({})).await.1);
    let second = world.session().await;
    world.issue_boleto(&second).await;
    seen.add(
        "expired",
        &world.json("POST", &format!("/_test/boletos/{}/expire", id(&second)), json!({})).await.1,
    );
    seen.add("after", &world.reread(&second, "expand[]=subscription&expand[]=invoice").await);
    world.advance_days(1).await;
}

async fn tries_hosted(world: &World, seen: &mut Recording) {
    let price = world.get("/v1/prices?limit=1").await;
    let form = format!(
        "mode=subscription&line_items[0][price]={}&success_url=http%3A%2F%2F127.0.0.1%2Fok&customer_email=bia@example.com\
         &subscription_data[trial_period_days]=7",
        id(&price["data"][0])
    );
    let session = world.post("/v1/checkout/sessions", &form).await;
    seen.add("hosted", &session);
    seen.add("trial", &world.pay_by_card(&session, "4242424242424242").await.1);
    seen.add("trialing", &world.reread(&session, "expand[]=subscription.latest_invoice").await);
    let left = world.post("/v1/checkout/sessions", &form).await;
    seen.add("closed", &world.post(&format!("/v1/checkout/sessions/{}/expire", id(&left)), "").await);
}

async fn fails_to_renew(world: &World, seen: &mut Recording) {
    let customer = world.post("/v1/customers", "email=caio@example.com&name=Caio&address[line1]=Rua+1").await;
    let form = format!("customer={}", id(&customer));
    let card = world.post("/v1/payment_methods/pm_card_visa/attach", &form).await;
    seen.add("card", &card);
    let prices = world.get("/v1/prices?limit=1").await;
    world
        .post(
            "/v1/coupons",
            "id=sempre&amount_off=1000&currency=brl&duration=forever&applies_to[products][0]=p",
        )
        .await;
    let form = format!(
        "customer={}&items[0][price]={}&default_payment_method={}&payment_behavior=error_if_incomplete\
         &discounts[0][coupon]=sempre&metadata[a]=b",
        id(&customer),
        id(&prices["data"][0]),
        id(&card)
    );
    let subscription = world.post("/v1/subscriptions", &form).await;
    seen.add("by api", &subscription);
    let path = format!("/v1/subscriptions/{}", id(&subscription));
    world.post(&path, "discounts[0][coupon]=sempre").await;
    let of_customer = format!("customer={}", id(&customer));
    let failing = world.post("/v1/payment_methods/pm_card_chargeCustomerFail/attach", &of_customer).await;
    world.post(&path, &format!("default_payment_method={}", id(&failing))).await;
    for _ in 0..7 {
        world.advance_days(13).await;
        events(world, seen).await;
    }
    let open = world.get(&format!("/v1/invoices?subscription={}&status=open", id(&subscription))).await;
    seen.add("open", &open);
    let invoice = &open["data"][0];
    seen.add("unpaid", &world.call("POST", &format!("/v1/invoices/{}/pay", id(invoice)), "", None).await.1);
    let note = format!("invoice={}&amount=100&memo=x", id(invoice));
    seen.add("note", &world.post("/v1/credit_notes", &note).await);
    seen.add("void", &world.post(&format!("/v1/invoices/{}/void", id(invoice)), "").await);
    seen.add("detached", &world.post(&format!("/v1/payment_methods/{}/detach", id(&card)), "").await);
    seen.add("canceled", &world.call("DELETE", &path, "cancellation_details[comment]=x", None).await.1);
    seen.add("deleted", &world.call("DELETE", &format!("/v1/customers/{}", id(&customer)), "", None).await.1);
}

/// The events since the last stage: their changes, and the whole first event of each type.
async fn events(world: &World, seen: &mut Recording) {
    let mut new = Vec::new();
    let mut after = String::new();
    loop {
        let page = world.get(&format!("/v1/events?limit=100{after}")).await;
        let data = page["data"].as_array().unwrap();
        new.extend(data.iter().filter(|event| !seen.events.iter().any(|known| known == id(event))).cloned());
        if page["has_more"] == false {
            break;
        }
        after = format!("&starting_after={}", id(data.last().unwrap()));
    }
    for mut event in new.into_iter().rev() {
        seen.events.push(id(&event).to_owned());
        event["pending_webhooks"] = json!(0);
        let kind = event["type"].as_str().unwrap().to_owned();
        if seen.kinds.contains(&kind) {
            seen.add(&kind, &event["data"]["previous_attributes"]);
        } else {
            seen.add(&kind, &event);
            seen.kinds.push(kind);
        }
    }
}

#[tokio::test]
async fn objects_and_events_have_the_recorded_shape() {
    let world = World::start().await;

    let seen = life(&world).await;

    let recorded: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    for (was, is) in recorded.iter().zip(&seen.answers) {
        assert_eq!(was, is);
    }
    assert_eq!(recorded.len(), seen.answers.len());
}
