//! The Refund object.

use serde::{Deserialize, Serialize};

use super::object::{Metadata, Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub amount: i64,
    pub charge: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure_reason: Option<String>,
    pub metadata: Metadata,
    pub status: RefundStatus,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Refund, "refund");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The bank has not decided.
    Pending,
    Succeeded,
    /// The bank refused it.
    Failed,
}
