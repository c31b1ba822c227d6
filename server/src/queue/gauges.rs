//! Gauges of the operator's pending work: jobs, Pix refunds, accounts missing at the provider, and
//! what the hourly doctor found.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;

use crate::clock::Clock;
use crate::store::jobs::kind::JobKind;
use crate::store::operator::doctor_findings::{self, DoctorFindings};
use crate::store::{JobState, Store, Text as _, job_queries, provider_losses, refunds};

const EVERY: Duration = Duration::from_secs(5);
const STATES: [JobState; 2] = [JobState::Waiting, JobState::Parked];
const JOBS: &str = "garimpo_jobs";
const OLDEST: &str = "garimpo_oldest_job_seconds";
const REFUNDS_DUE: &str = "garimpo_refunds_due";
const PROVIDER_LOSSES: &str = "garimpo_provider_losses";
const PROVIDER_STOPPED: &str = "garimpo_reconciliation_stopped";
const DOCTOR_FINDINGS: &str = "garimpo_doctor_findings";
const DOCTOR_UNCHECKED: &str = "garimpo_doctor_unchecked";
const DOCTOR_RAN: &str = "garimpo_doctor_last_run_timestamp_seconds";

/// Updates the gauges until the task is aborted.
pub(super) async fn keep(store: Store, clock: Arc<dyn Clock>) {
    describe();
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
        let Ok(losses) = provider_losses::count(&store).await else { continue };
        let Ok(stop) = provider_losses::current_stop(&store).await else { continue };
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
            metrics::gauge!(OLDEST, "kind" => kind.name()).set(whole(oldest_seconds));
        }
    }
}

fn describe() {
    metrics::describe_gauge!(
        JOBS,
        "Jobs of the queue by kind and state (waiting, parked), counted up to 1,000: every server tells the same."
    );
    metrics::describe_gauge!(OLDEST, "How long the oldest waiting job of a kind has been due.");
    metrics::describe_gauge!(
        REFUNDS_DUE,
        "Refunds by Pix that wait for the operator: every server tells the same."
    );
    metrics::describe_gauge!(
        PROVIDER_LOSSES,
        "Accounts that paid and that the payment provider does not have: every server tells the same."
    );
    metrics::describe_gauge!(
        PROVIDER_STOPPED,
        "1 while reconciliation is stopped, since the payment provider does not know our customers."
    );
    metrics::describe_gauge!(
        DOCTOR_FINDINGS,
        "Findings of the hourly doctor by invariant, at most 100 each: every server tells the same."
    );
    metrics::describe_gauge!(
        DOCTOR_UNCHECKED,
        "1 if the last run of the hourly doctor could not check the invariant."
    );
    metrics::describe_gauge!(
        DOCTOR_RAN,
        "End of the doctor's last run, in Unix seconds; 0 before the first."
    );
    metrics::gauge!(DOCTOR_RAN).set(0.0);
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
    fn trabalho_do_inicio_espera_desde_que_o_relogio_e_conhecido() {
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        let known_since = now.plus_seconds(-7);

        assert_eq!(waited_seconds(now, known_since, Timestamp::from_micros(0)), 7);
        assert_eq!(waited_seconds(now, known_since, now.plus_seconds(-60)), 60);
        assert_eq!(waited_seconds(now, known_since, now.plus_seconds(60)), 0);
    }
}
