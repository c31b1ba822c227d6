//! The durable queue: work that outlives a request, in one table, run by every server.
//!
//! A job is written in the transaction of its cause ([`crate::store::jobs::enqueue_if_absent`]) and run at
//! least once when the product's clock has reached `due_at`; so handlers are idempotent. A failure is
//! tried again with a growing pause; after the kind's limit the job is parked, visible and replayable.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use strum::{EnumString, IntoStaticStr, VariantArray};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::error::Error;
use crate::ids::Ids;
use crate::store::jobs::claims::{self, Claimable, ClaimedJob, Kinds};
use crate::store::{Store, StoreError};

mod class;
mod gauges;
mod run;
#[cfg(test)]
mod tests;
mod unreadable;

pub use class::{JobClass, Priority};
use run::Run;

/// A job is looked for at least this often: other processes enqueue without ringing here.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// With so many writes waiting, requests come faster than they are stored.
const STORM: usize = 8;
/// In a storm jobs start at most this often: whoever waits for an answer goes first, and jobs still go on.
const GIVE_WAY: Duration = Duration::from_millis(100);
/// How long a stop waits for what runs.
const STOP_WAITS: Duration = Duration::from_secs(10);
/// A process that dies holds its jobs at most this long (PostgreSQL; an embedded database frees them at start).
const LEASE: Duration = Duration::from_secs(6);

/// What a job does; the name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum JobKind {
    /// A stored event of the payment provider is applied.
    PaymentEvent,
    /// A customer's state is read again from the provider and projected.
    Reconcile,
    /// An account's rights change by time alone.
    RightsChange,
    /// A subscription that lost against another one of its account is ended at the provider, and given back if paid.
    Retire,
    /// The provider's collection of an invoice is resumed, or the invoice is voided.
    Collection,
    /// What is left of an invoice and too little for a boleto is put on the next one.
    Carry,
    /// A customer's new default card is stored on the subscriptions and pays what is open.
    CardChange,
    /// A change of plan that a request left unfinished is found done, or done.
    PlanChange,
    /// The coupon of a purchase in the trial is set again, where the provider used it up before the first charge.
    TrialCoupon,
    /// A checkout session that its account needs no more is closed at the provider.
    CheckoutExpire,
    /// The catalogue is brought to the provider.
    CatalogPush,
    /// Somebody is told of what comes, if it still comes.
    Reminder,
    /// A message is handed to the mail provider.
    Mail,
    /// A recovery code is made and mailed.
    PasswordReset,
    /// A code that confirms an email is made and mailed.
    EmailConfirmation,
    /// What a deleted account left at the payment provider is erased.
    AccountErase,
    /// A deleted account is removed from its identity provider.
    IdentityDelete,
    /// A conversion is reported.
    Conversion,
    /// Old rows are removed.
    Retention,
}

impl JobKind {
    /// Every kind.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The stored name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind of a stored name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Whether it repeats for ever and changes nothing that anyone sees at its moment: a walk of the sandbox's clock
    /// over weeks does not stop for it, and its ends are not logged.
    pub fn is_routine(self) -> bool {
        matches!(self, Self::Reconcile | Self::Retention)
    }

    /// Runs before the job is parked. A conversion gives up by age, in its handler: seven days hold
    /// at most 336 pauses of half an hour, the shortest once they no longer grow.
    pub fn attempts(self) -> u32 {
        match self {
            Self::Conversion => 400,
            _ => 20,
        }
    }
}

/// How a handler ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    /// Nothing is left to do.
    Done,
    /// Nothing is left to do, and this alone is kept in the place of what the handler needed.
    DoneKeeping(serde_json::Value),
    /// It was not to be done after all; the reason is kept with the job.
    Dropped(&'static str),
    /// To be run again at that instant, as repeating work is.
    Again(Timestamp),
}

/// How a handler failed; the text is kept with the job, so it holds nothing personal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobError {
    /// May succeed later.
    Retry(String),
    /// May succeed later, and not before the pause that was asked for.
    RetryAfter(Duration, String),
    /// Will not succeed by itself.
    Park(String),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Retry(Causes(&error).to_string())
    }
}

