//! The provider's events in every order, doubled, lost and late, lead to the same end as in their
//! own order.
//!
//! The account is reset between two orders, so that every order begins in the same state.

use garimpo_proto::billing::v1 as pb;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::billing::sync::events::HANDLED_EVENT_TYPES;
use crate::billing::tests::VISA;
use crate::providers::stripe::API_VERSION;
use crate::store::billing::checkouts::Checkout;
use crate::store::billing::invoices::{self, Invoice};
use crate::store::billing::subscriptions::{self, Subscription};
use crate::store::tests::support::{self, JobSeen};
use crate::tests::database::setting;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

const SECRET: &str = "whsec_garimpo";

/// A purchase that is complete at the provider, with no event delivered yet.
struct Story {
    world: World,
    who: SignedInUser,
    /// The events of handled types, in the provider's order.
    events: Vec<Value>,
}

/// Everything stored for an account after its events were handled.
#[derive(Debug, PartialEq)]
struct End {
    subscriptions: Vec<Subscription>,
    invoices: Vec<Invoice>,
    checkouts: Vec<Checkout>,
    jobs: Vec<JobSeen>,
    seen: pb::GetSubscriptionResponse,
}

impl Story {
    async fn of(world: World, act: impl AsyncFn(&World, &SignedInUser, &str)) -> Self {
        let who = world.signs_up("ana@exemplo.com.br").await;
        let session = world.opens(&who, "elite_nivel_1", "month", "").await.expect("a checkout opens");
        world.fails(json!({ "webhooks": "drop" })).await;
        act(&world, &who, &session).await;
        let mut events = world.events_of(&who).await;
        events.retain(|event| HANDLED_EVENT_TYPES.iter().any(|kind| event["type"] == **kind));
        Self { world, who, events }
    }

    /// The end after deliveries in this order, each handled before the next one.
    async fn deliver(&self, order: &[usize]) -> End {
        self.forget_account().await;
        for at in order {
            self.world.delivers(&self.events[*at], SECRET).await.expect("it is taken");
            self.world.settles().await;
        }
        self.end().await
    }

    /// The end after these deliveries, all at the same time.
    async fn deliver_at_once(&self, order: &[usize]) -> End {
        self.forget_account().await;
        for at in order {
            self.world.delivers(&self.events[*at], SECRET).await.expect("it is taken");
        }
        self.world.settles().await;
        self.end().await
    }

    /// The end after these deliveries and a reconciliation.
    async fn deliver_and_reconcile(&self, order: &[usize]) -> End {
        self.deliver_at_once(order).await;
        self.world.app.billing().reconciliation.begin().await.expect("storable");
        self.world.settles().await;
        self.end().await
    }

    async fn forget_account(&self) {
        support::forget_account(self.world.app.store(), &self.who.uid).await.expect("storable");
    }

    async fn end(&self) -> End {
        let store = self.world.app.store();
        let mut seen = self.world.account_of(&self.who).await;
        seen.server_time = None;
        End {
            subscriptions: subscriptions::by_uid(store, &self.who.uid).await.expect("readable"),
            invoices: invoices::by_uid(store, &self.who.uid).await.expect("readable"),
            checkouts: support::opened_checkouts(store, &self.who.uid).await.expect("readable"),
            jobs: support::jobs_seen(store).await.expect("readable"),
            seen,
        }
    }

    fn in_order(&self) -> Vec<usize> {
        (0..self.events.len()).collect()
    }

    fn kinds(&self) -> Vec<&str> {
        self.events.iter().filter_map(|event| event["type"].as_str()).collect()
    }
}

/// Every order of the first `count` numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![vec![]] };
    let shorter = permutations(last);
    let with_last = shorter.iter().flat_map(|order| {
        (0..count).map(move |place| {
            let mut order = order.clone();
            order.insert(place, last);
            order
        })
    });
    with_last.collect()
}

/// Every event at least once, some twice, in any order.
fn doubled(count: usize, random: &mut StdRng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let again: Vec<usize> = order.iter().copied().filter(|_| random.random_bool(0.5)).collect();
    order.extend(again);
    order.shuffle(random);
    order
}

