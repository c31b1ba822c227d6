//! The invoice of the period that follows, before it exists.

use crate::objects::{Discount, Invoice, InvoiceLine, Subscription, SubscriptionItem};
use crate::provider::amounts::discount;
use crate::provider::billing::{drafts, subscriptions};
use crate::provider::discounts::AppliedDiscount;
use crate::provider::{ApiError, Params, customers, get, load_param};
use crate::state::{Tx, text};

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

/// The subscription whose invoice a call previews: the one that it names, or the customer's that
/// renews first.
///
/// # Errors
/// 400 naming the parameter, 404 `invoice_upcoming_none` if no subscription of the customer renews.
pub async fn subscription(tx: &mut Tx, params: &Params) -> Result<Subscription, ApiError> {
    let customer = match params.text("customer") {
        Some(id) => Some(customers::live(tx, id, "customer").await?),
        None => None,
    };
    let customer = customer.as_ref().map(|customer| text(customer, "id"));
    if let Some(id) = params.text("subscription") {
        let found: Subscription = load_param(tx, id, "subscription").await?;
        let message = format!("The subscription {id} does not belong to the customer.");
        let is_own = customer.is_none_or(|customer| found.customer == customer);
        ensure!(is_own, ApiError::param("subscription", message));
        return Ok(found);
    }
    let customer = customer.ok_or_else(|| ApiError::missing("customer"))?;
    let message = "The sandbox previews changes of a subscription that is named, and no new ones.";
    let has_details = params.has("subscription_details");
    ensure!(!has_details, ApiError::value_not_played("subscription_details", message));
    let mut found: Vec<Subscription> = tx.load_by("customer", customer).await?;
    found.retain(|own| own.renews() && own.cancel_at.is_none_or(|at| own.period().1 < at));
    let message = format!("No upcoming invoices for customer: '{customer}'");
    let none = ApiError { status: 404, ..ApiError::state(Some("invoice_upcoming_none"), message) };
    found.into_iter().min_by_key(|own| own.period().1).ok_or(none)
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
