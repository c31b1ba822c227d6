//! The write-ahead log of the embedded database while another process keeps it open, as a
//! replication sidecar does.

use crate::store::engine::transaction;
use crate::store::operator::heartbeats;
use std::path::PathBuf;

use sqlx::{Connection as _, SqliteConnection};

use super::*;

/// A store that has written, and the sidecar's connection.
async fn written(database: &Database, replicated: bool) -> (Store, SqliteConnection) {
    let store = Store::open(&StoreSettings { replicated, ..database.settings() }).await.expect("it opens");
    let mut beside = SqliteConnection::connect(&database.url).await.expect("the file opens");
    heartbeats::write(&store).await.expect("it is written");
    assert_eq!(beats(&mut beside).await, 1);
    (store, beside)
}

async fn beats(beside: &mut SqliteConnection) -> i64 {
    sqlx::query_scalar("SELECT beat FROM heartbeats").fetch_one(beside).await.expect("readable")
}

fn log_bytes(database: &Database) -> u64 {
    let file = PathBuf::from(format!("{}-wal", database.url.trim_start_matches("sqlite://")));
    std::fs::metadata(file).expect("the log is there").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_store_empties_the_log() {
    let database = Database::sqlite();
    let (store, mut beside) = written(&database, false).await;
    assert!(log_bytes(&database) > 0);

    store.close().await;

    assert_eq!((log_bytes(&database), beats(&mut beside).await), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_a_replicated_store_keeps_the_log_for_the_replicator() {
    let database = Database::sqlite();
    let (store, mut beside) = written(&database, true).await;
    let before = log_bytes(&database);

    store.close().await;

    assert_eq!((log_bytes(&database), beats(&mut beside).await), (before, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_log_is_truncated_to_64_mib() {
    for replicated in [false, true] {
        let database = Database::sqlite();
        let (store, _beside) = written(&database, replicated).await;

        let limit = transaction!(
            store,
            |tx| tx!(tx, c => sqlx::query_scalar::<_, i64>("SELECT journal_size_limit FROM pragma_journal_size_limit")
            .fetch_one(c).await)
        );

        assert_eq!(limit.map_err(|error: StoreError| error).expect("readable"), 64 * 1024 * 1024);
    }
}
