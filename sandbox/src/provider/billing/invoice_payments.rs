//! InvoicePayments: which PaymentIntent pays an invoice.

use serde_json::Value;

use crate::objects::invoice_payment::{InvoicePayment, InvoicePaymentStatus, Payment, StatusTransitions};
use crate::objects::payment_intent::PaymentIntent;
use crate::provider::error::ApiError;
use crate::provider::listing::{list, list_loosely};
use crate::provider::money::{confirmation, intents};
use crate::provider::{Call, Reply, events};
use crate::state::ids;
use crate::state::store::{Tx, number, text};

/// Creates the default payment of an invoice that was just finalized. `attempted` is the
/// PaymentIntent of declined attempts in the checkout session that made the invoice.
pub async fn create_default(
    tx: &mut Tx,
    invoice: &Value,
    attempted: Option<PaymentIntent>,
) -> Result<PaymentIntent, ApiError> {
    let amount = number(invoice, "amount_remaining");
    let is_new = attempted.is_none();
    let mut intent = attempted.unwrap_or_else(|| {
        intents::new_intent(tx, amount, text(invoice, "currency"), invoice["customer"].as_str())
    });
    intent.amount = amount;
    intent.customer = invoice["customer"].as_str().map(str::to_owned);
    intent.invoice = Some(text(invoice, "id").to_owned());
    intent.subscription = invoice["_subscription"].as_str().map(str::to_owned);
    let methods = invoice["payment_settings"]["payment_method_types"].as_array().into_iter().flatten();
    intent.payment_method_types = methods.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    if is_new {
        let document = tx.create(&intent).await?;
        events::emit(tx, "payment_intent.created", &document, None).await?;
    } else {
        tx.replace(&intent).await?;
    }
    tx.create(&InvoicePayment {
        id: ids::new("inpay"),
        object: "invoice_payment".into(),
        amount_paid: None,
        amount_requested: amount,
        created: tx.now.seconds(),
        currency: text(invoice, "currency").into(),
        invoice: text(invoice, "id").into(),
        is_default: true,
        livemode: false,
        payment: Payment { payment_intent: intent.id.clone(), kind: "payment_intent".into() },
        status: InvoicePaymentStatus::Open,
        status_transitions: StatusTransitions::default(),
    })
    .await?;
    Ok(intent)
}

/// The PaymentIntent of the invoice's open default payment.
pub async fn default_intent(tx: &mut Tx, invoice: &str) -> Result<Option<PaymentIntent>, ApiError> {
    let payments = open_payments(tx, invoice).await?;
    let Some(payment) = payments.into_iter().find(|payment| payment.is_default) else { return Ok(None) };
    Ok(tx.load(&payment.payment.payment_intent).await?)
}

async fn open_payments(tx: &mut Tx, invoice: &str) -> Result<Vec<InvoicePayment>, ApiError> {
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
        let document = tx.replace(&payment).await?;
        events::emit(tx, "invoice_payment.paid", &document, None).await?;
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
        tx.replace(&payment).await?;
        canceled.push(payment.payment.payment_intent);
    }
    Ok(canceled)
}

/// Cancels PaymentIntents. Money that a bank has taken is confirmed all the same.
pub async fn cancel_intents(tx: &mut Tx, canceled: &[String], reason: &str) -> Result<(), ApiError> {
    for id in canceled {
        if !confirmation::is_awaited(tx, id).await? {
            intents::cancel(tx, id, reason).await?;
        }
    }
    Ok(())
}

/// Brings the default payment to what remains of its invoice.
pub async fn follow_amount(tx: &mut Tx, invoice: &Value) -> Result<(), ApiError> {
    let remaining = number(invoice, "amount_remaining");
    for mut payment in open_payments(tx, text(invoice, "id")).await? {
        payment.amount_requested = remaining;
        tx.replace(&payment).await?;
        if let Some(mut intent) = tx.load::<PaymentIntent>(&payment.payment.payment_intent).await? {
            intent.amount = remaining;
            tx.replace(&intent).await?;
        }
    }
    Ok(())
}

/// `GET /v1/invoice_payments`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let by_intent = call.params.text("payment.payment_intent").map(str::to_owned);
    let more = by_intent.map_or_else(Vec::new, |id| vec![("payment.payment_intent", vec![id])]);
    if call.params.at("payment").is_some() {
        return list_loosely(tx, call, "invoice_payment", &["invoice", "status"], &more).await;
    }
    list(tx, call, "invoice_payment", &["invoice", "status"], &more).await
}
