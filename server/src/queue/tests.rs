//! The durable queue, on both databases.

use std::sync::atomic::{AtomicU32, Ordering};

use garimpo_domain::Timestamp;
use serde_json::json;

mod classes;
mod leases;
mod traces;
mod unreadable;

use super::*;
use crate::store::jobs::claims::{self, JobEnd};
use crate::store::jobs::{self, JobState, NewJob};
use crate::store::operator::heartbeats;
use crate::store::operator::job_queries::{self, JobFilter, JobRow};
use crate::store::{StoreError, transaction};
use crate::tests::clock::TestClock;
use crate::tests::database::Database;

async fn parked(store: &Store) -> Vec<JobRow> {
    let filter = JobFilter { state: Some(JobState::Parked), ..JobFilter::default() };
    job_queries::list(store, &filter, 1_000).await.expect("parked jobs can be read")
}

/// What a process claims that sends mails alone.
fn mails() -> Claimable {
    Claimable::of(JobClass::Mail, std::iter::once(JobKind::Mail))
}

const IN_TIME: Duration = Duration::from_secs(10);

/// A queue whose one handler counts its runs and answers what the test says.
struct Fixture {
    store: Store,
    clock: Arc<TestClock>,
    queue: Arc<Queue>,
    runs: Arc<AtomicU32>,
    database: Database,
}

impl Fixture {
    async fn new(answer: fn(u32) -> Result<JobOutcome, JobError>) -> Self {
        let database = Database::new().await;
        let store = database.open().await;
        let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
        let runs = Arc::new(AtomicU32::new(0));
        let mut handlers = Handlers::default();
        handlers.on(JobKind::Mail, {
            let runs = runs.clone();
            move |_| {
                let runs = runs.clone();
                async move { answer(runs.fetch_add(1, Ordering::SeqCst) + 1) }
            }
        });
        let queue = Queue::new(store.clone(), clock.clone(), Ids::seeded(1), handlers);
        tokio::spawn(queue.clone().run());
        Self { store, clock, queue, runs, database }
    }

    fn job(key: &str, due_at: Timestamp) -> NewJob {
        NewJob { kind: JobKind::Mail, key: key.to_owned(), payload: json!({"n": 1}), due_at }
    }

