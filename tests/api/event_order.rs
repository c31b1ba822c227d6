//! Webhook events that are late, lost, duplicated and in any order.
//! `server/src/billing/tests/event_order.rs` tests every order of the events of one purchase.

use std::collections::HashSet;

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
const SECRET: &str = "whsec_garimpo";
/// Event types of a purchase and its renewals.
const HANDLED_EVENT_TYPES: &[&str] = &[
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "customer.subscription.created",
    "customer.subscription.updated",
    "invoice.finalized",
    "invoice.paid",
    "invoice.payment_failed",
    "payment_intent.requires_action",
];

#[tokio::test]
async fn events_held_for_a_day_arrive_late_and_change_nothing() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;
    provider.pays_by_card(&session, "4242424242424242").await;

    provider.advances_days(1).await;

    let before = ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    // Each delivery is signed when it is sent, so a late delivery is valid.
    provider.recovers().await;
    provider.advances(1).await;
    e2e::eventually("every event delivered", || async {
        provider.list("/v1/events?delivery_success=false&limit=100").await.is_empty().then_some(())
    })
    .await;
    assert_eq!(ana.record().await, before);
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn an_event_with_an_old_timestamp_is_refused_and_reconciliation_repairs() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    provider.add_fault(json!({ "webhooks": "drop" })).await;
    provider.pays_by_card(&session, "4242424242424242").await;
    let event = delivery_order(&provider).await.pop().expect("the purchase created events").to_string();
    let client = app.visitor();

    let old = Provider::signs(SECRET, provider.now().await - 301, &event);
    assert_eq!(post_webhook(&client, event.clone(), &old).await, 400);
    let forged = event.replace("complete", "expired");
    assert_ne!(forged, event);
    let of_another = Provider::signs(SECRET, provider.now().await, &event);
    assert_eq!(post_webhook(&client, forged, &of_another).await, 400);

    assert!(ana.record().await["subscription_active"].is_null(), "nothing was learned from them");
    provider.advances(11 * 60).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    // The refused id was not stored, so the original event is accepted.
    let now = Provider::signs(SECRET, provider.now().await, &event);
    assert_eq!(post_webhook(&client, event, &now).await, 200);
    ledger::agrees(&provider, &ana).await;
}

#[tokio::test]
async fn two_webhook_secrets_work_together_and_a_removed_one_is_refused() {
    let mut app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "mensal").await;
    let url = app.sandbox_url().to_owned();
    let both = [
        ("GARIMPO_PAYMENTS", "stripe"),
        ("GARIMPO_STRIPE_URL", &url),
        ("GARIMPO_STRIPE_SECRET_KEY", "sk_test_garimpo"),
        ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_garimpo"),
        ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_novo, whsec_garimpo"),
    ];
    app.restarts_with(&both).await;
    let provider = app.provider();
    let body = |id: &str| json!({ "id": id, "type": "coisa.nova", "data": { "object": {} } }).to_string();
    let try_with = async |app: &App, secret: &str| {
        let payload = body(&format!("evt_{secret}"));
        let signed = Provider::signs(secret, provider.now().await, &payload);
        post_webhook(&app.visitor(), payload, &signed).await
    };

    // The provider signs with the old secret until the rotation ends; both are accepted.
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    provider.pays_by_card(&session, "4242424242424242").await;
    ana.becomes_active().await;
    assert_eq!(try_with(&app, "whsec_novo").await, 200);
    assert_eq!(try_with(&app, "whsec_garimpo").await, 200);
    assert_eq!(try_with(&app, "whsec_novo, whsec_garimpo").await, 400);

    app.restarts_with(&[("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_novo")]).await;

    assert_eq!(try_with(&app, "whsec_novo").await, 200);
    assert_eq!(try_with(&app, "whsec_garimpo").await, 400);
}

/// Payment method of an account in the test below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Card,
    /// Declined at the renewal; another card is set in the portal.
    Refused,
    Boleto,
}

/// Order in which an account's events are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeliveryOrder {
    /// Immediately and in the provider's order. The other orders must have the same result.
    InOrder,
    /// In random order, some of them later and some twice.
    Shuffled,
    /// In random order, and some events are never delivered.
    Lossy,
}

struct Buyer {
    who: Visitor,
    session: String,
    customer: String,
    kind: Kind,
    delivery_order: DeliveryOrder,
    waiting: Vec<Value>,
}

/// Delivers the provider's events to the webhook.
struct WebhookClient {
    visitor: Visitor,
    provider: Provider,
    random: StdRng,
    /// Ids of the events that were given to accounts.
    given_ids: HashSet<String>,
}

