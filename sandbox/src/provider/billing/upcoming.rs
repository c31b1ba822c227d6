//! The invoice of the period that follows, before it exists.

use crate::objects::{Discount, Invoice, InvoiceLine, Subscription, SubscriptionItem};
use crate::provider::amounts::discount;
use crate::provider::billing::{drafts, subscriptions};
use crate::provider::discounts::AppliedDiscount;
use crate::provider::{ApiError, get};
use crate::state::Tx;

/// The discount that a subscription still has. One of duration `once` is used up by this.
pub async fn take_discount(
    tx: &mut Tx,
    subscription: &mut Subscription,
) -> Result<Option<AppliedDiscount>, ApiError> {
    let Some(id) = subscription.discounts.first() else { return Ok(None) };
    let Some(found) = tx.load::<Discount>(id).await? else { return Ok(None) };
    // Deleting a coupon does not end the discounts that were made with it.
    let stored = tx.find(&found.source.coupon).await?;
    let coupon = stored.or_else(|| found.private.coupon.clone()).unwrap_or_default();
    if coupon["duration"] == "once" {
        subscription.discounts = Vec::new();
    }
    let amount = subscription.items.data.iter().map(SubscriptionItem::amount).sum();
    let off = discount(&coupon, amount, tx.behavior.coupon_rounding);
    Ok(Some((found, off)))
}

/// The invoice of the period that follows, with lines that are pending.
pub async fn next_invoice(
    tx: &mut Tx,
    mut subscription: Subscription,
    mut lines: Vec<InvoiceLine>,
) -> Result<Invoice, ApiError> {
    let customer = get(tx, "customer", &subscription.customer).await?;
    subscriptions::next_period(&mut subscription);
    let discount = take_discount(tx, &mut subscription).await?;
    let items = subscription.items.data.iter();
    lines.extend(items.map(|item| drafts::period_line(&subscription, item, false)));
    Ok(preview(drafts::compose(tx.now.seconds(), &subscription, &customer, lines, discount)))
}

/// An invoice that is not stored.
pub fn preview(invoice: Invoice) -> Invoice {
    Invoice { id: format!("upcoming_{}", invoice.id), ..invoice }
}
