//! The provider's objects as a rehearsal reads them.

use serde::Deserialize;

use super::super::objects::{BoletoDetails, Metadata, Page, reference};

/// The account's balance.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Balance {
    pub(super) livemode: bool,
}

/// An object of which the id alone counts.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

/// A coupon with its metadata.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct MarkedCoupon {
    pub(super) id: String,
    #[serde(default)]
    pub(super) metadata: Metadata,
}

/// A test clock.
#[derive(Debug, Clone, Deserialize)]
pub struct TestClock {
    /// Id, `clock_…`.
    pub id: String,
    /// Name; the rehearsal's mark.
    #[serde(default)]
    pub name: Option<String>,
    /// Its time in Unix seconds.
    pub frozen_time: i64,
    /// Whether it stands at its time.
    pub status: ClockStatus,
}

/// Status of a test clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    /// It stands at its time.
    Ready,
    /// It is on its way to another time.
    Advancing,
    /// The provider could not advance it.
    InternalFailure,
}

/// A customer.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedCustomer {
    /// Id, `cus_…`.
    pub id: String,
    /// Email.
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    invoice_settings: InvoiceSettings,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct InvoiceSettings {
    #[serde(default, deserialize_with = "reference")]
    default_payment_method: Option<String>,
}

impl ObservedCustomer {
    /// The payment method that invoices fall back to.
    pub fn default_method(&self) -> Option<&str> {
        self.invoice_settings.default_payment_method.as_deref()
    }
}

/// A subscription.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedSubscription {
    /// Id, `sub_…`.
    pub id: String,
    /// Status.
    pub status: String,
    /// The payment method that it charges.
    #[serde(default, deserialize_with = "reference")]
    pub default_payment_method: Option<String>,
    /// Its newest invoice.
    #[serde(default, deserialize_with = "reference")]
    pub latest_invoice: Option<String>,
    items: Page<Item>,
}

#[derive(Debug, Clone, Deserialize)]
struct Item {
    id: String,
    price: PriceOfItem,
    current_period_end: i64,
}

#[derive(Debug, Clone, Deserialize)]
struct PriceOfItem {
    id: String,
}

impl ObservedSubscription {
    /// End of the period in Unix seconds; 0 without an item.
    pub fn period_end(&self) -> i64 {
        self.items.data.first().map_or(0, |item| item.current_period_end)
    }

    /// Id of its item.
    pub fn item(&self) -> Option<&str> {
        self.items.data.first().map(|item| item.id.as_str())
    }

    /// Id of its price.
    pub fn price(&self) -> Option<&str> {
        self.items.data.first().map(|item| item.price.id.as_str())
    }
}

/// An invoice.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedInvoice {
    /// Id, `in_…`.
    pub id: String,
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    pub status: Option<String>,
    /// What it asks for.
    #[serde(default)]
    pub total: i64,
    /// Automatic attempts to collect it.
    #[serde(default)]
    pub attempt_count: u32,
    /// When the next automatic attempt comes.
    pub next_payment_attempt: Option<i64>,
    /// Whether the provider collects it by itself.
    #[serde(default)]
    pub auto_advance: Option<bool>,
    /// Page of the provider on which it can be paid.
    pub hosted_invoice_url: Option<String>,
    confirmation_secret: Option<ConfirmationSecret>,
}

#[derive(Debug, Clone, Deserialize)]
struct ConfirmationSecret {
    client_secret: String,
}

impl ObservedInvoice {
    /// Whether it has this status.
    pub fn is(&self, status: &str) -> bool {
        self.status.as_deref() == Some(status)
    }

    /// The secret with which a page confirms its payment.
    pub fn confirmation_secret(&self) -> Option<&str> {
        self.confirmation_secret.as_ref().map(|secret| secret.client_secret.as_str())
    }
}