#[tokio::test]
async fn purchases_and_renewals_with_random_event_order_end_as_those_in_order() {
    let seed = seed();
    println!("GARIMPO_SEED={seed}");
    let app = App::start().await;
    let provider = app.provider();
    let random = StdRng::seed_from_u64(seed);
    let mut client =
        WebhookClient { visitor: app.visitor(), provider: app.provider(), random, given_ids: HashSet::new() };
    let mut buyers = Vec::new();
    for kind in [Kind::Card, Kind::Refused, Kind::Boleto] {
        for at in 0..rounds(3) {
            let delivery_order =
                [DeliveryOrder::InOrder, DeliveryOrder::Shuffled, DeliveryOrder::Lossy][at % 3];
            let who = app.visitor().signs_up(&Person::new()).await;
            let session = who.opens_checkout("Top Afiliado", "mensal").await;
            let customer = provider.customer_of(&who.email).await;
            buyers.push(Buyer { who, session, customer, kind, delivery_order, waiting: vec![] });
        }
    }
    provider.add_fault(json!({ "webhooks": "drop" })).await;

    for buyer in &buyers {
        let status = match buyer.kind {
            Kind::Card => provider.pays_by_card(&buyer.session, "4242424242424242").await,
            Kind::Refused => provider.pays_by_card(&buyer.session, "4000000000000341").await,
            Kind::Boleto => provider.asks_for_boleto(&buyer.session).await,
        };
        assert_eq!(status, 200);
    }
    client.deliver_new_events(&mut buyers).await;
    pay_boletos(&provider, &buyers).await;
    client.deliver_new_events(&mut buyers).await;
    provider.goes_to(provider.now().await + 30 * DAY + 2 * HOUR).await;
    client.deliver_new_events(&mut buyers).await;
    pay_boletos(&provider, &buyers).await;
    provider.portal_does_everything().await;
    for buyer in buyers.iter().filter(|buyer| buyer.kind == Kind::Refused) {
        provider.takes_card_in_portal(&buyer.who.portal().await, "4242424242424242").await;
    }
    client.deliver_new_events(&mut buyers).await;
    for buyer in &mut buyers {
        if buyer.delivery_order != DeliveryOrder::Lossy {
            client.deliver_shuffled(&mut buyer.waiting).await;
        }
    }
    provider.advances_days(1).await;

    for buyer in &buyers {
        ledger::eventually_agrees(&provider, &buyer.who).await;
        let in_order = buyers
            .iter()
            .find(|one| one.kind == buyer.kind && one.delivery_order == DeliveryOrder::InOrder)
            .expect("one of each");
        let (expected, seen) = (end(&provider, in_order).await, end(&provider, buyer).await);
        assert_eq!(seen, expected, "{:?} {:?}", buyer.kind, buyer.delivery_order);
    }
}

async fn pay_boletos(provider: &Provider, buyers: &[Buyer]) {
    for buyer in buyers.iter().filter(|buyer| buyer.kind == Kind::Boleto) {
        assert_eq!(provider.pays_boleto(&buyer.session).await, 200);
    }
}

/// The state of an account without ids, and with days instead of instants, because the accounts
/// bought one after another.
async fn end(provider: &Provider, buyer: &Buyer) -> (Value, Value, i64, Vec<String>) {
    let record = buyer.who.record().await;
    let time = |name: &str| record[name].as_i64().expect("an instant");
    let mails = provider.mails_to(&buyer.who.email).await;
    let mut subjects: Vec<String> =
        mails.iter().filter_map(|mail| mail["subject"].as_str().map(str::to_owned)).collect();
    // A boleto that was paid before we read it is not announced.
    subjects.retain(|subject| !subject.starts_with("Seu boleto"));
    subjects.sort_unstable();
    let days = (time("subscription_end") - time("subscription_start")) / DAY;
    (record["subscription_status"].clone(), record["subscription_active"].clone(), days, subjects)
}

impl WebhookClient {
    /// Gives every account its new events, and delivers those that its order delivers now.
    async fn deliver_new_events(&mut self, buyers: &mut [Buyer]) {
        // By id, because the provider forgets events after 30 days.
        let mut fresh = delivery_order(&self.provider).await;
        fresh.retain(|event| self.given_ids.insert(event["id"].as_str().expect("an id").to_owned()));
        for buyer in buyers {
            let of_buyer = |event: &&Value| event["data"]["object"]["customer"] == *buyer.customer;
            buyer.waiting.extend(fresh.iter().filter(of_buyer).cloned());
            if buyer.delivery_order == DeliveryOrder::InOrder {
                for event in buyer.waiting.drain(..) {
                    self.deliver_signed(&event).await;
                }
                continue;
            }
            if buyer.delivery_order == DeliveryOrder::Lossy {
                buyer.waiting.retain(|_| self.random.random_bool(0.7));
            }
            let (mut now, later): (Vec<_>, Vec<_>) =
                buyer.waiting.drain(..).partition(|_| self.random.random_bool(0.5));
            buyer.waiting = later;
            self.deliver_shuffled(&mut now).await;
        }
    }

    /// Delivers all events in random order, some of them twice.
    async fn deliver_shuffled(&mut self, events: &mut Vec<Value>) {
        let again: Vec<Value> = events.iter().filter(|_| self.random.random_bool(0.3)).cloned().collect();
        events.extend(again);
        events.shuffle(&mut self.random);
        for event in events.drain(..) {
            self.deliver_signed(&event).await;
        }
    }

    async fn deliver_signed(&self, event: &Value) {
        let payload = event.to_string();
        let signed = Provider::signs(SECRET, self.provider.now().await, &payload);
        assert_eq!(post_webhook(&self.visitor, payload, &signed).await, 200);
    }
}

async fn post_webhook(client: &Visitor, payload: String, signed: &str) -> u16 {
    let request = client.request("POST", "/webhooks/stripe").header("stripe-signature", signed);
    e2e::visitor::answer(request.body(payload)).await.status
}

/// The provider's events of the handled types, oldest first.
async fn delivery_order(provider: &Provider) -> Vec<Value> {
    let mut events =
        provider.all(&format!("/v1/events?types[]={}", HANDLED_EVENT_TYPES.join("&types[]="))).await;
    events.reverse();
    events
}

/// The seed of this run; GARIMPO_SEED repeats another.
fn seed() -> u64 {
    setting("GARIMPO_SEED").and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

/// More accounts in the long run (`make soak`).
fn rounds(few: usize) -> usize {
    if setting("GARIMPO_SOAK").is_some() { few * 8 } else { few }
}

#[expect(clippy::disallowed_methods, reason = "a scenario has no settings of the binary")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
