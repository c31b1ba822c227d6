//! The PaymentIntent object: the payment of an invoice, with all attempts to make it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{BillingDetails, Metadata, Stored};

/// A payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaymentIntent {
    /// Id, `pi_…`.
    pub id: String,
    /// `payment_intent`.
    pub object: String,
    /// Amount in centavos.
    pub amount: i64,
    /// Always 0: payments are captured automatically.
    pub amount_capturable: i64,
    /// Amount that was collected.
    pub amount_received: i64,
    /// Time of the cancellation in Unix seconds.
    pub canceled_at: Option<i64>,
    /// Reason of the cancellation.
    pub cancellation_reason: Option<String>,
    /// `automatic`.
    pub capture_method: String,
    /// Secret with which the payer's browser confirms the payment.
    pub client_secret: String,
    /// `automatic`.
    pub confirmation_method: String,
    /// Creation in Unix seconds.
    pub created: i64,
    /// `brl`.
    pub currency: String,
    /// Customer.
    pub customer: Option<String>,
    /// Text for receipts.
    pub description: Option<String>,
    /// Error of the latest attempt; null after a success.
    pub last_payment_error: Option<Value>,
    /// Newest charge, failed or not; null before the first attempt.
    pub latest_charge: Option<String>,
    /// Always false.
    pub livemode: bool,
    /// Caller's metadata.
    pub metadata: Metadata,
    /// What the payer has to do.
    pub next_action: Option<NextAction>,
    /// Payment method of the attempt that succeeded or is waiting.
    pub payment_method: Option<String>,
    /// Always empty.
    pub payment_method_options: Metadata,
    /// Methods that can pay.
    pub payment_method_types: Vec<String>,
    /// `off_session` for cards.
    pub setup_future_usage: Option<String>,
    /// State.
    pub status: PaymentIntentStatus,
    /// Invoice that it pays. Not in the API.
    #[serde(rename = "_invoice")]
    pub invoice: Option<String>,
    /// Subscription of that invoice. Not in the API.
    #[serde(rename = "_subscription")]
    pub subscription: Option<String>,
    /// Checkout session in which the payment was attempted. Not in the API.
    #[serde(rename = "_session", default)]
    pub session: Option<String>,
    /// Latest voucher. Not in the API.
    #[serde(flatten)]
    pub voucher: Option<Voucher>,
}

impl Stored for PaymentIntent {
    const KIND: &'static str = "payment_intent";
}

impl PaymentIntent {
    /// Whether no attempt was made.
    pub fn is_fresh(&self) -> bool {
        self.latest_charge.is_none() && self.voucher.is_none() && self.last_payment_error.is_none()
    }
}

/// State of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentIntentStatus {
    /// Before the first attempt, and after a failed one.
    RequiresPaymentMethod,
    /// The payer has to pay a voucher or to authenticate.
    RequiresAction,
    /// Paid.
    Succeeded,
    /// Can no longer be paid.
    Canceled,
}

/// What the payer has to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NextAction {
    /// `boleto_display_details` or `use_stripe_sdk`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The voucher to pay.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto_display_details: Option<BoletoDisplayDetails>,
}

/// A voucher as the API shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BoletoDisplayDetails {
    /// End of the due date in Unix seconds.
    pub expires_at: i64,
    /// Page of the voucher.
    pub hosted_voucher_url: String,
    /// 47 digits.
    pub number: String,
    /// PDF of the voucher.
    pub pdf: String,
}

/// A voucher as the sandbox keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Voucher {
    /// Secret part of its page's address.
    #[serde(rename = "_voucher")]
    pub token: String,
    /// 47 digits.
    #[serde(rename = "_line")]
    pub line: String,
    /// 44 digits.
    #[serde(rename = "_bar_code")]
    pub bar_code: String,
    /// End of the due date in Unix seconds.
    #[serde(rename = "_due")]
    pub due: i64,
    /// Payer.
    #[serde(rename = "_payer")]
    pub payer: BillingDetails,
    /// Page to which the payer can return.
    #[serde(rename = "_return_url")]
    pub return_url: Option<String>,
}
