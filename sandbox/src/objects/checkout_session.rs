//! The Checkout Session object.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{Metadata, Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CheckoutSession {
    pub id: String,
    pub amount_subtotal: i64,
    pub amount_total: i64,
    pub client_secret: Option<String>,
    pub currency: String,
    pub customer: Option<String>,
    pub customer_details: Value,
    pub customer_email: Option<String>,
    pub discounts: Vec<SessionDiscount>,
    pub expires_at: i64,
    pub invoice: Option<String>,
    pub metadata: Metadata,
    pub payment_method_types: Vec<String>,
    pub payment_status: PaymentStatus,
    /// Absent on the provider's own page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub redirect_on_completion: Option<String>,
    /// Absent on the provider's own page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub return_url: Option<String>,
    pub status: SessionStatus,
    pub subscription: Option<String>,
    pub success_url: Option<String>,
    #[serde(skip)]
    pub private: PrivateSession,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(CheckoutSession, "checkout.session", PrivateSession);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PrivateSession {
    /// Secret of its page, also after the session expired.
    pub secret: String,
    pub line_items: Vec<SessionLine>,
    pub trial_end: Option<i64>,
    /// What the coupon takes off, in centavos.
    pub discount: i64,
    /// Name of the coupon, which the form shows.
    pub coupon_name: Option<String>,
    pub subscription_metadata: Metadata,
    /// Days until the due date of a boleto.
    pub boleto_days: i64,
    pub customer_name: Option<String>,
    /// PaymentIntent of declined attempts.
    pub intent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Open,
    Complete,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentStatus {
    Unpaid,
    Paid,
    NoPaymentRequired,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionDiscount {
    pub coupon: String,
    pub promotion_code: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionLine {
    pub amount_subtotal: i64,
    pub currency: String,
    pub description: Option<String>,
    pub price: Value,
    pub quantity: i64,
    #[serde(flatten)]
    pub rest: Rest,
}
