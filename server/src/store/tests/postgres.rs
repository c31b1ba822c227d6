//! PostgreSQL as hosted services offer it: timeouts, lost connections, a pooler.

use crate::store::engine::transaction;
use sqlx::{Connection as _, PgConnection};

use super::*;

const SHORT: Duration = Duration::from_millis(200);

/// A PostgreSQL database with the table `notes`, opened without a pooler and as if behind one.
async fn each_pooler(change: impl Fn(&mut StoreSettings)) -> Vec<(Database, Store)> {
    let mut opened = Vec::new();
    for pooler in [Pooler::None, Pooler::Transaction] {
        let Some(database) = Database::postgres().await else { return opened };
        notes(&database).await.close().await;
        let mut settings = StoreSettings { pooler, ..database.settings() };
        change(&mut settings);
        let store = Store::open(&settings).await.expect("it opens");
        opened.push((database, store));
    }
    opened
}

/// Locks the table `notes` until the connection ends or rolls back.
async fn holds_notes(database: &Database) -> PgConnection {
    let mut beside = PgConnection::connect(&database.url).await.expect("it answers");
    let hold = sqlx::raw_sql("BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE");
    hold.execute(&mut beside).await.expect("nobody else has it");
    beside
}

/// The session that waits for `notes`, other than one that was terminated.
async fn find_waiting_session(beside: &mut PgConnection, ended: i32) -> i32 {
    let waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'notes'::regclass AND pid <> $1";
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    let looking = async {
        loop {
            looks.tick().await;
            let pid = sqlx::query_scalar(waiting).bind(ended).fetch_optional(&mut *beside).await;
            if let Some(pid) = pid.expect("readable") {
                return pid;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), looking).await.expect("a session waits")
}

/// Terminates the session that waits for `notes`.
async fn ends_waiting(beside: &mut PgConnection, ended: i32) -> i32 {
    let pid = find_waiting_session(beside, ended).await;
    sqlx::query("SELECT pg_terminate_backend($1)").bind(pid).execute(beside).await.expect("it ends");
    pid
}

async fn rolls_back(mut beside: PgConnection) {
    sqlx::raw_sql("ROLLBACK").execute(&mut beside).await.expect("it ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_waits_on_a_lock_or_is_slow_ends_at_its_timeout_and_the_next_one_runs() {
    for (database, store) in each_pooler(|settings| settings.lock_timeout = Some(SHORT)).await {
        let beside = holds_notes(&database).await;
        let read =
            ro!(&store, c => sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM notes").fetch_one(c).await);
        assert!(matches!(read, Err(StoreError::LockTimeout(_))), "{read:?}");
        let written = store.write((), insert(1, "waits")).await;
        assert!(matches!(written, Err(StoreError::LockTimeout(_))), "{written:?}");

        rolls_back(beside).await;

        store.write((), insert(2, "goes")).await.expect("nobody holds the table");
        assert_eq!(ids(&store).await, [2]);
    }
    for (_, store) in each_pooler(|settings| settings.statement_timeout = Some(SHORT)).await {
        let slow = ro!(&store, execute "SELECT pg_sleep(60)");
        assert!(matches!(slow, Err(StoreError::StatementTimeout(_))), "{slow:?}");
        store.write((), insert(1, "goes")).await.expect("the next one goes");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_is_repeated_once_after_a_lost_connection_and_a_write_is_never_repeated() {
    for (database, store) in each_pooler(|_| {}).await {
        store.write((), insert(1, "kept")).await.expect("stored");
        let mut beside = holds_notes(&database).await;

        // A read survives one lost connection.
        let reading = tokio::spawn({
            let store = store.clone();
            async move { ids(&store).await }
        });
        let ended = ends_waiting(&mut beside, 0).await;
        find_waiting_session(&mut beside, ended).await;
        rolls_back(beside).await;
        assert_eq!(reading.await.expect("no panic"), [1]);

        // It does not survive two.
        let mut beside = holds_notes(&database).await;
        let reading = tokio::spawn({
            let store = store.clone();
            async move {
                ro!(&store, c => sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM notes").fetch_one(c).await)
            }
        });
        let ended = ends_waiting(&mut beside, 0).await;
        let ended = ends_waiting(&mut beside, ended).await;
        let lost = reading.await.expect("no panic");
        assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");

        // A write may have been stored, so the caller decides whether to repeat it.
        let runs = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = job({
            let runs = runs.clone();
            move |tx, ()| {
                runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                insert(2, "lost")(tx, &())
            }
        });
        let writing = tokio::spawn({
            let store = store.clone();
            async move { store.write((), counted).await }
        });
        ends_waiting(&mut beside, ended).await;
        let lost = writing.await.expect("no panic");
        assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
        assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 1);
        rolls_back(beside).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_after_the_end_of_all_connections_do_not_fail() {
    for (database, store) in each_pooler(|_| {}).await {
        store.write((), insert(1, "kept")).await.expect("stored");
        let mut beside = PgConnection::connect(&database.url).await.expect("it answers");
        for _ in 0..3 {
            futures::future::join_all((0..8).map(|_| ids(&store))).await;
            let ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()";
            sqlx::query(ends).execute(&mut beside).await.expect("they end");

            for read in futures::future::join_all((0..8).map(|_| ids(&store))).await {
                assert_eq!(read, [1]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_pooler_no_statement_is_prepared_and_a_read_only_store_only_reads() {
    for (database, store) in each_pooler(|_| {}).await {
        let pooler = if let Db::Pg(server) = store.db() { server.pooler } else { continue };
        let named = transaction!(store, |tx| {
            insert(1, "a")(tx, &()).await?;
            tx!(tx, c => sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM pg_prepared_statements").fetch_one(c).await)
        });
        let named: i64 = named.map_err(|error: StoreError| error).expect("readable");
        assert_eq!(named > 0, pooler == Pooler::None);

        let settings = StoreSettings { pooler, ..database.settings() };
        let reader = Store::open_to_read(&settings).await.expect("it opens");
        assert_eq!(ids(&reader).await, [1]);
        assert!(reader.write((), insert(2, "refused")).await.is_err());
        let used = store.connections();
        assert!(used.idle + used.in_use >= 1 && used.max == settings.connections, "{used:?}");
    }
}
