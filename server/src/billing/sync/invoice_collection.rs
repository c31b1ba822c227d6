//! Makes the provider collect exactly the invoices that our rules expect.
//!
//! - A cancellation stops automatic collection of the finalized invoices of the whole customer or
//!   of the subscription alone (the provider's documents disagree). Collection is resumed for
//!   invoices of a subscription that continues.
//! - A period that was not paid gives no rights after its end, so its invoice is voided. A
//!   subscription that the provider left `unpaid` is then ended, because the provider charges
//!   nothing for it any more.

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{InvoiceId, SubscriptionId, Timestamp, Uid};
use serde::{Deserialize, Serialize};

use crate::billing::facts::projection::{Projection, is_of_unpaid_change};
use crate::billing::jobs::retirement::{RetireReason, retire_job};
use crate::billing::sync::follow_ups::FollowUps;
use crate::providers::stripe;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{ClaimedJob, Invoice, NewJob, Result, Subscription, Tx, jobs, subscriptions};

/// What is to be done about an invoice.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum Action {
    Resume,
    Void,
}

/// Payload of the job.
#[derive(Debug, Serialize, Deserialize)]
struct CollectionJob {
    uid: Uid,
    subscription_id: SubscriptionId,
    invoice_id: InvoiceId,
    action: Action,
}

/// Enqueues the actions that a sync found necessary.
pub(crate) async fn enqueue_collection(
    tx: &mut Tx,
    invoices: &[stripe::Invoice],
    projection: &Projection,
) -> Result<()> {
    let now = projection.now;
    for row in projection.subscriptions.iter().filter(|row| row.is_running_and_kept()) {
        // A plan change is paid by its payer, or discarded by the provider with its invoice.
        let is_of_unpaid_change = |fact: &stripe::Invoice| {
            let mut rows = projection.invoices.iter();
            rows.any(|invoice| invoice.id == fact.id && is_of_unpaid_change(invoice, &row.provider_status))
        };
        let is_own =
            |fact: &&stripe::Invoice| fact.subscription() == Some(&row.id) && !is_of_unpaid_change(fact);
        let own = || invoices.iter().filter(is_own);
        let over: Vec<_> = own().filter(|fact| is_over(fact, projection)).collect();
        if row.provider_status == SubscriptionStatus::Unpaid {
            if !over.is_empty() {
                jobs::enqueue_or_revive(tx, retire_job(row, RetireReason::Over, now)).await?;
            }
            continue;
        }
        for fact in &over {
            jobs::enqueue_or_revive(tx, collection_job(row, fact, Action::Void, now)).await?;
        }
        for fact in own().filter(|fact| fact.is_stopped() && !has_passed(fact, now)) {
            jobs::enqueue_or_revive(tx, collection_job(row, fact, Action::Resume, now)).await?;
        }
    }
    Ok(())
}

fn collection_job(row: &Subscription, fact: &stripe::Invoice, action: Action, now: Timestamp) -> NewJob {
    let (uid, subscription_id, invoice_id) = (row.uid.clone(), row.id.clone(), fact.id.clone());
    let key = format!("{invoice_id}:{}", <&str>::from(action));
    let order = CollectionJob { uid, subscription_id, invoice_id, action };
    NewJob::new(JobKind::Collection, key, order, now)
}

/// Whether an invoice can still be paid, although the time that it charges for has passed.
fn is_over(fact: &stripe::Invoice, projection: &Projection) -> bool {
    let now = projection.now;
    let can_be_paid = |row: &&Invoice| row.id == fact.id && row.can_be_paid() && !row.boleto_waits(now);
    has_passed(fact, now) && projection.invoices.iter().any(|row| can_be_paid(&row))
}

/// Whether the period of an invoice is over.
fn has_passed(fact: &stripe::Invoice, now: Timestamp) -> bool {
    fact.period().is_some_and(|(_, end)| Timestamp::from_unix_seconds(end) <= now)
}

impl FollowUps {
    /// Runs one action. It may run again.
    pub(crate) async fn collect(self, job: ClaimedJob) -> JobResult {
        let order: CollectionJob = job.read()?;
        let row = subscriptions::by_id(&self.context.store, &order.subscription_id).await?;
        // Ending the subscription voids its invoices.
        if !row.is_some_and(|row| row.is_running_and_kept()) {
            return Ok(JobOutcome::Dropped("the subscription does not go on"));
        }
        match order.action {
            Action::Resume => self.stripe.collect_invoice(&order.invoice_id).await,
            Action::Void => self.stripe.void_invoice(&order.invoice_id).await,
        }?;
        self.sync.refresh(&order.uid).await?;
        Ok(JobOutcome::Done)
    }
}
