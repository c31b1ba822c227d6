//! What the provider answers, reduced to the fields that Garimpo reads.
//!
//! Times are Unix seconds and amounts centavos, as they come. A field that names another object accepts the id or the
//! expanded object.

use std::collections::BTreeMap;

use garimpo_domain::checkout::PaymentMethod;
use serde::{Deserialize, Deserializer};

use super::errors::is_authentication_code;
use super::invoices::Invoice;

/// Free keys of ours on the provider's objects.
pub type Metadata = BTreeMap<String, String>;

/// A list's page.
#[derive(Debug, Clone, Deserialize)]
pub struct Page<T> {
    /// Objects of the page, newest first.
    pub data: Vec<T>,
    /// Whether another page follows.
    #[serde(default)]
    pub has_more: bool,
}

/// A customer.
#[derive(Debug, Clone, Deserialize)]
pub struct Customer {
    /// Id, `cus_…`.
    pub id: String,
    /// Our keys: uid.
    #[serde(default)]
    pub metadata: Metadata,
    /// What is kept for it between invoices; negative is credit.
    #[serde(default)]
    pub balance: i64,
    /// Whether it was removed; its id still answers then.
    #[serde(default)]
    pub deleted: bool,
}

/// A product of the provider's catalogue: one plan of ours.
#[derive(Debug, Clone, Deserialize)]
pub struct Product {
    /// Id, chosen by us.
    pub id: String,
    /// Name on receipts.
    pub name: String,
    /// Whether it can be bought.
    pub active: bool,
}

/// A recurring price.
#[derive(Debug, Clone, Deserialize)]
pub struct Price {
    /// Id, `price_…`.
    pub id: String,
    /// Regular price of each period.
    pub unit_amount: Option<i64>,
    /// Our name for it, moved to its successor when the amount changes.
    pub lookup_key: Option<String>,
    /// How often it is charged.
    pub recurring: Option<Recurring>,
    /// Our keys: plan and interval.
    #[serde(default)]
    pub metadata: Metadata,
}

/// How often a price is charged.
#[derive(Debug, Clone, Deserialize)]
pub struct Recurring {
    /// `day` for every price of ours.
    pub interval: String,
    /// How many of them.
    pub interval_count: u32,
}

/// A coupon.
#[derive(Debug, Clone, Deserialize)]
pub struct Coupon {
    /// Id, chosen by us.
    pub id: String,
    /// Whole or broken percent off.
    pub percent_off: Option<f64>,
    /// Centavos off.
    pub amount_off: Option<i64>,
    /// `once` for every coupon of ours.
    pub duration: String,
    /// `derived_from` on a derived coupon.
    #[serde(default)]
    pub metadata: Metadata,
}

impl Coupon {
    /// What it takes off a price, in centavos: half a centavo is rounded up.
    pub fn off(&self, price_centavos: i64) -> i64 {
        let percent = self.percent_off.map(|percent| {
            let hundredths = (percent * 100.0).round() as i64;
            (price_centavos * hundredths + 5_000) / 10_000
        });
        self.amount_off.or(percent).unwrap_or_default().min(price_centavos)
    }
}

/// A checkout session.
#[derive(Debug, Clone, Deserialize)]
pub struct CheckoutSession {
    /// Id, `cs_…`.
    pub id: String,
    /// What the page needs to show it.
    pub client_secret: Option<String>,
    /// `open`, `complete` or `expired`.
    pub status: String,
    /// `unpaid`, `paid` or `no_payment_required`.
    pub payment_status: String,
    /// First payment.
    pub amount_total: Option<i64>,
    /// Subscription it made, once complete.
    #[serde(default, deserialize_with = "reference")]
    pub subscription: Option<String>,
    /// First invoice, once complete.
    #[serde(default, deserialize_with = "reference")]
    pub invoice: Option<String>,
    /// When it stops being open.
    pub expires_at: Option<i64>,
    /// Where the portal or a hosted page is.
    pub url: Option<String>,
}

/// A management session of the provider's portal.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PortalSession {
    pub(super) url: String,
}

/// A subscription.
#[derive(Debug, Clone, Deserialize)]
pub struct Subscription {
    /// Id, `sub_…`.
    pub id: String,
    /// `incomplete`, `incomplete_expired`, `trialing`, `active`, `past_due`, `unpaid`, `canceled` or `paused`.
    pub status: String,
    customer: Option<Payer>,
    default_payment_method: Option<ExpandedMethod>,
    /// The invoice made last, where it was asked for.
    #[serde(default, deserialize_with = "expanded")]
    pub latest_invoice: Option<Box<Invoice>>,
    /// What is paid for; one item each.
    items: Page<SubscriptionItem>,
    /// Whether it ends with the paid period.
    #[serde(default)]
    pub cancel_at_period_end: bool,
    /// A date on which it ends, set by the portal in place of the flag above.
    pub cancel_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// When its end was asked for.
    pub canceled_at: Option<i64>,
    /// When its trial at the provider ends.
    pub trial_end: Option<i64>,
    /// When it was made.
    pub created: i64,
    /// Discounts of its next invoice, by id.
    #[serde(default)]
    pub discounts: Vec<serde::de::IgnoredAny>,
    /// Our keys: uid, plan, interval, coupon, code.
    #[serde(default)]
    pub metadata: Metadata,
}

