//! One run of one job: the handler under a lease, then its end written down.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::OwnedSemaphorePermit;

use super::{JobError, JobOutcome, LEASE_SECONDS, Queue};
use crate::causes::Causes;
use crate::clock::system_now;
use crate::crash::{self, CrashPoint};
use crate::store::{ClaimedJob, JobEnd};

/// A lease is renewed this often.
const RENEW_EVERY: Duration = Duration::from_secs(LEASE_SECONDS as u64 / 3);
/// A handler that takes longer is ended and tried again.
const LONGEST: Duration = Duration::from_mins(2);
/// The first pause after a failure; it doubles up to the longest.
const PAUSE_FIRST_MS: u64 = 1000;
const PAUSE_LONGEST_MS: u64 = 3_600_000;

/// A claimed job on its way.
pub(super) struct Run {
    queue: Arc<Queue>,
    job: ClaimedJob,
}

impl Run {
    pub(super) fn new(queue: Arc<Queue>, job: ClaimedJob) -> Self {
        Self { queue, job }
    }

    /// Runs the handler, writes down how it ended and gives its slot back.
    pub(super) async fn go(self, slot: OwnedSemaphorePermit) {
        let result = if self.job.attempt > self.job.kind.attempts() {
            // The process died in its last run, so nobody could write this down.
            Err(JobError::Park("the attempts are used up".to_owned()))
        } else {
            self.handled().await
        };
        if result.is_ok() {
            crash::point(CrashPoint::JobDelivered);
        }
        let end = self.end(result);
        if let Err(error) = self.queue.store.job_end(&self.job, end, self.queue.clock.now()).await {
            // Its lease ends by itself, then it is run again.
            tracing::error!(
                error = %Causes(&error),
                job.kind = self.job.kind.name(),
                "the end of a job was not stored"
            );
        }
        drop(slot);
        self.queue.ended.notify_waiters();
        self.queue.wake();
    }

    async fn handled(&self) -> Result<JobOutcome, JobError> {
        let Some(handler) = self.queue.handlers.0.get(&self.job.kind).cloned() else {
            return Err(JobError::Retry("no handler in this process".to_owned()));
        };
        let job = self.job.clone();
        let guarded = AssertUnwindSafe(async move { handler(job).await }).catch_unwind();
        let mut handler = std::pin::pin!(tokio::time::timeout(LONGEST, guarded));
        let mut renewal = tokio::time::interval(RENEW_EVERY);
        renewal.tick().await;
        loop {
            tokio::select! {
                ended = &mut handler => return match ended {
                    Ok(Ok(result)) => result,
                    Ok(Err(_)) => {
                        metrics::counter!("garimpo_panics_total").increment(1);
                        Err(JobError::Retry("the handler panicked".to_owned()))
                    }
                    Err(_) => Err(JobError::Retry("the handler took too long".to_owned())),
                },
                _ = renewal.tick() => {
                    let until = system_now().plus_seconds(LEASE_SECONDS);
                    if let Err(error) = self.queue.store.job_renew(&self.job, until).await {
                        tracing::warn!(error = %Causes(&error), "a lease was not renewed");
                    }
                }
            }
        }
    }

    fn end(&self, result: Result<JobOutcome, JobError>) -> JobEnd {
        let kind = self.job.kind;
        match result {
            Ok(JobOutcome::Done) => JobEnd::Done,
            Ok(JobOutcome::Again(at)) => JobEnd::Again(at),
            Err(JobError::Retry(why)) if self.job.attempt < kind.attempts() => {
                tracing::warn!(job.kind = kind.name(), job.attempt = self.job.attempt, "a job failed: {why}");
                JobEnd::Retry(self.queue.clock.now().plus_micros(self.pause_us()), why)
            }
            Err(JobError::Retry(why) | JobError::Park(why)) => {
                tracing::error!(
                    job.kind = kind.name(),
                    job.attempt = self.job.attempt,
                    "a job is parked: {why}"
                );
                JobEnd::Parked(why)
            }
        }
    }

    /// Doubles with each attempt; half of it is jitter.
    fn pause_us(&self) -> i64 {
        let doubled = PAUSE_FIRST_MS << (self.job.attempt.saturating_sub(1)).min(20);
        let whole = doubled.min(PAUSE_LONGEST_MS);
        ((whole / 2 + self.queue.ids.below(whole / 2 + 1)) * 1000) as i64
    }
}
