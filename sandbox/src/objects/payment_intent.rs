//! The PaymentIntent object: the payment of an invoice, with all attempts to make it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{BillingDetails, Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaymentIntent {
    pub id: String,
    pub amount: i64,
    pub amount_received: i64,
    pub canceled_at: Option<i64>,
    pub cancellation_reason: Option<String>,
    /// Secret with which the payer's browser confirms the payment.
    pub client_secret: String,
    pub currency: String,
    pub customer: Option<String>,
    pub description: Option<String>,
    /// Error of the latest attempt; null after a success.
    pub last_payment_error: Option<Value>,
    /// Newest charge, failed or not; null before the first attempt.
    pub latest_charge: Option<String>,
    pub next_action: Option<NextAction>,
    /// Method of the attempt that succeeded or is waiting.
    pub payment_method: Option<String>,
    pub payment_method_types: Vec<String>,
    /// `off_session` for cards.
    pub setup_future_usage: Option<String>,
    pub status: PaymentIntentStatus,
    #[serde(skip)]
    pub private: PrivateIntent,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(PaymentIntent, "payment_intent", PrivateIntent);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PrivateIntent {
    /// Invoice that it pays.
    pub invoice: Option<String>,
    /// Subscription of that invoice.
    pub subscription: Option<String>,
    /// Checkout session in which the payment was attempted.
    pub session: Option<String>,
    /// Latest voucher.
    pub voucher: Option<Voucher>,
}

impl PaymentIntent {
    /// Whether no attempt was made.
    pub fn is_fresh(&self) -> bool {
        self.latest_charge.is_none() && self.private.voucher.is_none() && self.last_payment_error.is_none()
    }

    /// The voucher that waits for its payer.
    pub fn open_voucher(&self) -> Option<&BoletoDisplayDetails> {
        self.next_action.as_ref()?.boleto_display_details.as_ref()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentIntentStatus {
    /// Before the first attempt, and after a failed one.
    RequiresPaymentMethod,
    /// The payer has to pay a voucher or to authenticate.
    RequiresAction,
    Succeeded,
    Canceled,
}

/// What the payer has to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NextAction {
    /// `boleto_display_details` or `use_stripe_sdk`.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto_display_details: Option<BoletoDisplayDetails>,
}

/// A voucher as the API shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BoletoDisplayDetails {
    /// End of the due date.
    pub expires_at: i64,
    pub hosted_voucher_url: String,
    /// 47 digits.
    pub number: String,
    pub pdf: String,
}

/// A voucher as its page needs it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Voucher {
    /// Secret part of its page's address.
    pub token: String,
    /// 47 digits.
    pub line: String,
    /// 44 digits.
    pub bar_code: String,
    /// End of the due date in Unix seconds.
    pub due: i64,
    pub payer: BillingDetails,
    /// Page to which the payer can return.
    pub return_url: Option<String>,
}
