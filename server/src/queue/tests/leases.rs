//! A job runs at one server at a time, under a lease.

use tokio::sync::Notify;

use super::*;
use crate::operator::tests::execute_sql;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries;
use crate::store::{jobs, transaction};

/// Notifies when the future that holds it is dropped.
struct Stopped(Arc<Notify>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Lets a lease be taken, and no lease be renewed.
async fn refuses_renewals(database: &Database) {
    let renewal = "OLD.leased_until_us IS NOT NULL AND NEW.leased_until_us IS NOT NULL";
    let trigger = "CREATE TRIGGER no_renewal BEFORE UPDATE OF leased_until_us ON jobs";
    let statements = if database.is_postgres() {
        format!(
            "CREATE FUNCTION no_renewal() RETURNS trigger AS
               $$ BEGIN RAISE EXCEPTION 'out of reach'; END $$ LANGUAGE plpgsql;
             {trigger} FOR EACH ROW WHEN ({renewal}) EXECUTE FUNCTION no_renewal()"
        )
    } else {
        format!("{trigger} WHEN {renewal} BEGIN SELECT RAISE(ABORT, 'out of reach'); END")
    };
    execute_sql(database, &statements).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_stops_when_its_lease_ends_without_a_renewal() {
    let database = Database::new().await;
    let store = database.open().await;
    refuses_renewals(&database).await;
    let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
    let stopped = Arc::new(Notify::new());
    let mut handlers = Handlers::default();
    handlers.on(JobKind::Mail, {
        let stopped = stopped.clone();
        move |_| {
            let running = Stopped(stopped.clone());
            async move {
                let _running = running;
                std::future::pending().await
            }
        }
    });
    let running = run(&store, &clock, handlers);
    enqueue(&store, "a", clock.now()).await;

    tokio::time::timeout(IN_TIME, stopped.notified()).await.expect("the handler is stopped");

    let job = stored(&store, "a").await;
    assert_eq!((job.state, job.attempts), (JobState::Waiting, 1));
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_job_renews_its_lease_and_runs_once() {
    let database = Database::new().await;
    let store = database.open().await;
    let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
    let gate = Arc::new(Semaphore::new(0));
    let running = run(&store, &clock, waiting_at(&gate));
    enqueue(&store, "a", clock.now()).await;

    let mut leases = std::collections::BTreeSet::new();
    eventually("four leases were taken in turn", async || {
        leases.extend(stored(&store, "a").await.leased_until);
        leases.len() > 3
    })
    .await;
    gate.add_permits(1);

    eventually("the job is done", async || stored(&store, "a").await.state == JobState::Done).await;
    assert_eq!(stored(&store, "a").await.attempts, 1);
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_a_worker_with_a_lost_lease_is_not_stored() {
    let database = Database::new().await;
    let store = database.open().await;
    let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
    let gate = Arc::new(Semaphore::new(0));
    let running = run(&store, &clock, waiting_at(&gate));
    enqueue(&store, "a", clock.now()).await;
    eventually("it runs", async || stored(&store, "a").await.attempts == 1).await;

    // The lease has another name, as if another process had claimed the job.
    execute_sql(&database, "UPDATE jobs SET leased_until_us = leased_until_us + 1").await;
    gate.add_permits(2);

    eventually("the job is done", async || stored(&store, "a").await.state == JobState::Done).await;
    assert_eq!(stored(&store, "a").await.attempts, 2, "by the run after the lost one");
    running.abort();
}

/// A queue whose leases are short.
fn run(store: &Store, clock: &Arc<TestClock>, handlers: Handlers) -> tokio::task::JoinHandle<()> {
    let lease = Duration::from_millis(500);
    let queue = Queue::with_lease(store.clone(), clock.clone(), Ids::seeded(1), handlers, lease);
    tokio::spawn(queue.run())
}

/// Mails that are sent when the gate opens, one for each permit.
fn waiting_at(gate: &Arc<Semaphore>) -> Handlers {
    let mut handlers = Handlers::default();
    let gate = gate.clone();
    handlers.on(JobKind::Mail, move |_| {
        let gate = gate.clone();
        async move {
            gate.acquire().await.expect("the gate is open").forget();
            Ok(JobOutcome::Done)
        }
    });
    handlers
}

async fn enqueue(store: &Store, key: &str, due_at: Timestamp) {
    let job = Fixture::job(key, due_at);
    let written = transaction!(store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
    assert!(written.map_err(|error: StoreError| error).expect("the job is stored"));
}

async fn stored(store: &Store, key: &str) -> JobRow {
    job_queries::by_key(store, JobKind::Mail, key).await.expect("readable").expect("it is there")
}

async fn eventually(what: &str, mut state: impl AsyncFnMut() -> bool) {
    let reached = tokio::time::timeout(IN_TIME, async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        while !state().await {
            looks.tick().await;
        }
    });
    assert!(reached.await.is_ok(), "{what}");
}