/// A subscription's item.
#[derive(Debug, Clone, Deserialize)]
pub struct SubscriptionItem {
    /// Id, `si_…`.
    pub id: String,
    /// Price of each period.
    pub price: Price,
    /// Start of the period in Unix seconds.
    pub current_period_start: i64,
    /// End of the period in Unix seconds.
    pub current_period_end: i64,
}

impl Subscription {
    /// Whether it ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "canceled" | "incomplete_expired")
    }

    /// Whether it ends by wish, at the end of its period or on a day that the portal set.
    pub fn cancels(&self) -> bool {
        self.cancel_at_period_end || self.cancel_at.is_some()
    }

    /// Who pays, `cus_…`.
    pub fn customer(&self) -> Option<&str> {
        match self.customer.as_ref()? {
            Payer::Id(id) | Payer::Object { id, .. } => Some(id),
        }
    }

    /// What the customer owes (positive) or has in credit (negative), where the customer was asked for.
    pub fn balance(&self) -> Option<i64> {
        match self.customer.as_ref()? {
            Payer::Object { balance, .. } => Some(*balance),
            Payer::Id(_) => None,
        }
    }

    /// How the customer's invoices are paid, where the customer was asked for.
    pub(super) fn invoice_settings(&self) -> Option<&InvoiceSettings> {
        match self.customer.as_ref()? {
            Payer::Object { invoice_settings, .. } => Some(invoice_settings),
            Payer::Id(_) => None,
        }
    }

    /// The payment method of its own, which its invoices use before the customer's default.
    pub(super) fn own_method(&self) -> Option<&SavedMethod> {
        self.default_payment_method.as_ref().and_then(ExpandedMethod::saved)
    }

    /// What its next invoice is paid by, where it was asked for.
    pub fn method(&self) -> Option<PaymentMethod> {
        let of_customer = || self.invoice_settings()?.default_payment_method.as_ref();
        self.default_payment_method.as_ref().or_else(of_customer)?.method()
    }

    /// The one item that is paid for; `None` for subscriptions that are not of our making.
    pub fn item(&self) -> Option<&SubscriptionItem> {
        self.items.data.first()
    }
}

/// A customer within another object: its id, or the whole of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Payer {
    Id(String),
    Object {
        id: String,
        #[serde(default)]
        balance: i64,
        #[serde(default)]
        invoice_settings: InvoiceSettings,
    },
}

/// How a customer's invoices are paid.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct InvoiceSettings {
    default_payment_method: Option<ExpandedMethod>,
}

impl InvoiceSettings {
    /// The customer's default payment method.
    pub fn default_method(&self) -> Option<&SavedMethod> {
        self.default_payment_method.as_ref().and_then(ExpandedMethod::saved)
    }
}

/// One attempt to collect a payment, failed or not.
#[derive(Debug, Clone, Deserialize)]
pub struct Charge {
    /// Id, `ch_…` or `py_…`.
    pub id: String,
    /// The payment that it collected.
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<String>,
    /// What of it was given back, or is on its way; a refund that failed counts no more.
    #[serde(default)]
    pub amount_refunded: i64,
    /// Whether its bank asked for it back at any time.
    #[serde(default)]
    pub disputed: bool,
    /// `succeeded`, `pending` or `failed`.
    pub status: String,
    /// Whether the money was collected.
    #[serde(default)]
    pub paid: bool,
}

impl Charge {
    /// Whether it collected money. A payment that was declined first has failed charges as well.
    pub fn has_succeeded(&self) -> bool {
        self.paid && self.status == "succeeded"
    }
}

/// A bank's wish to have a charge back.
#[derive(Debug, Clone, Deserialize)]
pub struct Dispute {
    /// Id, `dp_…` or `du_…`.
    pub id: String,
    /// `needs_response`, `under_review`, `won`, `lost`, or one of those that move no money.
    pub status: String,
    /// How much of the charge.
    pub amount: i64,
    /// When it was made.
    pub created: i64,
    /// The payment that is disputed.
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<String>,
}

/// Money on its way back.
#[derive(Debug, Clone, Deserialize)]
pub struct Refund {
    /// Id, `re_…`.
    pub id: String,
    /// `pending`, `requires_action`, `succeeded`, `failed` or `canceled`.
    pub status: Option<String>,
    /// How much goes back.
    #[serde(default)]
    pub amount: i64,
    /// The payment that it gives back.
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<String>,
}

impl Refund {
    /// Whether the payer has the money back, or will have it.
    pub fn counts(&self) -> bool {
        !matches!(self.status.as_deref(), Some("failed" | "canceled"))
    }
}

