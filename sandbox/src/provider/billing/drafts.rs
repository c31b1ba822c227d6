//! How an invoice is composed: its lines, their sum, and the amount due after the customer's balance.

use serde_json::Value;

use crate::objects::List;
use crate::objects::Metadata;
use crate::objects::invoice::{
    BillingReason, DiscountAmount, Invoice, InvoiceItemDetails, InvoiceLine, InvoiceParent, InvoiceStatus,
    LineParent, PaymentSettings, Period, PriceDetails, Pricing, PrivateInvoice, ProrationDetails,
    StatusTransitions, SubscriptionDetails, SubscriptionItemDetails,
};
use crate::objects::subscription::{Subscription, SubscriptionItem, SubscriptionStatus};
use crate::provider::billing::proration::Share;
use crate::provider::call::get;
use crate::provider::discounts::AppliedDiscount;
use crate::provider::error::ApiError;
use crate::provider::{amounts, events};
use crate::state::ids;
use crate::state::moment::Moment;
use crate::state::store::{Tx, number, text};

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
    tx.insert(&invoice).await?;
    events::emit(tx, "invoice.created", &invoice).await?;
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
    Invoice {
        amount_due: due,
        amount_paid: 0,
        amount_remaining: due,
        attempt_count: 0,
        attempted: false,
        auto_advance: true,
        billing_reason: BillingReason::Upcoming,
        created: now,
        currency: subscription.currency.clone(),
        customer: subscription.customer.clone(),
        customer_address: customer["address"].clone(),
        customer_email: field("email"),
        customer_name: field("name"),
        customer_phone: field("phone"),
        discounts: discount.iter().map(|discount| discount.discount.clone()).collect(),
        effective_at: None,
        ending_balance: None,
        hosted_invoice_url: None,
        invoice_pdf: None,
        lines: List::whole(format!("/v1/invoices/{id}/lines"), lines),
        metadata: Metadata::new(),
        next_payment_attempt: None,
        number: None,
        parent: InvoiceParent {
            quote_details: (),
            subscription_details: SubscriptionDetails {
                metadata: subscription.metadata.clone(),
                subscription: subscription.id.clone(),
            },
            kind: "subscription_details".into(),
        },
        payment_settings: PaymentSettings {
            default_mandate: (),
            payment_method_options: (),
            payment_method_types: subscription.payment_settings.payment_method_types.clone(),
        },
        period_end,
        period_start,
        pre_payment_credit_notes_amount: 0,
        starting_balance: balance,
        status: InvoiceStatus::Draft,
        status_transitions: StatusTransitions::default(),
        subtotal,
        subtotal_excluding_tax: subtotal,
        test_clock: subscription.test_clock.clone(),
        total,
        total_discount_amounts: discount.into_iter().collect(),
        total_excluding_tax: total,
        private: PrivateInvoice { page: ids::random(40) },
        id,
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
    let period = Period { start: item.current_period_start, end: item.current_period_end };
    let parent = LineParent {
        invoice_item_details: None,
        subscription_item_details: Some(SubscriptionItemDetails {
            invoice_item: (),
            proration: false,
            proration_details: (),
            subscription: subscription.id.clone(),
            subscription_item: item.id.clone(),
        }),
        kind: "subscription_item_details".into(),
    };
    InvoiceLine {
        description: format!("{} × {words}", item.quantity.max(1)),
        ..line(
            subscription,
            item.quantity,
            &item.price,
            if is_free { 0 } else { item.amount() },
            period,
            parent,
        )
    }
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
    let parent = LineParent {
        subscription_item_details: None,
        invoice_item_details: Some(InvoiceItemDetails {
            invoice_item: ids::new("ii"),
            proration: true,
            proration_details: ProrationDetails { credited_items: () },
            subscription: subscription.id.clone(),
        }),
        kind: "invoice_item_details".into(),
    };
    InvoiceLine {
        description: format!("{what} desde {}", Moment::from_seconds(start).date_br()),
        discountable: false,
        ..line(subscription, item.quantity, price, share.amount, Period { start, end }, parent)
    }
}

fn line(
    subscription: &Subscription,
    quantity: i64,
    price: &Value,
    amount: i64,
    period: Period,
    parent: LineParent,
) -> InvoiceLine {
    InvoiceLine {
        id: ids::new("il"),
        amount,
        currency: text(price, "currency").into(),
        description: String::new(),
        discount_amounts: Vec::new(),
        discountable: true,
        discounts: Vec::new(),
        invoice: String::new(),
        livemode: false,
        metadata: subscription.metadata.clone(),
        parent,
        period,
        pretax_credit_amounts: Vec::new(),
        pricing: Pricing {
            price_details: PriceDetails {
                price: text(price, "id").into(),
                product: text(price, "product").into(),
            },
            kind: "price_details".into(),
            unit_amount_decimal: number(price, "unit_amount").to_string(),
        },
        quantity: quantity.max(1),
        quantity_decimal: "1".into(),
        subscription: subscription.id.clone(),
        subtotal: amount,
        taxes: Vec::new(),
    }
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
