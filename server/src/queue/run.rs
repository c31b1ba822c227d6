//! One run of one job: the handler under a lease, then the record of how it ended.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use garimpo_telemetry::{Span, TraceContext};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tracing::Instrument as _;

use super::handlers::{Handlers, JobError, JobOutcome, JobResult};
use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::crash::{self, CrashPoint};
use crate::ids::Ids;
use crate::request_id;
use crate::store::jobs::claims;
use crate::store::jobs::claims::JobEnd;
use crate::store::{ClaimedJob, Store};

/// Renewals of a lease during its length.
const RENEWALS_PER_LEASE: u32 = 3;
/// A handler that takes longer is stopped and run again.
const HANDLER_TIMEOUT: Duration = Duration::from_mins(2);
/// Pause after the first failure; it doubles up to the longest.
const MIN_PAUSE_MS: u64 = 1000;
const MAX_PAUSE_MS: u64 = 3_600_000;

/// State shared by the runs of a process.
pub(super) struct Runner {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    handlers: Handlers,
    pub lease: Duration,
    /// Notified when the queue has to poll for due jobs.
    pub wake: Notify,
    /// Notified when a run has ended.
    pub ended: Notify,
}

impl Runner {
    pub fn new(store: Store, clock: Arc<dyn Clock>, ids: Ids, handlers: Handlers, lease: Duration) -> Self {
        Self { store, clock, ids, handlers, lease, wake: Notify::new(), ended: Notify::new() }
    }
}

/// A claimed job on its way.
pub(super) struct Run {
    runner: Arc<Runner>,
    job: ClaimedJob,
    /// When another process may claim the job. It is measured here, because the lease's stored end
    /// is a time of the system's clock, which may be set.
    lease_ends: Instant,
}

/// The lease has ended, or another process has the job.
struct LeaseLost;

impl Run {
    /// A run of a job that was claimed at an instant.
    pub(super) fn new(runner: Arc<Runner>, job: ClaimedJob, claimed_at: Instant) -> Self {
        let lease_ends = claimed_at + runner.lease;
        Self { runner, job, lease_ends }
    }

    /// Runs the handler, stores how it ended and frees its slot.
    pub(super) async fn go(self, slot: OwnedSemaphorePermit) {
        // A job belongs to the request that caused it; one without a cause gets an id of its own.
        let id = self.job.request_id.clone().unwrap_or_else(|| self.runner.ids.id("job_"));
        let (kind, key) = (self.job.kind.name(), self.job.key.clone());
        let log_span = tracing::error_span!("job", job.kind = kind, job.key = key);
        let span = self.trace_span(&id);
        let trace = span.context().clone();
        request_id::within(id, trace, self.run(slot, span)).instrument(log_span).await;
    }

    /// The span of the run by OpenTelemetry's names, in the trace of the job's cause.
    fn trace_span(&self, request_id: &str) -> Span {
        let cause = self.job.traceparent.as_deref().map(TraceContext::parse).unwrap_or_default();
        let kind = self.job.kind.name();
        let mut span = Span::job(format!("process {kind}"), &cause);
        if !span.is_recorded() {
            return span;
        }
        span.set("messaging.system", "garimpo");
        span.set("messaging.operation.type", "process");
        span.set("messaging.destination.name", kind);
        span.set("garimpo.job.attempt", i64::from(self.job.attempt));
        span.set("request.id", request_id.to_owned());
        span
    }

    async fn run(mut self, slot: OwnedSemaphorePermit, mut span: Span) {
        let started = Instant::now();
        let handled = if self.job.attempt > self.job.kind.max_attempts() {
            // The process died in the last allowed run, so it could not park the job itself.
            Ok(Err(JobError::Park("the attempts are used up".to_owned())))
        } else {
            self.handled().await
        };
        match &handled {
            Ok(Ok(_)) => {}
            Ok(Err(JobError::Park(_))) => span.fail("parked"),
            Ok(Err(_)) => span.fail("failed"),
            Err(LeaseLost) => span.fail("lease_lost"),
        }
        if let Ok(result) = handled {
            self.record(result, started.elapsed()).await;
        } else {
            // Nothing is recorded, because the row belongs to the next claim.
            let (name, attempt) = (self.job.kind.name(), self.job.attempt);
            tracing::warn!(attempt, "{name} lost its lease and was stopped");
        }
        drop(slot);
        self.runner.ended.notify_waiters();
        self.runner.wake.notify_one();
    }

