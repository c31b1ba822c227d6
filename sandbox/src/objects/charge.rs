//! The Charge object: one attempt to collect money.

use serde::{Deserialize, Serialize};

use super::payment_method::{Boleto, CardChecks, MethodKind};
use super::{BillingDetails, Metadata, object};

/// An attempt, failed or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the provider's fields")]
pub struct Charge {
    /// `ch_…`, or `py_…` for a boleto.
    pub id: String,
    pub amount: i64,
    /// 0 for a failed attempt.
    pub amount_captured: i64,
    /// Sum of the refunds that did not fail.
    pub amount_refunded: i64,
    pub billing_details: BillingDetails,
    pub captured: bool,
    pub created: i64,
    pub currency: String,
    pub customer: Option<String>,
    pub description: Option<String>,
    /// Whether it was ever disputed.
    pub disputed: bool,
    pub failure_code: Option<String>,
    pub failure_message: Option<String>,
    pub metadata: Metadata,
    pub outcome: Outcome,
    pub paid: bool,
    pub payment_intent: Option<String>,
    pub payment_method: Option<String>,
    pub payment_method_details: PaymentMethodDetails,
    /// Whether all of it was refunded.
    pub refunded: bool,
    pub status: ChargeStatus,
}

object!(Charge, "charge", {
    "application": null, "application_fee": null, "application_fee_amount": null, "balance_transaction": null,
    "calculated_statement_descriptor": "GARIMPO TESTES", "failure_balance_transaction": null,
    "fraud_details": null, "livemode": false, "on_behalf_of": null, "receipt_email": null,
    "receipt_number": null, "receipt_url": null, "review": null, "shipping": null, "source": null,
    "source_transfer": null, "statement_descriptor": null, "statement_descriptor_suffix": null,
    "transfer_data": null, "transfer_group": null,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeStatus {
    Succeeded,
    Failed,
}

/// Decision of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    pub advice_code: (),
    pub network_advice_code: (),
    pub network_decline_code: (),
    pub network_status: String,
    /// Decline code.
    pub reason: Option<String>,
    pub risk_level: String,
    pub seller_message: String,
    #[serde(rename = "type")]
    pub kind: String,
}

/// The method at the time of the attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaymentMethodDetails {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto: Option<Boleto>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<ChargedCard>,
    #[serde(rename = "type")]
    pub kind: MethodKind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChargedCard {
    pub amount_authorized: (),
    pub authorization_code: (),
    pub brand: String,
    pub checks: CardChecks,
    pub country: String,
    pub electronic_commerce_indicator: (),
    pub exp_month: u8,
    pub exp_year: i32,
    pub fingerprint: String,
    pub funding: String,
    pub installments: (),
    pub last4: String,
    pub mandate: (),
    pub network: String,
    pub network_transaction_id: (),
    pub regulated_status: (),
    pub three_d_secure: (),
    pub transaction_link_id: (),
    pub wallet: (),
}
