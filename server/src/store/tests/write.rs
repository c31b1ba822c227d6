//! One transaction per job, independent of the other jobs.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::store::engine::writer;

#[tokio::test(flavor = "multi_thread")]
async fn one_failed_write_among_256_is_rolled_back_alone() {
    let database = Database::new().await;
    let store = notes(&database).await;
    store.write((), insert(100, "taken")).await.expect("the first note is stored");

    let jobs = (0..256).map(|id| {
        let store = store.clone();
        tokio::spawn(async move { (id, store.write((), insert(id, "note")).await) })
    });
    let answers = futures::future::join_all(jobs).await;

    for answer in answers {
        let (id, stored) = answer.expect("no writer panics");
        match stored {
            Ok(_) => assert_ne!(id, 100),
            Err(error) => assert!(id == 100 && error.is_unique_violation(), "{id}: {error:?}"),
        }
    }
    assert_eq!(ids(&store).await, (0..256).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_panics_is_rolled_back_alone() {
    let database = Database::new().await;
    let store = notes(&database).await;
    let panics = job::<(), StoreError, _>(|tx, ()| {
        Box::pin(async move {
            insert(1, "lost")(tx, &()).await?;
            panic!("a defect in a job")
        })
    });
    let panics_early = job::<(), StoreError, _>(|_, ()| panic!("a defect before the first query"));

    let (first, second, third, fourth) = tokio::join!(
        store.write((), insert(0, "kept")),
        store.write((), panics),
        store.write((), panics_early),
        store.write((), insert(2, "kept"))
    );

    assert!(matches!(second, Err(StoreError::Panicked)), "{second:?}");
    assert!(matches!(third, Err(StoreError::Panicked)), "{third:?}");
    assert!(first.is_ok() && fourth.is_ok());
    assert_eq!(ids(&store).await, [0, 2]);
    store.write((), insert(3, "after")).await.expect("the writer goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_caller_does_not_cancel_the_write() {
    let database = Database::new().await;
    let store = notes(&database).await;
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let caller = hold(&store, &gate).await;

    caller.abort();
    assert!(caller.await.expect_err("the caller is gone").is_cancelled());
    gate.add_permits(1);

    store.write((), insert(8, "next")).await.expect("the next write passes");
    eventually(|| async { ids(&store).await == [7, 8] }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_returns_unavailable_to_the_whole_batch() {
    let database = Database::new().await;
    let store = notes(&database).await;
    execute(
        &store,
        "CREATE TABLE replies (id BIGINT PRIMARY KEY,
           note BIGINT NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)",
    )
    .await;
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let held = hold(&store, &gate).await;
    let dangling = job::<(), StoreError, _>(|tx, ()| {
        Box::pin(async move { tx!(tx, execute "INSERT INTO replies (id, note) VALUES (1, 999)") })
    });

    // All of them wait behind the first write, so they share the next COMMIT.
    let (dangling, good, refused, ()) = tokio::join!(
        store.write((), dangling),
        store.write((), insert(2, "good")),
        store.write((), insert(2, "a refusal that rests on the batch")),
        async { gate.add_permits(1) }
    );

    held.await.expect("no writer panics").expect("the batch before is stored");
    assert!(matches!(dangling, Err(StoreError::Unavailable(_))), "{dangling:?}");
    if !database.is_postgres() {
        assert!(matches!(good, Err(StoreError::Unavailable(_))), "{good:?}");
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        assert_eq!(ids(&store).await, [7], "the whole batch is undone");
    }
    store.write((), insert(9, "after")).await.expect("the writer goes on");
}

/// A job that writes a note, and counts in `effects` after its COMMIT.
fn counts(
    id: i64,
    effects: &Arc<AtomicU32>,
) -> impl for<'t> Fn(&'t mut Tx, &'t ()) -> TxFuture<'t, i64, StoreError> + use<> {
    let effects = effects.clone();
    job(move |tx, ()| {
        let effects = effects.clone();
        Box::pin(async move {
            tx.after_commit(move || {
                effects.fetch_add(1, Ordering::SeqCst);
            });
            insert(id, "note")(tx, &()).await
        })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_hook_runs_once_and_only_for_committed_writes() {
    let database = Database::new().await;
    let store = notes(&database).await;
    store.write((), insert(5, "taken")).await.expect("stored");
    let (kept, undone) = (Arc::<AtomicU32>::default(), Arc::<AtomicU32>::default());
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let held = hold(&store, &gate).await;

    // Note 5 exists, so the batch of the embedded database is rolled back and run again.
    let (first, refused, second, ()) = tokio::join!(
        store.write((), counts(1, &kept)),
        store.write((), counts(5, &undone)),
        store.write((), counts(2, &kept)),
        async { gate.add_permits(1) }
    );

    held.await.expect("no writer panics").expect("the batch before is stored");
    assert!(first.is_ok() && second.is_ok() && refused.is_err());
    assert_eq!((kept.load(Ordering::SeqCst), undone.load(Ordering::SeqCst)), (2, 0));
}

/// A write that panics outside of a job.
struct PanicsBeside {
    /// Closes with the write.
    _lives: oneshot::Sender<()>,
}

impl writer::Write for PanicsBeside {
    fn run<'t>(&'t mut self, _: &'t mut Tx) -> Pin<Box<dyn Future<Output = bool> + Send + 't>> {
        panic!("a defect beside the jobs")
    }

    fn has_lost(&self) -> bool {
        false
    }

    fn answer(self: Box<Self>, _: Result<(), StoreError>) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn the_writer_continues_after_a_panic_outside_a_write() {
    let database = Database::sqlite();
    let store = notes(&database).await;
    let Db::Sqlite { writer, .. } = store.db() else { panic!("it is embedded") };

    let (lives, ends) = oneshot::channel();
    assert!(writer.send(WriterCommand::Write(Box::new(PanicsBeside { _lives: lives }))).await.is_ok());
    assert!(ends.await.is_err(), "its batch is dropped");

    store.write((), insert(1, "after")).await.expect("the writer goes on");
    assert_eq!(ids(&store).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgresql_deadlock_is_retried() {
    let Some(database) = Database::postgres().await else {
        return crate::tests::database::skips("PostgreSQL");
    };
    let store = notes(&database).await;
    store.write((), insert(1, "a")).await.expect("stored");
    store.write((), insert(2, "b")).await.expect("stored");
    let runs = Arc::new(AtomicU32::new(0));
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let crossing = |first: i64, second: i64| {
        let (runs, both) = (runs.clone(), both.clone());
        job(move |tx, ()| {
            let (runs, both) = (runs.clone(), both.clone());
            Box::pin(async move {
                touch(tx, first).await?;
                // Only the first two runs meet; the repeated one runs alone.
                if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                    both.wait().await;
                }
                touch(tx, second).await
            })
        })
    };

    let (one, two) = tokio::join!(store.write((), crossing(1, 2)), store.write((), crossing(2, 1)));

    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert!(runs.load(Ordering::SeqCst) >= 3, "the loser ran again");
}

async fn touch(tx: &mut Tx, id: i64) -> Result<(), StoreError> {
    tx!(tx, execute "UPDATE notes SET body = body || '+' WHERE id = $1", id)
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_finishes_the_queued_writes_and_rejects_later_ones() {
    let database = Database::new().await;
    let store = notes(&database).await;
    let waiting: Vec<_> = (0..50)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { store.write((), insert(id, "note")).await })
        })
        .collect();
    futures::future::join_all(waiting).await;

    store.close().await;

    assert!(store.write((), insert(99, "late")).await.is_err());
    assert_eq!(ids(&database.open().await).await.len(), 50);
}

/// Waits for a state, at most ten seconds.
async fn eventually<F: Future<Output = bool>>(state: impl Fn() -> F) {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    tokio::time::timeout(Duration::from_secs(10), async {
        while !state().await {
            looks.tick().await;
        }
    })
    .await
    .expect("the state is reached in time");
}

/// Starts a write of note 7 whose transaction stays open until the gate has a permit.
async fn hold(
    store: &Store,
    gate: &Arc<tokio::sync::Semaphore>,
) -> tokio::task::JoinHandle<Result<i64, StoreError>> {
    let started = Arc::new(Notify::new());
    let held = job({
        let (gate, started) = (gate.clone(), started.clone());
        move |tx, ()| {
            let (gate, started) = (gate.clone(), started.clone());
            Box::pin(async move {
                started.notify_one();
                gate.acquire().await.expect("the gate is open").forget();
                insert(7, "kept")(tx, &()).await
            })
        }
    });
    let writing = tokio::spawn({
        let store = store.clone();
        async move { store.write((), held).await }
    });
    started.notified().await;
    writing
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_postgresql_is_reported_with_its_address_and_cause_without_the_password() {
    let nobody = StoreSettings::new("postgres://ana:segredo@127.0.0.1:1/garimpo");

    let failed = Store::open(&nobody).await.err().expect("nobody listens there").to_string();

    assert!(
        failed.starts_with("PostgreSQL at 127.0.0.1:1 (database garimpo, user ana) gives no connection: "),
        "{failed}"
    );
    assert!(failed.contains("onnection refused") && failed.contains("; check that it runs"), "{failed}");
    assert!(!failed.contains("segredo"), "{failed}");
    let Some(database) = Database::postgres().await else {
        return crate::tests::database::skips("PostgreSQL");
    };
    let absent = StoreSettings::new(format!("{}_ausente", database.url));
    let failed = Store::open(&absent).await.err().expect("there is no such database").to_string();
    assert_eq!(failed.matches("does not exist").count(), 1, "{failed}");
}
