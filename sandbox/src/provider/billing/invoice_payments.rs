//! InvoicePayments: which PaymentIntent pays an invoice.

use serde_json::json;

use crate::objects::{Invoice, InvoicePayment, InvoicePaymentStatus, PaymentIntent, template};
use crate::provider::money::{confirmation, intents};
use crate::provider::{ApiError, events};
use crate::state::{Tx, ids};

/// Creates the default payment of an invoice that was just finalized. `attempted` is the
/// PaymentIntent of declined attempts in the checkout session that made the invoice.
pub async fn create_default(
    tx: &mut Tx,
    invoice: &Invoice,
    attempted: Option<PaymentIntent>,
) -> Result<PaymentIntent, ApiError> {
    let amount = invoice.amount_remaining;
    let customer = Some(invoice.customer.clone());
    let is_new = attempted.is_none();
    let mut intent =
        attempted.unwrap_or_else(|| intents::new_intent(tx, amount, &invoice.currency, customer.clone()));
    intent.amount = amount;
    intent.customer = customer;
    intent.private.invoice = Some(invoice.id.clone());
    intent.private.subscription = Some(invoice.private.subscription.clone());
    intent.payment_method_types.clone_from(&invoice.payment_settings.payment_method_types);
    if is_new {
        events::insert(tx, "payment_intent.created", &intent).await?;
    } else {
        tx.update(&intent).await?;
    }
    let given = json!({
        "id": ids::new("inpay"), "amount_requested": amount, "created": tx.now.seconds(),
        "currency": invoice.currency, "invoice": invoice.id, "payment": {"payment_intent": intent.id},
    });
    tx.insert(&template::<InvoicePayment>("invoice_payment", given)).await?;
    Ok(intent)
}

/// The PaymentIntent of the invoice's open default payment.
pub async fn default_intent(tx: &mut Tx, invoice: &str) -> Result<Option<PaymentIntent>, sqlx::Error> {
    let payments = open_payments(tx, invoice).await?;
    match payments.into_iter().find(|payment| payment.is_default) {
        Some(payment) => tx.load(&payment.payment.payment_intent).await,
        None => Ok(None),
    }
}

async fn open_payments(tx: &mut Tx, invoice: &str) -> Result<Vec<InvoicePayment>, sqlx::Error> {
    let mut payments: Vec<InvoicePayment> = tx.load_by("invoice", invoice).await?;
    payments.retain(|payment| payment.status == InvoicePaymentStatus::Open);
    Ok(payments)
}

/// Records that a PaymentIntent paid its invoice.
pub async fn mark_paid(tx: &mut Tx, intent: &str) -> Result<(), ApiError> {
    for mut payment in tx.load_by::<InvoicePayment>("payment.payment_intent", intent).await? {
        payment.status = InvoicePaymentStatus::Paid;
        payment.amount_paid = Some(payment.amount_requested);
        payment.status_transitions.paid_at = Some(tx.now.seconds());
        events::replace(tx, "invoice_payment.paid", &payment).await?;
    }
    Ok(())
}

/// Cancels the open payments of an invoice and their PaymentIntents.
pub async fn cancel_open(tx: &mut Tx, invoice: &str, reason: &str) -> Result<(), ApiError> {
    let canceled = close_open(tx, invoice).await?;
    cancel_intents(tx, &canceled, reason).await
}

/// Cancels the open payments of an invoice and returns the ids of their PaymentIntents.
pub async fn close_open(tx: &mut Tx, invoice: &str) -> Result<Vec<String>, ApiError> {
    let mut canceled = Vec::new();
    for mut payment in open_payments(tx, invoice).await? {
        payment.status = InvoicePaymentStatus::Canceled;
        payment.status_transitions.canceled_at = Some(tx.now.seconds());
        tx.update(&payment).await?;
        canceled.push(payment.payment.payment_intent);
    }
    Ok(canceled)
}

/// Cancels PaymentIntents, except those whose money a bank already has.
pub async fn cancel_intents(tx: &mut Tx, canceled: &[String], reason: &str) -> Result<(), ApiError> {
    for id in canceled {
        if !confirmation::is_awaited(tx, id).await? {
            intents::cancel(tx, id, reason).await?;
        }
    }
    Ok(())
}

/// Sets the amount of the default payment to what remains of its invoice.
pub async fn follow_amount(tx: &mut Tx, invoice: &Invoice) -> Result<(), ApiError> {
    for mut payment in open_payments(tx, &invoice.id).await? {
        payment.amount_requested = invoice.amount_remaining;
        tx.update(&payment).await?;
        if let Some(mut intent) = tx.load::<PaymentIntent>(&payment.payment.payment_intent).await? {
            intent.amount = invoice.amount_remaining;
            tx.update(&intent).await?;
        }
    }
    Ok(())
}
