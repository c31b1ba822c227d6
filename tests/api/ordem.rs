//! Events late, lost, doubled and in any order through the webhook.
//! `server/src/billing/tests/orders.rs` plays every order of one purchase.

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
/// What tells of a purchase and its renewals.
const LISTENED: &[&str] = &[
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
async fn eventos_retidos_por_um_dia_chegam_tarde_e_nada_mudam() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    provider.has_fault(json!({ "webhooks": "hold" })).await;
    provider.pays_by_card(&session, "4242424242424242").await;

    provider.advances_days(1).await;

    let before = ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    // Each delivery is signed when it is made, so a late one is as good as another.
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
async fn evento_com_o_carimbo_de_ontem_e_recusado_e_a_conciliacao_sara() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    provider.has_fault(json!({ "webhooks": "drop" })).await;
    provider.pays_by_card(&session, "4242424242424242").await;
    let event = news(&provider).await.pop().expect("the purchase made news").to_string();
    let door = app.visitor();

    let old = Provider::signs(SECRET, provider.now().await - 301, &event);
    assert_eq!(delivered(&door, event.clone(), &old).await, 400);
    let forged = event.replace("complete", "expired");
    assert_ne!(forged, event);
    let of_another = Provider::signs(SECRET, provider.now().await, &event);
    assert_eq!(delivered(&door, forged, &of_another).await, 400);

    assert!(ana.record().await["subscription_active"].is_null(), "nothing was learned from them");
    provider.advances(11 * 60).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
    // The refused id was not stored: its true event is taken.
    let now = Provider::signs(SECRET, provider.now().await, &event);
    assert_eq!(delivered(&door, event, &now).await, 200);
    ledger::agrees(&provider, &ana).await;
}

#[tokio::test]
async fn dois_segredos_valem_juntos_e_o_que_saiu_nao_vale_mais() {
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
        delivered(&app.visitor(), payload, &signed).await
    };

    // The provider signs with the old one until the roll is over; both are believed.
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

/// How an account of the story below pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Card,
    /// Refused at the renewal, cured in the portal.
    Refused,
    Boleto,
}

/// How the provider's news of an account reach us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// Each at once, in the provider's order: what the others are compared with.
    InOrder,
    /// Some now and some later, shuffled, some twice.
    Shuffled,
    /// The same, and some never.
    Lossy,
}

struct Life {
    who: Visitor,
    session: String,
    customer: String,
    kind: Kind,
    news: News,
    waiting: Vec<Value>,
}

/// The webhook's door, and who stands at it with the provider's news.
struct Door {
    visitor: Visitor,
    provider: Provider,
    random: StdRng,
    /// Ids of the provider's events that the accounts have been given.
    heard: HashSet<String>,
}

#[tokio::test]
async fn compras_e_renovacoes_com_eventos_sorteados_terminam_como_as_em_ordem() {
    let seed = seed();
    println!("GARIMPO_SEED={seed}");
    let app = App::start().await;
    let provider = app.provider();
    let random = StdRng::seed_from_u64(seed);
    let mut door = Door { visitor: app.visitor(), provider: app.provider(), random, heard: HashSet::new() };
    let mut lives = Vec::new();
    for kind in [Kind::Card, Kind::Refused, Kind::Boleto] {
        for at in 0..rounds(3) {
            let news = [News::InOrder, News::Shuffled, News::Lossy][at % 3];
            let who = app.visitor().signs_up(&Person::new()).await;
            let session = who.opens_checkout("Top Afiliado", "mensal").await;
            let customer = provider.customer_of(&who.email).await;
            lives.push(Life { who, session, customer, kind, news, waiting: vec![] });
        }
    }
    provider.has_fault(json!({ "webhooks": "drop" })).await;

    for life in &lives {
        let status = match life.kind {
            Kind::Card => provider.pays_by_card(&life.session, "4242424242424242").await,
            Kind::Refused => provider.pays_by_card(&life.session, "4000000000000341").await,
            Kind::Boleto => provider.asks_for_boleto(&life.session).await,
        };
        assert_eq!(status, 200);
    }
    door.tells(&mut lives).await;
    pay_boletos(&provider, &lives).await;
    door.tells(&mut lives).await;
    provider.goes_to(provider.now().await + 30 * DAY + 2 * HOUR).await;
    door.tells(&mut lives).await;
    pay_boletos(&provider, &lives).await;
    provider.portal_does_everything().await;
    for life in lives.iter().filter(|life| life.kind == Kind::Refused) {
        provider.takes_card_in_portal(&life.who.portal().await, "4242424242424242").await;
    }
    door.tells(&mut lives).await;
    for life in &mut lives {
        if life.news != News::Lossy {
            door.delivers(&mut life.waiting).await;
        }
    }
    provider.advances_days(1).await;

    for life in &lives {
        ledger::eventually_agrees(&provider, &life.who).await;
        let in_order =
            lives.iter().find(|one| one.kind == life.kind && one.news == News::InOrder).expect("one of each");
        let (expected, seen) = (end(&provider, in_order).await, end(&provider, life).await);
        assert_eq!(seen, expected, "{:?} {:?}", life.kind, life.news);
    }
}

