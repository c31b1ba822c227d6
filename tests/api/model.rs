//! Random histories of subscriptions, compared with a small model of the rules
//! (`tests/src/model.rs`).
//!
//! A run has one product with its sandbox and four people. In each round all of them act at the
//! same time, or something happens to their payments, while events are lost, the server is killed
//! or the provider fails. Then time passes. Once no work is left, everything that is shown,
//! granted, invoiced, charged and refunded must match the model, both ledgers must agree, and the
//! doctor must find nothing. `make soak` makes many more runs (docs/soak.md).

mod case;
mod kept;
mod participant;

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

use case::{Case, Disturbance, PEOPLE, Passing, Round};
use participant::Participant;

/// Time after each round, in seconds: longer than the interval at which unsettled objects are read.
const SETTLE_SECONDS: i64 = 11 * 60;
/// The same after lost events: longer than the interval of a full reconciliation.
const LONG_SETTLE_SECONDS: i64 = 26 * HOUR;
/// The seed of `make test`.
const SEED: u64 = 1;
/// Number of smaller cases that are tried after a failed case of the long run.
const SHRINKS: u64 = 40;

#[tokio::test]
async fn account_histories_that_once_failed_match_the_model() {
    for (why, case) in kept::cases() {
        eprintln!("kept: {why}");
        run_case(&case).await;
    }
}

#[tokio::test]
async fn any_account_history_matches_the_model() {
    let (runs, rounds) = if soak::is_long() { (100, 14) } else { (1, 6) };
    let (runs, rounds) =
        (soak::number("GARIMPO_SOAK_MODEL_RUNS", runs), soak::number("GARIMPO_SOAK_ROUNDS", rounds));
    let at_once = soak::number("GARIMPO_SOAK_AT_ONCE", 2) as usize;
    // `make test` makes the same run each time, because a random failure must not fail an unrelated
    // change. `make soak` varies it.
    let seed = if soak::is_long() { soak::seed() } else { soak::number("GARIMPO_SOAK_SEED", SEED) };
    let first = soak::number("GARIMPO_SOAK_FIRST", 0);
    let began = Instant::now();
    eprintln!("model: GARIMPO_SOAK_SEED={seed}, {runs} runs of {PEOPLE} accounts, {rounds} rounds each");

    let (mut running, mut finished, mut failed) = (JoinSet::new(), 0, vec![]);
    let mut next = first;
    loop {
        while next < first + runs && running.len() < at_once {
            let number = next;
            let case = Case::of_seed(seed.wrapping_add(number), rounds as usize);
            running.spawn(async move { (number, survives(case).await) });
            next += 1;
        }
        let Some(ended) = running.join_next().await else { break };
        let (number, survived) = ended.expect("the run's task ends");
        finished += 1;
        if !survived {
            failed.push(number);
        }
        eprintln!("model: {finished} runs after {:.0?}, failed: {failed:?}", began.elapsed());
    }

    for number in failed.iter().take(1).filter(|_| soak::is_long()) {
        Box::pin(shrink(seed.wrapping_add(*number), rounds as usize)).await;
    }
    assert!(
        failed.is_empty(),
        "GARIMPO_SOAK_SEED={seed} GARIMPO_SOAK_ROUNDS={rounds}: runs {failed:?} failed"
    );
}

/// Runs a case on its own thread; returns whether all checks passed.
async fn survives(case: Case) -> bool {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(run_case(&case));
    };
    tokio::task::spawn_blocking(run).await.is_ok()
}