/// What ties an invoice to a payment intent.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedInvoicePayment {
    /// Id, `inpay_…`.
    pub id: String,
    /// `open`, `paid` or `canceled`.
    pub status: String,
    /// Whether the provider made it at the invoice's finalization.
    #[serde(default)]
    pub is_default: bool,
    payment: Payment,
}

#[derive(Debug, Clone, Deserialize)]
struct Payment {
    #[serde(default, deserialize_with = "reference")]
    payment_intent: Option<String>,
}

impl ObservedInvoicePayment {
    /// The payment intent that is to pay the invoice.
    pub fn intent(&self) -> Option<&str> {
        self.payment.payment_intent.as_deref()
    }
}

/// A payment intent.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedIntent {
    /// Id, `pi_…`.
    pub id: String,
    /// Status.
    pub status: String,
    /// The secret with which a page confirms it.
    pub client_secret: Option<String>,
    /// Its newest charge.
    #[serde(default, deserialize_with = "reference")]
    pub latest_charge: Option<String>,
    last_payment_error: Option<PaymentError>,
    next_action: Option<NextAction>,
}

#[derive(Debug, Clone, Deserialize)]
struct PaymentError {
    code: Option<String>,
    decline_code: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct NextAction {
    boleto_display_details: Option<BoletoDetails>,
}

impl ObservedIntent {
    /// Code of the last failed attempt.
    pub fn error_code(&self) -> Option<&str> {
        let error = self.last_payment_error.as_ref()?;
        error.code.as_deref().or(error.decline_code.as_deref())
    }

    /// The voucher that waits for payment.
    pub fn boleto(&self) -> Option<&BoletoDetails> {
        self.next_action.as_ref()?.boleto_display_details.as_ref()
    }
}

/// A charge.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedCharge {
    /// Id, `ch_…` or `py_…`.
    pub id: String,
    /// `succeeded`, `pending` or `failed`.
    pub status: String,
    /// Whether it brought money.
    #[serde(default)]
    pub paid: bool,
    /// What it took.
    pub amount: i64,
    /// What was refunded of it.
    #[serde(default)]
    pub amount_refunded: i64,
    /// Whether all of it was refunded.
    #[serde(default)]
    pub refunded: bool,
    /// Whether a bank disputed it.
    #[serde(default)]
    pub disputed: bool,
    /// The payment method that it used.
    #[serde(default, deserialize_with = "reference")]
    pub payment_method: Option<String>,
}

/// A refund.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedRefund {
    /// Id, `re_…`.
    pub id: String,
}

/// A dispute.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedDispute {
    /// Id, `dp_…` or `du_…`.
    pub id: String,
    /// Status.
    pub status: String,
    /// Whether the charge can be refunded in spite of it.
    #[serde(default)]
    pub is_charge_refundable: bool,
}

/// An event.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedEvent {
    /// Id, `evt_…`.
    pub id: String,
    /// Type.
    #[serde(rename = "type")]
    pub kind: String,
    data: EventData,
}

#[derive(Debug, Clone, Deserialize)]
struct EventData {
    object: EventObject,
}

#[derive(Debug, Clone, Deserialize)]
struct EventObject {
    id: Option<String>,
}

impl ObservedEvent {
    /// Whether it is about this object.
    pub fn is_about(&self, id: &str) -> bool {
        self.data.object.id.as_deref() == Some(id)
    }
}

/// A checkout session.
#[derive(Debug, Clone, Deserialize)]
pub struct ObservedSession {
    /// Id, `cs_…`.
    pub id: String,
    /// `open`, `complete` or `expired`.
    pub status: String,
    /// First payment.
    pub amount_total: Option<i64>,
    /// Payment methods that it offers.
    #[serde(default)]
    pub payment_method_types: Vec<String>,
    /// Subscription that it made.
    #[serde(default, deserialize_with = "reference")]
    pub subscription: Option<String>,
    /// The page that a person opens.
    pub url: Option<String>,
}
