//! Removes what need not be kept (design section 7, retention), once a day.

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::attribution::{ARRIVAL_KEPT_DAYS, KEPT_DAYS as COUNTS_KEPT_DAYS, LIVES_DAYS};
use serde_json::json;

use crate::billing::CURSOR_DAYS;
use crate::clock::{Clock, system_now};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::attributions::origins_purge_in_tx;
use crate::store::checkouts::checkouts_unanswered_end_in_tx;
use crate::store::entitlement_changes::entitlement_changes_purge_in_tx;
use crate::store::events::events_purge_in_tx;
use crate::store::funnel_counts::counts_purge_in_tx;
use crate::store::plan_changes::plan_changes_purge_in_tx;
use crate::store::refund_marks::pix_keys_purge_in_tx;
use crate::store::{
    CodeUse, NewJob, Store, StoreError, audit_purge_in_tx, ended_tokens_purge_in_tx, job_insist_in_tx,
    jobs_purge_in_tx, limits_purge_in_tx, mailed_codes_purge_in_tx, sessions_purge_in_tx,
};
use crate::tracking::conversions_forget;

/// Done jobs, ended codes and sessions without use are kept this long; a session's life of 14 days lies inside.
const KEPT_DAYS: i64 = 30;
/// Raw events of the payment provider are kept this long.
const EVENTS_KEPT_DAYS: i64 = 90;
/// Changes of what accounts may use are kept a day longer than a cursor holds.
const CHANGES_KEPT_DAYS: i64 = CURSOR_DAYS + 1;
/// The provider forgets the key of an intent after a day: what it never answered can come to nothing any more.
const INTENT_DAYS: i64 = 1;
/// Where a Pix went is kept this long after it was noted as paid, so that a wrong mark can be undone.
const PIX_KEY_DAYS: i64 = 7;
/// The audit trail is kept this long.
const AUDIT_KEPT_DAYS: i64 = 365;

/// Sees to it that the daily job exists.
pub(crate) async fn schedule(store: &Store) -> Result<(), StoreError> {
    // The clock may not be known yet, so it is due as soon as it is.
    let due_at = Timestamp::from_micros(0);
    store
        .write(move |tx| {
            Box::pin(async move {
                let job =
                    NewJob { kind: JobKind::Retention, key: "daily".into(), payload: json!({}), due_at };
                job_insist_in_tx(tx, job).await
            })
        })
        .await
}

/// Removes once, and again in a day.
pub(crate) async fn run(store: Store, clock: Arc<dyn Clock>) -> Result<JobOutcome, JobError> {
    let now = clock.now();
    while conversions_forget(&store, now).await? {}
    let sessions_before = clock.session_now().plus_days(-KEPT_DAYS).as_micros();
    store
        .write(move |tx| {
            Box::pin(async move {
                limits_purge_in_tx(tx, now).await?;
                jobs_purge_in_tx(tx, now.plus_days(-KEPT_DAYS)).await?;
                events_purge_in_tx(tx, now.plus_days(-EVENTS_KEPT_DAYS)).await?;
                for code_use in [CodeUse::PasswordReset, CodeUse::EmailConfirmation] {
                    mailed_codes_purge_in_tx(tx, code_use, now.plus_days(-KEPT_DAYS).as_micros()).await?;
                }
                plan_changes_purge_in_tx(tx, now.plus_days(-KEPT_DAYS)).await?;
                entitlement_changes_purge_in_tx(tx, now.plus_days(-CHANGES_KEPT_DAYS)).await?;
                checkouts_unanswered_end_in_tx(tx, now.plus_days(-INTENT_DAYS)).await?;
                pix_keys_purge_in_tx(tx, now.plus_days(-PIX_KEY_DAYS)).await?;
                counts_purge_in_tx(tx, now.plus_days(-COUNTS_KEPT_DAYS)).await?;
                let (arrived, clicked) = (now.plus_days(-ARRIVAL_KEPT_DAYS), now.plus_days(-LIVES_DAYS));
                origins_purge_in_tx(tx, arrived, clicked).await?;
                audit_purge_in_tx(tx, now.plus_days(-AUDIT_KEPT_DAYS)).await?;
                ended_tokens_purge_in_tx(tx, system_now().plus_days(-1).as_micros()).await?;
                sessions_purge_in_tx(tx, sessions_before).await
            })
        })
        .await?;
    Ok(JobOutcome::Again(now.plus_days(1)))
}

#[cfg(test)]
mod tests;