/// One attempt to collect an invoice.
#[derive(Debug, Clone, Deserialize)]
pub struct PaymentIntent {
    /// Id, `pi_…`.
    pub id: String,
    /// Who pays.
    #[serde(default, deserialize_with = "reference")]
    pub customer: Option<String>,
    /// `requires_payment_method`, `requires_action`, `processing`, `succeeded`, `canceled`, …
    pub status: String,
    /// What it collects.
    pub amount: i64,
    #[serde(default)]
    amount_received: i64,
    next_action: Option<NextAction>,
    payment_method: Option<ExpandedMethod>,
    last_payment_error: Option<PaymentError>,
    #[serde(default)]
    payment_method_types: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct NextAction {
    boleto_display_details: Option<BoletoDetails>,
}

/// The failure of the latest attempt. It names the method that a failed payment loses.
#[derive(Debug, Clone, Deserialize)]
struct PaymentError {
    code: Option<String>,
    decline_code: Option<String>,
    payment_method: Option<ExpandedMethod>,
}

/// A voucher that waits for payment.
#[derive(Debug, Clone, Deserialize)]
pub struct BoletoDetails {
    /// 47 digits of the typeable line.
    pub number: Option<String>,
    /// When it stops being payable.
    pub expires_at: Option<i64>,
    /// Page of the provider with the slip.
    pub hosted_voucher_url: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ExpandedMethod {
    Object(SavedMethod),
    Id(#[expect(dead_code, reason = "an id that was not expanded says nothing")] String),
}

/// A payment method that a customer saved.
#[derive(Debug, Clone, Deserialize)]
pub struct SavedMethod {
    #[serde(default)]
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    created: i64,
}

impl SavedMethod {
    /// Id, `pm_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is a card.
    pub fn is_card(&self) -> bool {
        self.kind == "card"
    }

    /// When it was saved, Unix seconds.
    pub fn created(&self) -> i64 {
        self.created
    }
}

impl PaymentIntent {
    /// Money that it collected.
    pub fn received(&self) -> i64 {
        if self.status == "succeeded" { self.amount_received } else { 0 }
    }

    /// The voucher to show, while it waits for payment.
    pub fn boleto(&self) -> Option<&BoletoDetails> {
        self.next_action.as_ref()?.boleto_display_details.as_ref()
    }

    /// Whether money may still come of it without another attempt, or has come.
    pub fn may_still_pay(&self) -> bool {
        !matches!(self.status.as_str(), "canceled" | "requires_payment_method")
    }

    /// Whether the payer must authenticate it. The provider documents both states.
    pub fn needs_authentication(&self) -> bool {
        let asks = |error: &PaymentError| {
            [&error.code, &error.decline_code].into_iter().flatten().any(|code| is_authentication_code(code))
        };
        match self.status.as_str() {
            "requires_action" => self.boleto().is_none(),
            "requires_payment_method" => self.last_payment_error.as_ref().is_some_and(asks),
            _ => false,
        }
    }

    /// The card of a failed attempt, which the payment itself does not hold any more.
    pub fn failed_method(&self) -> Option<&str> {
        let is_detached = self.status == "requires_payment_method";
        let error = self.last_payment_error.as_ref().filter(|_| is_detached)?;
        error.payment_method.as_ref()?.saved().map(SavedMethod::id)
    }

    /// The card of the latest attempt.
    pub fn attempted_method(&self) -> Option<&str> {
        let held = self.payment_method.as_ref().and_then(ExpandedMethod::saved).map(SavedMethod::id);
        self.failed_method().or(held)
    }

    /// How it is paid; `None` before the payer has chosen.
    pub fn method(&self) -> Option<PaymentMethod> {
        match &self.payment_method {
            Some(method @ ExpandedMethod::Object(_)) => method.method(),
            _ if self.boleto().is_some() => Some(PaymentMethod::Boleto),
            _ => self.kind_of_failed_method().or_else(|| match self.payment_method_types.as_slice() {
                [only] => method_of(only),
                _ => None,
            }),
        }
    }

    fn kind_of_failed_method(&self) -> Option<PaymentMethod> {
        self.last_payment_error.as_ref()?.payment_method.as_ref()?.method()
    }
}

impl ExpandedMethod {
    fn method(&self) -> Option<PaymentMethod> {
        match self {
            Self::Object(saved) => method_of(&saved.kind),
            Self::Id(_) => None,
        }
    }

    fn saved(&self) -> Option<&SavedMethod> {
        match self {
            Self::Object(saved) => Some(saved),
            Self::Id(_) => None,
        }
    }
}

fn method_of(kind: &str) -> Option<PaymentMethod> {
    match kind {
        "boleto" => Some(PaymentMethod::Boleto),
        "card" => Some(PaymentMethod::Card),
        _ => None,
    }
}

/// Reads an object that may be named by its id alone: then it is absent.
fn expanded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(source: D) -> Result<Option<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Reference<T> {
        Id(#[expect(dead_code, reason = "an id that was not expanded says nothing")] String),
        Object(T),
    }
    Ok(match Option::<Reference<T>>::deserialize(source)? {
        Some(Reference::Object(object)) => Some(object),
        _ => None,
    })
}

/// Reads a reference: an id, an expanded object, or nothing.
pub(super) fn reference<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Reference {
        Id(String),
        Object { id: String },
    }
    Ok(Option::<Reference>::deserialize(source)?.map(|reference| match reference {
        Reference::Id(id) | Reference::Object { id } => id,
    }))
}
