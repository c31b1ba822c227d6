//! Subscriptions, and changes of their plan.

use std::collections::BTreeMap;

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{CustomerId, PaymentMethod, SubscriptionId, Uid};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::catalog::Price;
use super::client::Stripe;
use super::errors::Result;
use super::invoices::Invoice;
use super::lists::{Page, listed};
use super::payments::{InvoiceSettings, SavedMethod};
use super::references::Reference;
use super::request::Params;

/// Stripe's `Subscription`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Subscription {
    pub id: SubscriptionId,
    /// `incomplete`, `incomplete_expired`, `trialing`, `active`, `past_due`, `unpaid`, `canceled`
    /// or `paused`.
    pub status: SubscriptionStatus,
    customer: Option<Reference<Payer, CustomerId>>,
    default_payment_method: Option<Reference<SavedMethod>>,
    latest_invoice: Option<Reference<Box<Invoice>>>,
    items: Page<SubscriptionItem>,
    pending_update: Option<PendingUpdate>,
    /// Whether it ends with the paid period.
    #[serde(default)]
    pub cancel_at_period_end: bool,
    /// The date of its end, which the portal sets instead of the flag.
    pub cancel_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// When its cancellation was requested.
    pub canceled_at: Option<i64>,
    /// When its last trial began, also a trial in the middle of a paid period.
    pub trial_start: Option<i64>,
    pub trial_end: Option<i64>,
    pub created: i64,
    /// Discounts of its next invoice.
    #[serde(default)]
    pub discounts: Vec<IgnoredAny>,
    /// Our keys: uid, plan, interval, coupon, code.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

/// An item of a subscription; subscriptions of ours have one.
#[derive(Debug, Clone, Deserialize)]
pub struct SubscriptionItem {
    /// `si_…`.
    pub id: String,
    pub price: Price,
    pub current_period_start: i64,
    pub current_period_end: i64,
}

/// A change of a subscription that the provider applies when its invoice is paid.
#[derive(Debug, Clone, Deserialize)]
pub struct PendingUpdate {
    /// When it is discarded unpaid and its invoice becomes void.
    pub expires_at: i64,
    subscription_items: Option<Vec<PendingItem>>,
}

#[derive(Debug, Clone, Deserialize)]
struct PendingItem {
    price: Price,
}

/// The customer of a subscription.
#[derive(Debug, Clone, Deserialize)]
struct Payer {
    id: CustomerId,
    #[serde(default)]
    balance: i64,
    #[serde(default)]
    invoice_settings: InvoiceSettings,
}

listed!(Subscription);

impl Subscription {
    /// The account that the metadata names.
    pub fn uid(&self) -> Option<Uid> {
        self.metadata.get("uid").map(Uid::new)
    }

    /// Whether it has ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.status, SubscriptionStatus::Canceled | SubscriptionStatus::IncompleteExpired)
    }

    /// Whether its cancellation is scheduled, at the end of the period or on a date.
    pub fn cancels(&self) -> bool {
        self.cancel_at_period_end || self.cancel_at.is_some()
    }

    /// Id of the customer.
    pub fn customer(&self) -> Option<&CustomerId> {
        match self.customer.as_ref()? {
            Reference::Id(id) | Reference::Object(Payer { id, .. }) => Some(id),
        }
    }

    fn payer(&self) -> Option<&Payer> {
        self.customer.as_ref()?.object()
    }

    /// The customer's debt (positive) or credit (negative), if the customer was expanded.
    pub fn balance(&self) -> Option<i64> {
        self.payer().map(|payer| payer.balance)
    }

    /// How the customer's invoices are paid, if the customer was expanded.
    pub(super) fn invoice_settings(&self) -> Option<&InvoiceSettings> {
        self.payer().map(|payer| &payer.invoice_settings)
    }

    /// The newest invoice, if it was expanded.
    pub fn latest_invoice(&self) -> Option<&Invoice> {
        self.latest_invoice.as_ref()?.object().map(|invoice| &**invoice)
    }

    /// Its own payment method, which is charged before the customer's default.
    pub(super) fn own_method(&self) -> Option<&SavedMethod> {
        self.default_payment_method.as_ref()?.object()
    }

    /// Id of its own payment method.
    pub fn own_method_id(&self) -> Option<&str> {
        self.default_payment_method.as_ref().map(Reference::<SavedMethod>::id)
    }

    /// The kind of payment method that its next invoice charges, if the methods were expanded.
    pub fn method(&self) -> Option<PaymentMethod> {
        let of_customer = || self.invoice_settings()?.default_payment_method.as_ref();
        self.default_payment_method.as_ref().or_else(of_customer)?.object()?.method()
    }

    /// The change to a price that waits for its payment.
    pub fn pending_update_to(&self, price: &str) -> Option<&PendingUpdate> {
        let is_to = |update: &&PendingUpdate| {
            update.subscription_items.iter().flatten().any(|item| item.price.id == price)
        };
        self.pending_update.as_ref().filter(is_to)
    }

    /// Its item; `None` for subscriptions that are not of our making.
    pub fn item(&self) -> Option<&SubscriptionItem> {
        self.items.data.first()
    }
}

