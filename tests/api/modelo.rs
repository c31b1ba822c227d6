//! Whole lives of subscriptions by chance, against a small model of the rules
//! (`tests/src/model.rs`).
//!
//! A world is the running product with its sandbox and four people. In each round everybody does
//! one thing at the same time (or it is done to their payment), under weather that loses events,
//! kills the server or silences the provider; then time passes. Once all is quiet, what is seen,
//! used, invoiced, charged and given back is what the model says, the two sets of books agree, and
//! the doctor finds nothing. `make soak` lives many more worlds (docs/soak.md).

mod case;
mod kept;
mod life;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use e2e::model::{DAY, HOUR};
use e2e::{Cluster, Layout, Victim, ledger, soak};
use futures::future::join_all;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::{BatchGetEntitlementsRequest, GetEntitlementsResponse};
use proptest::strategy::ValueTree as _;
use serde_json::json;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use case::{Case, PEOPLE, Passing, Round, Weather};
use life::Life;

/// What every round ends with: longer than the time between two looks at what is not final.
const BREATH: i64 = 11 * 60;
/// The same where news were lost for good: longer than the time between two looks at everything.
const LONG_BREATH: i64 = 26 * HOUR;
/// The seed of `make test`.
const SEED: u64 = 1;
/// How many smaller cases are tried when one fails in the long run.
const SHRINKS: u64 = 40;

#[tokio::test]
async fn vidas_que_um_dia_falharam_seguem_o_modelo() {
    for (why, case) in kept::cases() {
        eprintln!("kept: {why}");
        is_lived(&case).await;
    }
}

#[tokio::test]
async fn qualquer_vida_segue_o_modelo() {
    let (worlds, rounds) = if soak::is_long() { (100, 14) } else { (1, 6) };
    let (worlds, rounds) =
        (soak::number("GARIMPO_SOAK_WORLDS", worlds), soak::number("GARIMPO_SOAK_ROUNDS", rounds));
    let at_once = soak::number("GARIMPO_SOAK_AT_ONCE", 2) as usize;
    // In `make test` the same world each time: what chance finds is the soak's to tell, not another
    // change's to fail by.
    let seed = if soak::is_long() { soak::seed() } else { soak::number("GARIMPO_SOAK_SEED", SEED) };
    let first = soak::number("GARIMPO_SOAK_FIRST", 0);
    let began = Instant::now();
    eprintln!("model: GARIMPO_SOAK_SEED={seed}, {worlds} worlds of {PEOPLE} lives, {rounds} rounds each");

    let (mut running, mut lived, mut failed) = (JoinSet::new(), 0, vec![]);
    let mut next = first;
    loop {
        while next < first + worlds && running.len() < at_once {
            let number = next;
            let case = Case::of_seed(seed.wrapping_add(number), rounds as usize);
            running.spawn(async move { (number, survives(case).await) });
            next += 1;
        }
        let Some(ended) = running.join_next().await else { break };
        let (number, survived) = ended.expect("a world is waited for");
        lived += 1;
        if !survived {
            failed.push(number);
        }
        eprintln!("model: {lived} worlds after {:.0?}, failed: {failed:?}", began.elapsed());
    }

    for number in failed.iter().take(1).filter(|_| soak::is_long()) {
        Box::pin(is_made_smaller(seed.wrapping_add(*number), rounds as usize)).await;
    }
    assert!(
        failed.is_empty(),
        "GARIMPO_SOAK_SEED={seed} GARIMPO_SOAK_ROUNDS={rounds}: worlds {failed:?} failed"
    );
}

/// Lives a case on a thread of its own; answers whether all held.
async fn survives(case: Case) -> bool {
    let life = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(is_lived(&case));
    };
    tokio::task::spawn_blocking(life).await.is_ok()
}

