//! Random calls of one account at the same moment.
//!
//! A batch is eight accounts, each in a random state. Two or three calls of each account are made
//! at once, or something happens at the provider meanwhile. GARIMPO_PAUSE_AT holds the calls of an
//! account at one point, so that they overlap. The provider responds at once or late, or executes a
//! call and loses the response. Once no work is left, the provider's ledger must balance, and no
//! account has access without payment. `make soak` runs many more cases (docs/soak.md).

pub(crate) mod account;
mod case;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

use e2e::ledger::balance;
use e2e::{Cluster, Layout, soak};
use futures::future::join_all;
use serde_json::json;
use tokio::task::JoinSet;

use account::Account;
use case::{ACCOUNTS, Answers, Batch, Time};

/// Longer than the interval at which unsettled objects are read, in seconds.
const SETTLE_SECONDS: i64 = 11 * 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Batches of one running product. The number of a batch determines its cluster and its pause
/// point.
const BATCHES: u64 = 4;
/// The seed of `make test`, fixed because a random failure must not fail an unrelated change.
const SEED: u64 = 19;
/// The pause points; the calls of a cluster meet at one of them.
const POINTS: [&str; 2] = ["account.decide:2", "provider.call:2"];

#[tokio::test]
async fn simultaneous_calls_never_create_or_lose_money() {
    let cases = soak::number("GARIMPO_SOAK_CASES", if soak::is_long() { 2_000 } else { 64 });
    let at_once = soak::number("GARIMPO_SOAK_AT_ONCE", 2) as usize;
    let seed = if soak::is_long() { soak::seed() } else { soak::number("GARIMPO_SOAK_SEED", SEED) };
    let first = soak::number("GARIMPO_SOAK_FIRST", 0);
    let last = first + cases.div_ceil(ACCOUNTS as u64);
    let began = Instant::now();
    eprintln!("simultaneous: GARIMPO_SOAK_SEED={seed}, batches {first} to {}", last - 1);

    let (mut running, mut found, mut finished) = (JoinSet::new(), vec![], 0);
    let mut overlaps: BTreeMap<&str, Overlap> = BTreeMap::new();
    let mut next = first;
    loop {
        while next < last && running.len() < at_once {
            let batches = next..((next / BATCHES + 1) * BATCHES).min(last);
            next = batches.end;
            running.spawn(on_its_own_thread(seed, batches));
        }
        let Some(ended) = running.join_next().await else { break };
        let (batches, ended) = ended.expect("a cluster is waited for");
        finished += batches * ACCOUNTS as u64;
        // Printed at once, because a long run may be stopped before its end.
        ended.faults.iter().for_each(|fault| eprintln!("{fault}"));
        found.extend(ended.faults);
        let overlap = overlaps.entry(ended.point).or_default();
        overlap.expected += ended.overlap.expected;
        overlap.met += ended.overlap.met;
        let seconds = began.elapsed().as_secs();
        eprintln!("simultaneous: {finished} cases after {seconds} s, {} faults", found.len());
    }

    for (point, Overlap { expected, met }) in overlaps {
        eprintln!("simultaneous: the calls of {met} of {expected} accounts met at {point}");
        // Another call of the same moment may cause a refusal before the point: the decision of one
        // call often prevents the other's call to the provider.
        let share = if point.starts_with("account") { 2 } else { 5 };
        if met * share < expected {
            found.push(format!("the calls of only {met} of {expected} accounts met at {point}"));
        }
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
}

/// Result of one running product.
struct Ended {
    point: &'static str,
    faults: Vec<String>,
    overlap: Overlap,
}

/// Accounts whose calls should have met at the pause point, and those whose calls did.
#[derive(Clone, Copy, Default)]
struct Overlap {
    expected: usize,
    met: usize,
}

/// Runs a cluster on its own thread; returns its number of batches and its result.
async fn on_its_own_thread(seed: u64, batches: Range<u64>) -> (u64, Ended) {
    let count = batches.end - batches.start;
    let name = format!("GARIMPO_SOAK_SEED={seed} GARIMPO_SOAK_FIRST={}", batches.start);
    let cluster = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(ClusterRun::run(seed, batches))
    };
    let ended = tokio::task::spawn_blocking(cluster).await;
    let panicked = |_| Ended {
        point: "",
        faults: vec![format!("{name}: the cluster panicked, see above")],
        overlap: Overlap::default(),
    };
    (count, ended.unwrap_or_else(panicked))
}

struct ClusterRun {
    cluster: Cluster,
    /// Uids of the accounts whose calls must meet.
    expected: BTreeSet<String>,
}

impl ClusterRun {
    async fn run(seed: u64, batches: Range<u64>) -> Ended {
        let point = POINTS[(batches.start / BATCHES) as usize % POINTS.len()];
        let settings = [
            ("GARIMPO_PAUSE_AT", point),
            ("GARIMPO_LIMIT_SIGN_UP_ADDRESS", "100000"),
            ("GARIMPO_LOG", "info"),
        ];
        let cluster = Cluster::start_with(Layout::Together, &settings).await;
        cluster.wait_until_idle().await;
        let mut own = Self { cluster, expected: BTreeSet::new() };
        let mut found = vec![];
        for number in batches {
            let batch = Batch::of_seed(seed, number);
            let again =
                format!("GARIMPO_SOAK_SEED={seed} GARIMPO_SOAK_FIRST={number} GARIMPO_SOAK_CASES={ACCOUNTS}");
            let faults = own.run_batch(&batch).await;
            found.extend(faults.into_iter().map(|fault| {
                format!("{again} at {point}, answers {:?}, {:?}:\n  {fault}", batch.answers, batch.time)
            }));
        }
        let (at_end, overlap) = own.ends(point).await;
        found.extend(at_end);
        Ended { point, faults: found, overlap }
    }

