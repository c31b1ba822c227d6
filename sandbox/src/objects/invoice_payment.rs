//! The InvoicePayment object: the link between an invoice and a PaymentIntent.

use serde::{Deserialize, Serialize};

use super::object::{Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InvoicePayment {
    pub id: String,
    /// Null until it is paid.
    pub amount_paid: Option<i64>,
    /// The invoice's `amount_remaining` while it is open.
    pub amount_requested: i64,
    /// Whether the finalization of the invoice created it.
    pub is_default: bool,
    pub payment: Payment,
    pub status: InvoicePaymentStatus,
    pub status_transitions: PaymentTransitions,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(InvoicePayment, "invoice_payment");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoicePaymentStatus {
    Open,
    Paid,
    Canceled,
}

/// The PaymentIntent of an invoice's payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    pub payment_intent: String,
    /// `payment_intent`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Times in Unix seconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PaymentTransitions {
    pub canceled_at: Option<i64>,
    pub paid_at: Option<i64>,
}
