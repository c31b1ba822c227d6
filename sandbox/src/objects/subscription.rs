//! The Subscription object.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::invoice::InvoiceLine;
use super::object::{List, Metadata, PaymentSettings, Rest, object};
use crate::state::number;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    pub id: String,
    pub billing_cycle_anchor: i64,
    pub cancel_at: Option<i64>,
    pub cancel_at_period_end: bool,
    pub canceled_at: Option<i64>,
    pub cancellation_details: CancellationDetails,
    pub currency: String,
    pub customer: String,
    pub default_payment_method: Option<String>,
    pub discounts: Vec<String>,
    pub ended_at: Option<i64>,
    pub items: List<SubscriptionItem>,
    pub latest_invoice: Option<String>,
    pub metadata: Metadata,
    pub pause_collection: Option<PauseCollection>,
    pub payment_settings: PaymentSettings,
    pub pending_update: Option<PendingUpdate>,
    pub status: SubscriptionStatus,
    pub test_clock: Option<String>,
    pub trial_end: Option<i64>,
    pub trial_start: Option<i64>,
    #[serde(skip)]
    pub private: PrivateSubscription,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Subscription, "subscription", PrivateSubscription);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrivateSubscription {
    /// Days until the due date of a boleto.
    pub boleto_days: i64,
    /// Page to which the payer of a boleto can return.
    pub return_url: Option<String>,
    /// Lines of plan changes for the next invoice.
    pub pending: Vec<InvoiceLine>,
    /// A plan change that is applied when its invoice is paid.
    pub held: Option<HeldChange>,
}

/// Whether and how invoices of new periods are collected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PauseCollection {
    pub behavior: PauseBehavior,
    /// End of the pause in Unix seconds; `None` if a call ends it.
    pub resumes_at: Option<i64>,
}

/// The invoice of a new period while its collection is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseBehavior {
    KeepAsDraft,
    MarkUncollectible,
    Void,
}

/// The public view of a plan change whose payment failed or needs the payer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingUpdate {
    pub billing_cycle_anchor: Option<i64>,
    pub expires_at: i64,
    pub subscription_items: Vec<SubscriptionItem>,
    pub trial_end: Option<i64>,
    pub trial_from_plan: Option<bool>,
}

/// The values that a subscription gets when the invoice of its plan change is paid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldChange {
    pub invoice: String,
    pub items: Vec<SubscriptionItem>,
    pub billing_cycle_anchor: i64,
    pub discounts: Vec<String>,
    /// Lines of earlier changes on this invoice, which a void gives back.
    pub pending: Vec<InvoiceLine>,
    /// Whether a new period begins.
    pub restarts: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    Incomplete,
    IncompleteExpired,
    Trialing,
    Active,
    PastDue,
    Unpaid,
    Canceled,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CancellationDetails {
    pub comment: Option<String>,
    pub feedback: Option<String>,
    pub reason: Option<String>,
    #[serde(flatten)]
    pub rest: Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubscriptionItem {
    pub id: String,
    pub current_period_end: i64,
    pub current_period_start: i64,
    /// The price in the shape that was used before there were prices.
    pub plan: Value,
    pub price: Value,
    pub quantity: i64,
    #[serde(flatten)]
    pub rest: Rest,
}

impl SubscriptionItem {
    pub fn set_price(&mut self, price: &Value) {
        self.plan = plan_of(price);
        self.price = price.clone();
    }

    /// Price of a period, in centavos.
    pub fn amount(&self) -> i64 {
        number(&self.price, "unit_amount") * self.quantity.max(1)
    }
}

impl Subscription {
    /// Whether it has ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.status, SubscriptionStatus::Canceled | SubscriptionStatus::IncompleteExpired)
    }

    /// Whether a period follows the current one, unless a cancellation is scheduled.
    pub fn renews(&self) -> bool {
        use SubscriptionStatus::{Active, PastDue, Trialing, Unpaid};
        matches!(self.status, Active | Trialing | PastDue | Unpaid)
    }

    pub fn item(&self) -> &SubscriptionItem {
        &self.items.data[0]
    }

    /// Start and end of the current period, in Unix seconds.
    pub fn period(&self) -> (i64, i64) {
        (self.item().current_period_start, self.item().current_period_end)
    }

    /// How the collection of an invoice that is made at a time is paused.
    pub fn paused_at(&self, seconds: i64) -> Option<PauseBehavior> {
        let pause = self.pause_collection.as_ref()?;
        pause.resumes_at.is_none_or(|at| seconds < at).then_some(pause.behavior)
    }

    /// Sets or clears `cancel_at_period_end`.
    pub fn cancel_later(&mut self, now: i64, cancel: bool) {
        self.cancel_at_period_end = cancel;
        self.cancel_at = cancel.then_some(self.period().1);
        self.canceled_at = cancel.then_some(now);
        self.cancellation_details.reason = cancel.then(|| "cancellation_requested".to_owned());
    }
}

pub fn plan_of(price: &Value) -> Value {
    let recurring = &price["recurring"];
    json!({
        "id": price["id"], "object": "plan", "active": price["active"], "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"], "billing_scheme": price["billing_scheme"],
        "created": price["created"], "currency": price["currency"], "interval": recurring["interval"],
        "interval_count": recurring["interval_count"], "livemode": false, "metadata": price["metadata"],
        "meter": null, "nickname": price["nickname"], "product": price["product"], "tiers_mode": null,
        "transform_usage": null, "trial_period_days": null, "usage_type": recurring["usage_type"],
    })
}