/// A random generator; its seed is printed, and GARIMPO_SEED repeats it.
fn random() -> StdRng {
    let seed = setting("GARIMPO_SEED").and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    println!("GARIMPO_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

/// The number of random cases: more in the long run.
fn rounds(few: usize) -> usize {
    if is_long() { few * 50 } else { few }
}

/// Whether this is the long run, `make soak`.
fn is_long() -> bool {
    setting("GARIMPO_SOAK").is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_of_the_events_of_a_purchase_ends_in_the_same_state() {
    let mut random = random();
    let world = World::new().await;
    let story = Story::of(world, async |world, _, session| {
        world.pays_by_card(session, VISA).await;
    })
    .await;
    assert_eq!(story.kinds().len(), 6, "{:?}", story.kinds());
    let expected = story.deliver(&story.in_order()).await;
    assert_eq!(expected.seen.subscription.as_ref().map(|s| s.status.as_str()), Some("active"));
    assert_eq!(expected.jobs.iter().filter(|job| job.kind == "mail").count(), 1);

    // Some of the 720 orders; all of them in the long run.
    let step = if is_long() { 1 } else { 41 };
    for order in permutations(story.events.len()).into_iter().step_by(step) {
        assert_eq!(story.deliver(&order).await, expected, "{order:?} of {:?}", story.kinds());
    }
    for _ in 0..rounds(5) {
        let order = doubled(story.events.len(), &mut random);
        assert_eq!(story.deliver_at_once(&order).await, expected, "{order:?} of {:?}", story.kinds());
    }
    for lost in 0..1_usize << story.events.len() {
        let mut order = story.in_order();
        order.retain(|at| lost & 1 << at == 0);
        order.shuffle(&mut random);
        assert_eq!(story.deliver_and_reconcile(&order).await, expected, "{order:?} of {:?}", story.kinds());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_event_orders_of_a_paid_boleto_end_in_the_same_state() {
    let mut random = random();
    let world = World::new().await;
    let story = Story::of(world, async |world, _, session| {
        world.takes_boleto(session).await;
        world.pays_boleto(session).await;
    })
    .await;
    assert!(story.kinds().contains(&"checkout.session.async_payment_succeeded"), "{:?}", story.kinds());
    assert_same_end(&story, &mut random, 5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_event_orders_of_a_declined_and_recovered_renewal_end_in_the_same_state() {
    let mut random = random();
    let world = World::new().await;
    let story = Story::of(world, async |world, _, session| {
        world.pays_by_card(session, "4000000000000341").await;
        world.advances_days(31).await;
        let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let customer = text(&subscription["customer"]);
        world.provider_posts("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
        let methods = world.provider_list("/v1/payment_methods").await;
        let path = format!("/v1/subscriptions/{}", text(&subscription["id"]));
        world.provider_posts(&path, &[("default_payment_method", &text(&methods[0]["id"]))]).await;
        world.advances_days(3).await;
    })
    .await;
    assert!(story.kinds().contains(&"invoice.payment_failed"), "{:?}", story.kinds());
    assert_same_end(&story, &mut random, 5).await;
}

/// Random orders, each with some events doubled; then with some lost, and a reconciliation.
async fn assert_same_end(story: &Story, random: &mut StdRng, few: usize) {
    let expected = story.deliver(&story.in_order()).await;
    assert_eq!(expected.seen.subscription.as_ref().and_then(|s| s.active), Some(true));
    for _ in 0..rounds(few) {
        let order = doubled(story.events.len(), random);
        assert_eq!(story.deliver(&order).await, expected, "{order:?} of {:?}", story.kinds());
        assert_eq!(story.deliver_at_once(&order).await, expected, "{order:?} of {:?}", story.kinds());
        let some = random.random_range(0..order.len());
        let kept: Vec<usize> = order.choose_multiple(random, some).copied().collect();
        assert_eq!(story.deliver_and_reconcile(&kept).await, expected, "{kept:?} of {:?}", story.kinds());
    }
}

#[test]
fn the_operation_guide_lists_the_handled_webhook_event_types() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operation.md"));
    let page = page.expect("the page");
    let endpoint = page.lines().find(|line| line.contains("A webhook endpoint at")).expect("the step");
    let named: Vec<_> = endpoint.split('`').skip(1).step_by(2).collect();
    assert_eq!((named[1], &named[2..]), (API_VERSION, HANDLED_EVENT_TYPES));
}
