//! The Invoice object and its lines.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{List, Metadata, object};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    pub customer_address: Value,
    pub customer_email: Option<String>,
    pub customer_name: Option<String>,
    pub customer_phone: Option<String>,
    pub discounts: Vec<String>,
    pub effective_at: Option<i64>,
    pub ending_balance: Option<i64>,
    pub hosted_invoice_url: Option<String>,
    pub invoice_pdf: Option<String>,
    pub lines: List<InvoiceLine>,
    pub metadata: Metadata,
    pub next_payment_attempt: Option<i64>,
    pub number: Option<String>,
    pub parent: InvoiceParent,
    pub payment_settings: PaymentSettings,
    pub period_end: i64,
    pub period_start: i64,
    pub pre_payment_credit_notes_amount: i64,
    pub starting_balance: i64,
    pub status: InvoiceStatus,
    pub status_transitions: StatusTransitions,
    pub subtotal: i64,
    pub subtotal_excluding_tax: i64,
    pub test_clock: Option<String>,
    pub total: i64,
    pub total_discount_amounts: Vec<DiscountAmount>,
    pub total_excluding_tax: i64,
    #[serde(skip)]
    pub private: PrivateInvoice,
}

object!(Invoice, "invoice", {
    "account_country": "BR", "account_name": "Garimpo (ambiente de testes)", "account_tax_ids": null,
    "amount_overpaid": 0, "amount_shipping": 0, "application": null,
    "automatic_tax": {"disabled_reason": null, "enabled": false, "liability": null, "provider": null,
        "status": null},
    "automatically_finalizes_at": null, "collection_method": "charge_automatically", "custom_fields": null,
    "customer_account": null, "customer_shipping": null, "customer_tax_exempt": "none", "customer_tax_ids": [],
    "default_payment_method": null, "default_source": null, "default_tax_rates": [], "description": null,
    "due_date": null, "footer": null, "from_invoice": null, "issuer": {"type": "self"},
    "last_finalization_error": null, "latest_revision": null, "livemode": false, "on_behalf_of": null,
    "post_payment_credit_notes_amount": 0, "receipt_number": null, "rendering": null, "shipping_cost": null,
    "shipping_details": null, "statement_descriptor": null, "total_pretax_credit_amounts": [],
    "total_taxes": [], "webhooks_delivered_at": null,
}, PrivateInvoice);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrivateInvoice {
    /// Secret part of its page's address.
    pub page: String,
}

impl Invoice {
    /// Path of the subscription's id, for queries.
    pub const SUBSCRIPTION: &'static str = "parent.subscription_details.subscription";

    pub fn subscription(&self) -> &str {
        &self.parent.subscription_details.subscription
    }
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvoiceParent {
    pub quote_details: (),
    pub subscription_details: SubscriptionDetails,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubscriptionDetails {
    pub metadata: Metadata,
    pub subscription: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaymentSettings {
    pub default_mandate: (),
    pub payment_method_options: (),
    pub payment_method_types: Vec<String>,
}

/// Times in Unix seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the provider's names")]
pub struct StatusTransitions {
    pub finalized_at: Option<i64>,
    pub marked_uncollectible_at: (),
    pub paid_at: Option<i64>,
    pub voided_at: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscountAmount {
    pub amount: i64,
    pub discount: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "object", rename = "line_item")]
pub struct InvoiceLine {
    pub id: String,
    pub amount: i64,
    pub currency: String,
    pub description: String,
    pub discount_amounts: Vec<DiscountAmount>,
    pub discountable: bool,
    pub discounts: Vec<String>,
    pub invoice: String,
    pub livemode: bool,
    pub metadata: Metadata,
    pub parent: LineParent,
    pub period: Period,
    pub pretax_credit_amounts: Vec<()>,
    pub pricing: Pricing,
    pub quantity: i64,
    pub quantity_decimal: String,
    pub subscription: String,
    pub subtotal: i64,
    pub taxes: Vec<()>,
}

impl InvoiceLine {
    /// The amount without its discounts.
    pub fn net(&self) -> i64 {
        self.amount - self.discount_amounts.iter().map(|discount| discount.amount).sum::<i64>()
    }

    /// Whether it is for a part of a period.
    pub fn is_proration(&self) -> bool {
        self.parent.invoice_item_details.is_some()
    }
}

/// Start and end in Unix seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Period {
    pub end: i64,
    pub start: i64,
}

/// What a line is for: a period of an item, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineParent {
    pub invoice_item_details: Option<InvoiceItemDetails>,
    pub subscription_item_details: Option<SubscriptionItemDetails>,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvoiceItemDetails {
    pub invoice_item: String,
    pub proration: bool,
    pub proration_details: ProrationDetails,
    pub subscription: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProrationDetails {
    pub credited_items: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubscriptionItemDetails {
    pub invoice_item: (),
    pub proration: bool,
    pub proration_details: (),
    pub subscription: String,
    pub subscription_item: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    pub price_details: PriceDetails,
    #[serde(rename = "type")]
    pub kind: String,
    pub unit_amount_decimal: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceDetails {
    pub price: String,
    pub product: String,
}