impl From<Error> for JobError {
    /// A job that failed is run again, when the provider asked for it at the earliest; the reason it keeps names nobody.
    fn from(error: Error) -> Self {
        let why = Causes(&error).to_string();
        match error.pause() {
            Some(pause) => Self::RetryAfter(pause, why),
            None => Self::Retry(why),
        }
    }
}

/// The future of a handler.
pub type JobFuture = Pin<Box<dyn Future<Output = Result<JobOutcome, JobError>> + Send>>;
type Handler = Arc<dyn Fn(ClaimedJob) -> JobFuture + Send + Sync>;

/// What runs each kind of job; a process claims only kinds that it can run.
#[derive(Clone, Default)]
pub struct Handlers(HashMap<JobKind, Handler>);

impl Handlers {
    /// Registers the handler of a kind.
    pub fn on<F, R>(&mut self, kind: JobKind, handler: F)
    where
        F: Fn(ClaimedJob) -> R + Send + Sync + 'static,
        R: Future<Output = Result<JobOutcome, JobError>> + Send + 'static,
    {
        self.0.insert(kind, Arc::new(move |job| Box::pin(handler(job))));
    }
}

/// The places of a class in this process, and the jobs that may take them.
struct Places {
    class: JobClass,
    claimable: Claimable,
    free: Arc<Semaphore>,
}

impl Places {
    fn of(class: JobClass, handlers: &Handlers) -> Self {
        let claimable = Claimable::of(class, handlers.0.keys().copied());
        Self { class, claimable, free: Arc::new(Semaphore::new(class.places())) }
    }

    fn are_free(&self) -> bool {
        self.free.available_permits() == self.class.places()
    }

    /// Waits until nothing of the class runs.
    async fn become_free(&self) {
        let all = u32::try_from(self.class.places()).unwrap_or(u32::MAX);
        drop(self.free.acquire_many(all).await);
    }
}

/// What a look for due jobs of a class found.
enum Look {
    /// Jobs were started, or every place is taken.
    Busy,
    /// Nothing is due for so long.
    Idle(Duration),
}

/// The worker of this process.
pub struct Queue {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    handlers: Handlers,
    kinds: Kinds,
    /// The kinds whose moment matters to a walk of the sandbox's clock.
    momentous: Kinds,
    places: [Places; JobClass::ALL.len()],
    lease: Duration,
    next_due: watch::Sender<Option<Timestamp>>,
    wake: Notify,
    ended: Notify,
    stop: CancellationToken,
}

