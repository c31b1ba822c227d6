//! The sandbox's clock, followed over HTTP.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::ids::Ids;
use crate::queue::{Handlers, JobKind, JobOutcome, Queue};
use crate::store::jobs::{self, NewJob};
use crate::store::{Store, transaction};
use crate::tests::database::Database;

/// A sandbox on a port of its own, with its folder.
async fn sandbox() -> (String, garimpo_sandbox::Sandbox, tempfile::TempDir) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let data = tempfile::tempdir().expect("a temporary folder");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let settings = garimpo_sandbox::Settings {
        data_dir: data.path().to_owned(),
        url: url.clone(),
        webhook_url: format!("{url}/nobody"),
        clock_start: None,
    };
    let sandbox = garimpo_sandbox::Sandbox::start(settings).await.expect("the sandbox starts");
    let router = sandbox.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, sandbox, data)
}

/// A queue that writes down when, by its clock, each job ran.
fn follow(url: &str, store: &Store) -> (Arc<SandboxClock>, Arc<Queue>, Arc<Mutex<Vec<Timestamp>>>) {
    let clock = Arc::new(SandboxClock::default());
    let ran = Arc::new(Mutex::new(Vec::new()));
    let mut handlers = Handlers::default();
    handlers.on(JobKind::RightsChange, {
        let (clock, ran) = (clock.clone(), ran.clone());
        move |_| {
            ran.lock().expect("no test panicked").push(clock.now());
            async { Ok(JobOutcome::Done) }
        }
    });
    handlers.on(JobKind::CatalogPush, |_| std::future::pending());
    let queue = Queue::new(store.clone(), clock.clone(), Ids::system(), handlers);
    tokio::spawn(queue.clone().run());
    let client = reqwest::Client::new();
    let follower = Follower {
        url: url.to_owned(),
        name: "test".into(),
        clock: clock.clone(),
        queue: queue.clone(),
        client,
    };
    tokio::spawn(follower.run());
    (clock, queue, ran)
}

async fn enqueue(store: &Store, kind: JobKind, key: &'static str, due_at: Timestamp) {
    let job = NewJob { kind, key: key.to_owned(), payload: json!({}), due_at };
    let stored = transaction!(store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
    stored.expect("the job is stored");
}

/// Moves the sandbox's clock and waits until the walk is over.
async fn walk(url: &str, wish: serde_json::Value) {
    let asked = reqwest::Client::new().post(format!("{url}/clock")).json(&wish).send();
    asked.await.expect("the sandbox answers").error_for_status().expect("the clock may walk");
}

async fn eventually(state: impl Fn() -> bool) {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    tokio::time::timeout(Duration::from_secs(10), async {
        while !state() {
            looks.tick().await;
        }
    })
    .await
    .expect("the state is reached in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_clock_advance_runs_each_job_at_its_due_time() {
    let (url, _sandbox, _data) = sandbox().await;
    let database = Database::sqlite();
    let store = database.open().await;
    let (clock, queue, ran) = follow(&url, &store);
    eventually(|| clock.is_known()).await;
    let start = clock.now();
    enqueue(&store, JobKind::RightsChange, "ten", start.plus_days(10)).await;
    enqueue(&store, JobKind::RightsChange, "thirty", start.plus_days(30)).await;
    let known = queue.next_due();
    eventually(|| *known.borrow() == Some(start.plus_days(10))).await;

    // The acknowledgement has the next due instant, at which the sandbox pauses the advance.
    walk(&url, json!({"advance_seconds": 1})).await;
    walk(&url, json!({"advance_seconds": 35 * 86_400})).await;

    let ran = ran.lock().expect("no test panicked").clone();
    assert_eq!(ran.len(), 2, "both ran before the walk was answered");
    assert!(ran[0] >= start.plus_days(10) && ran[0] < start.plus_days(11), "at {}", ran[0]);
    assert!(ran[1] >= start.plus_days(30) && ran[1] < start.plus_days(31), "at {}", ran[1]);
    assert!(clock.now() >= start.plus_days(35));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_advance_waits_for_a_server_that_is_still_running_its_first_job() {
    let (url, _sandbox, _data) = sandbox().await;
    let database = Database::sqlite();
    let store = database.open().await;
    enqueue(&store, JobKind::CatalogPush, "never done", crate::clock::system_now()).await;
    let (clock, _queue, _) = follow(&url, &store);
    eventually(|| clock.is_known()).await;
    let start = clock.now();

    walk(&url, json!({"advance_seconds": 86_400})).await;

    assert!(clock.now() >= start.plus_days(1), "the walk was answered before the clock was taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_advance_that_keeps_sessions_does_not_advance_the_session_time() {
    let (url, _sandbox, _data) = sandbox().await;
    let database = Database::sqlite();
    let (clock, _queue, _) = follow(&url, &database.open().await);
    eventually(|| clock.is_known()).await;
    let start = clock.now();

    walk(&url, json!({"advance_seconds": 86_400, "keep_sessions": true})).await;

    assert!(clock.now() >= start.plus_days(1));
    assert!(clock.session_now() < start.plus_hours(1));
}
