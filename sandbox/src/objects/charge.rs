//! The Charge object: one attempt to collect money.

use serde::{Deserialize, Serialize};

use super::{BillingDetails, Metadata, Stored};

/// An attempt, failed or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the provider's fields, each as it writes it")]
pub struct Charge {
    /// Id, `ch_…`, or `py_…` for a boleto.
    pub id: String,
    /// `charge`.
    pub object: String,
    /// Amount in centavos.
    pub amount: i64,
    /// Amount that was collected: 0 for a failed attempt.
    pub amount_captured: i64,
    /// Sum of the refunds that did not fail.
    pub amount_refunded: i64,
    /// Always null.
    pub balance_transaction: Option<String>,
    /// Payer.
    pub billing_details: BillingDetails,
    /// Whether the amount was collected.
    pub captured: bool,
    /// Creation in Unix seconds.
    pub created: i64,
    /// `brl`.
    pub currency: String,
    /// Customer.
    pub customer: Option<String>,
    /// Text for receipts.
    pub description: Option<String>,
    /// Whether it was ever disputed.
    pub disputed: bool,
    /// Code of the decline.
    pub failure_code: Option<String>,
    /// Text of the decline.
    pub failure_message: Option<String>,
    /// Always false.
    pub livemode: bool,
    /// Caller's metadata.
    pub metadata: Metadata,
    /// Decision of the network.
    pub outcome: Outcome,
    /// Whether it succeeded.
    pub paid: bool,
    /// Payment that it is an attempt of.
    pub payment_intent: Option<String>,
    /// Method that was charged.
    pub payment_method: Option<String>,
    /// The method at the time of the attempt.
    pub payment_method_details: PaymentMethodDetails,
    /// Always null.
    pub receipt_url: Option<String>,
    /// Whether all of it was refunded.
    pub refunded: bool,
    /// State.
    pub status: ChargeStatus,
}

impl Stored for Charge {
    const KIND: &'static str = "charge";
}

/// State of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeStatus {
    /// Collected.
    Succeeded,
    /// Declined.
    Failed,
}

/// Decision of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// What to do after a decline, such as `do_not_try_again`.
    #[serde(default)]
    pub advice_code: Option<String>,
    /// `approved_by_network` or `declined_by_network`.
    pub network_status: String,
    /// Decline code.
    pub reason: Option<String>,
    /// `normal`.
    pub risk_level: String,
    /// Text for the merchant.
    pub seller_message: String,
    /// `authorized` or `issuer_declined`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The charged method.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaymentMethodDetails {
    /// The boleto's payer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boleto: Option<ChargedBoleto>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<ChargedCard>,
    /// `card` or `boleto`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The payer of a boleto.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChargedBoleto {
    /// CPF or CNPJ.
    pub tax_id: String,
}

/// A card at the time of an attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChargedCard {
    /// Brand.
    pub brand: String,
    /// Results of the checks.
    pub checks: CardChecks,
    /// Country of the bank.
    pub country: String,
    /// 1 to 12.
    pub exp_month: i64,
    /// Four digits.
    pub exp_year: i64,
    /// Same for the same number.
    pub fingerprint: String,
    /// `credit`.
    pub funding: String,
    /// Last four digits.
    pub last4: String,
    /// Network; absent on a payment method, where it equals the brand.
    #[serde(default)]
    pub network: String,
}

/// Results of a card's checks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's fields, each as it writes it")]
pub struct CardChecks {
    /// First line of the address.
    pub address_line1_check: Option<String>,
    /// CEP.
    pub address_postal_code_check: Option<String>,
    /// Security code.
    pub cvc_check: Option<String>,
}
