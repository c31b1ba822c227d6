//! Void invoices.

use crate::objects::{Invoice, InvoiceStatus, Subscription, SubscriptionStatus};
use crate::provider::billing::{invoice_payments, pending_updates, subscriptions};
use crate::provider::{ApiError, Reply, customers, events, get, load};
use crate::state::{Document, Tx, number};

/// What a void does to the PaymentIntents of the invoice.
#[derive(PartialEq, Eq)]
pub enum Intents {
    Canceled,
    /// A voucher can still be paid at a bank.
    Kept,
}

/// Voids an invoice, and restores the credit that it used.
pub async fn void(tx: &mut Tx, id: &str, intents: Intents) -> Reply {
    let mut invoice: Invoice = load(tx, id).await?;
    let is_editable = matches!(invoice.status, InvoiceStatus::Open | InvoiceStatus::Uncollectible);
    let message = "You can only pass in open or uncollectible invoices. This invoice isn't.";
    ensure!(is_editable, ApiError::state(Some("invoice_not_editable"), message));
    invoice.status = InvoiceStatus::Void;
    invoice.auto_advance = false;
    invoice.amount_remaining = 0;
    invoice.next_payment_attempt = None;
    invoice.status_transitions.voided_at = Some(tx.now.seconds());
    tx.update(&invoice).await?;
    tx.clear_timers(id).await?;
    let customer = get(tx, "customer", &invoice.customer).await?;
    let used = invoice.ending_balance.unwrap_or_default() - invoice.starting_balance;
    let balance = number(&customer, "balance") - used;
    customers::set_balance(tx, customer, balance).await?;
    let canceled = invoice_payments::close_open(tx, id).await?;
    if intents == Intents::Canceled {
        invoice_payments::cancel_intents(tx, &canceled, "void_invoice").await?;
    }
    events::emit(tx, "invoice.voided", &invoice).await?;
    pending_updates::discard_void(tx, &invoice).await?;
    // Only its first invoice can make an incomplete subscription active.
    let subscription = tx.load::<Subscription>(&invoice.private.subscription).await?;
    if subscription.is_some_and(|found| found.status == SubscriptionStatus::Incomplete) {
        let expired = SubscriptionStatus::IncompleteExpired;
        subscriptions::set_status(tx, &invoice.private.subscription, expired).await?;
    } else if tx.behavior.void_reactivates {
        subscriptions::follow_latest_invoice(tx, &invoice.private.subscription).await?;
    }
    Ok(invoice.document())
}

/// Voids the invoice for whose payment a subscription's pending update waits. Returns whether there
/// was one.
pub async fn discard_pending_update(tx: &mut Tx, id: &str) -> Result<bool, ApiError> {
    let found: Option<Subscription> = tx.load(id).await?;
    let Some(held) = found.and_then(|found| found.private.held) else { return Ok(false) };
    void(tx, &held.invoice, Intents::Canceled).await?;
    Ok(true)
}

/// Discards a pending update that was not paid in time.
pub async fn expire_pending_update(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    if discard_pending_update(tx, id).await? {
        let subscription: Subscription = load(tx, id).await?;
        events::emit(tx, "customer.subscription.pending_update_expired", &subscription).await?;
    }
    Ok(())
}
