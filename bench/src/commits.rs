//! Durable writes per second on SQLite (WAL, synchronous=FULL): batches of up to 256 writes in one
//! COMMIT, compared with one COMMIT per write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use garimpo_domain::Timestamp;
use garimpo_server::queue::JobKind;
use garimpo_server::store::jobs::{self, NewJob};
use garimpo_server::store::{Store, StoreError, StoreSettings};

use crate::Figure;

const RUN: Duration = Duration::from_secs(4);
const MAX_BATCH: usize = 256;

pub async fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (callers, what) in [
        (32, "Store::write, 32 callers, compared with one COMMIT each"),
        (1, "Store::write, 1 caller, compared with one COMMIT each"),
    ] {
        let reference = writes_per_second(callers, 1).await?;
        let ours = writes_per_second(callers, MAX_BATCH).await?;
        figures.push(Figure::rate(what, "writes/s", ours, reference));
    }
    Ok(figures)
}

async fn writes_per_second(callers: usize, batch: usize) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}", folder.path().join("bench.db").display());
    let store = Store::open(&StoreSettings { batch, ..StoreSettings::new(url) }).await?;
    let written = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    let writers = (0..callers).map(|_| {
        let (store, written) = (store.clone(), written.clone());
        tokio::spawn(async move {
            while started.elapsed() < RUN {
                write(&store, written.fetch_add(1, Ordering::Relaxed)).await?;
            }
            Ok::<_, StoreError>(())
        })
    });
    for ended in futures::future::join_all(writers).await {
        ended??;
    }
    let written = u32::try_from(written.load(Ordering::Relaxed))?;
    let rate = f64::from(written) / started.elapsed().as_secs_f64();
    store.close().await;
    Ok(rate)
}

/// One job of about 200 bytes, like a stored event or a mail.
async fn write(store: &Store, number: u64) -> Result<(), StoreError> {
    store
        .write((), move |tx, ()| {
            let job = NewJob {
                kind: JobKind::Conversion,
                key: format!("bench_{number}"),
                payload: serde_json::json!({ "filler": "x".repeat(180) }),
                due_at: Timestamp::from_micros(0),
            };
            Box::pin(async move { jobs::enqueue_if_absent(tx, job).await.map(drop) })
        })
        .await
}