/// Prints the smallest case that still fails. Add it to `model/kept.rs` once the fault is fixed.
async fn shrink(seed: u64, rounds: usize) {
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

async fn run_case(case: &Case) {
    let mut run = ModelRun::begins().await;
    for (number, round) in case.rounds.iter().enumerate() {
        eprintln!("  round {number}: {round:?}");
        run.run_round(round).await;
        run.assert_sound().await;
    }
    run.ends().await;
}

struct ModelRun {
    cluster: Cluster,
    people: Vec<Participant>,
    entitlements: EntitlementServiceClient<Channel>,
    token: String,
}

impl ModelRun {
    async fn begins() -> Self {
        let cluster = Cluster::start(Layout::Apart).await;
        cluster.wait_until_idle().await;
        cluster.provider().portal_does_everything().await;
        let people = join_all((0..PEOPLE).map(|_| Participant::begins(&cluster))).await;
        let made = cluster.admin(&["token", "create", "modelo", "--scope", "billing.read"]).await;
        assert_eq!(made.code, 0, "{made:?}");
        let token = made.stdout.lines().last().expect("a token").to_owned();
        let internal = Channel::from_shared(cluster.internal_url().to_owned()).expect("an address");
        let entitlements = EntitlementServiceClient::new(internal.connect_lazy());
        Self { cluster, people, entitlements, token }
    }

    async fn run_round(&mut self, round: &Round) {
        let Self { cluster, people, .. } = self;
        let provider = cluster.provider();
        if let Some(fault) = fault(round.disturbance) {
            provider.add_fault(fault).await;
        }
        let acts = async {
            join_all(people.iter_mut().zip(round.acts).map(|(participant, act)| participant.does(act))).await;
            let now = provider.now().await;
            let until = passes_until(round.passes, people, now);
            if until > now {
                provider.goes_to(until).await;
            }
        };
        run_with_disturbance(round.disturbance, cluster, acts).await;
        provider.recovers().await;
        let breath =
            if round.disturbance == Disturbance::EventsLost { LONG_SETTLE_SECONDS } else { SETTLE_SECONDS };
        provider.advances_kept(breath).await;
        cluster.wait_until_idle().await;
        for participant in people.iter_mut() {
            participant.settle_duplicate_purchases().await;
        }
    }

    /// Asserts everything that must hold once no work is left.
    async fn assert_sound(&mut self) {
        self.pays_by_pix().await;
        self.cluster.wait_until_idle().await;
        let (by_pix, rights) = (self.refunded_by_pix().await, self.rights().await);
        let (now, provider) = (self.cluster.provider().now().await, self.cluster.provider());
        for participant in &mut self.people {
            participant.model.passes(now);
            let own = &rights[&participant.who.uid];
            participant.assert_view_matches_model((&own.plan_id, &own.status)).await;
            participant
                .assert_amounts_match_model(by_pix.get(&participant.who.uid).copied().unwrap_or_default())
                .await;
            let differences = ledger::differences(&provider, &participant.who).await;
            assert!(differences.is_empty(), "{}:\n{}", participant.who.email, differences.join("\n"));
        }
        let doctor = self.cluster.admin(&["doctor"]).await;
        // A run may end with a dispute that waits for the operator's answer.
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
        for participant in &self.people {
            ledger::agrees(&self.cluster.provider(), &participant.who).await;
        }
        self.cluster.wait_until_idle().await;
        self.cluster.assert_objects_match().await;
        self.cluster.assert_no_parked_jobs_or_panics().await;
        let payments = || self.people.iter().flat_map(|participant| &participant.model.payments);
        let back = payments().filter(|paid| paid.back > 0).count();
        eprintln!("model: a run with {} paid invoices, {back} of them refunded or lost", payments().count());
    }

    /// Marks every requested Pix refund as paid, as the operator does.
    async fn pays_by_pix(&self) {
        let waiting = "SELECT id FROM refunds WHERE method = 'pix' AND state = 'requested'";
        for id in self.cluster.ours(waiting).await {
            assert_eq!(self.cluster.admin(&["refunds", "paid", &id, "--note", "TED"]).await.code, 0, "{id}");
        }
    }

    async fn refunded_by_pix(&self) -> HashMap<String, i64> {
        let sums = "SELECT uid || ' ' || SUM(amount_centavos) FROM refunds WHERE method = 'pix' GROUP BY uid";
        let rows = self.cluster.ours(sums).await;
        let read = |row: &String| {
            let (uid, sum) = row.split_once(' ').expect("two words");
            (uid.to_owned(), sum.parse().expect("centavos"))
        };
        rows.iter().map(read).collect()
    }

    async fn rights(&mut self) -> HashMap<String, GetEntitlementsResponse> {
        let uids = self.people.iter().map(|participant| participant.who.uid.clone()).collect();
        let mut asked = tonic::Request::new(BatchGetEntitlementsRequest { uids });
        let bearer = format!("Bearer {}", self.token).parse().expect("a token is ascii");
        asked.metadata_mut().insert("authorization", bearer);
        let reply = self.entitlements.batch_get_entitlements(asked).await;
        reply.expect("entitlements are answered").into_inner().entitlements
    }
}

/// The fault that the sandbox plays for this disturbance.
fn fault(disturbance: Disturbance) -> Option<serde_json::Value> {
    Some(match disturbance {
        Disturbance::EventsLost => json!({ "webhooks": "drop" }),
        Disturbance::EventsDoubled => json!({ "webhooks": "double" }),
        Disturbance::EventsShuffled => json!({ "webhooks": "shuffle" }),
        Disturbance::EventsHeld => json!({ "webhooks": "hold" }),
        Disturbance::AnswersLost { times } => {
            json!({ "path": "/v1", "method": "POST", "act_then_drop": true, "times": times })
        }
        Disturbance::Failing { times } => {
            json!({ "path": "/v1", "method": "POST", "status": 503, "times": times })
        }
        Disturbance::Undisturbed | Disturbance::Killed { .. } | Disturbance::Dies { .. } => return None,
    })
}

/// Runs the actions of a round while the server crashes or is killed, and leaves it running.
async fn run_with_disturbance(
    disturbance: Disturbance,
    cluster: &mut Cluster,
    acts: impl Future<Output = ()>,
) {
    match disturbance {
        Disturbance::Killed { after_ms } => {
            let kill = async {
                tokio::time::sleep(Duration::from_millis(after_ms)).await;
                cluster.kill(Victim::Server);
                cluster.restart().await;
            };
            tokio::join!(acts, kill);
        }
        Disturbance::Dies { point, pass } => {
            cluster.restart_with_crash_point(&format!("{point}:{pass}"));
            let mut acts = std::pin::pin!(acts);
            loop {
                tokio::select! {
                    () = &mut acts => break,
                    () = tokio::time::sleep(Duration::from_millis(10)) => {}
                }
                if cluster.has_aborted() {
                    cluster.restart().await;
                }
            }
            // Removes a crash point that was not reached.
            cluster.kill(Victim::Server);
            cluster.restart().await;
        }
        _ => acts.await,
    }
}

fn passes_until(passing: Passing, people: &[Participant], now: i64) -> i64 {
    let end_of = |person: usize| people[person].model.period_end().unwrap_or(now);
    match passing {
        Passing::Minutes => now,
        Passing::Days(days) => now + i64::from(days) * DAY,
        Passing::IntoRenewal(person) => end_of(person) + HOUR / 2 - SETTLE_SECONDS,
        Passing::OverRenewal(person) => end_of(person) + 2 * HOUR,
    }
}
