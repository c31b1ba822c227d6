//! The Checkout Session object.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Metadata, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CheckoutSession {
    pub id: String,
    pub allow_promotion_codes: Option<bool>,
    pub allowed_payment_method_types: Option<Vec<String>>,
    pub amount_subtotal: i64,
    pub amount_total: i64,
    pub billing_address_collection: Option<String>,
    pub client_reference_id: Option<String>,
    pub client_secret: Option<String>,
    pub created: i64,
    pub currency: String,
    pub customer: Option<String>,
    pub customer_details: Option<CustomerDetails>,
    pub customer_email: Option<String>,
    pub discounts: Vec<SessionDiscount>,
    pub expires_at: i64,
    pub invoice: Option<String>,
    pub locale: Option<String>,
    pub metadata: Metadata,
    pub payment_method_collection: String,
    pub payment_method_options: Value,
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
    pub total_details: TotalDetails,
    pub ui_mode: UiMode,
    pub url: Option<String>,
    #[serde(skip)]
    pub private: PrivateSession,
}

object!(CheckoutSession, "checkout.session", {
    "adaptive_pricing": {"enabled": false}, "after_expiration": null,
    "automatic_tax": {"enabled": false, "liability": null, "provider": null, "status": null},
    "cancel_url": null, "collected_information": null, "consent": null, "consent_collection": null,
    "currency_conversion": null, "custom_fields": [],
    "custom_text": {"after_submit": null, "shipping_address": null, "submit": null,
        "terms_of_service_acceptance": null},
    "customer_account": null, "customer_creation": null, "integration_identifier": null,
    "invoice_creation": null, "livemode": false, "managed_payments": null, "mode": "subscription",
    "origin_context": null, "payment_intent": null, "payment_link": null,
    "payment_method_configuration_details": null, "permissions": null, "recovered_from": null,
    "saved_payment_method_options": null, "setup_intent": null, "shipping_address_collection": null,
    "shipping_cost": null, "shipping_options": [], "submit_type": null, "wallet_options": null,
}, PrivateSession);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PrivateSession {
    /// Secret of its page, also after the session expired.
    pub secret: String,
    pub line_items: Vec<SessionLine>,
    pub coupon: Option<String>,
    pub trial_end: Option<i64>,
    /// What the coupon takes off, in centavos.
    pub discount: i64,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UiMode {
    EmbeddedPage,
    HostedPage,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CustomerDetails {
    pub address: (),
    pub business_name: (),
    pub email: Option<String>,
    pub individual_name: (),
    pub name: Option<String>,
    pub phone: Option<String>,
    pub tax_exempt: String,
    pub tax_ids: Vec<()>,
}

impl CustomerDetails {
    pub fn new(email: Option<String>, name: Option<String>, phone: Option<String>) -> Self {
        let tax_exempt = "none".to_owned();
        Self {
            address: (),
            business_name: (),
            email,
            individual_name: (),
            name,
            phone,
            tax_exempt,
            tax_ids: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionDiscount {
    pub coupon: String,
    pub promotion_code: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's names")]
pub struct TotalDetails {
    pub amount_discount: i64,
    pub amount_shipping: i64,
    pub amount_tax: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "object", rename = "item")]
pub struct SessionLine {
    pub id: String,
    pub adjustable_quantity: (),
    pub amount_discount: i64,
    pub amount_subtotal: i64,
    pub amount_tax: i64,
    pub amount_total: i64,
    pub currency: String,
    pub description: Option<String>,
    pub metadata: Metadata,
    pub price: Value,
    pub quantity: i64,
}
