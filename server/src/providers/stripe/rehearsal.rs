//! Calls that the rehearsal alone makes, in test mode: test clocks, cards by their test token,
//! subscriptions without a checkout.
//!
//! For everything else the rehearsal uses the calls of the product, because its assumptions are
//! about them.

use garimpo_domain::coupons::Discount;
use garimpo_domain::{CustomerId, InvoiceId, SubscriptionId};
use serde::Deserialize;

use super::catalog::{Price, coupon_params, price_params};
use super::checkout::{CheckoutSession, session_params};
use super::client::Stripe;
use super::customers::Customer;
use super::errors::{Result, present};
use super::events::Event;
use super::invoices::{Invoice, InvoicePayment};
use super::lists::listed;
use super::refunds::{Charge, Dispute, Refund};
use super::request::Params;
use super::subscriptions::Subscription;

/// The metadata key, and the beginning of names, of everything that a rehearsal creates.
pub const MARK: &str = "garimpo_rehearsal";

/// Stripe's `Test Clock`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct TestClock {
    /// `clock_…`.
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    /// Its time.
    pub frozen_time: i64,
    pub status: ClockStatus,
}

/// Status of a test clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    Ready,
    Advancing,
    /// The provider could not advance it.
    InternalFailure,
}

listed!(TestClock);

/// An object that was created.
#[derive(Deserialize)]
struct Created {
    id: String,
}

/// A subscription without a checkout.
#[derive(Debug, Clone, Copy)]
pub struct RehearsalSubscription<'a> {
    pub customer: &'a CustomerId,
    pub price: &'a str,
    /// Payment method that is charged.
    pub method: &'a str,
    /// `card` or `boleto`.
    pub method_type: &'a str,
    /// Coupon of the first charge.
    pub coupon: Option<&'a str>,
    pub trial_end: Option<i64>,
    /// Run that creates it.
    pub run: &'a str,
}

/// The parameter that marks an object as a run's.
fn mark(run: &str) -> [(&str, String); 1] {
    [(MARK, run.to_owned())]
}

impl Stripe {
    /// Creates a test clock. It has no metadata, so its name carries the mark.
    pub async fn create_clock(&self, run: &str, at: i64, key: &str) -> Result<TestClock> {
        let params = Params::new().set("frozen_time", at).set("name", format!("{MARK} {run}"));
        self.post("clock_create", &["test_helpers", "test_clocks"], params, key).await
    }

    /// Reads a test clock.
    pub async fn get_clock(&self, id: &str) -> Result<TestClock> {
        self.get("clock_get", &["test_helpers", "test_clocks", id], Params::new()).await
    }

    /// Starts to advance a test clock; its status is `ready` again when it is done.
    pub async fn advance_clock(&self, id: &str, to: i64, key: &str) -> Result<TestClock> {
        let path = &["test_helpers", "test_clocks", id, "advance"];
        self.post("clock_advance", path, Params::new().set("frozen_time", to), key).await
    }

    /// Reads every test clock.
    pub async fn list_clocks(&self) -> Result<Vec<TestClock>> {
        self.list("clock_list", &["test_helpers", "test_clocks"], Params::new()).await
    }

    /// Deletes a test clock with its customers and their subscriptions.
    pub async fn delete_clock(&self, id: &str) -> Result<()> {
        self.delete("clock_delete", &["test_helpers", "test_clocks", id]).await
    }

    /// Creates a customer under a test clock. Test mode plays the payment of a boleto by the email.
    pub async fn create_rehearsal_customer(
        &self,
        clock: &str,
        email: &str,
        run: &str,
        key: &str,
    ) -> Result<Customer> {
        let params = Params::new()
            .set("email", email)
            .set("name", "Ensaio Garimpo")
            .set("test_clock", clock)
            .map("metadata", &mark(run));
        self.post("customer_create", &["customers"], params, key).await
    }

    /// Reads the customers of a test clock.
    pub async fn customers_of_clock(&self, clock: &str) -> Result<Vec<Customer>> {
        self.list("customer_list", &["customers"], Params::new().set("test_clock", clock)).await
    }

    /// Sets the payment method that a customer's invoices fall back to.
    pub async fn set_customer_default(&self, id: &CustomerId, method: &str) -> Result<()> {
        let params = Params::new().set("invoice_settings[default_payment_method]", method);
        self.update("customer_update", &["customers", id], params).await
    }

    /// Attaches a payment method or test card, for instance `pm_card_visa`, and returns its id.
    pub async fn attach_method(&self, method: &str, customer: &CustomerId, key: &str) -> Result<String> {
        let params = Params::new().set("customer", customer);
        let path = &["payment_methods", method, "attach"];
        Ok(self.post::<Created>("method_attach", path, params, key).await?.id)
    }

    /// Creates a boleto method with the provider's test tax id and returns its id.
    pub async fn create_boleto_method(&self, email: &str, key: &str) -> Result<String> {
        let params = Params::new()
            .set("type", "boleto")
            .set("boleto[tax_id]", "000.000.000-00")
            .set("billing_details[name]", "Ensaio Garimpo")
            .set("billing_details[email]", email)
            .set("billing_details[address][line1]", "Avenida Paulista, 1000")
            .set("billing_details[address][city]", "São Paulo")
            .set("billing_details[address][state]", "SP")
            .set("billing_details[address][postal_code]", "01310-100")
            .set("billing_details[address][country]", "BR");
        Ok(self.post::<Created>("method_create", &["payment_methods"], params, key).await?.id)
    }

    /// Creates the product of the rehearsals, or puts it on sale again.
    pub async fn create_rehearsal_product(&self, run: &str) -> Result<()> {
        let (path, params): (&[&str], _) = match self.get_product(MARK).await? {
            Some(_) => (&["products", MARK], Params::new()),
            None => (&["products"], Params::new().set("id", MARK).set("name", "Ensaio Garimpo")),
        };
        self.update("product_create", path, params.set("active", true).map("metadata", &mark(run))).await
    }

