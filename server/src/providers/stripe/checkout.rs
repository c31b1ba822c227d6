//! Checkout sessions and the provider's portal.

use garimpo_domain::checkout::BOLETO_DAYS;
use garimpo_domain::provider_status::{CheckoutPaymentStatus, CheckoutSessionStatus};
use garimpo_domain::{CheckoutSessionId, CustomerId, SubscriptionId};
use serde::Deserialize;

use super::client::Stripe;
use super::errors::{Result, unless_settled};
use super::lists::listed;
use super::references;
use super::request::Params;

/// Stripe's `Checkout Session`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct CheckoutSession {
    pub id: CheckoutSessionId,
    /// The page shows the session with it.
    pub client_secret: Option<String>,
    pub status: CheckoutSessionStatus,
    pub payment_status: CheckoutPaymentStatus,
    /// First payment.
    pub amount_total: Option<i64>,
    /// Payment methods that it offers.
    #[serde(default)]
    pub payment_method_types: Vec<String>,
    /// The subscription of a complete session.
    #[serde(default, deserialize_with = "references::id")]
    pub subscription: Option<SubscriptionId>,
    pub expires_at: Option<i64>,
    /// The provider's page of a hosted session.
    pub url: Option<String>,
}

listed!(CheckoutSession);

/// A checkout session to create.
#[derive(Debug, Clone)]
pub struct CheckoutOrder<'a> {
    pub customer: &'a CustomerId,
    pub price: &'a str,
    /// Coupon of the first invoice, by its id at the provider.
    pub coupon: Option<&'a str>,
    /// Whether a boleto may pay it.
    pub boleto: bool,
    /// Time of the first charge; `None` charges at once.
    pub trial_end: Option<i64>,
    /// The page to which the provider returns a redirected tab.
    pub return_url: &'a str,
    /// Written on the session and on its subscription.
    pub metadata: Vec<(&'a str, String)>,
}

/// The parameters of a session for one subscription.
pub(super) fn session_params(ui_mode: &str, customer: &CustomerId, price: &str) -> Params {
    Params::new()
        .set("mode", "subscription")
        .set("ui_mode", ui_mode)
        .set("locale", "pt-BR")
        .set("customer", customer)
        .set("line_items[0][price]", price)
        .set("line_items[0][quantity]", 1)
}

impl Stripe {
    /// Creates an embedded checkout session for a subscription.
    pub async fn create_checkout(&self, order: &CheckoutOrder<'_>, key: &str) -> Result<CheckoutSession> {
        let methods: &[&str] = if order.boleto { &["card", "boleto"] } else { &["card"] };
        let boleto_days = order.boleto.then_some(BOLETO_DAYS);
        let params = session_params("embedded_page", order.customer, order.price)
            .set("redirect_on_completion", "if_required")
            .set("return_url", order.return_url)
            .list("allowed_payment_method_types", methods)
            .set_some("discounts[0][coupon]", order.coupon)
            .set_some("subscription_data[trial_end]", order.trial_end)
            .map("metadata", &order.metadata)
            .map("subscription_data[metadata]", &order.metadata)
            .set_some("payment_method_options[boleto][expires_after_days]", boleto_days);
        self.post("checkout_create", &["checkout", "sessions"], params, key).await
    }

    /// Reads a checkout session.
    pub async fn get_checkout(&self, id: &CheckoutSessionId) -> Result<CheckoutSession> {
        self.get("checkout_get", &["checkout", "sessions", id], Params::new()).await
    }

    /// Expires an open checkout session, so that nobody can pay it.
    pub async fn expire_checkout(&self, id: &CheckoutSessionId) -> Result<()> {
        let path = &["checkout", "sessions", id, "expire"];
        unless_settled(self.update("checkout_expire", path, Params::new()).await)
    }

    /// Opens the provider's portal for a customer and returns its URL.
    pub async fn create_portal(&self, customer: &CustomerId, return_url: &str) -> Result<String> {
        #[derive(Deserialize)]
        struct PortalSession {
            url: String,
        }
        let params =
            Params::new().set("customer", customer).set("return_url", return_url).set("locale", "pt-BR");
        let path = &["billing_portal", "sessions"];
        let session: PortalSession = self.post("portal_create", path, params, None).await?;
        Ok(session.url)
    }
}
