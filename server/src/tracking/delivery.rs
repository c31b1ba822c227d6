//! Reports held conversions to the platform: who may be told, what is too old, and few calls for many of them.
//!
//! Each conversion is a job of its own; those that run at once share a call. A call that is refused is made again with
//! each event alone, so that the one at fault is parked with the platform's reason and the others arrive. A run that
//! dies between call and mark sends again under the same id, which the platform counts once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::conversion::{ConversionEvent, GIVE_UP_AFTER_DAYS, Whose, is_too_old, may_leave};
use tokio::sync::{mpsc, oneshot};

use super::conversion::Conversion;

use crate::causes::Causes;
use crate::clock::Clock;
use crate::measures::CONVERSIONS;
use crate::providers::meta::{Event, Meta, MetaError};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::identity::accounts;
use crate::store::jobs::{self, claims::ClaimedJob};
use crate::store::{Store, StoreError};

/// Events of one call at most: no more jobs than these run at once in a process.
const BATCH: usize = 8;
/// Jobs that fall due together hand in their events within this.
const GATHERED_WITHIN: Duration = Duration::from_millis(20);
/// While the platform rests, nothing is asked before.
const REST: Duration = Duration::from_secs(3);
/// What the operator has to mend is not asked for again before.
const UNTIL_MENDED: Duration = Duration::from_mins(10);

/// Why a conversion does not leave.
const OFF: &str = "conversions are off";
const ACCOUNT_GONE: &str = "the account is gone";
const NO_CONSENT: &str = "no consent";
/// How such a conversion is counted.
pub(super) const WITHOUT_CONSENT: &str = "no_consent";

/// What runs the jobs of conversions.
#[derive(Clone)]
pub(crate) struct Delivery {
    store: Store,
    clock: Arc<dyn Clock>,
    desk: Option<Desk>,
}

impl Delivery {
    /// Delivers to a platform, or drops all where there is none; call it inside a runtime.
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, platform: Option<Meta>) -> Self {
        Self { store, clock, desk: platform.map(Desk::open) }
    }

    /// Runs one job, and counts how it ended.
    pub(crate) async fn run(self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let conversion: Conversion =
            serde_json::from_value(job.payload.clone()).map_err(|why| JobError::Park(why.to_string()))?;
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

    async fn deliver(&self, key: &str, conversion: Conversion) -> Result<JobOutcome, JobError> {
        let Some(desk) = &self.desk else { return self.dropped(key, conversion, OFF).await };
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
        desk.send(conversion.told()).await?;
        // Told once, and never again: whose it was is enough to say so.
        Ok(JobOutcome::DoneKeeping(serde_json::json!(conversion.of_nobody())))
    }

    /// Ends a job that tells nobody anything, and keeps nobody's data with it.
    async fn dropped(
        &self,
        key: &str,
        conversion: Conversion,
        why: &'static str,
    ) -> Result<JobOutcome, JobError> {
        let (key, payload) = (key.to_owned(), serde_json::json!(conversion.of_nobody()));
        self.store
            .write::<_, _, StoreError, _>((), move |tx, ()| {
                let (key, payload) = (key.clone(), payload.clone());
                Box::pin(async move { jobs::set_payload(tx, JobKind::Conversion, &key, &payload).await })
            })
            .await?;
        Ok(JobOutcome::Dropped(why))
    }
}

/// Counts how a conversion ended.
pub(super) fn count_ended(event: ConversionEvent, outcome: &'static str) {
    metrics::counter!(CONVERSIONS, "event" => event.name(), "outcome" => outcome).increment(1);
}

/// Why a conversion is given up, when it is.
pub(super) fn too_old(conversion: &Conversion, now: Timestamp) -> Option<String> {
    let happened_at = conversion.happened_at();
    is_too_old(happened_at, now).then(|| {
        let at = happened_at.to_rfc3339();
        format!("it happened at {at}, more than {GIVE_UP_AFTER_DAYS} days ago: the platform takes it no more")
    })
}

/// Where jobs hand in their events, and wait for what becomes of them.
#[derive(Clone)]
struct Desk {
    platform: Meta,
    tray: mpsc::Sender<HandedIn>,
    /// Why the platform was last given a rest, for whoever reads why a job waits.
    last_failure: Arc<Mutex<String>>,
}

struct HandedIn {
    event: Event,
    answer: oneshot::Sender<Result<(), MetaError>>,
}

impl Desk {
    fn open(platform: Meta) -> Self {
        let (tray, handed_in) = mpsc::channel(BATCH);
        tokio::spawn(serve(platform.clone(), handed_in));
        Self { platform, tray, last_failure: Arc::default() }
    }

    async fn send(&self, event: Event) -> Result<(), JobError> {
        // Asked before the event is handed in: who waits at the desk holds up other work.
        if !self.platform.allows_call() {
            let why = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return Err(JobError::RetryAfter(
                REST,
                format!("the conversions platform is given a rest: {why}"),
            ));
        }
        let (answer, answered) = oneshot::channel();
        let stopping = || JobError::Retry("the process stops".to_owned());
        self.tray.send(HandedIn { event, answer }).await.map_err(|_| stopping())?;
        answered.await.map_err(|_| stopping())?.map_err(|error| {
            let why = Causes(&error).to_string();
            match error {
                MetaError::Unavailable { retry_after, .. } => {
                    self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&why);
                    JobError::RetryAfter(retry_after.unwrap_or_default(), why)
                }
                MetaError::CredentialsRefused(_) => JobError::RetryAfter(UNTIL_MENDED, why),
                MetaError::Refused(_) => JobError::Park(why),
            }
        })
    }
}

/// Sends what is handed in, in batches, until nobody can hand in any more.
async fn serve(platform: Meta, mut handed_in: mpsc::Receiver<HandedIn>) {
    while let Some(first) = handed_in.recv().await {
        tokio::time::sleep(GATHERED_WITHIN).await;
        let mut batch = vec![first];
        while batch.len() < BATCH
            && let Ok(next) = handed_in.try_recv()
        {
            batch.push(next);
        }
        // Whose job lost its lease runs again elsewhere.
        batch.retain(|handed| !handed.answer.is_closed());
        if !batch.is_empty() {
            send(&platform, batch).await;
        }
    }
}

async fn send(platform: &Meta, batch: Vec<HandedIn>) {
    let events: Vec<Event> = batch.iter().map(|handed| handed.event.clone()).collect();
    let answer = platform.send(&events).await;
    let is_one_at_fault = events.len() > 1 && matches!(answer, Err(MetaError::Refused(_)));
    for HandedIn { event, answer: waits } in batch {
        let answer = if is_one_at_fault { platform.send(&[event]).await } else { answer.clone() };
        // Nobody waits where the job's lease was lost.
        drop(waits.send(answer));
    }
}
