//! The Invoice object and its lines.

use serde::{Deserialize, Serialize};

use super::object::{List, Metadata, PaymentSettings, Rest, object};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's names")]
pub struct Invoice {
    pub id: String,
    pub amount_due: i64,
    pub amount_paid: i64,
    pub amount_remaining: i64,
    pub attempt_count: i64,
    pub attempted: bool,
    pub auto_advance: bool,
    pub billing_reason: BillingReason,
    pub created: i64,
    pub currency: String,
    pub customer: String,
    pub customer_email: Option<String>,
    pub customer_name: Option<String>,
    pub customer_phone: Option<String>,
    pub effective_at: Option<i64>,
    pub ending_balance: Option<i64>,
    pub hosted_invoice_url: Option<String>,
    pub invoice_pdf: Option<String>,
    pub lines: List<InvoiceLine>,
    pub metadata: Metadata,
    pub next_payment_attempt: Option<i64>,
    pub number: Option<String>,
    pub payment_settings: PaymentSettings,
    pub pre_payment_credit_notes_amount: i64,
    pub starting_balance: i64,
    pub status: InvoiceStatus,
    pub status_transitions: StatusTransitions,
    pub subtotal: i64,
    pub total: i64,
    pub total_discount_amounts: Vec<DiscountAmount>,
    #[serde(skip)]
    pub private: PrivateInvoice,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Invoice, "invoice", PrivateInvoice);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrivateInvoice {
    /// Secret part of its page's address.
    pub page: String,
    pub subscription: String,
}

impl Invoice {
    /// Path of the subscription's id, for queries.
    pub const SUBSCRIPTION: &'static str = "parent.subscription_details.subscription";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceStatus {
    Draft,
    Open,
    Paid,
    Uncollectible,
    Void,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillingReason {
    SubscriptionCreate,
    SubscriptionCycle,
    SubscriptionUpdate,
    /// A preview, which is not stored.
    Upcoming,
}

/// Times in Unix seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's names")]
pub struct StatusTransitions {
    pub finalized_at: Option<i64>,
    pub marked_uncollectible_at: Option<i64>,
    pub paid_at: Option<i64>,
    pub voided_at: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscountAmount {
    pub amount: i64,
    pub discount: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvoiceLine {
    pub amount: i64,
    pub description: String,
    pub discount_amounts: Vec<DiscountAmount>,
    pub discounts: Vec<String>,
    pub invoice: String,
    pub period: Period,
    pub pricing: Pricing,
    #[serde(flatten)]
    pub rest: Rest,
}

impl InvoiceLine {
    /// The amount without its discounts.
    pub fn net(&self) -> i64 {
        self.amount - self.discount_amounts.iter().map(|discount| discount.amount).sum::<i64>()
    }

    /// Whether it is for a part of a period.
    pub fn is_proration(&self) -> bool {
        self.rest["parent"]["type"] == "invoice_item_details"
    }
}

/// Start and end in Unix seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Period {
    pub end: i64,
    pub start: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    pub price_details: PriceDetails,
    #[serde(flatten)]
    pub rest: Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceDetails {
    pub price: String,
    pub product: String,
}
