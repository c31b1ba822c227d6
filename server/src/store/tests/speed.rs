//! What sharing a COMMIT is worth at 32 writers; the figures are printed, the order is asserted.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn commit_em_grupo_escreve_mais_que_um_por_vez() {
    let one_by_one = writes_per_second(1).await;
    let together = writes_per_second(BATCH).await;

    println!("SQLite, 32 writers, writes/s: one by one {one_by_one}, group commit {together}");
    assert!(together > one_by_one, "group commit {together}/s, one by one {one_by_one}/s");
}

async fn writes_per_second(batch: usize) -> u64 {
    let database = Database::sqlite();
    let settings = StoreSettings { batch, ..database.settings() };
    let store = Store::open(&settings).await.expect("the store opens");
    execute(&store, "CREATE TABLE notes (id BIGINT PRIMARY KEY, body TEXT NOT NULL)").await;
    let next = Arc::new(AtomicI64::new(0));
    let started = Instant::now();
    let writers = (0..32).map(|_| {
        let (store, next) = (store.clone(), next.clone());
        tokio::spawn(async move {
            while started.elapsed() < Duration::from_secs(1) {
                let id = next.fetch_add(1, Ordering::Relaxed);
                store.write(insert(id, &"x".repeat(200))).await.expect("the note is stored");
            }
        })
    });
    futures::future::join_all(writers).await;
    next.load(Ordering::Relaxed) as u64 * 1_000_000 / started.elapsed().as_micros() as u64
}
