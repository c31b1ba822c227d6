//! Keeps the coupon of a purchase in the trial for its first charge.
//!
//! Stripe does not document whether the zero invoice of a trial uses up a coupon of duration
//! `once`. If it does, the subscription has no discount left, and the coupon is set again before
//! the trial ends.

use garimpo_domain::SubscriptionId;
use garimpo_domain::provider_status::SubscriptionStatus;

use crate::billing::catalog::push::provider_coupon;
use crate::billing::facts::projection::{Projection, ProviderState};
use crate::billing::sync::follow_ups::FollowUps;
use crate::providers::stripe::{self, present};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{ClaimedJob, NewJob, Result, Subscription, Tx, checkouts, jobs};

/// Enqueues the job for each subscription whose coupon was used up before its first charge.
pub(crate) async fn enqueue_coupons(
    tx: &mut Tx,
    observed: &ProviderState,
    projection: &Projection,
) -> Result<()> {
    let awaits_first_charge = |row: &&Subscription| {
        row.is_running() && row.first_charge_at.is_some() && row.first_paid_at.is_none()
    };
    for row in projection.subscriptions.iter().filter(awaits_first_charge) {
        let is_used_up =
            observed.state.subscriptions.iter().any(|fact| fact.id == row.id && needs_coupon(fact));
        if row.coupon_id.is_none() || !is_used_up {
            continue;
        }
        let job = NewJob::of_account(JobKind::TrialCoupon, &row.id, &row.uid, projection.now);
        jobs::enqueue_or_revive(tx, job).await?;
    }
    Ok(())
}

fn needs_coupon(fact: &stripe::Subscription) -> bool {
    fact.status == SubscriptionStatus::Trialing && fact.discounts.is_empty()
}

impl FollowUps {
    /// Sets the coupon again. A repeated run sees the discount and does nothing.
    pub(crate) async fn restore_coupon(self, job: ClaimedJob) -> JobResult {
        let id = &SubscriptionId::new(job.key);
        let checkout = checkouts::by_subscription(&self.context.store, id).await?;
        let Some(coupon) = checkout.as_ref().and_then(provider_coupon) else {
            return Ok(JobOutcome::Dropped("no checkout with a coupon"));
        };
        let found = present(self.stripe.get_subscription(id).await)?;
        if !found.is_some_and(|fact| needs_coupon(&fact)) {
            return Ok(JobOutcome::Done);
        }
        match self.stripe.set_subscription_coupon(id, &coupon).await {
            Ok(()) => {}
            // The next run finds the coupon when the catalogue was pushed again.
            Err(error) if error.misses_catalog() => {
                return Err(self.repairs.handle_lost_catalog(None, &error).await?.into());
            }
            Err(error) => return Err(error.into()),
        }
        tracing::info!(subscription.id = %id, coupon, "the coupon of a purchase in the trial was set again");
        Ok(JobOutcome::Done)
    }
}
