//! Enqueues the jobs of reconciliation.

use garimpo_domain::{Timestamp, Uid};
use serde_json::json;

use crate::queue::JobKind;
use crate::store::{NewJob, StoreError, Tx, jobs, reconciliation};

/// Key of the sweep over the whole provider.
pub(crate) const ALL: &str = "all";
/// Key of the alarm of single losses.
pub(crate) const LOSSES: &str = "losses";
/// Delay of the alarm of single losses, because many losses at once raise the mass loss alarm
/// instead.
const LOSSES_WAIT_MINUTES: i64 = 10;

/// Schedules the sync of one account.
pub(crate) async fn schedule_reconciliation(
    tx: &mut Tx,
    uid: &Uid,
    now: Timestamp,
) -> Result<(), StoreError> {
    jobs::reschedule(tx, account_job(uid, now)).await
}

/// The job that syncs one account.
pub(crate) fn account_job(uid: &Uid, now: Timestamp) -> NewJob {
    NewJob::of_account(JobKind::Reconcile, format!("account:{uid}"), uid, now)
}

/// Begins a sweep over the whole provider as soon as possible. A running sweep starts again.
pub(crate) async fn schedule_sweep(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    reconciliation::begin_sweep(tx, now).await?;
    jobs::reschedule(tx, global_job(ALL, now)).await
}

/// Enqueues the alarm of single losses.
pub(crate) async fn enqueue_loss_alarm(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    jobs::enqueue_or_revive(tx, global_job(LOSSES, now.plus_minutes(LOSSES_WAIT_MINUTES))).await
}

/// A job of reconciliation that is not for a single account.
pub(crate) fn global_job(key: &str, due_at: Timestamp) -> NewJob {
    NewJob::new(JobKind::Reconcile, key, json!({}), due_at)
}
