//! Crashes of the product: at each crash point, and by kill -9 at any time.
//!
//! The checks are from outside: everything that was acknowledged exists, nothing was charged or
//! mailed twice, the provider's objects and ours are the same, and the queue is empty. `make soak`
//! runs many more crashes (docs/soak.md).

mod act;
mod crash_in_account_calls;
mod crash_in_database_work;
mod crash_in_identity_calls;
mod crash_in_operator_commands;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use e2e::{ActCounter, Cluster, Layout, RetryingVisitor, Victim, ledger, soak};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use Layout::{Apart, Together};
use Purchase::{Boleto, Card, Rivals};

/// A purchase of a new account.
#[derive(Clone, Copy, Debug)]
enum Purchase {
    Card,
    Boleto,
    /// Two checkouts paid at once; one of them is refunded.
    Rivals,
}

impl Purchase {
    const ALL: [Self; 3] = [Card, Boleto, Rivals];

    /// Buys and waits for access.
    async fn buy(self, who: &mut RetryingVisitor) {
        let session = who.opens_checkout("Elite Nível 2", "mensal").await;
        match self {
            Card => {
                who.pays_by_card(&session).await;
            }
            Boleto => {
                who.asks_for_boleto(&session).await;
                // Both states are stored, because the payment follows after the first read.
                who.awaits_payment().await;
                who.pays_boleto(&session).await;
            }
            Rivals => {
                let other = who.opens_checkout("Top Afiliado", "anual").await;
                who.pays_both_by_card([&session, &other]).await;
            }
        }
        who.becomes_active().await;
    }
}

#[tokio::test]
async fn crash_at_intent_stored_repeats_the_same_intent() {
    crash_at_passes("intent.stored", &[(1, Card, Together), (2, Rivals, Apart)]).await;
}

#[tokio::test]
async fn crash_at_provider_answered_creates_no_second_customer_or_session() {
    crash_at_passes("provider.answered", &[(1, Card, Together), (2, Card, Apart), (3, Rivals, Apart)]).await;
}

#[tokio::test]
async fn crash_at_event_stored_keeps_events_that_the_provider_delivers_again() {
    crash_at_passes("event.stored", &[(1, Card, Apart), (5, Boleto, Together), (8, Rivals, Apart)]).await;
}

#[tokio::test]
async fn crash_at_projection_committed_repeats_no_mails_and_no_conversions() {
    // Only two passages are certain: one sync may find several changes of two checkouts paid at
    // once.
    crash_at_passes("projection.committed", &[(1, Card, Together), (2, Boleto, Apart), (2, Rivals, Apart)])
        .await;
}

#[tokio::test]
async fn crash_at_job_delivered_repeats_the_job_without_a_second_effect() {
    crash_at_passes("job.delivered", &[(1, Card, Together), (6, Boleto, Apart), (12, Rivals, Apart)]).await;
}

#[tokio::test]
async fn crash_at_session_stored_allows_sign_in_with_the_password() {
    crash_at_passes("session.stored", &[(1, Card, Together), (1, Card, Apart)]).await;
}

/// Crashes at these passages of a point. The long run crashes at every passage of every purchase in
/// both layouts.
async fn crash_at_passes(point: &'static str, passes: &[(u32, Purchase, Layout)]) {
    if !soak::is_long() {
        for &(pass, purchase, layout) in passes {
            let died = buy_over_crash(format!("{point}:{pass}"), purchase, layout).await;
            assert!(died, "{point}:{pass} {purchase:?} {layout:?} was never reached");
        }
        return;
    }
    let (mut all, places) = (JoinSet::new(), Arc::new(Semaphore::new(at_once())));
    for purchase in Purchase::ALL {
        for layout in [Together, Apart] {
            let places = places.clone();
            all.spawn(async move {
                let _place = places.acquire().await;
                let mut pass = 1;
                while buy_over_crash(format!("{point}:{pass}"), purchase, layout).await {
                    pass += 1;
                }
                eprintln!("{point}: {} passes of {purchase:?} {layout:?}", pass - 1);
                assert!(pass > 1, "{point} was never reached");
            });
        }
    }
    all.join_all().await;
}

/// Makes one purchase during a crash; returns whether the point was reached.
async fn buy_over_crash(crash_at: String, purchase: Purchase, layout: Layout) -> bool {
    let mut cluster = Cluster::start(layout).await;
    // Waits for the catalogue's events, so that only the purchase's passages are counted.
    cluster.wait_until_idle().await;
    cluster.restart_with_crash_point(&crash_at);
    let mut who = cluster.retrying_visitor();
    let buying = tokio::spawn(async move {
        who.signs_up().await;
        purchase.buy(&mut who).await;
        who
    });
    let died = cluster.crashes_during(&buying).await;
    cluster.restart().await;
    let who = buying.await.unwrap_or_else(|error| panic!("{crash_at} {purchase:?} {layout:?}: {error}"));
    assert_sound(&cluster, &[who]).await;
    let repeats = repeated_mails(&cluster, &[]).await;
    if repeats > 0 {
        eprintln!("{crash_at} {purchase:?} {layout:?}: {repeats} mails came twice");
    }
    died
}

