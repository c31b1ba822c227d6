//! The durable queue: jobs that outlive a request, in one table, run by every server.
//!
//! A job is stored in the transaction of its cause and runs at least once after the product's clock
//! has reached `due_at`, so handlers are idempotent. A failed run is repeated after a growing
//! pause; after the kind's limit the job is parked, and the operator can see and replay it.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::ids::Ids;
use crate::store::jobs::claims;
use crate::store::jobs::claims::{Claimable, Kinds};
use crate::store::{Result, Store};

mod gauges;
mod handlers;
mod run;
#[cfg(test)]
mod tests;
mod unreadable;

pub use crate::store::jobs::kind::{JobClass, JobKind, Priority};
pub use handlers::{Handlers, JobError, JobFuture, JobOutcome, JobResult};
use run::{Run, Runner};

/// Poll interval for due jobs: other processes enqueue jobs without notifying this one.
const POLL: Duration = Duration::from_secs(1);
/// With this many writes waiting, requests arrive faster than they are stored.
const WRITE_STORM: usize = 8;
/// In a write storm jobs start at most this often: requests go first, but jobs still run.
const WRITE_STORM_PAUSE: Duration = Duration::from_millis(100);
/// How long a stop waits for running jobs.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// A process that dies holds its jobs at most this long (PostgreSQL; an embedded database releases
/// them at start).
const LEASE: Duration = Duration::from_secs(6);

/// The slots of a class in this process, and the jobs that may use them.
struct ClassSlots {
    class: JobClass,
    claimable: Claimable,
    free: Arc<Semaphore>,
}

impl ClassSlots {
    fn of(class: JobClass, handlers: &Handlers) -> Self {
        let claimable = Claimable::of(class, handlers.kinds());
        Self { class, claimable, free: Arc::new(Semaphore::new(class.slots())) }
    }

    fn are_free(&self) -> bool {
        self.free.available_permits() == self.class.slots()
    }

    /// Waits until no job of the class runs.
    async fn become_free(&self) {
        let all = u32::try_from(self.class.slots()).unwrap_or(u32::MAX);
        drop(self.free.acquire_many(all).await);
    }
}

/// Result of a poll for due jobs of a class.
enum Poll {
    /// Jobs were started, or every slot is in use.
    Busy,
    /// No job is due for this long.
    Idle(Duration),
}

/// The worker of this process.
pub struct Queue {
    store: Store,
    clock: Arc<dyn Clock>,
    runner: Arc<Runner>,
    kinds: Kinds,
    /// The kinds for which fast-forwarding the sandbox's clock stops.
    momentous: Kinds,
    slots: [ClassSlots; JobClass::ALL.len()],
    /// The statement that finds when the next job of each class is due.
    next_dues: String,
    next_due: watch::Sender<Option<Timestamp>>,
    stop: CancellationToken,
}

impl Queue {
    /// Creates the queue; no job runs before [`Queue::run`].
    pub fn new(store: Store, clock: Arc<dyn Clock>, ids: Ids, handlers: Handlers) -> Arc<Self> {
        Self::with_lease(store, clock, ids, handlers, LEASE)
    }

    fn with_lease(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Ids,
        handlers: Handlers,
        lease: Duration,
    ) -> Arc<Self> {
        let slots = JobClass::ALL.map(|class| ClassSlots::of(class, &handlers));
        Arc::new(Self {
            next_dues: claims::next_dues_of(slots.iter().map(|slots| &slots.claimable)),
            slots,
            kinds: Kinds::new(handlers.kinds()),
            momentous: Kinds::new(handlers.kinds().filter(|kind| !kind.is_routine())),
            runner: Arc::new(Runner::new(store.clone(), clock.clone(), ids, handlers, lease)),
            store,
            clock,
            next_due: watch::Sender::new(None),
            stop: CancellationToken::new(),
        })
    }

    /// Polls for due jobs now, because the clock has moved.
    pub fn wake(&self) {
        self.runner.wake.notify_one();
    }

    /// When the next job is due, as far as this process has seen: fast-forwarding the sandbox's
    /// clock stops there.
    pub(crate) fn next_due(&self) -> watch::Receiver<Option<Timestamp>> {
        self.next_due.subscribe()
    }

