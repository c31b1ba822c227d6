//! The Dispute object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Metadata, object};

/// A bank's claim to a charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    /// It can differ from the charge's amount.
    pub amount: i64,
    pub charge: String,
    pub created: i64,
    pub currency: String,
    /// Evidence of the merchant; the sandbox reads `uncategorized_text` alone.
    pub evidence: Map<String, Value>,
    pub evidence_details: EvidenceDetails,
    /// Whether the charge can be refunded while the dispute is open: true for inquiries.
    pub is_charge_refundable: bool,
    pub metadata: Metadata,
    pub payment_intent: Option<String>,
    pub payment_method_details: DisputedMethod,
    pub reason: String,
    pub status: DisputeStatus,
}

object!(Dispute, "dispute", {
    "balance_transactions": [], "enhanced_eligibility_types": [], "intended_submission_method": null,
    "livemode": false,
});

/// Fields of the evidence, which are null until the merchant submits them.
const EVIDENCE: [&str; 27] = [
    "access_activity_log",
    "billing_address",
    "cancellation_policy",
    "cancellation_policy_disclosure",
    "cancellation_rebuttal",
    "customer_communication",
    "customer_email_address",
    "customer_name",
    "customer_purchase_ip",
    "customer_signature",
    "duplicate_charge_documentation",
    "duplicate_charge_explanation",
    "duplicate_charge_id",
    "product_description",
    "receipt",
    "refund_policy",
    "refund_policy_disclosure",
    "refund_refusal_explanation",
    "service_date",
    "service_documentation",
    "shipping_address",
    "shipping_carrier",
    "shipping_date",
    "shipping_documentation",
    "shipping_tracking_number",
    "uncategorized_file",
    "uncategorized_text",
];

pub fn no_evidence() -> Map<String, Value> {
    let fields = EVIDENCE.iter().map(|name| ((*name).to_owned(), Value::Null));
    fields.chain([("enhanced_evidence".to_owned(), json!({}))]).collect()
}

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

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EvidenceDetails {
    /// Last time for evidence in Unix seconds.
    pub due_by: i64,
    pub enhanced_eligibility: Metadata,
    pub has_evidence: bool,
    pub past_due: bool,
    pub submission_count: u32,
    pub submission_method: SubmissionMethod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionMethod {
    /// By the merchant.
    Manual,
    NotSubmitted,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DisputedMethod {
    pub card: DisputedCard,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DisputedCard {
    pub brand: String,
    /// `chargeback` or `inquiry`.
    pub case_type: String,
    pub network: String,
    pub network_reason_code: String,
}
