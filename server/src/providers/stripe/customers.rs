//! Customers, with everything that the product reads of one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::client::Stripe;
use super::errors::Result;
use super::invoices::Invoice;
use super::lists::listed;
use super::payments::{InvoiceSettings, SavedMethod};
use super::request::Params;
use super::subscriptions::Subscription;

/// Stripe's `Customer`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Customer {
    /// `cus_…`.
    pub id: String,
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
    /// Id of the default payment method.
    pub fn default_method_id(&self) -> Option<&str> {
        self.invoice_settings.default_method_id()
    }
}

listed!(Customer);

/// A customer to create.
#[derive(Debug, Clone)]
pub struct CustomerOrder<'a> {
    pub uid: &'a str,
    /// In lower case.
    pub email: &'a str,
    /// Name on receipts.
    pub name: &'a str,
}

/// The subscriptions and invoices of one customer, newest first, in every status.
#[derive(Debug, Clone, Default)]
pub struct CustomerState {
    pub subscriptions: Vec<Subscription>,
    pub invoices: Vec<Invoice>,
}

impl CustomerState {
    /// How the customer's invoices are paid; `None` without a subscription that names the customer.
    pub fn invoice_settings(&self) -> Option<&InvoiceSettings> {
        self.subscriptions.iter().find_map(Subscription::invoice_settings)
    }

    /// The payment method of a subscription's own.
    pub fn own_method(&self, subscription: &str) -> Option<&SavedMethod> {
        self.subscriptions.iter().find(|fact| fact.id == subscription)?.own_method()
    }
}

impl Stripe {
    /// Creates a customer.
    pub async fn customer_create(&self, order: &CustomerOrder<'_>, key: &str) -> Result<Customer> {
        let params = Params::new()
            .set("email", order.email)
            .set("name", order.name)
            .list("preferred_locales", ["pt-BR"])
            .set("metadata[uid]", order.uid);
        self.post("customer_create", &["customers"], params, key).await
    }

    /// Reads a customer.
    pub async fn customer_get(&self, id: &str) -> Result<Customer> {
        self.get("customer_get", &["customers", id], Params::new()).await
    }

    /// Deletes a customer with their name, email and cards; invoices stay.
    pub async fn customer_delete(&self, id: &str) -> Result<()> {
        self.delete("customer_delete", &["customers", id]).await
    }

    /// Reads all subscriptions and invoices of a customer.
    pub async fn customer_state(&self, customer: &str) -> Result<CustomerState> {
        let methods =
            ["data.default_payment_method", "data.customer.invoice_settings.default_payment_method"];
        let subscriptions =
            Params::new().set("customer", customer).set("status", "all").list("expand", methods);
        let invoices = Params::new().set("customer", customer).list("expand", ["data.payments"]);
        // In this order an invoice may be newer than its subscription, but never older.
        let subscriptions = self.list("subscription_list", &["subscriptions"], subscriptions).await?;
        let invoices = self.list("invoice_list", &["invoices"], invoices).await?;
        Ok(CustomerState { subscriptions, invoices })
    }
}