    /// Runs jobs until [`Queue::stop`].
    pub async fn run(self: Arc<Self>) {
        if let Err(error) = claims::release_embedded(&self.store).await {
            tracing::error!(
                error = %Causes(&error),
                "the leases of the last process were not released"
            );
        }
        let gauges = tokio::spawn(gauges::keep(self.store.clone(), self.clock.clone()));
        let parking = tokio::spawn(unreadable::keep_parking(self.store.clone(), self.clock.clone()));
        while !self.stop.is_cancelled() {
            let pause = match self.start_due().await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::error!(error = %Causes(&error), "due jobs were not claimed");
                    POLL
                }
            };
            tokio::select! {
                () = self.runner.wake.notified() => {}
                () = self.store.enqueued().notified() => {}
                () = tokio::time::sleep(pause) => {}
                () = self.stop.cancelled() => {}
            }
        }
        gauges.abort();
        parking.abort();
    }

    /// Starts due jobs of every class, and returns how long no other job is due.
    async fn start_due(self: &Arc<Self>) -> Result<Duration> {
        let mut pause = POLL;
        if !self.clock.is_known() {
            return Ok(pause);
        }
        let mut is_busy = false;
        let dues = claims::next_dues(&self.store, &self.next_dues, system_now()).await?;
        for (slots, due) in self.slots.iter().zip(dues) {
            match self.start_due_of(slots, due).await? {
                Poll::Busy => is_busy = true,
                Poll::Idle(idle) => pause = pause.min(idle),
            }
        }
        // Only the follower of the sandbox's clock reads it.
        if !is_busy && self.next_due.receiver_count() > 0 {
            self.announce_next_due().await?;
        }
        Ok(pause)
    }

    /// Starts due jobs of one class in its free slots. The earliest is `due` then.
    async fn start_due_of(self: &Arc<Self>, slots: &ClassSlots, due: Option<Timestamp>) -> Result<Poll> {
        let free = slots.free.available_permits();
        if free == 0 {
            // The end of a running job wakes the queue.
            return Ok(Poll::Busy);
        }
        let now = self.clock.now();
        match due {
            None => return Ok(Poll::Idle(POLL)),
            Some(due) if due > now => {
                return Ok(Poll::Idle(Duration::from_micros(due.micros_since(now) as u64)));
            }
            Some(_) if self.store.writes_waiting() >= WRITE_STORM => {
                tokio::time::sleep(WRITE_STORM_PAUSE).await;
            }
            Some(_) => {}
        }
        let (claimed_at, real_now) = (Instant::now(), system_now());
        let lease_until = real_now.plus_micros(self.runner.lease.as_micros() as i64);
        let claim = claims::claim(&self.store, &slots.claimable, now, real_now, lease_until, free).await?;
        claim.unreadable.iter().for_each(unreadable::report);
        if !claim.unreadable.is_empty() {
            // They end without a run, so no end of a run wakes the queue for the jobs after them.
            self.wake();
        }
        for job in claim.jobs {
            // This function alone acquires slots, so as many are free as jobs were claimed.
            let Ok(slot) = slots.free.clone().acquire_owned().await else { break };
            tokio::spawn(Run::new(self.runner.clone(), job, claimed_at).go(slot));
        }
        Ok(Poll::Busy)
    }

    /// Announces the next job for which fast-forwarding the sandbox's clock must stop.
    pub(crate) async fn announce_next_due(&self) -> Result<()> {
        let announced = claims::next_due_of(&self.store, &self.momentous, system_now()).await?;
        self.next_due.send_if_modified(|next| std::mem::replace(next, announced) != announced);
        Ok(())
    }

    /// Waits until no job is due and none runs, at most `limit`; returns whether it happened.
    pub async fn settle(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, async {
            loop {
                let ended = self.runner.ended.notified();
                if self.is_idle().await {
                    return;
                }
                // Other processes run jobs too, without notifying this one.
                drop(tokio::time::timeout(Duration::from_millis(50), ended).await);
            }
        })
        .await
        .is_ok()
    }

    /// Whether no job is due and none runs in this process.
    pub async fn is_idle(&self) -> bool {
        self.slots.iter().all(ClassSlots::are_free)
            && matches!(claims::is_due(&self.store, &self.kinds, self.clock.now()).await, Ok(false))
    }

    /// Starts no more jobs and waits for running ones.
    pub async fn stop(&self) {
        self.stop.cancel();
        let ended = futures::future::join_all(self.slots.iter().map(ClassSlots::become_free));
        if tokio::time::timeout(STOP_TIMEOUT, ended).await.is_err() {
            tracing::warn!("jobs still run at the stop and will be repeated");
        }
    }
}