impl Queue {
    /// Makes the queue; nothing runs before [`Queue::run`].
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
        let kinds = Kinds::new(handlers.0.keys().copied());
        let momentous = Kinds::new(handlers.0.keys().copied().filter(|kind| !kind.is_routine()));
        Arc::new(Self {
            places: JobClass::ALL.map(|class| Places::of(class, &handlers)),
            lease,
            store,
            clock,
            ids,
            handlers,
            kinds,
            momentous,
            next_due: watch::Sender::new(None),
            wake: Notify::new(),
            ended: Notify::new(),
            stop: CancellationToken::new(),
        })
    }

    /// Looks for due jobs now, as when the clock has moved.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// When the next job is due, as far as this process has seen: a walk of the sandbox's clock stops there.
    pub(crate) fn next_due(&self) -> watch::Receiver<Option<Timestamp>> {
        self.next_due.subscribe()
    }

    /// Runs jobs until [`Queue::stop`].
    pub async fn run(self: Arc<Self>) {
        if let Err(error) = claims::release_embedded(&self.store).await {
            tracing::error!(
                error = %Causes(&error),
                "leases of the last run were not freed"
            );
        }
        if let Err(error) = claims::rank_links(&self.store).await {
            tracing::error!(error = %Causes(&error), "jobs of the version before were not ranked");
        }
        unreadable::describe();
        let gauges = tokio::spawn(gauges::keep(self.store.clone(), self.clock.clone()));
        let parking = tokio::spawn(unreadable::keep_parking(self.store.clone(), self.clock.clone()));
        while !self.stop.is_cancelled() {
            let pause = match self.start_due().await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::error!(
                        error = %Causes(&error),
                        "due jobs could not be claimed"
                    );
                    LOOK_EVERY
                }
            };
            tokio::select! {
                () = self.wake.notified() => {}
                () = self.store.enqueued().notified() => {}
                () = tokio::time::sleep(pause) => {}
                () = self.stop.cancelled() => {}
            }
        }
        gauges.abort();
        parking.abort();
    }

    /// Starts due jobs of every class, and returns how long no other will be due.
    async fn start_due(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let mut pause = LOOK_EVERY;
        if !self.clock.is_known() {
            return Ok(pause);
        }
        let mut is_busy = false;
        for places in &self.places {
            match self.start_due_of(places).await? {
                Look::Busy => is_busy = true,
                Look::Idle(idle) => pause = pause.min(idle),
            }
        }
        // Only a follower of the sandbox's clock asks for it.
        if !is_busy && self.next_due.receiver_count() > 0 {
            self.announce_next_due().await?;
        }
        Ok(pause)
    }

    /// Starts due jobs of one class on its free places.
    async fn start_due_of(self: &Arc<Self>, places: &Places) -> Result<Look, StoreError> {
        let free = places.free.available_permits();
        if free == 0 {
            // The end of one of its jobs wakes the queue.
            return Ok(Look::Busy);
        }
        let now = self.clock.now();
        match claims::next_due(&self.store, &places.claimable, system_now()).await? {
            None => return Ok(Look::Idle(LOOK_EVERY)),
            Some(due) if due > now => {
                return Ok(Look::Idle(Duration::from_micros(due.micros_since(now) as u64)));
            }
            Some(_) if self.store.writes_waiting() >= STORM => tokio::time::sleep(GIVE_WAY).await,
            Some(_) => {}
        }
        let (claimed_at, real_now) = (Instant::now(), system_now());
        let lease_until = real_now.plus_micros(self.lease.as_micros() as i64);
        let claim = claims::claim(&self.store, &places.claimable, now, real_now, lease_until, free).await?;
        claim.unreadable.iter().for_each(unreadable::report);
        if !claim.unreadable.is_empty() {
            // They end without a run, so nothing else says that what stood behind them may be claimed.
            self.wake();
        }
        for job in claim.jobs {
            // This function alone takes places, so there are as many free as were claimed for.
            let Ok(place) = places.free.clone().acquire_owned().await else { break };
            tokio::spawn(Run::new(self.clone(), job, claimed_at).go(place));
        }
        Ok(Look::Busy)
    }

    /// Says when the next job is due that a walk of the clock has to stop at.
    pub(crate) async fn announce_next_due(&self) -> Result<(), StoreError> {
        let announced = claims::next_due_of(&self.store, &self.momentous, system_now()).await?;
        self.next_due.send_if_modified(|next| std::mem::replace(next, announced) != announced);
        Ok(())
    }

    /// Waits until nothing is due and nothing runs, at most `limit`; answers whether that was reached.
    pub async fn settle(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, async {
            loop {
                let ended = self.ended.notified();
                if self.is_idle().await {
                    return;
                }
                // Other processes run jobs too and do not ring here.
                drop(tokio::time::timeout(Duration::from_millis(50), ended).await);
            }
        })
        .await
        .is_ok()
    }

    /// Whether no job is due and none runs here.
    pub async fn is_idle(&self) -> bool {
        self.places.iter().all(Places::are_free)
            && matches!(claims::is_due(&self.store, &self.kinds, self.clock.now()).await, Ok(false))
    }

    /// Starts no more jobs and waits for those that run.
    pub async fn stop(&self) {
        self.stop.cancel();
        let ended = futures::future::join_all(self.places.iter().map(Places::become_free));
        if tokio::time::timeout(STOP_WAITS, ended).await.is_err() {
            tracing::warn!("jobs still run at the stop; they will be run again");
        }
    }
}
