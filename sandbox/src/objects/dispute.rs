//! The Dispute object.

use serde::{Deserialize, Serialize};

use super::object::{Metadata, Rest, object};

/// A bank's claim to a charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    /// It can differ from the charge's amount.
    pub amount: i64,
    pub charge: String,
    pub evidence: Evidence,
    pub evidence_details: EvidenceDetails,
    /// Whether the charge can be refunded while the dispute is open: true for inquiries.
    pub is_charge_refundable: bool,
    pub metadata: Metadata,
    pub status: DisputeStatus,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Dispute, "dispute");

/// State of a dispute. The `warning_…` states are inquiries: they move no money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    WarningNeedsResponse,
    WarningUnderReview,
    /// The inquiry ended without a dispute.
    WarningClosed,
    NeedsResponse,
    UnderReview,
    /// The money stays with the merchant.
    Won,
    /// The payer has the money.
    Lost,
}

impl DisputeStatus {
    pub fn is_inquiry(self) -> bool {
        matches!(self, Self::WarningNeedsResponse | Self::WarningUnderReview | Self::WarningClosed)
    }

    /// Whether the bank has decided.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::WarningClosed | Self::Won | Self::Lost)
    }
}

/// Evidence of the merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evidence {
    pub uncategorized_text: Option<String>,
    #[serde(flatten)]
    pub rest: Rest,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EvidenceDetails {
    pub has_evidence: bool,
    pub submission_count: u32,
    pub submission_method: SubmissionMethod,
    #[serde(flatten)]
    pub rest: Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionMethod {
    /// By the merchant.
    Manual,
    NotSubmitted,
}
