//! How an invoice is composed: its lines, their sum, and the amount due after the customer's
//! balance.

use serde_json::{Value, json};

use crate::objects::{
    BillingReason, DiscountAmount, Invoice, InvoiceLine, Period, PrivateInvoice, Subscription,
    SubscriptionItem, SubscriptionStatus, template,
};
use crate::provider::billing::proration::Share;
use crate::provider::discounts::AppliedDiscount;
use crate::provider::{ApiError, amounts, events, get};
use crate::state::{Moment, Tx, ids, number, text};

/// Stores the draft for a subscription's current period, with the pending lines of plan changes.
pub async fn draft(
    tx: &mut Tx,
    subscription: &Subscription,
    reason: BillingReason,
    discount: Option<AppliedDiscount>,
) -> Result<Invoice, ApiError> {
    let is_free = subscription.status == SubscriptionStatus::Trialing
        || (reason == BillingReason::SubscriptionCreate && subscription.trial_end.is_some());
    let mut lines = subscription.private.pending.clone();
    lines.extend(subscription.items.data.iter().map(|item| period_line(subscription, item, is_free)));
    store(tx, subscription, reason, lines, discount).await
}

/// Stores the draft of some lines.
pub async fn store(
    tx: &mut Tx,
    subscription: &Subscription,
    reason: BillingReason,
    lines: Vec<InvoiceLine>,
    discount: Option<AppliedDiscount>,
) -> Result<Invoice, ApiError> {
    let (customer, sequence) = take_number(tx, &subscription.customer).await?;
    let mut invoice = compose(tx.now.seconds(), subscription, &customer, lines, discount);
    invoice.billing_reason = reason;
    invoice.number = Some(format!("{}-{sequence:04}", text(&customer, "invoice_prefix")));
    events::insert(tx, "invoice.created", &invoice).await?;
    Ok(invoice)
}

/// The invoice of some lines, not stored.
pub fn compose(
    now: i64,
    subscription: &Subscription,
    customer: &Value,
    mut lines: Vec<InvoiceLine>,
    discount: Option<AppliedDiscount>,
) -> Invoice {
    let id = ids::new("in");
    let discount = discount.map(|(discount, off)| {
        let off = take_off(&mut lines, &discount.id, off);
        DiscountAmount { amount: off, discount: discount.id }
    });
    for line in &mut lines {
        line.invoice.clone_from(&id);
    }
    let subtotal: i64 = lines.iter().map(|line| line.amount).sum();
    let total = subtotal - discount.as_ref().map_or(0, |discount| discount.amount);
    let balance = number(customer, "balance");
    let (due, _) = amounts::settle(total, balance);
    let (period_start, period_end) = subscription.period();
    let field = |name: &str| customer[name].as_str().map(str::to_owned);
    let metadata = &subscription.metadata;
    let discounts: Vec<&String> = discount.iter().map(|discount| &discount.discount).collect();
    let given = json!({
        "customer_address": customer["address"], "discounts": discounts,
        "lines": {"data": lines, "url": format!("/v1/invoices/{id}/lines")},
        "parent": {"subscription_details": {"metadata": metadata, "subscription": subscription.id}},
        "payment_settings": {"payment_method_types": subscription.payment_settings.payment_method_types},
        "period_end": period_end, "period_start": period_start, "subtotal_excluding_tax": subtotal,
        "test_clock": subscription.test_clock, "total_excluding_tax": total,
    });
    Invoice {
        id,
        amount_due: due,
        amount_remaining: due,
        created: now,
        currency: subscription.currency.clone(),
        customer: subscription.customer.clone(),
        customer_email: field("email"),
        customer_name: field("name"),
        customer_phone: field("phone"),
        starting_balance: balance,
        subtotal,
        total,
        total_discount_amounts: discount.into_iter().collect(),
        private: PrivateInvoice { page: ids::random(40), subscription: subscription.id.clone() },
        ..template("invoice", given)
    }
}

/// Takes a discount off whole periods, line by line. Returns its amount.
fn take_off(lines: &mut [InvoiceLine], discount: &str, off: i64) -> i64 {
    let mut left = off;
    for line in lines.iter_mut().filter(|line| !line.is_proration()) {
        let amount = left.min(line.amount.max(0));
        left -= amount;
        line.discounts = vec![discount.to_owned()];
        line.discount_amounts = vec![DiscountAmount { amount, discount: discount.to_owned() }];
    }
    off - left
}

/// The line of an item's whole current period.
pub fn period_line(subscription: &Subscription, item: &SubscriptionItem, is_free: bool) -> InvoiceLine {
    let words = amounts::interval_in_words(&item.price["recurring"]);
    let description = format!("{} × {words}", item.quantity.max(1));
    let period = Period { start: item.current_period_start, end: item.current_period_end };
    let parent = json!({"invoice_item_details": null, "type": "subscription_item_details",
        "subscription_item_details": {"invoice_item": null, "proration": false, "proration_details": null,
            "subscription": subscription.id, "subscription_item": item.id}});
    let amount = if is_free { 0 } else { item.amount() };
    line(subscription, (item.quantity, &item.price), amount, period, description, &parent)
}

/// The line of a part of a period, under one of the two prices of a change.
pub fn part_line(
    subscription: &Subscription,
    item: &SubscriptionItem,
    price: &Value,
    share: &Share,
) -> InvoiceLine {
    let (start, end) = share.period;
    let what = if share.is_new { "Tempo restante" } else { "Tempo não usado" };
    let description = format!("{what} desde {}", Moment::from_seconds(start).date_br());
    let parent = json!({"subscription_item_details": null, "type": "invoice_item_details",
        "invoice_item_details": {"invoice_item": ids::new("ii"), "proration": true,
            "proration_details": {"credited_items": null}, "subscription": subscription.id}});
    let period = Period { end, start };
    line(subscription, (item.quantity, price), share.amount, period, description, &parent)
}

fn line(
    subscription: &Subscription,
    (quantity, price): (i64, &Value),
    amount: i64,
    period: Period,
    description: String,
    parent: &Value,
) -> InvoiceLine {
    let given = json!({
        "id": ids::new("il"), "currency": price["currency"],
        "discountable": parent["type"] == "subscription_item_details", "metadata": subscription.metadata,
        "parent": parent,
        "pricing": {
            "price_details": {"price": price["id"], "product": text(price, "product")},
            "unit_amount_decimal": number(price, "unit_amount").to_string(),
        },
        "quantity": quantity.max(1), "subscription": subscription.id, "subtotal": amount,
    });
    InvoiceLine { amount, description, period, ..template("line_item", given) }
}

/// Takes the next invoice number of a customer. Returns the customer and the number.
async fn take_number(tx: &mut Tx, customer: &str) -> Result<(Value, i64), ApiError> {
    let mut doc = get(tx, "customer", customer).await?;
    let sequence = number(&doc, "next_invoice_sequence").max(1);
    doc["next_invoice_sequence"] = (sequence + 1).into();
    tx.update(&doc).await?;
    Ok((doc, sequence))
}

#[cfg(test)]
mod tests;
