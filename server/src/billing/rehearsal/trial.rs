//! A trial that ends while a coupon for one charge is on the subscription.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::PAYS;
use crate::billing::rehearsal::stage::{DAY, HOUR, MONTHLY, SceneError, Stage};
use crate::providers::stripe::rehearsal::{ObservedInvoice, RehearsalSubscription};

const OFF: i64 = 1_000;
const TRIAL_DAYS: i64 = 7;

/// The first charge after the trial.
pub(super) struct TrialEnd {
    invoice: ObservedInvoice,
    subscription: String,
}

impl TrialEnd {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let mut clock = stage.clock().await?;
        let customer = clock.customer("ensaio.teste@example.com").await?;
        let card = stage.card(PAYS, &customer).await?;
        let coupon = stage.stripe.rehearsal_amount_coupon(OFF, &stage.run, &stage.key()).await?;
        let price = &stage.prices().await?.monthly.id;
        let end = clock.now() + TRIAL_DAYS * DAY;
        let order = RehearsalSubscription {
            coupon: Some(&coupon),
            trial_end: Some(end),
            ..stage.order(&customer, price, &card)
        };
        let started = stage.subscribe_as(&order).await?;
        clock.advance_to(end + 2 * HOUR).await?;
        Ok(Self {
            invoice: stage.newest_invoice(&started.id).await?,
            subscription: stage.stripe.subscription_observe(&started.id).await?.status,
        })
    }
}

/// The end of a trial charges the card.
pub(super) async fn trial_end_is_charged(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.trial().await?;
    let is_charged = seen.invoice.is("paid") && seen.invoice.total > 0 && seen.subscription == "active";
    Ok(Outcome::of(is_charged, || {
        let status = seen.invoice.status.as_deref().unwrap_or("without a status");
        let (total, subscription) = (seen.invoice.total, &seen.subscription);
        format!(
            "two hours after the trial the invoice of {total} is {status}, the subscription {subscription}"
        )
    }))
}

/// The invoice of zero that opens a trial leaves a once coupon for the first charge.
pub(super) async fn trial_keeps_the_coupon(stage: &Stage) -> Result<Outcome, SceneError> {
    let total = stage.trial().await?.invoice.total;
    Ok(Outcome::of(total == MONTHLY - OFF, || {
        format!(
            "the first charge after the trial is {total} centavos; with the coupon it is {}",
            MONTHLY - OFF
        )
    }))
}
