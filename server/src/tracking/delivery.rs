//! Sends stored conversions to the platform, if consent and age allow it.
//!
//! Each conversion is a job of its own; jobs that run at the same time share a call. A refused call
//! is repeated with each event alone, so that the faulty event is parked with the platform's reason
//! and the others arrive. A run that dies after the call sends again under the same id, which the
//! platform counts once.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::conversion::{GIVE_UP_AFTER_DAYS, Whose, is_too_old, may_leave};
use garimpo_domain::{ConversionEvent, Timestamp};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::conversion::Conversion;
use crate::causes::Causes;
use crate::clock::Clock;
use crate::measures::CONVERSIONS;
use crate::providers::meta::{Meta, MetaError, ServerEvent};
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{ClaimedJob, Store, accounts, jobs, transaction};

/// Most events of one call; a process runs no more of these jobs at once.
const MAX_BATCH: usize = 8;
/// How long a batch waits for jobs that fall due at the same time.
const BATCH_WINDOW: Duration = Duration::from_millis(20);
/// Retry pause while the platform's circuit is open.
const CIRCUIT_OPEN_PAUSE: Duration = Duration::from_secs(3);
/// Retry pause if the operator must repair a setting.
const MISCONFIGURED_PAUSE: Duration = Duration::from_mins(10);

/// Reasons not to send a conversion.
const OFF: &str = "conversions are off";
const ACCOUNT_GONE: &str = "the account is gone";
const NO_CONSENT: &str = "no consent";
/// Outcome by which a conversion without consent is counted.
pub(super) const WITHOUT_CONSENT: &str = "no_consent";

/// Handler of conversion jobs.
#[derive(Clone)]
pub(crate) struct Delivery {
    store: Store,
    clock: Arc<dyn Clock>,
    batcher: Option<Batcher>,
}

impl Delivery {
    /// Sends to a platform, or drops every conversion without one. Call it inside a runtime.
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, platform: Option<Meta>) -> Self {
        Self { store, clock, batcher: platform.map(Batcher::start) }
    }

    /// Runs one job, and counts its outcome.
    pub(crate) async fn run(self, job: ClaimedJob) -> JobResult {
        let conversion: Conversion = job.read()?;
        let event = conversion.event;
        let ended = self.deliver(&job.key, conversion).await;
        let outcome = match &ended {
            Ok(JobOutcome::Dropped(OFF)) => "off",
            Ok(JobOutcome::Dropped(ACCOUNT_GONE)) => "account_gone",
            Ok(JobOutcome::Dropped(_)) => WITHOUT_CONSENT,
            Ok(_) => "sent",
            Err(JobError::Park(_)) => "parked",
            Err(_) => return ended,
        };
        count_ended(event, outcome);
        ended
    }

    async fn deliver(&self, key: &str, conversion: Conversion) -> JobResult {
        let Some(batcher) = &self.batcher else { return self.dropped(key, conversion, OFF).await };
        let whose = match &conversion.uid {
            None => Whose::Visitor,
            Some(uid) => match accounts::by_uid(&self.store, uid).await? {
                None => return self.dropped(key, conversion, ACCOUNT_GONE).await,
                Some(account) => Whose::Account(account.ads_allowed(self.clock.now())),
            },
        };
        if !may_leave(conversion.consent, whose) {
            return self.dropped(key, conversion, NO_CONSENT).await;
        }
        if let Some(why) = too_old(&conversion, self.clock.now()) {
            return Err(JobError::Park(why));
        }
        batcher.send(conversion.to_event()).await?;
        // Delivered: keep only the fields that deduplicate it.
        Ok(JobOutcome::DoneKeeping(serde_json::json!(conversion.anonymized())))
    }

    /// Ends a job without sending, and removes the personal data from it.
    async fn dropped(&self, key: &str, conversion: Conversion, why: &'static str) -> JobResult {
        let (key, payload) = (key.to_owned(), serde_json::json!(conversion.anonymized()));
        transaction!(self.store, (key, payload), |tx| {
            jobs::set_payload(tx, JobKind::Conversion, key, payload).await
        })?;
        Ok(JobOutcome::Dropped(why))
    }
}