/// A change of a subscription's plan. Its preview and the change send the same parameters, so that
/// the previewed amount is charged.
#[derive(Debug, Clone)]
pub struct PlanChangeOrder<'a> {
    pub subscription: &'a SubscriptionId,
    /// Item of the subscription.
    pub item: &'a str,
    /// Price of each later period.
    pub price: &'a str,
    /// The instant from which unused and remaining time are counted, within the current period.
    pub proration_date: i64,
}

impl PlanChangeOrder<'_> {
    fn params(&self, item: &str, date: &str) -> Params {
        Params::new()
            .set(format!("{item}[id]"), self.item)
            .set(format!("{item}[price]"), self.price)
            .set(date, self.proration_date)
    }
}

/// Expansions with which a subscription is read before and after a change of plan.
const EXPANDED: [&str; 3] =
    ["default_payment_method", "customer.invoice_settings.default_payment_method", "latest_invoice"];

impl Stripe {
    /// Reads a subscription with its customer, payment methods and latest invoice.
    pub async fn get_subscription(&self, id: &SubscriptionId) -> Result<Subscription> {
        self.get("subscription_get", &["subscriptions", id], Params::new().list("expand", EXPANDED)).await
    }

    /// Reads a page of all subscriptions in every status.
    pub async fn list_subscriptions_page(&self, after: &str) -> Result<Page<Subscription>> {
        self.page("subscription_list", &["subscriptions"], Params::new().set("status", "all"), after).await
    }

    /// Reads a page of the subscriptions that are not canceled, newest first.
    pub async fn list_running_subscriptions_page(&self, after: &str) -> Result<Page<Subscription>> {
        self.page("subscription_list", &["subscriptions"], Params::new(), after).await
    }

    /// Sets the card that a subscription's later invoices charge.
    pub async fn set_subscription_card(&self, id: &SubscriptionId, card: &str) -> Result<()> {
        let params = Params::new().set("default_payment_method", card);
        self.update("subscription_card_set", &["subscriptions", id], params).await
    }

    /// Sets the coupon of a subscription's next invoice, in place of its discounts.
    pub async fn set_subscription_coupon(&self, id: &SubscriptionId, coupon: &str) -> Result<()> {
        let params = Params::new().set("discounts[0][coupon]", coupon);
        self.update("subscription_coupon_set", &["subscriptions", id], params).await
    }

    /// Writes the account's uid to a subscription.
    pub async fn set_subscription_uid(&self, id: &SubscriptionId, uid: &Uid) -> Result<()> {
        let params = Params::new().set("metadata[uid]", uid);
        self.update("subscription_uid_set", &["subscriptions", id], params).await
    }

    /// Cancels a subscription immediately, if it still exists.
    pub async fn cancel_subscription(&self, id: &SubscriptionId) -> Result<()> {
        self.delete("subscription_cancel", &["subscriptions", id]).await
    }

    /// Schedules a cancellation for the end of the period, with the payer's reason if it is not
    /// empty.
    pub async fn cancel_subscription_later(&self, id: &SubscriptionId, reason: Option<&str>) -> Result<()> {
        let params =
            Params::new().set("cancel_at_period_end", true).set_some("cancellation_details[comment]", reason);
        self.update("subscription_cancel_later", &["subscriptions", id], params).await
    }

    /// Revokes a scheduled cancellation, by the period or by a date.
    pub async fn resume_subscription(&self, id: &SubscriptionId) -> Result<()> {
        let path: &[&str] = &["subscriptions", id];
        let found: Subscription = self.get("subscription_get", path, Params::new()).await?;
        let params = match (found.cancel_at_period_end, found.cancel_at) {
            (true, _) => Params::new().set("cancel_at_period_end", false),
            (false, Some(_)) => Params::new().set("cancel_at", ""),
            (false, None) => return Ok(()),
        };
        self.update("subscription_resume", path, params).await
    }

    /// Returns the invoice that a change of plan would create now; stores nothing.
    pub async fn preview_plan_change(&self, order: &PlanChangeOrder<'_>) -> Result<Invoice> {
        let params = order
            .params("subscription_details[items][0]", "subscription_details[proration_date]")
            .set("subscription", order.subscription)
            .set("subscription_details[proration_behavior]", "always_invoice");
        self.post("plan_change_preview", &["invoices", "create_preview"], params, None).await
    }

    /// Changes the plan and charges the difference. If the charge fails or needs the payer, the
    /// subscription stays as it is, with a pending update and its open invoice. The provider
    /// accepts no other parameters with this payment behavior, so a cancellation stays.
    pub async fn change_plan(&self, order: &PlanChangeOrder<'_>, key: &str) -> Result<Subscription> {
        let params = order
            .params("items[0]", "proration_date")
            .set("proration_behavior", "always_invoice")
            .set("payment_behavior", "pending_if_incomplete")
            .list("expand", EXPANDED);
        self.post("plan_change", &["subscriptions", order.subscription], params, key).await
    }
}
