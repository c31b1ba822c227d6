//! Renewals: a period ends, an invoice is made, closed an hour later, charged, and tried again.

use crate::objects::{BillingReason, Invoice, InvoiceStatus, Subscription, SubscriptionStatus};
use crate::provider::billing::collection::Attempt;
use crate::provider::billing::{collection, drafts, invoices, pauses, subscriptions, upcoming};
use crate::provider::{ApiError, events};
use crate::state::{Document, Moment, Timer, Tx};

/// The period (or trial) ended at `due`.
pub async fn end_period(tx: &mut Tx, id: &str, due: Moment) -> Result<(), ApiError> {
    use SubscriptionStatus::{Active, Trialing, Unpaid};
    let Some(before) = tx.load::<Subscription>(id).await?.filter(Subscription::renews) else { return Ok(()) };
    if before.cancel_at_period_end {
        return subscriptions::cancel_now(tx, before, "cancellation_requested").await.map(drop);
    }
    let mut after = before.clone();
    subscriptions::next_period(&mut after);
    if before.status == Trialing {
        after.status = Active;
    }
    let discount = upcoming::take_discount(tx, &mut after).await?;
    let mut invoice = drafts::draft(tx, &after, BillingReason::SubscriptionCycle, discount).await?;
    after.private.pending = Vec::new();
    after.latest_invoice = Some(invoice.id.clone());
    subscriptions::save(tx, &before, &after).await?;
    subscriptions::watch_period(tx, &after).await?;
    if let Some(behavior) = after.paused_at(due.seconds()) {
        return pauses::withhold(tx, invoice, behavior).await;
    }
    if before.status == Unpaid {
        // The invoices of an unpaid subscription stay drafts.
        invoice.auto_advance = false;
        tx.update(&invoice).await?;
    } else {
        tx.set_timer(&invoice.id, Timer::InvoiceCloses, due.plus(invoices::COLLECTION_DELAY)).await?;
    }
    Ok(())
}

/// Sends `invoice.upcoming` for a subscription that will renew. Its invoice has no id.
pub async fn announce_renewal(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let renews = |found: &Subscription| {
        matches!(found.status, SubscriptionStatus::Active | SubscriptionStatus::PastDue)
            && found.cancel_at.is_none()
            && found.paused_at(found.period().1).is_none()
    };
    let Some(subscription) = tx.load(id).await?.filter(renews) else { return Ok(()) };
    let lines = subscription.private.pending.clone();
    let mut invoice = upcoming::next_invoice(tx, subscription, lines).await?.document();
    if let Some(fields) = invoice.as_object_mut() {
        fields.remove("id");
    }
    Ok(events::emit(tx, "invoice.upcoming", &invoice).await?)
}

/// Sends `customer.subscription.trial_will_end`.
pub async fn announce_trial_end(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_trial = |found: &Subscription| found.status == SubscriptionStatus::Trialing;
    if let Some(subscription) = tx.load(id).await?.filter(is_trial) {
        events::emit(tx, "customer.subscription.trial_will_end", &subscription).await?;
    }
    Ok(())
}

/// Closes and charges the draft of a renewal.
pub async fn close_invoice(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_due = |invoice: &Invoice| invoice.status == InvoiceStatus::Draft && invoice.auto_advance;
    let Some(mut invoice) = tx.load(id).await?.filter(is_due) else { return Ok(()) };
    let subscription: Option<Subscription> = tx.load(&invoice.private.subscription).await?;
    if subscription.is_some_and(|subscription| subscription.is_over()) {
        return Ok(());
    }
    if invoices::finalize(tx, &mut invoice, None).await?.is_none() {
        return invoices::mark_paid(tx, &mut invoice, false).await;
    }
    collection::attempt(tx, invoice, &Attempt::Scheduled).await.map(drop)
}
