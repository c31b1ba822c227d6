//! The doctor's hourly run: a job, so one server of the fleet runs it, and every server reports its
//! result as metrics.

use std::time::Duration;

use garimpo_domain::Timestamp;
use serde_json::json;

use super::{Checked, Doctor, TimeLimits};
use crate::clock::system_now;
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::jobs::{self, NewJob};
use crate::store::operator::doctor_findings::{self, DoctorFindings};
use crate::store::{Store, StoreError, transaction};

/// A run ends before the queue would stop it, after two minutes.
pub(crate) const LIMITS: TimeLimits =
    TimeLimits { each: Duration::from_secs(30), all: Duration::from_secs(100) };
/// Shortest time between two runs in real time: a sandbox's clock passes a day in a second.
const MIN_REAL_PAUSE_MINUTES: i64 = 50;

/// Enqueues the hourly job.
pub(crate) async fn schedule(store: &Store) -> Result<(), StoreError> {
    // Due at once when the clock is known.
    let due_at = Timestamp::from_micros(0);
    transaction!(store, |tx| {
        let job = NewJob { kind: JobKind::Doctor, key: "hourly".into(), payload: json!({}), due_at };
        jobs::enqueue_or_revive(tx, job).await
    })
}

/// Job: checks every invariant, stores the result, and runs again in an hour.
pub(crate) async fn run(doctor: Doctor) -> Result<JobOutcome, JobError> {
    let again = JobOutcome::Again(doctor.clock.now().plus_hours(1));
    let not_before = system_now().plus_seconds(-60 * MIN_REAL_PAUSE_MINUTES);
    if doctor_findings::last_run_at(&doctor.store).await?.is_some_and(|last| last > not_before) {
        return Ok(again);
    }
    let checked = doctor.check_all().await;
    checked.iter().for_each(log);
    let ran_at = system_now();
    let found: Vec<_> = checked.iter().map(|one| of_run(one, ran_at)).collect();
    transaction!(doctor.store, (found), |tx| {
        for one in found {
            doctor_findings::save(tx, one).await?;
        }
        doctor_findings::delete_before(tx, ran_at).await
    })?;
    Ok(again)
}

fn of_run(checked: &Checked, ran_at: Timestamp) -> DoctorFindings {
    DoctorFindings {
        invariant: checked.invariant.to_owned(),
        findings: checked.findings.len() as i64,
        is_checked: checked.error.is_none(),
        ran_at,
    }
}

/// Names the invariant alone: `garimpo admin doctor` shows the findings.
fn log(checked: &Checked) {
    let (invariant, findings) = (checked.invariant, checked.findings.len());
    if let Some(error) = &checked.error {
        tracing::warn!(invariant, error, "the doctor could not check an invariant");
    } else if findings > 0 {
        tracing::warn!(invariant, findings, "the doctor has findings: garimpo admin doctor lists them");
    }
}

#[cfg(test)]
mod tests;
