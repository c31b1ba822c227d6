//! The Dispute object.

use serde::{Deserialize, Serialize};

use super::{Metadata, Stored};

/// A bank's claim to a charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dispute {
    /// Id, `du_…`.
    pub id: String,
    /// `dispute`.
    pub object: String,
    /// Disputed amount; it can differ from the charge's.
    pub amount: i64,
    /// Always empty.
    pub balance_transactions: Vec<String>,
    /// Charge.
    pub charge: String,
    /// Creation in Unix seconds.
    pub created: i64,
    /// `brl`.
    pub currency: String,
    /// Always empty.
    pub enhanced_eligibility_types: Vec<String>,
    /// Evidence of the merchant.
    pub evidence: Evidence,
    /// State of the evidence.
    pub evidence_details: EvidenceDetails,
    /// Whether the charge can be refunded while the dispute is open: true for inquiries.
    pub is_charge_refundable: bool,
    /// Always false.
    pub livemode: bool,
    /// Caller's metadata.
    pub metadata: Metadata,
    /// Payment of the charge.
    pub payment_intent: Option<String>,
    /// The card.
    pub payment_method_details: DisputedMethod,
    /// `fraudulent`, …
    pub reason: String,
    /// State.
    pub status: DisputeStatus,
}

impl Stored for Dispute {
    const KIND: &'static str = "dispute";
}

/// State of a dispute. The `warning_…` states are inquiries: they move no money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    /// Inquiry that waits for evidence.
    WarningNeedsResponse,
    /// Inquiry with evidence.
    WarningUnderReview,
    /// Inquiry that ended without a dispute.
    WarningClosed,
    /// Dispute that waits for evidence.
    NeedsResponse,
    /// Dispute with evidence.
    UnderReview,
    /// The money stays with the merchant.
    Won,
    /// The payer has the money.
    Lost,
}

impl DisputeStatus {
    /// Whether it is an inquiry.
    pub fn is_inquiry(self) -> bool {
        matches!(self, Self::WarningNeedsResponse | Self::WarningUnderReview | Self::WarningClosed)
    }

    /// Whether the bank has decided.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::WarningClosed | Self::Won | Self::Lost)
    }
}

/// Evidence of the merchant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uncategorized_text: Option<String>,
}

/// State of the evidence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EvidenceDetails {
    /// Last time for evidence in Unix seconds.
    pub due_by: i64,
    /// Always empty.
    pub enhanced_eligibility: Metadata,
    /// Whether there is evidence.
    pub has_evidence: bool,
    /// Whether the last time has passed.
    pub past_due: bool,
    /// Number of submissions.
    pub submission_count: u32,
    /// How the evidence was submitted.
    #[serde(default)]
    pub submission_method: SubmissionMethod,
}

/// How evidence was submitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionMethod {
    /// By the merchant.
    Manual,
    /// Not yet.
    #[default]
    NotSubmitted,
}

/// Method of the disputed charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DisputedMethod {
    /// The card.
    pub card: DisputedCard,
    /// `card`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Card of the disputed charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DisputedCard {
    /// Brand.
    pub brand: String,
    /// `chargeback` or `inquiry`.
    pub case_type: String,
    /// Network that processed the charge.
    #[serde(default)]
    pub network: String,
    /// Reason of the network.
    pub network_reason_code: String,
}