/// Prints the smallest case that still fails, to be kept in `modelo/kept.rs` once its fault is
/// mended.
async fn is_made_smaller(seed: u64, rounds: usize) {
    let mut tree = Case::tree(seed, rounds);
    let mut smallest = tree.current();
    let tries = soak::number("GARIMPO_SOAK_SHRINKS", SHRINKS);
    let mut goes_on = tree.simplify();
    for _ in 0..tries {
        if !goes_on {
            break;
        }
        let case = tree.current();
        if survives(case.clone()).await {
            goes_on = tree.complicate();
        } else {
            smallest = case;
            goes_on = tree.simplify();
        }
    }
    eprintln!("model: the smallest case that fails:\n{smallest:#?}");
}

async fn is_lived(case: &Case) {
    let mut world = World::begins().await;
    for (number, round) in case.rounds.iter().enumerate() {
        eprintln!("  round {number}: {round:?}");
        world.lives(round).await;
        world.is_sound().await;
    }
    world.ends().await;
}

struct World {
    cluster: Cluster,
    people: Vec<Life>,
    entitlements: EntitlementServiceClient<Channel>,
    token: String,
}

impl World {
    async fn begins() -> Self {
        let cluster = Cluster::start(Layout::Apart).await;
        cluster.comes_to_rest().await;
        cluster.provider().portal_does_everything().await;
        let people = join_all((0..PEOPLE).map(|_| Life::begins(&cluster))).await;
        let made = cluster.admin(&["token", "create", "modelo", "--scope", "billing.read"]).await;
        assert_eq!(made.code, 0, "{made:?}");
        let token = made.stdout.lines().last().expect("a token").to_owned();
        let internal = Channel::from_shared(cluster.internal_url().to_owned()).expect("an address");
        let entitlements = EntitlementServiceClient::new(internal.connect_lazy());
        Self { cluster, people, entitlements, token }
    }

    async fn lives(&mut self, round: &Round) {
        let Self { cluster, people, .. } = self;
        let provider = cluster.provider();
        if let Some(fault) = fault(round.weather) {
            provider.has_fault(fault).await;
        }
        let acts = async {
            join_all(people.iter_mut().zip(round.acts).map(|(life, act)| life.does(act))).await;
            let now = provider.now().await;
            let until = passes_until(round.passes, people, now);
            if until > now {
                provider.goes_to(until).await;
            }
        };
        rages(round.weather, cluster, acts).await;
        provider.recovers().await;
        let breath = if round.weather == Weather::EventsLost { LONG_BREATH } else { BREATH };
        provider.advances_kept(breath).await;
        cluster.comes_to_rest().await;
        for life in people.iter_mut() {
            life.rivals_settle().await;
        }
    }

    /// Everything that must hold once all is quiet.
    async fn is_sound(&mut self) {
        self.pays_by_pix().await;
        self.cluster.comes_to_rest().await;
        let (by_pix, rights) = (self.given_back_by_pix().await, self.rights().await);
        let (now, provider) = (self.cluster.provider().now().await, self.cluster.provider());
        for life in &mut self.people {
            life.model.passes(now);
            let own = &rights[&life.who.uid];
            life.is_as_the_model_says((&own.plan_id, &own.status)).await;
            life.paid_what_was_owed(by_pix.get(&life.who.uid).copied().unwrap_or_default()).await;
            let differences = ledger::differences(&provider, &life.who).await;
            assert!(differences.is_empty(), "{}:\n{}", life.who.email, differences.join("\n"));
        }
        let doctor = self.cluster.admin(&["doctor"]).await;
        // A life may end with a dispute that waits for the operator's answer.
        let is_expected = |line: &str| {
            line.is_empty()
                || line.starts_with([' ', '\t'])
                || line.starts_with("dispute_answered")
                || line.contains(" invariants asked, ")
                || line.starts_with("the payment provider was not asked: ")
        };
        assert!(doctor.code <= 1 && doctor.stdout.lines().all(is_expected), "{doctor:?}");
    }

