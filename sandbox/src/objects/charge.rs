//! The Charge object: one attempt to collect money.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{Rest, object};
use super::payment_method::MethodKind;

/// An attempt, failed or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Charge {
    /// `ch_…`, or `py_…` for a boleto.
    pub id: String,
    pub amount: i64,
    /// Sum of the refunds that did not fail.
    pub amount_refunded: i64,
    pub currency: String,
    pub customer: Option<String>,
    /// Whether it was ever disputed.
    pub disputed: bool,
    pub outcome: Outcome,
    pub paid: bool,
    pub payment_intent: Option<String>,
    pub payment_method: Option<String>,
    pub payment_method_details: PaymentMethodDetails,
    /// Whether all of it was refunded.
    pub refunded: bool,
    pub status: ChargeStatus,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Charge, "charge");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeStatus {
    Succeeded,
    Failed,
}

/// Decision of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Decline code.
    pub reason: Option<String>,
    #[serde(flatten)]
    pub rest: Rest,
}

/// The method at the time of the attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaymentMethodDetails {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<Value>,
    #[serde(rename = "type")]
    pub kind: MethodKind,
}
