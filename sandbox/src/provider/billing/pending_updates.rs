//! Pending updates: a plan change that waits for the payment of its invoice.
//!
//! Until the payment, the subscription keeps its price and period. A payment applies the change. A
//! void of the invoice discards it.

use crate::objects::{HeldChange, Invoice, PendingUpdate, Subscription};
use crate::provider::billing::subscriptions;
use crate::provider::{ApiError, events, load};
use crate::state::{Moment, Timer, Tx};

/// Longest time in seconds for which an update waits for its payment.
const LONGEST_WAIT: i64 = 23 * 3_600;

/// Stores the change from `before` to `after` with the invoice that must be paid for it.
pub async fn hold(
    tx: &mut Tx,
    before: &Subscription,
    after: &Subscription,
    invoice: &Invoice,
    restarts: bool,
) -> Result<(), ApiError> {
    let mut waiting = before.clone();
    waiting.latest_invoice = Some(invoice.id.clone());
    waiting.private.held = Some(HeldChange {
        invoice: invoice.id.clone(),
        items: after.items.data.clone(),
        billing_cycle_anchor: after.billing_cycle_anchor,
        discounts: after.discounts.clone(),
        pending: std::mem::take(&mut waiting.private.pending),
        restarts,
    });
    Ok(tx.update(&waiting).await?)
}

/// Shows a held change as `pending_update`, because its first payment failed.
pub async fn show(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let before: Subscription = load(tx, id).await?;
    let Some(held) = &before.private.held else { return Ok(()) };
    let expires_at = (tx.now.seconds() + LONGEST_WAIT).min(before.period().1);
    let mut after = before.clone();
    after.pending_update = Some(PendingUpdate {
        billing_cycle_anchor: held.restarts.then_some(held.billing_cycle_anchor),
        expires_at,
        subscription_items: held.items.clone(),
        trial_end: None,
        trial_from_plan: None,
    });
    tx.set_timer(id, Timer::PendingUpdateExpires, Moment::from_seconds(expires_at)).await?;
    subscriptions::save(tx, &before, &after).await
}

/// Applies the change that waited for the payment of an invoice.
pub async fn apply_paid(tx: &mut Tx, invoice: &Invoice) -> Result<(), ApiError> {
    let Some((before, held)) = held_by(tx, invoice).await? else { return Ok(()) };
    let mut after = before.clone();
    let was_shown = after.pending_update.take().is_some();
    after.private.held = None;
    after.items.data = held.items;
    after.billing_cycle_anchor = held.billing_cycle_anchor;
    after.discounts = held.discounts;
    if after.cancel_at_period_end {
        after.cancel_at = Some(after.period().1);
    }
    subscriptions::save(tx, &before, &after).await?;
    if held.restarts {
        subscriptions::watch_period(tx, &after).await?;
    }
    if was_shown {
        events::emit(tx, "customer.subscription.pending_update_applied", &after).await?;
    }
    Ok(())
}

/// Discards the change that waited for the payment of a void invoice.
pub async fn discard_void(tx: &mut Tx, invoice: &Invoice) -> Result<(), ApiError> {
    let Some((before, held)) = held_by(tx, invoice).await? else { return Ok(()) };
    let mut after = before.clone();
    after.pending_update = None;
    after.private.held = None;
    after.private.pending.extend(held.pending);
    subscriptions::save(tx, &before, &after).await
}

/// The subscription whose change waits for the payment of an invoice.
async fn held_by(tx: &mut Tx, invoice: &Invoice) -> Result<Option<(Subscription, HeldChange)>, ApiError> {
    let found: Option<Subscription> = tx.load(&invoice.private.subscription).await?;
    Ok(found.and_then(|found| {
        let held = found.private.held.clone().filter(|held| held.invoice == invoice.id)?;
        Some((found, held))
    }))
}
