//! Stores delivered events in batches: those that arrive while a batch is committed share the next
//! one. So many events at once cost two statements and one COMMIT, on PostgreSQL too.

use std::sync::{Arc, OnceLock};

use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::store::jobs::Cause;
use crate::store::{NewEvent, NewJob, Result, Store, StoreError, events, jobs, transaction};

/// Most events of one batch.
const MAX_BATCH: usize = 64;

/// The queue of events to store. Its task starts with the first event.
#[derive(Default)]
pub(crate) struct EventInbox(OnceLock<mpsc::Sender<Delivery>>);

struct Delivery {
    entry: Entry,
    stored: oneshot::Sender<Result<()>>,
}

/// An event, and the job that handles it if it is new.
#[derive(Clone)]
struct Entry {
    event: Arc<NewEvent>,
    job: Option<NewJob>,
    cause: Cause,
}

impl EventInbox {
    /// Stores an event once by its id. If it returns `Ok`, the event is durable.
    pub(crate) async fn store(
        &self,
        (store, clock): (&Store, &Arc<dyn Clock>),
        event: NewEvent,
        job: Option<NewJob>,
    ) -> Result<()> {
        let _waiting = store.batched_write();
        let (stored, answer) = oneshot::channel();
        let entry = Entry { event: Arc::new(event), job, cause: Cause::current() };
        let queue = self.0.get_or_init(|| {
            let (queue, deliveries) = mpsc::channel(MAX_BATCH);
            tokio::spawn(run(store.clone(), clock.clone(), deliveries));
            queue
        });
        queue.send(Delivery { entry, stored }).await.map_err(|_| StoreError::Closing)?;
        answer.await.map_err(|_| StoreError::Closing)?
    }
}

async fn run(store: Store, clock: Arc<dyn Clock>, mut deliveries: mpsc::Receiver<Delivery>) {
    let mut waiting = Vec::with_capacity(MAX_BATCH);
    while deliveries.recv_many(&mut waiting, MAX_BATCH).await > 0 {
        let entries: Vec<_> = waiting.iter().map(|delivery| delivery.entry.clone()).collect();
        let is_stored = write(&store, &clock, entries).await.is_ok();
        for Delivery { entry, stored } in waiting.drain(..) {
            // One event may have failed the batch, so each is stored alone then.
            let result = if is_stored { Ok(()) } else { write(&store, &clock, vec![entry]).await };
            // The caller may be gone.
            let _ = stored.send(result);
        }
    }
}

async fn write(store: &Store, clock: &Arc<dyn Clock>, entries: Vec<Entry>) -> Result<()> {
    let now = clock.now();
    transaction!(store, (entries), |tx| {
        let events: Vec<_> = entries.iter().map(|entry| &*entry.event).collect();
        let new = events::insert(tx, &events, now).await?;
        let of_new = entries.iter().filter(|entry| new.contains(&entry.event.id));
        let jobs: Vec<_> = of_new.filter_map(|entry| Some((entry.job.as_ref()?, &entry.cause))).collect();
        jobs::enqueue_all(tx, &jobs).await
    })
}
