//! The Refund object.

use serde::{Deserialize, Serialize};

use super::{Metadata, Stored};

/// Money on its way back to the payer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refund {
    /// Id, `re_…`.
    pub id: String,
    /// `refund`.
    pub object: String,
    /// Amount in centavos.
    pub amount: i64,
    /// Always null.
    pub balance_transaction: Option<String>,
    /// Charge that is refunded.
    pub charge: String,
    /// Creation in Unix seconds.
    pub created: i64,
    /// `brl`.
    pub currency: String,
    /// Customer.
    pub customer: Option<String>,
    /// Where the money goes.
    pub destination_details: DestinationDetails,
    /// Reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure_reason: Option<String>,
    /// Caller's metadata.
    pub metadata: Metadata,
    /// Payment that is refunded.
    pub payment_intent: Option<String>,
    /// Method that was charged.
    pub payment_method: Option<String>,
    /// Caller's reason.
    pub reason: Option<String>,
    /// Always null.
    pub receipt_number: Option<String>,
    /// Always null.
    pub source_transfer_reversal: Option<String>,
    /// State.
    pub status: RefundStatus,
    /// Always null.
    pub transfer_reversal: Option<String>,
}

impl Stored for Refund {
    const KIND: &'static str = "refund";
}

/// State of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The bank has not decided.
    Pending,
    /// The payer has the money.
    Succeeded,
    /// The bank refused it.
    Failed,
}

/// Where a refund goes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DestinationDetails {
    /// The card.
    pub card: DestinationCard,
    /// `card`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The card that a refund goes to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DestinationCard {
    /// State of the bank's reference.
    pub reference_status: String,
    /// Kind of the bank's reference.
    #[serde(rename = "type")]
    pub kind: String,
}
