//! Stores delivered events in batches: those that arrive while a batch is committed share the next
//! one. So many events at once cost two statements and one COMMIT, on PostgreSQL too.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::store::jobs::Cause;
use crate::store::{NewEvent, NewJob, Result, Store, StoreError, events, jobs, transaction};

/// Most events of one batch.
const MAX_BATCH: usize = 64;

/// The queue of events to store. Its task starts with the first event, and again if it panicked.
#[derive(Default)]
pub(crate) struct EventInbox(Mutex<Option<mpsc::Sender<Delivery>>>);

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
        let queue = self.queue(store, clock);
        queue.send(Delivery { entry, stored }).await.map_err(|_| StoreError::Closing)?;
        answer.await.map_err(|_| StoreError::Closing)?
    }

    fn queue(&self, store: &Store, clock: &Arc<dyn Clock>) -> mpsc::Sender<Delivery> {
        let mut kept = self.0.lock();
        if let Some(queue) = kept.as_ref().filter(|queue| !queue.is_closed()) {
            return queue.clone();
        }
        let (queue, deliveries) = mpsc::channel(MAX_BATCH);
        tokio::spawn(run(store.clone(), clock.clone(), deliveries));
        kept.insert(queue).clone()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::tests::database::Database;

    #[tokio::test(flavor = "multi_thread")]
    async fn an_event_after_a_panic_of_the_inbox_task_is_stored() {
        let database = Database::new().await;
        let (store, clock): (_, Arc<dyn Clock>) = (database.open().await, Arc::new(SystemClock));
        let (of_ended_task, _) = mpsc::channel(1);
        let inbox = EventInbox(Mutex::new(Some(of_ended_task)));
        let (id, kind) = ("evt_1".to_owned(), "invoice.paid".to_owned());
        let event = NewEvent { id, kind, customer_id: None, body: vec![] };

        inbox.store((&store, &clock), event, None).await.expect("the event is stored");

        assert!(events::by_id(&store, "evt_1").await.expect("the store reads").is_some());
    }
}