/// Number of mails that were sent again since `before`. A mail that was being sent at the crash is
/// sent once more, because its delivery is unknown.
async fn repeated_mails(cluster: &Cluster, before: &[String]) -> usize {
    let mut repeats = cluster.repeated_mails().await;
    for known in before {
        let at = repeats.iter().position(|one| one == known).expect("a mailbox forgets nothing");
        repeats.swap_remove(at);
    }
    let count = repeats.len();
    repeats.sort();
    repeats.dedup();
    assert_eq!(repeats.len(), count, "a mail came more than twice over one death: {repeats:?}");
    count
}

/// Asserts the invariants from outside.
async fn assert_sound(cluster: &Cluster, people: &[RetryingVisitor]) {
    cluster.assert_files_intact().await;
    cluster.wait_until_idle().await;
    cluster.assert_every_event_stored(&[]).await;
    for who in people {
        who.assert_acknowledged_kept().await;
        ledger::eventually_agrees(&cluster.provider(), who.visitor()).await;
        cluster.assert_conversions_sent_once(&who.visitor().uid).await;
    }
    cluster.wait_until_idle().await;
    cluster.assert_objects_match().await;
}

/// Visitors at the same time.
const VISITORS: usize = 4;
/// Pause of a webhook sender between two events, so that visitors are served too.
const EVENT_INTERVAL: Duration = Duration::from_millis(40);

#[tokio::test]
async fn kill_9_at_any_moment_loses_and_repeats_nothing() {
    // Number of kills of one cluster, and of the run.
    let (of_one, kills) = if soak::is_long() { (24, 500) } else { (5, 10) };
    let kills = soak::number("GARIMPO_SOAK_KILLS", kills);
    let at_once = at_once();
    let clusters = kills.div_ceil(of_one);
    let first = soak::number("GARIMPO_SOAK_FIRST", 0);
    let seed = soak::seed();
    let began = Instant::now();
    eprintln!("kill -9: GARIMPO_SOAK_SEED={seed}, {kills} kills in {clusters} clusters, {at_once} at once");

    let (mut running, mut total, mut failed) = (JoinSet::new(), Tally::default(), vec![]);
    let mut next = first;
    loop {
        while next < first + clusters && running.len() < at_once {
            let (number, of_this) = (next, of_one.min(kills - (next - first) * of_one));
            running
                .spawn(async move { (number, tokio::spawn(kill_one_cluster(seed, number, of_this)).await) });
            next += 1;
        }
        let Some(ended) = running.join_next().await else { break };
        match ended.expect("a cluster is waited for") {
            (_, Ok(tally)) => total.add(&tally),
            (number, Err(_)) => failed.push(number),
        }
        eprintln!("kill -9: {total} after {:.0?}, failed clusters: {failed:?}", began.elapsed());
    }

    assert!(failed.is_empty(), "GARIMPO_SOAK_SEED={seed}: clusters {failed:?} failed");
    assert_eq!(total.kills, kills);
}

/// Clusters or chains of crashes at the same time.
fn at_once() -> usize {
    soak::number("GARIMPO_SOAK_AT_ONCE", if soak::is_long() { 4 } else { 2 }) as usize
}

/// Counts of a run.
#[derive(Default)]
struct Tally {
    kills: u64,
    people: usize,
    months: u32,
    restart_durations: Vec<Duration>,
    victims: BTreeMap<String, u64>,
    repeated_mails: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.people += other.people;
        self.months += other.months;
        self.restart_durations.extend(&other.restart_durations);
        self.repeated_mails += other.repeated_mails;
        for (victim, kills) in &other.victims {
            *self.victims.entry(victim.clone()).or_default() += kills;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut restart_durations = self.restart_durations.clone();
        restart_durations.sort();
        let median = restart_durations.get(restart_durations.len() / 2).copied().unwrap_or_default();
        let longest = restart_durations.last().copied().unwrap_or_default();
        let Self { kills, people, months, victims, repeated_mails, .. } = self;
        write!(
            f,
            "{kills} kills {victims:?}, {people} people, {months} renewals by the clock, {repeated_mails} mails came twice, \
             up again in {median:.0?} (at most {longest:.0?})"
        )
    }
}

