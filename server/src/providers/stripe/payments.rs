//! Payment intents and the payment methods that pay them.

use garimpo_domain::provider_status::PaymentIntentStatus;
use garimpo_domain::{CustomerId, PaymentIntentId, PaymentMethod};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::client::Stripe;
use super::errors::{Result, is_authentication_code};
use super::lists::listed;
use super::references::{self, Reference};
use super::refunds::Charge;
use super::request::Params;

/// The collection of one payment; it may take several attempts.
#[derive(Debug, Clone, Deserialize)]
pub struct PaymentIntent {
    pub id: PaymentIntentId,
    #[serde(default, deserialize_with = "references::id")]
    pub customer: Option<CustomerId>,
    /// `requires_payment_method`, `requires_action`, `processing`, `succeeded`, `canceled`, …
    pub status: PaymentIntentStatus,
    client_secret: Option<SecretString>,
    latest_charge: Option<Reference<Charge>>,
    #[serde(default)]
    amount_received: i64,
    next_action: Option<NextAction>,
    payment_method: Option<Reference<SavedMethod>>,
    last_payment_error: Option<PaymentError>,
    #[serde(default)]
    payment_method_types: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct NextAction {
    boleto_display_details: Option<BoletoDetails>,
}

/// The failure of the latest attempt. It names the method, which a failed payment loses.
#[derive(Debug, Clone, Deserialize)]
struct PaymentError {
    code: Option<String>,
    decline_code: Option<String>,
    payment_method: Option<Reference<SavedMethod>>,
}

/// An open boleto.
#[derive(Debug, Clone, Deserialize)]
pub struct BoletoDetails {
    /// The typeable line, 47 digits.
    pub number: Option<String>,
    /// End of the time in which it can be paid.
    pub expires_at: Option<i64>,
    /// The provider's page with the slip.
    pub hosted_voucher_url: Option<String>,
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

listed!(PaymentIntent);

impl SavedMethod {
    /// `pm_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn is_card(&self) -> bool {
        self.kind == "card"
    }

    /// When it was saved.
    pub fn created(&self) -> i64 {
        self.created
    }

    pub(super) fn method(&self) -> Option<PaymentMethod> {
        method_of(&self.kind)
    }
}

impl Reference<SavedMethod> {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            Self::Object(method) => &method.id,
        }
    }
}

/// How a customer's invoices are paid.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct InvoiceSettings {
    pub(super) default_payment_method: Option<Reference<SavedMethod>>,
}

impl InvoiceSettings {
    /// The customer's default payment method, if it was expanded.
    pub fn default_method(&self) -> Option<&SavedMethod> {
        self.default_payment_method.as_ref()?.object()
    }

    pub(super) fn default_method_id(&self) -> Option<&str> {
        self.default_payment_method.as_ref().map(Reference::<SavedMethod>::id)
    }
}

impl PaymentIntent {
    /// The secret with which a page confirms it.
    pub fn client_secret(&self) -> Option<&str> {
        self.client_secret.as_ref().map(ExposeSecret::expose_secret)
    }

    /// The newest charge, if it was expanded. A payment that succeeded is not charged again, so it
    /// is then the charge that collected the money.
    pub fn latest_charge(&self) -> Option<&Charge> {
        self.latest_charge.as_ref()?.object()
    }

    /// Id of the newest charge.
    pub fn latest_charge_id(&self) -> Option<&str> {
        self.latest_charge.as_ref().map(|charge| match charge {
            Reference::Id(id) | Reference::Object(Charge { id, .. }) => id.as_str(),
        })
    }

    /// The collected amount.
    pub fn received(&self) -> i64 {
        if self.status == PaymentIntentStatus::Succeeded { self.amount_received } else { 0 }
    }

    /// The boleto, while it waits for payment.
    pub fn boleto(&self) -> Option<&BoletoDetails> {
        self.next_action.as_ref()?.boleto_display_details.as_ref()
    }

    /// Whether it has succeeded, or may succeed without another attempt.
    pub fn may_still_pay(&self) -> bool {
        !matches!(self.status, PaymentIntentStatus::Canceled | PaymentIntentStatus::RequiresPaymentMethod)
    }

    /// Whether the payer must authenticate it. The provider documents both states.
    pub fn needs_authentication(&self) -> bool {
        match self.status {
            PaymentIntentStatus::RequiresAction => self.boleto().is_none(),
            PaymentIntentStatus::RequiresPaymentMethod => self.error_codes().any(is_authentication_code),
            _ => false,
        }
    }

    /// Codes of the failure of the latest attempt.
    pub fn error_codes(&self) -> impl Iterator<Item = &str> {
        let codes = self.last_payment_error.iter().flat_map(|error| [&error.code, &error.decline_code]);
        codes.filter_map(Option::as_deref)
    }

    /// Why the bank declined the latest attempt.
    pub fn decline_code(&self) -> Option<&str> {
        let error = self.last_payment_error.as_ref()?;
        error.decline_code.as_deref().or(error.code.as_deref())
    }

    /// The card of a failed attempt, which the payment itself loses.
    pub fn failed_method(&self) -> Option<&str> {
        let is_detached = self.status == PaymentIntentStatus::RequiresPaymentMethod;
        self.error_method().filter(|_| is_detached).map(SavedMethod::id)
    }

    /// The card of the latest attempt.
    pub fn attempted_method(&self) -> Option<&str> {
        self.failed_method().or_else(|| self.own_method().map(SavedMethod::id))
    }

    /// The kind of its payment method; `None` before the payer has chosen.
    pub fn method(&self) -> Option<PaymentMethod> {
        if let Some(method) = self.own_method() {
            return method.method();
        }
        if self.boleto().is_some() {
            return Some(PaymentMethod::Boleto);
        }
        self.error_method().and_then(SavedMethod::method).or_else(|| {
            match self.payment_method_types.as_slice() {
                [only] => method_of(only),
                _ => None,
            }
        })
    }

    fn own_method(&self) -> Option<&SavedMethod> {
        self.payment_method.as_ref()?.object()
    }

    fn error_method(&self) -> Option<&SavedMethod> {
        self.last_payment_error.as_ref()?.payment_method.as_ref()?.object()
    }
}

fn method_of(kind: &str) -> Option<PaymentMethod> {
    match kind {
        "boleto" => Some(PaymentMethod::Boleto),
        "card" => Some(PaymentMethod::Card),
        _ => None,
    }
}

impl Stripe {
    /// Reads a payment with its method and newest charge.
    pub async fn get_payment_intent(&self, id: &PaymentIntentId) -> Result<PaymentIntent> {
        let params = Params::new().list("expand", ["payment_method", "latest_charge"]);
        self.get("payment_intent_get", &["payment_intents", id], params).await
    }
}
