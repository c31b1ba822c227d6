//! The InvoicePayment object: the link between an invoice and a PaymentIntent.

use serde::{Deserialize, Serialize};

use super::object::{Rest, object};

/// A payment of an invoice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InvoicePayment {
    /// Id, `inpay_…`.
    pub id: String,
    /// Amount paid; null until then.
    pub amount_paid: Option<i64>,
    /// What it is to pay: the invoice's `amount_remaining` while it is open.
    pub amount_requested: i64,
    /// Whether the finalization of the invoice created it.
    pub is_default: bool,
    /// The PaymentIntent.
    pub payment: Payment,
    /// State.
    pub status: InvoicePaymentStatus,
    /// Times of the states.
    pub status_transitions: PaymentTransitions,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(InvoicePayment, "invoice_payment");

/// State of an invoice's payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoicePaymentStatus {
    /// Not paid yet.
    Open,
    /// Paid.
    Paid,
    /// Can no longer be paid.
    Canceled,
}

/// The PaymentIntent of an invoice's payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    /// Its id.
    pub payment_intent: String,
    /// `payment_intent`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Times in Unix seconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PaymentTransitions {
    /// Cancellation.
    pub canceled_at: Option<i64>,
    /// Payment.
    pub paid_at: Option<i64>,
}