/// Kills one cluster with its visitors this many times.
async fn kill_one_cluster(seed: u64, number: u64, kills: u64) -> Tally {
    let mut random = soak::random(seed, number);
    let layout = if number.is_multiple_of(2) { Together } else { Apart };
    // Every other cluster of each layout has a PostgreSQL that dies too, also the second of a short
    // run.
    let mut cluster = match number % 4 {
        1 | 2 => Cluster::start_on_own_postgres(layout).await,
        _ => Cluster::start(layout).await,
    };
    let mut victims = cluster.victims();
    victims.shuffle(&mut random);
    let (mut people, mut tally) = (vec![], Tally::default());
    while tally.kills < kills {
        let counter = ActCounter::default();
        let senders = WebhookSenders::start(&cluster, &counter, tally.kills);
        let visits: Vec<_> = (0..VISITORS)
            .map(|_| {
                spawn_visit(cluster.retrying_visitor().counting_acts(&counter), StdRng::from_rng(&mut random))
            })
            .collect();
        for _ in 0..random.random_range(2..=VISITORS as u64).min(kills - tally.kills) {
            // In turn, so that few kills cover all processes.
            victims.rotate_left(1);
            kill_and_restart(&mut cluster, victims[0], &counter, &mut random, &mut tally).await;
            cluster.assert_files_intact().await;
            cluster.assert_every_event_stored(&senders.answered()).await;
            for who in people.choose_multiple(&mut random, 2) {
                RetryingVisitor::assert_acknowledged_kept(who).await;
            }
        }
        let begun = people.len();
        for who in visits {
            people.push(who.await.expect("a visitor comes to the end"));
        }
        drop(senders);
        assert_sound(&cluster, &people[begun..]).await;
        if tally.kills < kills && random.random_bool(0.4) {
            advance_month_with_kill(&mut cluster, &people, &mut random, &mut tally).await;
        }
    }
    tally.people = people.len();
    tally.repeated_mails = cluster.repeated_mails().await.len();
    cluster.assert_no_parked_jobs_or_panics().await;
    tally
}

/// Starts a visitor who signs up, maybe signs in and out or saves a phone, and buys.
fn spawn_visit(mut who: RetryingVisitor, mut random: StdRng) -> JoinHandle<RetryingVisitor> {
    tokio::spawn(async move {
        who.signs_up().await;
        if random.random_bool(0.3) {
            who.signs_in().await;
            who.signs_out_elsewhere().await;
        }
        if random.random_bool(0.3) {
            who.saves_phone("21912345678").await;
        }
        let purchase = *Purchase::ALL.choose(&mut random).expect("there are purchases");
        purchase.buy(&mut who).await;
        who
    })
}

/// Kills at a random moment after a random action began, and waits until the cluster is ready
/// again.
async fn kill_and_restart(
    cluster: &mut Cluster,
    victim: Victim,
    counter: &ActCounter,
    random: &mut StdRng,
    tally: &mut Tally,
) {
    let (acts, after_ms) = (random.random_range(0..8), random.random_range(0..150));
    let dead_ms = random.random_range(0..60);
    let mut counted = counter.subscribe();
    let goal = *counted.borrow() + acts;
    // Deliveries and jobs still run after the last action of a visitor.
    let _ = timeout(Duration::from_millis(300), counted.wait_for(|acts| *acts >= goal)).await;
    sleep(Duration::from_millis(after_ms)).await;
    cluster.kill(victim);
    sleep(Duration::from_millis(dead_ms)).await;
    tally.restart_durations.push(cluster.restart().await);
    tally.kills += 1;
    *tally.victims.entry(format!("{victim:?}")).or_default() += 1;
}

/// Moves the clock over the renewals of all accounts, and kills a process meanwhile.
async fn advance_month_with_kill(
    cluster: &mut Cluster,
    people: &[RetryingVisitor],
    random: &mut StdRng,
    tally: &mut Tally,
) {
    let counter = ActCounter::default();
    let until = cluster.provider().now().await + 31 * 86_400;
    let observer = cluster.retrying_visitor().counting_acts(&counter);
    let walk = tokio::spawn(async move { observer.lets_time_pass(until).await });
    let victim = *cluster.victims().choose(random).expect("there are victims");
    kill_and_restart(cluster, victim, &counter, random, tally).await;
    cluster.assert_files_intact().await;
    walk.await.expect("the month comes to its end");
    tally.months += 1;
    cluster.wait_until_idle().await;
    for who in people {
        ledger::eventually_agrees(&cluster.provider(), who.visitor()).await;
    }
    cluster.wait_until_idle().await;
    cluster.assert_objects_match().await;
}

/// Senders of webhook events without end.
struct WebhookSenders {
    answered: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl WebhookSenders {
    fn start(cluster: &Cluster, counter: &ActCounter, round: u64) -> Self {
        let answered = Arc::<Mutex<Vec<String>>>::default();
        let mut tasks = JoinSet::new();
        for sender in 0..2 {
            let (who, answered) = (cluster.retrying_visitor().counting_acts(counter), answered.clone());
            tasks.spawn(async move {
                for number in 0.. {
                    let id = format!("evt_soak_{round}_{sender}_{number}");
                    who.delivers_event(&id).await;
                    answered.lock().expect("a lock without panics").push(id);
                    sleep(EVENT_INTERVAL).await;
                }
            });
        }
        Self { answered, _tasks: tasks }
    }

    fn answered(&self) -> Vec<String> {
        self.answered.lock().expect("a lock without panics").clone()
    }
}
