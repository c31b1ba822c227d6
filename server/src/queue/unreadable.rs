//! Jobs that this program cannot read: each is parked alone, logged and counted.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;

use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::measures::JOBS_UNREADABLE;
use crate::store::jobs::claims;
use crate::store::jobs::claims::UnreadableJob;
use crate::store::jobs::kind::JobKind;
use crate::store::{Result, Store, job_queries};

/// Poll interval for jobs of unknown kinds.
const POLL: Duration = Duration::from_secs(5);
/// A job of an unknown kind is left to a newer server of the fleet for this long.
const LEFT_TO_NEWER_HOURS: i64 = 1;

/// Logs and counts a job that was parked.
pub(super) fn report(job: &UnreadableJob) {
    tracing::error!(
        job.kind = job.kind,
        job.key = job.key,
        "a job was parked: its column {} is not readable",
        job.column.name()
    );
    metrics::counter!(JOBS_UNREADABLE, "column" => job.column.name()).increment(1);
}

/// Parks jobs of unknown kinds until the task is aborted.
pub(super) async fn keep_parking(store: Store, clock: Arc<dyn Clock>) {
    let mut polls = tokio::time::interval(POLL);
    loop {
        polls.tick().await;
        if !clock.is_known() {
            continue;
        }
        if let Err(error) = park_unknown_kinds(&store, clock.now()).await {
            tracing::warn!(error = %Causes(&error), "jobs of unknown kinds were not parked");
        }
    }
}

/// Parks due jobs of kinds that this program does not know. No claim includes them, because a newer
/// server may run them while a fleet is upgraded.
pub(super) async fn park_unknown_kinds(store: &Store, now: Timestamp) -> Result<()> {
    let due_before = now.plus_hours(-LEFT_TO_NEWER_HOURS);
    let kinds = job_queries::waiting_kinds(store).await?;
    for kind in kinds.iter().filter(|kind| JobKind::parse(kind).is_none()) {
        for job in claims::park_unknown(store, kind, due_before, now, system_now()).await? {
            report(&job);
        }
    }
    Ok(())
}
