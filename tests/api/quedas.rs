//! The product dies at the worst moments: at each of its crash points, and by kill -9 at any time.
//!
//! Afterwards, from outside: what was answered is there, nothing was charged or told twice, the
//! provider's objects and ours are the same ones, the queue is empty. `make soak` runs the same
//! with many more deaths (docs/soak.md).

mod act;
mod pontos_da_conta;
mod pontos_da_identidade;
mod pontos_do_banco;
mod pontos_do_operador;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use e2e::{Bell, Cluster, Layout, Survivor, Victim, ledger, soak};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use Layout::{Apart, Together};
use Purchase::{Boleto, Card, Rivals};

/// What somebody does with a new account.
#[derive(Clone, Copy, Debug)]
enum Purchase {
    Card,
    Boleto,
    /// Two checkouts paid at once, of which one is given back.
    Rivals,
}

impl Purchase {
    const ALL: [Self; 3] = [Card, Boleto, Rivals];

    /// Buys and waits for the access that was bought.
    async fn is_made(self, who: &mut Survivor) {
        let session = who.opens_checkout("Elite Nível 2", "mensal").await;
        match self {
            Card => {
                who.pays_by_card(&session).await;
            }
            Boleto => {
                who.asks_for_boleto(&session).await;
                // Both states are stored, because the payment comes after the first one is seen.
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
async fn ponto_intent_stored_repete_a_mesma_intencao() {
    dies_at("intent.stored", &[(1, Card, Together), (2, Rivals, Apart)]).await;
}

#[tokio::test]
async fn ponto_provider_answered_nao_cria_cliente_nem_sessao_em_dobro() {
    dies_at("provider.answered", &[(1, Card, Together), (2, Card, Apart), (3, Rivals, Apart)]).await;
}

#[tokio::test]
async fn ponto_event_stored_guarda_o_que_o_provedor_entrega_de_novo() {
    dies_at("event.stored", &[(1, Card, Apart), (5, Boleto, Together), (8, Rivals, Apart)]).await;
}

#[tokio::test]
async fn ponto_projection_committed_nao_repete_emails_nem_conversoes() {
    // Two passes are sure: one sync may find more than one change of two checkouts paid at once.
    dies_at("projection.committed", &[(1, Card, Together), (2, Boleto, Apart), (2, Rivals, Apart)]).await;
}

#[tokio::test]
async fn ponto_job_delivered_faz_o_trabalho_outra_vez_sem_efeito_dobrado() {
    dies_at("job.delivered", &[(1, Card, Together), (6, Boleto, Apart), (12, Rivals, Apart)]).await;
}

#[tokio::test]
async fn ponto_session_stored_deixa_entrar_com_a_senha() {
    dies_at("session.stored", &[(1, Card, Together), (1, Card, Apart)]).await;
}

/// Dies at these passes of a point; the long run dies at every pass of every purchase in both
/// layouts.
async fn dies_at(point: &'static str, passes: &[(u32, Purchase, Layout)]) {
    if !soak::is_long() {
        for &(pass, purchase, layout) in passes {
            let died = dies_once(format!("{point}:{pass}"), purchase, layout).await;
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
                while dies_once(format!("{point}:{pass}"), purchase, layout).await {
                    pass += 1;
                }
                eprintln!("{point}: {} passes of {purchase:?} {layout:?}", pass - 1);
                assert!(pass > 1, "{point} was never reached");
            });
        }
    }
    all.join_all().await;
}

/// One purchase over one death; answers whether the point was reached at all.
async fn dies_once(crash_at: String, purchase: Purchase, layout: Layout) -> bool {
    let mut cluster = Cluster::start(layout).await;
    // The catalogue's events have passed: what is counted from here is the purchase's.
    cluster.comes_to_rest().await;
    cluster.is_doomed(&crash_at);
    let mut who = cluster.survivor();
    let buying = tokio::spawn(async move {
        who.signs_up().await;
        purchase.is_made(&mut who).await;
        who
    });
    let died = cluster.dies_within(&buying).await;
    cluster.rise().await;
    let who = buying.await.unwrap_or_else(|error| panic!("{crash_at} {purchase:?} {layout:?}: {error}"));
    is_sound(&cluster, &[who]).await;
    let repeats = repeated_mails(&cluster, &[]).await;
    if repeats > 0 {
        eprintln!("{crash_at} {purchase:?} {layout:?}: {repeats} mails came twice");
    }
    died
}

/// How many mails came again since `before`. One that was on its way when the process died comes
/// once more, since nobody knows whether it left.
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

/// The invariants, from outside.
async fn is_sound(cluster: &Cluster, people: &[Survivor]) {
    cluster.is_whole().await;
    cluster.comes_to_rest().await;
    cluster.stored_every_event(&[]).await;
    for who in people {
        who.finds_all_again().await;
        ledger::eventually_agrees(&cluster.provider(), who.visitor()).await;
        cluster.told_once(&who.visitor().uid).await;
    }
    cluster.comes_to_rest().await;
    cluster.agrees_object_by_object().await;
}

/// Visitors at once.
const CROWD: usize = 4;
/// A courier's pause, so that visitors are served too.
const BETWEEN_EVENTS: Duration = Duration::from_millis(40);

#[tokio::test]
async fn kill_9_a_qualquer_momento_nada_perde_nem_dobra() {
    // Kills of one cluster before the next is built, kills of the run.
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
                .spawn(async move { (number, tokio::spawn(life_of_a_house(seed, number, of_this)).await) });
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

/// What is done at the same time.
fn at_once() -> usize {
    soak::number("GARIMPO_SOAK_AT_ONCE", if soak::is_long() { 4 } else { 2 }) as usize
}

/// What a run counts.
#[derive(Default)]
struct Tally {
    kills: u64,
    people: usize,
    months: u32,
    rises: Vec<Duration>,
    victims: BTreeMap<String, u64>,
    repeated_mails: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.people += other.people;
        self.months += other.months;
        self.rises.extend(&other.rises);
        self.repeated_mails += other.repeated_mails;
        for (victim, kills) in &other.victims {
            *self.victims.entry(victim.clone()).or_default() += kills;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rises = self.rises.clone();
        rises.sort();
        let median = rises.get(rises.len() / 2).copied().unwrap_or_default();
        let longest = rises.last().copied().unwrap_or_default();
        let Self { kills, people, months, victims, repeated_mails, .. } = self;
        write!(
            f,
            "{kills} kills {victims:?}, {people} people, {months} renewals by the clock, {repeated_mails} mails came twice, \
             up again in {median:.0?} (at most {longest:.0?})"
        )
    }
}

/// One cluster with its people, killed so often.
async fn life_of_a_house(seed: u64, number: u64, kills: u64) -> Tally {
    let mut chance = soak::chance(seed, number);
    let layout = if number.is_multiple_of(2) { Together } else { Apart };
    // Every other cluster of each layout has a PostgreSQL that dies too, also the second of a short
    // run.
    let mut cluster = match number % 4 {
        1 | 2 => Cluster::start_on_own_postgres(layout).await,
        _ => Cluster::start(layout).await,
    };
    let mut victims = cluster.victims();
    victims.shuffle(&mut chance);
    let (mut people, mut tally) = (vec![], Tally::default());
    while tally.kills < kills {
        let bell = Bell::default();
        let couriers = Couriers::sent(&cluster, &bell, tally.kills);
        let crowd: Vec<_> = (0..CROWD)
            .map(|_| lives(cluster.survivor().ringing(&bell), StdRng::from_rng(&mut chance)))
            .collect();
        for _ in 0..chance.random_range(2..=CROWD as u64).min(kills - tally.kills) {
            // In turn, so that few kills meet many.
            victims.rotate_left(1);
            strike(&mut cluster, victims[0], &bell, &mut chance, &mut tally).await;
            cluster.is_whole().await;
            cluster.stored_every_event(&couriers.answered()).await;
            for who in people.choose_multiple(&mut chance, 2) {
                Survivor::finds_all_again(who).await;
            }
        }
        let begun = people.len();
        for who in crowd {
            people.push(who.await.expect("a visitor comes to the end"));
        }
        drop(couriers);
        is_sound(&cluster, &people[begun..]).await;
        if tally.kills < kills && chance.random_bool(0.4) {
            a_month_passes(&mut cluster, &people, &mut chance, &mut tally).await;
        }
    }
    tally.people = people.len();
    tally.repeated_mails = cluster.repeated_mails().await.len();
    cluster.shows_no_trouble().await;
    tally
}

/// Somebody's evening, begun at once.
fn lives(mut who: Survivor, mut chance: StdRng) -> JoinHandle<Survivor> {
    tokio::spawn(async move {
        who.signs_up().await;
        if chance.random_bool(0.3) {
            who.signs_in().await;
            who.signs_out_elsewhere().await;
        }
        if chance.random_bool(0.3) {
            who.saves_phone("21912345678").await;
        }
        let purchase = *Purchase::ALL.choose(&mut chance).expect("there are purchases");
        purchase.is_made(&mut who).await;
        who
    })
}

/// Kills at a random moment after the begin of a random act, and waits until the cluster stands
/// again.
async fn strike(cluster: &mut Cluster, victim: Victim, bell: &Bell, chance: &mut StdRng, tally: &mut Tally) {
    let (acts, after_ms) = (chance.random_range(0..8), chance.random_range(0..150));
    let dead_ms = chance.random_range(0..60);
    let mut heard = bell.subscribe();
    let goal = *heard.borrow() + acts;
    // Where nobody acts any more, deliveries and jobs still run.
    let _ = timeout(Duration::from_millis(300), heard.wait_for(|acts| *acts >= goal)).await;
    sleep(Duration::from_millis(after_ms)).await;
    cluster.kill(victim);
    sleep(Duration::from_millis(dead_ms)).await;
    tally.rises.push(cluster.rise().await);
    tally.kills += 1;
    *tally.victims.entry(format!("{victim:?}")).or_default() += 1;
}

/// The clock walks over everybody's renewal, with a death on its way.
async fn a_month_passes(cluster: &mut Cluster, people: &[Survivor], chance: &mut StdRng, tally: &mut Tally) {
    let bell = Bell::default();
    let until = cluster.provider().now().await + 31 * 86_400;
    let walker = cluster.survivor().ringing(&bell);
    let walk = tokio::spawn(async move { walker.lets_time_pass(until).await });
    let victim = *cluster.victims().choose(chance).expect("there are victims");
    strike(cluster, victim, &bell, chance, tally).await;
    cluster.is_whole().await;
    walk.await.expect("the month comes to its end");
    tally.months += 1;
    cluster.comes_to_rest().await;
    for who in people {
        ledger::eventually_agrees(&cluster.provider(), who.visitor()).await;
    }
    cluster.comes_to_rest().await;
    cluster.agrees_object_by_object().await;
}

/// Webhooks without end, beside what the visitors cause.
struct Couriers {
    answered: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Couriers {
    fn sent(cluster: &Cluster, bell: &Bell, round: u64) -> Self {
        let answered = Arc::<Mutex<Vec<String>>>::default();
        let mut tasks = JoinSet::new();
        for courier in 0..2 {
            let (who, answered) = (cluster.survivor().ringing(bell), answered.clone());
            tasks.spawn(async move {
                for number in 0.. {
                    let id = format!("evt_soak_{round}_{courier}_{number}");
                    who.delivers_event(&id).await;
                    answered.lock().expect("nobody panics here").push(id);
                    sleep(BETWEEN_EVENTS).await;
                }
            });
        }
        Self { answered, _tasks: tasks }
    }

    fn answered(&self) -> Vec<String> {
        self.answered.lock().expect("nobody panics here").clone()
    }
}
