//! The Refund object.

use serde::{Deserialize, Serialize};

use super::{Metadata, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub amount: i64,
    pub charge: String,
    pub created: i64,
    pub currency: String,
    pub customer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure_reason: Option<String>,
    pub metadata: Metadata,
    pub payment_intent: Option<String>,
    pub payment_method: Option<String>,
    /// The caller's reason.
    pub reason: Option<String>,
    pub status: RefundStatus,
}

object!(Refund, "refund", {
    "balance_transaction": null, "customer_account": null,
    "destination_details": {"card": {"reference_status": "pending", "type": "pending"}, "type": "card"},
    "receipt_number": null, "source_transfer_reversal": null, "transfer_reversal": null,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The bank has not decided.
    Pending,
    Succeeded,
    /// The bank refused it.
    Failed,
}