pub(super) fn count_ended(event: ConversionEvent, outcome: &'static str) {
    metrics::counter!(CONVERSIONS, "event" => event.name(), "outcome" => outcome).increment(1);
}

/// Why a conversion can no longer be sent, if it cannot.
pub(super) fn too_old(conversion: &Conversion, now: Timestamp) -> Option<String> {
    let happened_at = conversion.happened_at();
    is_too_old(happened_at, now).then(|| {
        let at = happened_at.to_rfc3339();
        format!(
            "it happened at {at}, more than {GIVE_UP_AFTER_DAYS} days ago: the platform no longer accepts it"
        )
    })
}

/// Groups the events of jobs that run at the same time into one call.
#[derive(Clone)]
struct Batcher {
    platform: Meta,
    queue: mpsc::Sender<PendingEvent>,
    /// Why the circuit was opened, for the operator who reads why a job waits.
    last_failure: Arc<Mutex<String>>,
}

struct PendingEvent {
    event: ServerEvent,
    result: oneshot::Sender<Result<(), MetaError>>,
}

impl Batcher {
    fn start(platform: Meta) -> Self {
        let (queue, pending) = mpsc::channel(MAX_BATCH);
        tokio::spawn(run(platform.clone(), pending));
        Self { platform, queue, last_failure: Arc::default() }
    }

    async fn send(&self, event: ServerEvent) -> Result<(), JobError> {
        // Checked before the event is queued, because a queued event occupies a slot of the job
        // queue.
        if !self.platform.allows_call() {
            let why = self.last_failure.lock().clone();
            return Err(JobError::RetryAfter(
                CIRCUIT_OPEN_PAUSE,
                format!("the conversions platform is given a rest: {why}"),
            ));
        }
        let (result, sent) = oneshot::channel();
        // The channels close only when the process stops.
        let stopping = || JobError::Retry("the process stops".to_owned());
        self.queue.send(PendingEvent { event, result }).await.map_err(|_| stopping())?;
        sent.await.map_err(|_| stopping())?.map_err(|error| {
            let why = Causes(&error).to_string();
            match error {
                MetaError::Unavailable { retry_after, .. } => {
                    self.last_failure.lock().clone_from(&why);
                    JobError::RetryAfter(retry_after.unwrap_or_default(), why)
                }
                MetaError::CredentialsRefused(_) => JobError::RetryAfter(MISCONFIGURED_PAUSE, why),
                MetaError::Refused(_) => JobError::Park(why),
            }
        })
    }
}

/// Sends pending events in batches, until every sender is dropped.
async fn run(platform: Meta, mut pending: mpsc::Receiver<PendingEvent>) {
    while let Some(first) = pending.recv().await {
        tokio::time::sleep(BATCH_WINDOW).await;
        let mut batch = vec![first];
        while batch.len() < MAX_BATCH
            && let Ok(next) = pending.try_recv()
        {
            batch.push(next);
        }
        // A job that lost its lease runs again in another process.
        batch.retain(|pending| !pending.result.is_closed());
        if !batch.is_empty() {
            send(&platform, batch).await;
        }
    }
}

async fn send(platform: &Meta, batch: Vec<PendingEvent>) {
    let events: Vec<ServerEvent> = batch.iter().map(|pending| pending.event.clone()).collect();
    let sent = platform.send(&events).await;
    let is_one_faulty = events.len() > 1 && matches!(sent, Err(MetaError::Refused(_)));
    for PendingEvent { event, result } in batch {
        let sent = if is_one_faulty { platform.send(&[event]).await } else { sent.clone() };
        // The receiver is gone if the job lost its lease.
        drop(result.send(sent));
    }
}