async fn pay_boletos(provider: &Provider, lives: &[Life]) {
    for life in lives.iter().filter(|life| life.kind == Kind::Boleto) {
        assert_eq!(provider.pays_boleto(&life.session).await, 200);
    }
}

/// The state of an account without ids, and with days instead of instants, because the accounts
/// bought one after another.
async fn end(provider: &Provider, life: &Life) -> (Value, Value, i64, Vec<String>) {
    let record = life.who.record().await;
    let time = |name: &str| record[name].as_i64().expect("an instant");
    let mails = provider.mails_to(&life.who.email).await;
    let mut subjects: Vec<String> =
        mails.iter().filter_map(|mail| mail["subject"].as_str().map(str::to_owned)).collect();
    // A boleto that was paid before we heard of it is not announced any more.
    subjects.retain(|subject| !subject.starts_with("Seu boleto"));
    subjects.sort_unstable();
    let days = (time("subscription_end") - time("subscription_start")) / DAY;
    (record["subscription_status"].clone(), record["subscription_active"].clone(), days, subjects)
}

impl Door {
    /// Gives every account its new events and delivers what its fate lets through now.
    async fn tells(&mut self, lives: &mut [Life]) {
        // By id, because the provider forgets events after 30 days.
        let mut fresh = news(&self.provider).await;
        fresh.retain(|event| self.heard.insert(event["id"].as_str().expect("an id").to_owned()));
        for life in lives {
            let of_life = |event: &&Value| event["data"]["object"]["customer"] == *life.customer;
            life.waiting.extend(fresh.iter().filter(of_life).cloned());
            if life.news == News::InOrder {
                for event in life.waiting.drain(..) {
                    self.posts(&event).await;
                }
                continue;
            }
            if life.news == News::Lossy {
                life.waiting.retain(|_| self.random.random_bool(0.7));
            }
            let (mut now, later): (Vec<_>, Vec<_>) =
                life.waiting.drain(..).partition(|_| self.random.random_bool(0.5));
            life.waiting = later;
            self.delivers(&mut now).await;
        }
    }

    /// Delivers all of it in any order, some of it twice.
    async fn delivers(&mut self, events: &mut Vec<Value>) {
        let again: Vec<Value> = events.iter().filter(|_| self.random.random_bool(0.3)).cloned().collect();
        events.extend(again);
        events.shuffle(&mut self.random);
        for event in events.drain(..) {
            self.posts(&event).await;
        }
    }

    async fn posts(&self, event: &Value) {
        let payload = event.to_string();
        let signed = Provider::signs(SECRET, self.provider.now().await, &payload);
        assert_eq!(delivered(&self.visitor, payload, &signed).await, 200);
    }
}

async fn delivered(door: &Visitor, payload: String, signed: &str) -> u16 {
    let request = door.request("POST", "/webhooks/stripe").header("stripe-signature", signed);
    e2e::visitor::answer(request.body(payload)).await.status
}

/// The provider's events that matter here, oldest first.
async fn news(provider: &Provider) -> Vec<Value> {
    let mut events = provider.all(&format!("/v1/events?types[]={}", LISTENED.join("&types[]="))).await;
    events.reverse();
    events
}

/// The seed of this run; GARIMPO_SEED repeats another.
fn seed() -> u64 {
    setting("GARIMPO_SEED").and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

/// More lives where the run is long (`make soak`).
fn rounds(few: usize) -> usize {
    if setting("GARIMPO_SOAK").is_some() { few * 8 } else { few }
}

#[expect(clippy::disallowed_methods, reason = "a scenario has no settings of the binary")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