    /// Runs one batch: prepares every account, makes its calls, waits until no work is left, and
    /// checks it.
    async fn run_batch(&mut self, batch: &Batch) -> Vec<String> {
        let (cluster, provider) = (&self.cluster, self.cluster.provider());
        let mut accounts =
            join_all(batch.cases.iter().map(|case| Account::begins(cluster, case.clone()))).await;
        cluster.wait_until_idle().await;
        if batch.time == Time::AfterGuarantee {
            provider.advances_kept(8 * DAY).await;
            cluster.wait_until_idle().await;
        }
        let refunds = account::refunds(cluster).await;
        let none = balance::Refunds::default();
        join_all(accounts.iter_mut().map(|own| {
            let own_refunds = refunds.get(&own.who.uid).unwrap_or(&none);
            own.prepares(own_refunds)
        }))
        .await;

        if let Some(fault) = fault(batch.answers) {
            provider.add_fault(fault).await;
        }
        let month = async {
            if batch.time == Time::Renewal {
                provider.advances_kept(31 * DAY).await;
            }
        };
        tokio::join!(join_all(accounts.iter_mut().map(Account::make_calls)), month);
        provider.recovers().await;
        for _ in 0..2 {
            provider.advances_kept(SETTLE_SECONDS).await;
            cluster.wait_until_idle().await;
        }
        self.decide_all_disputes(&accounts, batch.disputes_are_won).await;
        let reconciled = cluster.admin(&["reconcile"]).await;
        let mut found = vec![];
        if reconciled.code != 0 {
            found.push(format!("reconcile left differences: {reconciled:?}"));
        }
        cluster.wait_until_idle().await;

        self.expected
            .extend(accounts.iter().filter(|own| own.should_meet(batch.time)).map(|own| own.who.uid.clone()));
        let refunds = account::refunds(cluster).await;
        let living: BTreeSet<String> = cluster.ours("SELECT uid FROM accounts").await.into_iter().collect();
        for own in &accounts {
            let faults =
                own.faults(refunds.get(&own.who.uid).unwrap_or(&none), !living.contains(&own.who.uid)).await;
            if !faults.is_empty() {
                found.push(format!("{}\n  {}", own.description(), faults.join("\n  ")));
            }
        }
        self.pays_by_pix().await;
        found
    }

    /// Decides each dispute, because a refund of a disputed payment waits for the bank.
    async fn decide_all_disputes(&self, accounts: &[Account], is_won: bool) {
        let decided = join_all(accounts.iter().map(|own| own.decide_disputes(is_won))).await;
        if decided.contains(&true) {
            self.cluster.provider().advances_kept(HOUR + SETTLE_SECONDS).await;
            self.cluster.wait_until_idle().await;
        }
    }

    /// The operator pays every Pix that was requested, before a later batch moves the clock beyond
    /// its day.
    async fn pays_by_pix(&self) {
        for id in
            self.cluster.ours("SELECT id FROM refunds WHERE method = 'pix' AND state = 'requested'").await
        {
            assert_eq!(self.cluster.admin(&["refunds", "paid", &id, "--note", "TED"]).await.code, 0, "{id}");
        }
    }

    /// Asserts that the doctor finds nothing, and that the calls met.
    async fn ends(self, point: &str) -> (Vec<String>, Overlap) {
        let mut found = vec![];
        self.cluster.provider().advances_kept(3 * HOUR).await;
        self.cluster.wait_until_idle().await;
        let doctor = self.cluster.admin(&["doctor"]).await;
        // The amount that a plan change charged stays a finding until the operator refunds it too,
        // because the dashboard refunded the period. A dispute may still wait for an answer.
        let is_expected = |line: &str| {
            ["difference_given_back", "dispute_answered"].iter().any(|rule| line.starts_with(rule))
                || line.contains(" invariants asked, ")
                || line.starts_with("the payment provider was not asked: ")
        };
        let broken = |line: &&str| !line.is_empty() && !line.starts_with(' ') && !is_expected(line);
        if doctor.code > 1 || doctor.stdout.lines().any(|line| broken(&line)) {
            found.push(format!("the doctor found: {doctor:?}"));
        }
        let log = self.cluster.log();
        let wrong = "a change of plan was not charged as it was shown";
        found.extend(log.lines().filter(|line| line.contains(wrong)).map(str::to_owned));
        let met = meetings(&log);
        let met = self.expected.iter().filter(|uid| met.contains(*uid)).count();
        eprintln!("simultaneous: the calls of {met} of {} accounts met at {point}", self.expected.len());
        (found, Overlap { expected: self.expected.len(), met })
    }
}

/// The accounts whose calls met, from what the process logged.
fn meetings(log: &str) -> BTreeSet<String> {
    let lines = log.lines().filter(|line| line.contains("calls met at"));
    let words =
        lines.flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
    words.filter(|word| word.starts_with("usr_")).map(str::to_owned).collect()
}

fn fault(answers: Answers) -> Option<serde_json::Value> {
    Some(match answers {
        Answers::AtOnce => return None,
        Answers::Late => json!({ "path": "/v1", "method": "POST", "delay_ms": 200 }),
        Answers::Lost(times) => {
            json!({ "path": "/v1", "method": "POST", "act_then_drop": true, "times": times })
        }
    })
}
