//! The PaymentMethod object: a card or the payer of a boleto.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{BillingDetails, Rest, object};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaymentMethod {
    pub id: String,
    pub billing_details: BillingDetails,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<Value>,
    pub customer: Option<String>,
    #[serde(rename = "type")]
    pub kind: MethodKind,
    #[serde(skip)]
    pub private: PrivateCard,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(PaymentMethod, "payment_method", PrivateCard);

/// The number of a test card, which decides its results; empty for a boleto.
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