    async fn ends(self) {
        for life in &self.people {
            ledger::agrees(&self.cluster.provider(), &life.who).await;
        }
        self.cluster.comes_to_rest().await;
        self.cluster.agrees_object_by_object().await;
        self.cluster.shows_no_trouble().await;
        let payments = || self.people.iter().flat_map(|life| &life.model.payments);
        let back = payments().filter(|paid| paid.back > 0).count();
        eprintln!(
            "model: a world of {} paid invoices, {back} of them given back or lost",
            payments().count()
        );
    }

    /// The operator pays every Pix that is asked for.
    async fn pays_by_pix(&self) {
        let waiting = "SELECT id FROM refunds WHERE method = 'pix' AND state = 'requested'";
        for id in self.cluster.ours(waiting).await {
            assert_eq!(self.cluster.admin(&["refunds", "paid", &id, "--note", "TED"]).await.code, 0, "{id}");
        }
    }

    async fn given_back_by_pix(&self) -> HashMap<String, i64> {
        let sums = "SELECT uid || ' ' || SUM(amount_centavos) FROM refunds WHERE method = 'pix' GROUP BY uid";
        let rows = self.cluster.ours(sums).await;
        let read = |row: &String| {
            let (uid, sum) = row.split_once(' ').expect("two words");
            (uid.to_owned(), sum.parse().expect("centavos"))
        };
        rows.iter().map(read).collect()
    }

    async fn rights(&mut self) -> HashMap<String, GetEntitlementsResponse> {
        let uids = self.people.iter().map(|life| life.who.uid.clone()).collect();
        let mut asked = tonic::Request::new(BatchGetEntitlementsRequest { uids });
        let bearer = format!("Bearer {}", self.token).parse().expect("a token is ascii");
        asked.metadata_mut().insert("authorization", bearer);
        let told = self.entitlements.batch_get_entitlements(asked).await;
        told.expect("entitlements are answered").into_inner().entitlements
    }
}

/// What the sandbox does to calls and deliveries in this weather.
fn fault(weather: Weather) -> Option<serde_json::Value> {
    Some(match weather {
        Weather::EventsLost => json!({ "webhooks": "drop" }),
        Weather::EventsDoubled => json!({ "webhooks": "double" }),
        Weather::EventsShuffled => json!({ "webhooks": "shuffle" }),
        Weather::EventsHeld => json!({ "webhooks": "hold" }),
        Weather::AnswersLost { times } => {
            json!({ "path": "/v1", "method": "POST", "act_then_drop": true, "times": times })
        }
        Weather::Failing { times } => {
            json!({ "path": "/v1", "method": "POST", "status": 503, "times": times })
        }
        Weather::Fair | Weather::Killed { .. } | Weather::Dies { .. } => return None,
    })
}

/// Runs the acts of a round while the server dies of its weather, and leaves it sound.
async fn rages(weather: Weather, cluster: &mut Cluster, acts: impl Future<Output = ()>) {
    match weather {
        Weather::Killed { after_ms } => {
            let strike = async {
                tokio::time::sleep(Duration::from_millis(after_ms)).await;
                cluster.kill(Victim::Server);
                cluster.rise().await;
            };
            tokio::join!(acts, strike);
        }
        Weather::Dies { point, pass } => {
            cluster.is_doomed(&format!("{point}:{pass}"));
            let mut acts = std::pin::pin!(acts);
            loop {
                tokio::select! {
                    () = &mut acts => break,
                    () = tokio::time::sleep(Duration::from_millis(10)) => {}
                }
                if cluster.has_aborted() {
                    cluster.rise().await;
                }
            }
            // The point that was not reached would kill it later.
            cluster.kill(Victim::Server);
            cluster.rise().await;
        }
        _ => acts.await,
    }
}

fn passes_until(passing: Passing, people: &[Life], now: i64) -> i64 {
    let end_of = |person: usize| people[person].model.period_end().unwrap_or(now);
    match passing {
        Passing::Minutes => now,
        Passing::Days(days) => now + i64::from(days) * DAY,
        Passing::IntoRenewal(person) => end_of(person) + HOUR / 2 - BREATH,
        Passing::OverRenewal(person) => end_of(person) + 2 * HOUR,
    }
}
