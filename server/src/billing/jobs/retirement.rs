//! Jobs that end a subscription or a session at the provider, and their reasons.

use garimpo_domain::{CheckoutSessionId, SubscriptionId, Timestamp, Uid};
use serde::{Deserialize, Serialize};

use crate::billing::facts::money_owed::{is_owed_by_card, payment_by_credit, unrefunded_payment};
use crate::billing::facts::projection::Projection;
use crate::queue::JobKind;
use crate::store::{
    Checkout, Invoice, NewJob, Refund, Result, Retired, Subscription, Tx, jobs, refunds, subscriptions,
};

/// Why a subscription is ended at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum RetireReason {
    /// Another subscription of the account was paid at the same time. This one is refunded.
    Duplicate,
    /// Another subscription of the account was paid instead of it.
    Replaced,
    /// Its payment is or was refunded.
    Returned,
    /// Its account was deleted.
    Deleted,
    /// It has ended, but an invoice could still be paid and would give no rights.
    Over,
}

garimpo_domain::named!(RetireReason);

impl RetireReason {
    /// Why a row is retired; `None` if no other subscription replaced it.
    pub(crate) fn of(row: &Subscription) -> Option<Self> {
        row.retired.map(|retired| match retired {
            Retired::Duplicate => Self::Duplicate,
            Retired::Replaced => Self::Replaced,
        })
    }
}

/// Payload of the job.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retirement {
    pub(crate) uid: Uid,
    pub(crate) subscription_id: SubscriptionId,
    pub(crate) reason: RetireReason,
}

/// The job that ends a subscription at the provider, one per reason.
pub(crate) fn retire_job(row: &Subscription, reason: RetireReason, now: Timestamp) -> NewJob {
    job_under_key(format!("{}:{}", row.id, reason.name()), row, reason, now)
}

/// The job that voids an open invoice of an ended subscription, one per invoice.
fn void_job(row: &Subscription, invoice: &Invoice, now: Timestamp) -> NewJob {
    let reason = RetireReason::Over;
    job_under_key(format!("{}:{}:{}", row.id, reason.name(), invoice.id), row, reason, now)
}

fn job_under_key(key: String, row: &Subscription, reason: RetireReason, due_at: Timestamp) -> NewJob {
    let what = Retirement { uid: row.uid.clone(), subscription_id: row.id.clone(), reason };
    NewJob::new(JobKind::Retire, key, what, due_at)
}

/// Payload of the job that closes a session.
#[derive(Serialize, Deserialize)]
pub(crate) struct CheckoutExpiry {
    pub(crate) uid: Uid,
    pub(crate) session_id: CheckoutSessionId,
}

/// The job that closes a session, one per key.
pub(crate) fn session_expire_job(
    uid: &Uid,
    key: &str,
    session_id: &CheckoutSessionId,
    now: Timestamp,
) -> NewJob {
    let what = CheckoutExpiry { uid: uid.clone(), session_id: session_id.clone() };
    NewJob::new(JobKind::CheckoutExpire, key, what, now)
}

/// The job that closes the session of a checkout, if it has one.
pub(crate) fn checkout_expire_job(checkout: &Checkout, now: Timestamp) -> Option<NewJob> {
    let session_id = checkout.session_id.as_ref()?;
    Some(session_expire_job(&checkout.uid, &checkout.id, session_id, now))
}

/// Enqueues the jobs that end and refund subscriptions at the provider. Each sync enqueues
/// unfinished ones again, at least daily, because the provider may fail for long.
pub(crate) async fn enqueue_retirements(
    tx: &mut Tx,
    projection: &Projection,
    refunds: &[Refund],
) -> Result<()> {
    let now = projection.now;
    // A duplicate is left out, because the second loop enqueues its job.
    let is_returned = |row: &&Subscription| row.returned_at.is_some() && !row.is_duplicate();
    let with_credit = match projection.subscriptions.first() {
        Some(row) => subscriptions::returned_with_credit(&mut *tx, &row.uid).await?,
        None => Vec::new(),
    };
    for row in projection.subscriptions.iter().filter(is_returned) {
        let has_credit = with_credit.contains(&row.id);
        if row.ended_at.is_none() || is_owed_by_card(refunds, row) || has_credit {
            jobs::enqueue_or_revive(tx, retire_job(row, RetireReason::Returned, now)).await?;
        }
    }
    for row in &projection.subscriptions {
        let Some(reason) = RetireReason::of(row) else { continue };
        // A subscription that ended before this job needs at most a refund.
        if row.ended_at.is_none() || is_owed(tx, row, &projection.invoices).await? {
            jobs::enqueue_or_revive(tx, retire_job(row, reason, now)).await?;
        }
    }
    // An open invoice of an ended subscription could still be paid, and would give no rights.
    for invoice in projection.invoices.iter().filter(|invoice| invoice.can_be_paid()) {
        let row = projection.subscription(&invoice.subscription_id).filter(|row| row.ended_at.is_some());
        let Some(row) = row else { continue };
        jobs::enqueue_or_revive(tx, void_job(row, invoice, now)).await?;
    }
    Ok(())
}

/// Whether money or credit of a duplicate is still owed. Its job is deleted after a month, so the
/// rows decide, and a paid refund is not requested again.
async fn is_owed(tx: &mut Tx, row: &Subscription, invoices: &[Invoice]) -> Result<bool> {
    if !row.is_duplicate() {
        return Ok(false);
    }
    let of_row = || invoices.iter().filter(|invoice| invoice.subscription_id == row.id);
    if payment_by_credit(of_row()).is_some() {
        return Ok(true);
    }
    match unrefunded_payment(of_row()) {
        Some(invoice) => Ok(!refunds::is_settled(tx, &invoice.id).await?),
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retirement_reason_is_stored_by_the_name_that_its_key_uses() {
        for reason in [
            RetireReason::Duplicate,
            RetireReason::Replaced,
            RetireReason::Returned,
            RetireReason::Deleted,
            RetireReason::Over,
        ] {
            let what = Retirement {
                uid: Uid::new("usr_ana"),
                subscription_id: SubscriptionId::new("sub_1"),
                reason,
            };

            let stored =
                serde_json::json!({ "uid": "usr_ana", "subscription_id": "sub_1", "reason": reason.name() });
            assert_eq!(serde_json::json!(what), stored);
            assert_eq!(serde_json::from_value::<Retirement>(stored).expect("it is read"), what);
        }
    }
}