    /// Takes the product of the rehearsals off sale: a product with prices cannot be deleted.
    pub async fn deactivate_rehearsal_product(&self) -> Result<()> {
        let params = Params::new().set("active", false);
        present(self.update("product_update", &["products", MARK], params).await).map(drop)
    }

    /// Creates a price of the rehearsals' product.
    pub async fn create_rehearsal_price(
        &self,
        centavos: i64,
        days: u32,
        run: &str,
        key: &str,
    ) -> Result<Price> {
        let params = price_params(MARK, centavos, days).map("metadata", &mark(run));
        self.post("price_create", &["prices"], params, key).await
    }

    /// Reads the prices of the rehearsals' product that are on sale.
    pub async fn list_rehearsal_prices(&self) -> Result<Vec<Price>> {
        self.list("price_list", &["prices"], Params::new().set("product", MARK).set("active", true)).await
    }

    /// Takes a price off sale: it cannot be deleted.
    pub async fn deactivate_price(&self, id: &str) -> Result<()> {
        self.update("price_update", &["prices", id], Params::new().set("active", false)).await
    }

    /// Creates a coupon for one charge and returns its id.
    pub async fn create_rehearsal_coupon(&self, discount: Discount, run: &str, key: &str) -> Result<String> {
        let params = coupon_params(discount).set("name", MARK).map("metadata", &mark(run));
        Ok(self.post::<Created>("coupon_create", &["coupons"], params, key).await?.id)
    }

    /// Creates a subscription and charges the amount due.
    pub async fn create_rehearsal_subscription(
        &self,
        order: &RehearsalSubscription<'_>,
        key: &str,
    ) -> Result<Subscription> {
        // As in the provider's guide: a subscription is incomplete while its boleto is open.
        let behavior =
            if order.method_type == "boleto" { "default_incomplete" } else { "error_if_incomplete" };
        let params = Params::new()
            .set("customer", order.customer)
            .set("items[0][price]", order.price)
            .set("default_payment_method", order.method)
            .set("collection_method", "charge_automatically")
            .set("payment_behavior", behavior)
            .set("off_session", true)
            .list("payment_settings[payment_method_types]", [order.method_type])
            .set_some("discounts[0][coupon]", order.coupon)
            .set_some("trial_end", order.trial_end)
            .map("metadata", &mark(order.run));
        self.post("subscription_create", &["subscriptions"], params, key).await
    }

    /// Reads the invoices of a subscription, newest first.
    pub async fn invoices_of(&self, subscription: &SubscriptionId) -> Result<Vec<Invoice>> {
        self.list("invoice_list", &["invoices"], Params::new().set("subscription", subscription)).await
    }

    /// Reads an invoice.
    pub async fn get_invoice(&self, id: &InvoiceId) -> Result<Invoice> {
        self.get("invoice_get", &["invoices", id], Params::new()).await
    }

    /// Pays an open invoice with a payment method while the payer is present.
    pub async fn pay_invoice_now(&self, id: &InvoiceId, method: &str, key: &str) -> Result<Invoice> {
        let params = Params::new().set("payment_method", method).set("off_session", false);
        self.post("invoice_pay", &["invoices", id, "pay"], params, key).await
    }

    /// Reads the payments of an invoice.
    pub async fn invoice_payments(&self, invoice: &InvoiceId) -> Result<Vec<InvoicePayment>> {
        self.list("invoice_payment_list", &["invoice_payments"], Params::new().set("invoice", invoice)).await
    }

    /// Reads a charge.
    pub async fn get_charge(&self, id: &str) -> Result<Charge> {
        self.get("charge_get", &["charges", id], Params::new()).await
    }

    /// Refunds a part of a charge, or the rest of it.
    pub async fn refund_charge(&self, charge: &str, centavos: Option<i64>, key: &str) -> Result<Refund> {
        let params = Params::new().set("charge", charge).set_some("amount", centavos);
        self.post("refund_create", &["refunds"], params, key).await
    }

    /// Submits the text by which test mode decides a dispute.
    pub async fn decide_dispute(&self, id: &str, text: &str) -> Result<()> {
        let params = Params::new().set("evidence[uncategorized_text]", text).set("submit", true);
        self.update("dispute_update", &["disputes", id], params).await
    }

    /// Reads a dispute.
    pub async fn get_dispute(&self, id: &str) -> Result<Dispute> {
        self.get("dispute_get", &["disputes", id], Params::new()).await
    }

    /// Reads the events of some types since an instant, newest first.
    pub async fn events_since(&self, since: i64, types: &[&str]) -> Result<Vec<Event>> {
        self.list("event_list", &["events"], Params::created_since(since).list("types", types)).await
    }

    /// Opens a checkout on a page of the provider.
    pub async fn hosted_checkout(
        &self,
        customer: &CustomerId,
        price: &str,
        run: &str,
        key: &str,
    ) -> Result<CheckoutSession> {
        let params = session_params("hosted_page", customer, price)
            .set("success_url", "https://example.com/")
            .list("allowed_payment_method_types", ["card"])
            .map("metadata", &mark(run))
            .map("subscription_data[metadata]", &mark(run));
        self.post("checkout_create", &["checkout", "sessions"], params, key).await
    }

    /// Reads the open checkout sessions of a customer.
    pub async fn open_sessions_of(&self, customer: &CustomerId) -> Result<Vec<CheckoutSession>> {
        let params = Params::new().set("customer", customer).set("status", "open");
        self.list("checkout_list", &["checkout", "sessions"], params).await
    }
}
