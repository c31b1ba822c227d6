//! Handlers of jobs, and how a run of a handler ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use garimpo_domain::Timestamp;
use serde::de::DeserializeOwned;

use crate::causes::Causes;
use crate::error::Error;
use crate::providers::stripe::StripeError;
use crate::store::jobs::kind::JobKind;
use crate::store::{ClaimedJob, StoreError};

/// How a handler succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// Done; this value replaces the job's payload.
    DoneKeeping(serde_json::Value),
    /// The work no longer applies; the reason is stored with the job.
    Dropped(&'static str),
    /// Repeating work: run the job again at this instant.
    Again(Timestamp),
}

/// How a handler failed. The text is stored with the job, so it must hold nothing personal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobError {
    /// May succeed later.
    Retry(String),
    /// May succeed after this pause.
    RetryAfter(Duration, String),
    /// Does not succeed without the operator.
    Park(String),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Retry(Causes(&error).to_string())
    }
}

impl From<StripeError> for JobError {
    fn from(error: StripeError) -> Self {
        Error::from(error).into()
    }
}

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        let why = Causes(&error).to_string();
        match error.pause() {
            Some(pause) => Self::RetryAfter(pause, why),
            None => Self::Retry(why),
        }
    }
}

/// How a run of a handler ended.
pub type JobResult = Result<JobOutcome, JobError>;
/// The future of a handler.
pub type JobFuture = BoxFuture<'static, JobResult>;
type Handler = Arc<dyn Fn(ClaimedJob) -> JobFuture + Send + Sync>;

impl ClaimedJob {
    /// Parses the payload of the job. A job with a payload of another shape is parked.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, JobError> {
        T::deserialize(&self.payload).map_err(|why| JobError::Park(why.to_string()))
    }
}

/// The handler of each kind of job. A process claims only kinds that have a handler.
#[derive(Clone, Default)]
pub struct Handlers(HashMap<JobKind, Handler>);

impl Handlers {
    /// Registers the handler of a kind.
    pub fn on<F, R>(&mut self, kind: JobKind, handler: F)
    where
        F: Fn(ClaimedJob) -> R + Send + Sync + 'static,
        R: Future<Output = JobResult> + Send + 'static,
    {
        self.0.insert(kind, Arc::new(move |job| Box::pin(handler(job))));
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = JobKind> {
        self.0.keys().copied()
    }

    pub(super) fn of(&self, kind: JobKind) -> Option<Handler> {
        self.0.get(&kind).cloned()
    }
}