    /// Runs the handler, and renews the lease meanwhile. The handler is dropped when the lease is
    /// lost.
    async fn handled(&mut self) -> Result<JobResult, LeaseLost> {
        let Some(handler) = self.runner.handlers.of(self.job.kind) else {
            return Ok(Err(JobError::Retry("no handler in this process".to_owned())));
        };
        let job = self.job.clone();
        let guarded = AssertUnwindSafe(async move { handler(job).await }).catch_unwind();
        let mut handler = std::pin::pin!(timeout(HANDLER_TIMEOUT, guarded).map(|ended| match ended {
            Ok(Ok(result)) => result,
            // The process's panic hook has counted and logged the panic.
            Ok(Err(_)) => Err(JobError::Retry("the handler panicked".to_owned())),
            Err(_) => Err(JobError::Retry("the handler took too long".to_owned())),
        }));
        loop {
            tokio::select! {
                result = &mut handler => return Ok(result),
                () = sleep_until(self.renewal_due()) => {}
            }
            let mut renewal = std::pin::pin!(self.renew());
            tokio::select! {
                renewed = &mut renewal => renewed?,
                // A renewal on its way changes the lease's end, by which the run's end finds the
                // row.
                result = &mut handler => return renewal.await.map(|()| result),
            }
        }
    }

    fn renewal_due(&self) -> Instant {
        (Instant::now() + self.runner.lease / RENEWALS_PER_LEASE).min(self.lease_ends)
    }

    /// Extends the lease. A failed renewal is repeated until the lease ends.
    async fn renew(&mut self) -> Result<(), LeaseLost> {
        let asked_at = Instant::now();
        if self.lease_ends <= asked_at {
            return Err(LeaseLost);
        }
        let until = system_now().plus_micros(self.runner.lease.as_micros() as i64);
        match timeout_at(self.lease_ends, claims::renew(&self.runner.store, &self.job, until)).await {
            Ok(Ok(true)) => {
                self.job.leased_until = until;
                self.lease_ends = asked_at + self.runner.lease;
            }
            Ok(Ok(false)) | Err(_) => return Err(LeaseLost),
            Ok(Err(error)) => tracing::warn!(error = %Causes(&error), "a lease was not renewed"),
        }
        Ok(())
    }

    /// Stores how the run ended.
    async fn record(&self, result: JobResult, took: Duration) {
        if result.is_ok() {
            crash::point(CrashPoint::JobDelivered);
        }
        let end = self.end(result, took);
        match claims::end(&self.runner.store, &self.job, end, self.runner.clock.now()).await {
            Ok(true) => {}
            Ok(false) => tracing::warn!("the end of a job was not stored: its lease was lost"),
            // The job runs again after its lease.
            Err(error) => {
                tracing::error!(error = %Causes(&error), "the end of a job was not stored");
            }
        }
    }

    /// The job's next state; logs the run.
    fn end(&self, result: JobResult, took: Duration) -> JobEnd {
        let (name, attempt) = (self.job.kind.name(), self.job.attempt);
        let duration_ms = took.as_millis() as u64;
        let (asked, why) = match result {
            Ok(JobOutcome::Done) if self.job.kind.is_routine() => {
                tracing::debug!(attempt, duration_ms, "{name} done");
                return JobEnd::Done(None);
            }
            Ok(JobOutcome::DoneKeeping(rest)) => {
                tracing::info!(attempt, duration_ms, "{name} done");
                return JobEnd::Done(Some(rest));
            }
            Ok(JobOutcome::Done) => {
                tracing::info!(attempt, duration_ms, "{name} done");
                return JobEnd::Done(None);
            }
            Ok(JobOutcome::Dropped(why)) => {
                tracing::info!(attempt, duration_ms, "{name} dropped: {why}");
                return JobEnd::Dropped(why);
            }
            Ok(JobOutcome::Again(at)) => {
                tracing::debug!(attempt, duration_ms, "{name} done, to be run again");
                return JobEnd::Again(at);
            }
            Err(JobError::Retry(why)) => (Some(Duration::ZERO), why),
            Err(JobError::RetryAfter(asked, why)) => (Some(asked), why),
            Err(JobError::Park(why)) => (None, why),
        };
        let Some(asked) = asked.filter(|_| !self.job.is_last_attempt()) else {
            tracing::error!(attempt, duration_ms, "{name} is parked: {why}");
            return JobEnd::Parked(why);
        };
        let asked_us = (asked.as_micros() as i64).min(MAX_PAUSE_MS as i64 * 1000);
        let pause_us = self.pause_us().max(asked_us);
        tracing::warn!(attempt, duration_ms, again_in_s = pause_us / 1_000_000, "{name} failed: {why}");
        JobEnd::Retry(self.runner.clock.now().plus_micros(pause_us), why)
    }

    /// Doubles with each attempt; half of it is jitter.
    fn pause_us(&self) -> i64 {
        let doubled = MIN_PAUSE_MS << (self.job.attempt.saturating_sub(1)).min(20);
        let whole = doubled.min(MAX_PAUSE_MS);
        ((whole / 2 + self.runner.ids.below(whole / 2 + 1)) * 1000) as i64
    }
}