    async fn enqueue(&self, key: &str, due_at: Timestamp) -> bool {
        let job = Self::job(key, due_at);
        let written = transaction!(self.store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
        written.expect("the job is stored")
    }

    async fn schedule(&self, key: &str, due_at: Timestamp) {
        let job = Self::job(key, due_at);
        let written = transaction!(self.store, (job), |tx| jobs::reschedule(tx, job.clone()).await);
        written.expect("the job is stored");
    }

    async fn settles(&self) {
        assert!(self.queue.settle(IN_TIME).await, "the queue comes to rest");
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_with_the_same_key_runs_once() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    assert!(queue.enqueue("a", queue.clock.now()).await);
    queue.settles().await;
    assert!(!queue.enqueue("a", queue.clock.now()).await);
    queue.settles().await;

    assert_eq!(queue.runs(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_job_runs_again_when_it_is_revived() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    queue.enqueue("a", queue.clock.now()).await;
    queue.settles().await;

    let job = Fixture::job("a", queue.clock.now());
    let written = transaction!(queue.store, (job), |tx| jobs::enqueue_or_revive(tx, job.clone()).await);
    written.expect("the job is stored");
    queue.settles().await;

    assert_eq!(queue.runs(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_future_job_waits_for_the_clock() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    queue.enqueue("a", queue.clock.now().plus_days(30)).await;
    queue.settles().await;
    assert_eq!(queue.runs(), 0);

    queue.clock.advance_days(30);
    queue.queue.wake();
    queue.settles().await;

    assert_eq!(queue.runs(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_job_is_retried_up_to_the_limit_and_then_parked() {
    let queue = Fixture::new(|_| Err(JobError::Retry("the provider is down".to_owned()))).await;
    queue.enqueue("a", queue.clock.now()).await;
    for run in 1..=20 {
        queue.settles().await;
        assert_eq!(queue.runs(), run);
        queue.clock.advance_seconds(3600);
        queue.queue.wake();
    }
    queue.settles().await;

    assert_eq!(queue.runs(), 20);
    let parked = parked(&queue.store).await;
    assert_eq!(parked[0].last_error.as_deref(), Some("the provider is down"));

    assert_eq!(job_queries::replay(&queue.store, JobKind::Mail, Some("a")).await.expect("replayed"), 1);
    queue.settles().await;
    assert_eq!(queue.runs(), 21);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_requested_by_a_job_is_kept_up_to_an_hour() {
    let answer = |run| match run {
        1 => Err(JobError::RetryAfter(Duration::from_mins(2), "busy".to_owned())),
        2 => Err(JobError::RetryAfter(Duration::from_hours(48), "busy".to_owned())),
        _ => Ok(JobOutcome::Done),
    };
    let queue = Fixture::new(answer).await;
    queue.enqueue("a", queue.clock.now()).await;
    for (run, pause) in [(1, 120), (2, 3600)] {
        queue.settles().await;
        queue.clock.advance_seconds(pause - 1);
        queue.queue.wake();
        queue.settles().await;
        assert_eq!(queue.runs(), run, "not before its moment");
        queue.clock.advance_seconds(1);
        queue.queue.wake();
    }
    queue.settles().await;
    assert_eq!(queue.runs(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_job_does_not_stop_the_queue() {
    let answer = |run| if run == 1 { panic!("a defect in a handler") } else { Ok(JobOutcome::Done) };
    let queue = Fixture::new(answer).await;
    queue.enqueue("a", queue.clock.now()).await;
    queue.settles().await;
    queue.clock.advance_seconds(10);
    queue.queue.wake();
    queue.settles().await;

    assert_eq!(queue.runs(), 2);
    assert!(parked(&queue.store).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rescheduled_job_runs_again() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    queue.schedule("a", queue.clock.now()).await;
    queue.settles().await;
    queue.schedule("a", queue.clock.now()).await;
    queue.settles().await;

    assert_eq!(queue.runs(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_workers_run_each_job_once() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    for _ in 0..3 {
        let mut handlers = Handlers::default();
        let runs = queue.runs.clone();
        handlers.on(JobKind::Mail, move |_| {
            let runs = runs.clone();
            async move {
                runs.fetch_add(1, Ordering::SeqCst);
                Ok(JobOutcome::Done)
            }
        });
        let worker = Queue::new(queue.store.clone(), queue.clock.clone(), Ids::system(), handlers);
        tokio::spawn(worker.run());
    }

    for number in 0..100 {
        queue.enqueue(&number.to_string(), queue.clock.now()).await;
    }
    queue.settles().await;

    assert_eq!(queue.runs(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_a_dead_process_runs_in_another_process() {
    let database = Database::new().await;
    let store = database.open().await;
    let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
    let job = Fixture::job("a", clock.now());
    let stored = transaction!(store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
    stored.map_err(|error: StoreError| error).expect("the job is stored");
    // A process claims it and dies: nobody renews or ends its lease, which is short here.
    let real_now = system_now();
    let lease_until = real_now.plus_micros(200_000);
    let held = claims::claim(&store, &mails(), clock.now(), real_now, lease_until, 1).await.expect("claimed");
    assert_eq!(held.jobs.len(), 1);

    let attempts = Arc::new(AtomicU32::new(0));
    let mut handlers = Handlers::default();
    let seen = attempts.clone();
    handlers.on(JobKind::Mail, move |job| {
        seen.store(job.attempt, Ordering::SeqCst);
        async { Ok(JobOutcome::Done) }
    });
    let queue = Queue::new(store.clone(), clock.clone(), Ids::system(), handlers);
    tokio::spawn(queue.clone().run());

    assert!(queue.settle(IN_TIME).await, "another process ends it");
    assert_eq!(attempts.load(Ordering::SeqCst), 2, "the lost run counts as one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_a_lost_lease_neither_renews_it_nor_ends_the_job() {
    let database = Database::new().await;
    let store = database.open().await;
    let now = Timestamp::from_micros(1_000_000);
    let job = NewJob { kind: JobKind::Mail, key: "a".into(), payload: json!({}), due_at: now };
    let written = transaction!(store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
    let _: bool = written.map_err(|error: StoreError| error).expect("the job is stored");
    let mails = mails();
    let claim = async |at: Timestamp| {
        claims::claim(&store, &mails, at, at, at.plus_seconds(6), 1).await.expect("claimed").jobs.pop()
    };

    let stood_still = claim(now).await.expect("it is due");
    assert!(claim(now.plus_seconds(5)).await.is_none(), "nobody else gets what is held");
    let takes_over = claim(now.plus_seconds(7)).await.expect("the lease is over");
    let late = now.plus_seconds(8);
    let renewed = claims::renew(&store, &stood_still, late.plus_seconds(6)).await.expect("asked");
    let ends = [JobEnd::Done(None), JobEnd::Retry(late, "late".into())];
    for end in ends {
        assert!(!claims::end(&store, &stood_still, end, late).await.expect("asked"), "nothing is recorded");
    }

    assert!(!renewed);
    assert!(claim(late).await.is_none(), "it still runs at the second one");
    assert!(claims::renew(&store, &takes_over, late.plus_seconds(6)).await.expect("asked"));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_still_run_during_many_concurrent_writes() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    let calm = CancellationToken::new();
    let writers: Vec<_> = (0..4 * WRITE_STORM)
        .map(|_| {
            let (store, calm) = (queue.store.clone(), calm.clone());
            tokio::spawn(async move {
                while !calm.is_cancelled() {
                    heartbeats::write(&store).await.expect("it is written");
                }
            })
        })
        .collect();

    for key in 0..20 {
        queue.enqueue(&key.to_string(), queue.clock.now()).await;
    }
    queue.settles().await;

    assert_eq!(queue.runs(), 20);
    calm.cancel();
    futures::future::join_all(writers).await;
}
