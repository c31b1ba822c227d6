//! The PaymentMethod object: a card or the payer of a boleto.

use serde::{Deserialize, Serialize};

use super::{BillingDetails, Metadata, object};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaymentMethod {
    pub id: String,
    pub billing_details: BillingDetails,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto: Option<Boleto>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<SavedCard>,
    pub created: i64,
    pub customer: Option<String>,
    pub metadata: Metadata,
    #[serde(rename = "type")]
    pub kind: MethodKind,
    #[serde(skip)]
    pub private: PrivateCard,
}

object!(PaymentMethod, "payment_method", {
    "allow_redisplay": "limited", "customer_account": null, "livemode": false,
}, PrivateCard);

/// The number of a card, which decides what its charges come to; empty for a boleto.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrivateCard {
    pub number: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    Card,
    Boleto,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boleto {
    /// CPF or CNPJ.
    pub tax_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedCard {
    pub brand: String,
    pub checks: CardChecks,
    pub country: String,
    pub display_brand: String,
    pub exp_month: u8,
    pub exp_year: i32,
    /// Same for the same number.
    pub fingerprint: String,
    pub funding: String,
    pub generated_from: (),
    pub last4: String,
    pub networks: Networks,
    pub regulated_status: (),
    pub three_d_secure_usage: ThreeDSecureUsage,
    pub wallet: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's names")]
pub struct CardChecks {
    pub address_line1_check: (),
    pub address_postal_code_check: (),
    pub cvc_check: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Networks {
    pub available: Vec<String>,
    pub preferred: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreeDSecureUsage {
    pub supported: bool,
}
