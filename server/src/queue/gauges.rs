//! Gauges of the operator's pending work: jobs, Pix refunds, accounts missing at the provider, and
//! what the hourly doctor found.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;

use crate::clock::Clock;
use crate::measures::{
    DISPUTE_ANSWER_BY, DOCTOR_FINDINGS, DOCTOR_RAN, DOCTOR_UNCHECKED, INQUIRY_ANSWER_BY, JOBS,
    OLDEST_JOB_SECONDS, PROVIDER_LOSSES, PROVIDER_STOPPED, REFUNDS_DUE, SELLING_STOPPED,
};
use crate::store::jobs::kind::JobKind;
use crate::store::operator::doctor_findings::{self, DoctorFindings};
use crate::store::operator::invariants::DisputeToAnswer;
use crate::store::{
    JobState, PayersState, Store, Text as _, invariants, job_queries, payers_check, provider_losses, refunds,
};

const EVERY: Duration = Duration::from_secs(5);
const STATES: [JobState; 2] = [JobState::Waiting, JobState::Parked];

/// Updates the gauges until the task is aborted.
pub(super) async fn keep(store: Store, clock: Arc<dyn Clock>) {
    let mut every = tokio::time::interval(EVERY);
    let mut known_since = None;
    loop {
        every.tick().await;
        if !clock.is_known() {
            continue;
        }
        let now = clock.now();
        let known_since = *known_since.get_or_insert(now);
        // First, because it reports which of the tables below cannot be read.
        if let Ok(found) = doctor_findings::list(&store).await {
            set_doctor(&found);
        }
        let Ok(counts) = job_queries::count(&store).await else { continue };
        let Ok(refunds_due) = refunds::count_due(&store).await else { continue };
        metrics::gauge!(REFUNDS_DUE).set(whole(refunds_due));
        let Ok(disputes) = invariants::disputes_to_answer(&store, 1).await else { continue };
        metrics::gauge!(DISPUTE_ANSWER_BY).set(whole(first_deadline(&disputes)));
        let Ok(inquiries) = invariants::inquiries_to_answer(&store, 1).await else { continue };
        metrics::gauge!(INQUIRY_ANSWER_BY).set(whole(first_deadline(&inquiries)));
        let Ok(losses) = provider_losses::count(&store).await else { continue };
        let Ok(stop) = provider_losses::current_stop(&store).await else { continue };
        let Ok(check) = payers_check::current(&store).await else { continue };
        let is_stopped = check.is_some_and(|check| check.state == PayersState::Found);
        metrics::gauge!(SELLING_STOPPED).set(f64::from(u8::from(is_stopped)));
        metrics::gauge!(PROVIDER_LOSSES).set(whole(losses));
        metrics::gauge!(PROVIDER_STOPPED).set(f64::from(u8::from(stop.is_some())));
        for kind in JobKind::ALL {
            let mut oldest_seconds = 0;
            for state in STATES {
                let count = counts.iter().find(|count| count.kind == kind.name() && count.state == state);
                metrics::gauge!(JOBS, "kind" => kind.name(), "state" => state.text())
                    .set(count.map_or(0.0, |count| whole(count.jobs)));
                if let Some(count) = count.filter(|_| state == JobState::Waiting) {
                    oldest_seconds = waited_seconds(now, known_since, count.oldest_due_at);
                }
            }
            metrics::gauge!(OLDEST_JOB_SECONDS, "kind" => kind.name()).set(whole(oldest_seconds));
        }
    }
}

/// Deadline of the first of these disputes in Unix seconds; 0 without one.
fn first_deadline(disputes: &[DisputeToAnswer]) -> i64 {
    disputes.first().map_or(0, |dispute| dispute.answer_by.as_unix_seconds())
}

fn set_doctor(found: &[DoctorFindings]) {
    for one in found {
        let invariant = one.invariant.clone();
        metrics::gauge!(DOCTOR_FINDINGS, "invariant" => invariant.clone()).set(whole(one.findings));
        metrics::gauge!(DOCTOR_UNCHECKED, "invariant" => invariant).set(f64::from(u8::from(!one.is_checked)));
    }
    if let Some(ran_at) = found.iter().map(|one| one.ran_at).max() {
        metrics::gauge!(DOCTOR_RAN).set(whole(ran_at.as_unix_seconds()));
    }
}

/// How long a job has been due. A job that a start enqueues before the clock is known has the zero
/// instant: it is due since this process has known the clock.
fn waited_seconds(now: Timestamp, known_since: Timestamp, due_at: Timestamp) -> i64 {
    let due_at = if due_at == Timestamp::from_micros(0) { known_since } else { due_at };
    (now.micros_since(due_at) / 1_000_000).max(0)
}

fn whole(count: i64) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_due_at_the_start_waits_since_the_clock_is_known() {
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        let known_since = now.plus_seconds(-7);

        assert_eq!(waited_seconds(now, known_since, Timestamp::from_micros(0)), 7);
        assert_eq!(waited_seconds(now, known_since, now.plus_seconds(-60)), 60);
        assert_eq!(waited_seconds(now, known_since, now.plus_seconds(60)), 0);
    }
}
