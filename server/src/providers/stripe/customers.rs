//! Customers, with everything that the product reads of one.

use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::{CustomerId, InvoiceId, SubscriptionId, Uid};
use serde::Deserialize;

use super::client::Stripe;
use super::errors::Result;
use super::invoices::Invoice;
use super::lists::listed;
use super::payments::{InvoiceSettings, PaymentIntent, SavedMethod};
use super::request::Params;
use super::subscriptions::Subscription;

/// Stripe's `Customer`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Customer {
    pub id: CustomerId,
    #[serde(default)]
    pub email: Option<String>,
    /// Name on receipts.
    #[serde(default)]
    pub name: Option<String>,
    /// The account's uid.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Amount kept between invoices; negative is credit.
    #[serde(default)]
    pub balance: i64,
    /// A deleted customer can still be read by its id.
    #[serde(default)]
    pub deleted: bool,
    #[serde(default)]
    invoice_settings: InvoiceSettings,
}

impl Customer {
    /// The account that the metadata names.
    pub fn uid(&self) -> Option<Uid> {
        self.metadata.get("uid").map(Uid::new)
    }

    /// Id of the default payment method.
    pub fn default_method_id(&self) -> Option<&str> {
        self.invoice_settings.default_method_id()
    }
}

listed!(Customer);

/// A customer to create.
#[derive(Debug, Clone)]
pub struct CustomerOrder<'a> {
    pub uid: &'a Uid,
    /// In lower case.
    pub email: &'a str,
    /// Name on receipts.
    pub name: &'a str,
}

/// The subscriptions, their invoices, and the payments of one customer, newest first, in every
/// status.
#[derive(Debug, Clone, Default)]
pub struct CustomerState {
    pub subscriptions: Vec<Subscription>,
    pub invoices: Vec<Invoice>,
    pub payments: Vec<PaymentIntent>,
}

impl CustomerState {
    /// The state as far as the list of subscriptions shows it: each with its latest invoice.
    fn of_latest_invoices(subscriptions: Vec<Subscription>) -> Self {
        let invoices = subscriptions.iter().filter_map(Subscription::latest_invoice).cloned().collect();
        Self { subscriptions, invoices, payments: Vec::new() }
    }

    /// Whether no other invoice can exist: the latest invoice of every subscription is its first
    /// one, and none of the known ones is missing.
    fn has_only_first_invoices(&self, known: &[&InvoiceId]) -> bool {
        self.invoices.len() == self.subscriptions.len()
            && self.invoices.iter().all(Invoice::opens_subscription)
            && known.iter().all(|id| self.invoices.iter().any(|invoice| invoice.id == **id))
    }

    /// Whether money arrived for an invoice that is not among these, for instance one made by hand.
    fn has_unexplained_payment(&self) -> bool {
        let intents: BTreeSet<_> = self.invoices.iter().flat_map(Invoice::payment_intents).collect();
        self.payments.iter().any(|payment| payment.received() > 0 && !intents.contains(&payment.id))
    }

    /// How the customer's invoices are paid; `None` without a subscription that names the customer.
    pub fn invoice_settings(&self) -> Option<&InvoiceSettings> {
        self.subscriptions.iter().find_map(Subscription::invoice_settings)
    }

    /// The payment method of a subscription's own.
    pub fn own_method(&self, subscription: &SubscriptionId) -> Option<&SavedMethod> {
        self.subscriptions.iter().find(|fact| fact.id == *subscription)?.own_method()
    }
}

impl Stripe {
    /// Creates a customer.
    pub async fn create_customer(&self, order: &CustomerOrder<'_>, key: &str) -> Result<Customer> {
        let params = Params::new()
            .set("email", order.email)
            .set("name", order.name)
            .list("preferred_locales", ["pt-BR"])
            .set("metadata[uid]", order.uid);
        self.post("customer_create", &["customers"], params, key).await
    }

    /// Reads a customer.
    pub async fn get_customer(&self, id: &CustomerId) -> Result<Customer> {
        self.get("customer_get", &["customers", id], Params::new()).await
    }

    /// Writes the account's uid to a customer.
    pub async fn set_customer_uid(&self, id: &CustomerId, uid: &Uid) -> Result<()> {
        self.update("customer_uid_set", &["customers", id], Params::new().set("metadata[uid]", uid)).await
    }

    /// Changes the email to which receipts go.
    pub async fn set_customer_email(&self, id: &CustomerId, email: &str) -> Result<()> {
        self.update("customer_email_set", &["customers", id], Params::new().set("email", email)).await
    }

    /// Deletes a customer with their name, email and cards; invoices stay.
    pub async fn delete_customer(&self, id: &CustomerId) -> Result<()> {
        self.delete("customer_delete", &["customers", id]).await
    }

    /// Reads the state of a customer. `known` are ids of invoices that it had before.
    ///
    /// A new subscription has one invoice, which is listed with it, so its state is read in two
    /// calls. Otherwise the invoices are listed, too. Each list is as new as the one before it or
    /// newer, so an invoice is never older than its subscription.
    pub async fn read_customer_state(
        &self,
        customer: &CustomerId,
        known: &[&InvoiceId],
    ) -> Result<CustomerState> {
        let mut state = CustomerState::of_latest_invoices(self.subscriptions_of(customer).await?);
        let is_whole = state.has_only_first_invoices(known);
        if is_whole && !state.subscriptions.is_empty() {
            state.payments = self.payments_of(customer).await?;
        }
        if !is_whole || state.has_unexplained_payment() {
            state.invoices = self.invoices_of_customer(customer).await?;
            state.payments = self.payments_of(customer).await?;
        }
        Ok(state)
    }

    async fn subscriptions_of(&self, customer: &CustomerId) -> Result<Vec<Subscription>> {
        let expanded = [
            "data.default_payment_method",
            "data.customer.invoice_settings.default_payment_method",
            "data.latest_invoice.payments",
        ];
        let params = Params::new().set("customer", customer).set("status", "all").list("expand", expanded);
        self.list("subscription_list", &["subscriptions"], params).await
    }

    async fn invoices_of_customer(&self, customer: &CustomerId) -> Result<Vec<Invoice>> {
        let params = Params::new().set("customer", customer).list("expand", ["data.payments"]);
        self.list("invoice_list", &["invoices"], params).await
    }

    /// The payments of a customer with their methods and newest charges.
    async fn payments_of(&self, customer: &CustomerId) -> Result<Vec<PaymentIntent>> {
        let expanded = ["data.payment_method", "data.latest_charge"];
        let params = Params::new().set("customer", customer).list("expand", expanded);
        self.list("payment_intent_list", &["payment_intents"], params).await
    }
}
