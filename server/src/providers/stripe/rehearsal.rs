//! Calls that the rehearsal alone makes: test clocks, cards by their test token, subscriptions without a checkout.
//!
//! They work in test mode. The product's own calls are in `calls.rs`; the rehearsal uses those as they are wherever an
//! assumption is about them. The objects here hold what a rehearsal reads, which is more than the product reads.

mod objects;

use reqwest::Method;
use serde_json::Value;

use super::calls::segment;
use super::objects::{Coupon, Page, Price, Product};
use super::request::Params;
use super::{Call, Stripe, StripeError, present};

use objects::MarkedCoupon;

pub use objects::{
    ClockStatus, ObservedCharge, ObservedCustomer, ObservedDispute, ObservedEvent, ObservedIntent,
    ObservedInvoice, ObservedInvoicePayment, ObservedRefund, ObservedSession, ObservedSubscription,
    TestClock,
};

/// The metadata key, and the beginning of names, that mark what a rehearsal made.
pub const MARK: &str = "garimpo_rehearsal";

/// A customer of a rehearsal; it is deleted with its test clock.
#[derive(Debug, Clone, Copy)]
pub struct RehearsalCustomer<'a> {
    /// Test clock.
    pub clock: &'a str,
    /// Email; boletos of the provider's test mode act by it.
    pub email: &'a str,
    /// Run that makes it.
    pub run: &'a str,
}

/// A subscription without a checkout.
#[derive(Debug, Clone, Copy)]
pub struct RehearsalSubscription<'a> {
    /// Customer.
    pub customer: &'a str,
    /// Price of each period.
    pub price: &'a str,
    /// Payment method that is charged.
    pub method: &'a str,
    /// `card` or `boleto`.
    pub method_type: &'a str,
    /// Coupon of the first charge.
    pub coupon: Option<&'a str>,
    /// End of the trial in Unix seconds.
    pub trial_end: Option<i64>,
    /// Run that makes it.
    pub run: &'a str,
}

impl Stripe {
    /// Reads whether the key works in live mode.
    pub async fn balance_is_live(&self) -> Result<bool, StripeError> {
        let balance: objects::Balance = self.get("balance_get", "/v1/balance".into(), Params::new()).await?;
        Ok(balance.livemode)
    }

    /// Creates a test clock. It has no metadata, so its name carries the mark.
    pub async fn clock_create(&self, run: &str, at: i64, key: &str) -> Result<TestClock, StripeError> {
        let params = Params::new().set("frozen_time", at).set("name", format!("{MARK} {run}"));
        self.post("clock_create", "/v1/test_helpers/test_clocks".into(), params, Some(key)).await
    }

    /// Reads a test clock.
    pub async fn clock_get(&self, id: &str) -> Result<TestClock, StripeError> {
        let path = format!("/v1/test_helpers/test_clocks/{}", segment(id));
        self.get("clock_get", path, Params::new()).await
    }

    /// Starts to advance a test clock; it is advanced when its status is `ready` again.
    pub async fn clock_advance(&self, id: &str, to: i64, key: &str) -> Result<TestClock, StripeError> {
        let path = format!("/v1/test_helpers/test_clocks/{}/advance", segment(id));
        self.post("clock_advance", path, Params::new().set("frozen_time", to), Some(key)).await
    }

    /// Reads every test clock.
    pub async fn clocks_all(&self) -> Result<Vec<TestClock>, StripeError> {
        let path = "/v1/test_helpers/test_clocks";
        self.list("clock_list", path, Params::new(), |clock: &TestClock| &clock.id).await
    }

    /// Deletes a test clock with its customers and their subscriptions.
    pub async fn clock_delete(&self, id: &str) -> Result<(), StripeError> {
        self.remove("clock_delete", format!("/v1/test_helpers/test_clocks/{}", segment(id))).await
    }

    /// Creates a customer under a test clock.
    pub async fn rehearsal_customer(
        &self,
        order: &RehearsalCustomer<'_>,
        key: &str,
    ) -> Result<ObservedCustomer, StripeError> {
        let params = Params::new()
            .set("email", order.email)
            .set("name", "Ensaio Garimpo")
            .set("test_clock", order.clock)
            .set(marked("metadata"), order.run);
        self.post("customer_create", "/v1/customers".into(), params, Some(key)).await
    }

    /// Reads a customer with its default payment method.
    pub async fn customer_observe(&self, id: &str) -> Result<ObservedCustomer, StripeError> {
        self.get("customer_get", format!("/v1/customers/{}", segment(id)), Params::new()).await
    }

    /// Reads the customers of a test clock.
    pub async fn customers_of_clock(&self, clock: &str) -> Result<Vec<ObservedCustomer>, StripeError> {
        let params = Params::new().set("test_clock", clock);
        self.list("customer_list", "/v1/customers", params, |customer: &ObservedCustomer| &customer.id).await
    }

    /// Sets the payment method that a customer's invoices fall back to.
    pub async fn customer_default_set(&self, id: &str, method: &str) -> Result<(), StripeError> {
        let params = Params::new().set("invoice_settings[default_payment_method]", method);
        let path = format!("/v1/customers/{}", segment(id));
        self.post::<Value>("customer_update", path, params, None).await.map(drop)
    }

    /// Attaches a test card by its token, for instance `pm_card_visa`; returns the payment method's id.
    pub async fn card_attach(&self, token: &str, customer: &str, key: &str) -> Result<String, StripeError> {
        let path = format!("/v1/payment_methods/{}/attach", segment(token));
        let params = Params::new().set("customer", customer);
        let made: objects::Named = self.post("method_attach", path, params, Some(key)).await?;
        Ok(made.id)
    }

    /// Creates a boleto method of the provider's test tax id and attaches it; returns its id.
    pub async fn boleto_attach(
        &self,
        customer: &ObservedCustomer,
        keys: [&str; 2],
    ) -> Result<String, StripeError> {
        let params = Params::new()
            .set("type", "boleto")
            .set("boleto[tax_id]", "000.000.000-00")
            .set("billing_details[name]", "Ensaio Garimpo")
            .set("billing_details[email]", customer.email.as_deref().unwrap_or_default())
            .set("billing_details[address][line1]", "Avenida Paulista, 1000")
            .set("billing_details[address][city]", "São Paulo")
            .set("billing_details[address][state]", "SP")
            .set("billing_details[address][postal_code]", "01310-100")
            .set("billing_details[address][country]", "BR");
        let made: objects::Named =
            self.post("method_create", "/v1/payment_methods".into(), params, Some(keys[0])).await?;
        self.card_attach(&made.id, &customer.id, keys[1]).await
    }

    /// Creates the product of the rehearsals, or puts it on sale again.
    pub async fn rehearsal_product(&self, run: &str) -> Result<(), StripeError> {
        let (path, params) = match self.product_get(MARK).await? {
            Some(_) => (format!("/v1/products/{MARK}"), Params::new()),
            None => ("/v1/products".into(), Params::new().set("id", MARK).set("name", "Ensaio Garimpo")),
        };
        let params = params.set("active", true).set(marked("metadata"), run);
        self.post::<Product>("product_create", path, params, None).await.map(drop)
    }

    /// Takes the product of the rehearsals off sale: one that has prices cannot be deleted.
    pub async fn rehearsal_product_deactivate(&self) -> Result<(), StripeError> {
        let params = Params::new().set("active", false);
        let done = self.post::<Product>("product_update", format!("/v1/products/{MARK}"), params, None).await;
        present(done).map(drop)
    }

    /// Creates a price of the rehearsals' product.
    pub async fn rehearsal_price(
        &self,
        centavos: i64,
        days: u32,
        run: &str,
        key: &str,
    ) -> Result<Price, StripeError> {
        let params = Params::new()
            .set("currency", "brl")
            .set("product", MARK)
            .set("unit_amount", centavos)
            .set("recurring[interval]", "day")
            .set("recurring[interval_count]", days)
            .set(marked("metadata"), run);
        self.post("price_create", "/v1/prices".into(), params, Some(key)).await
    }

    /// Reads the prices of the rehearsals' product that are on sale.
    pub async fn rehearsal_prices(&self) -> Result<Vec<Price>, StripeError> {
        let params = Params::new().set("product", MARK).set("active", true);
        self.list("price_list", "/v1/prices", params, |price: &Price| &price.id).await
    }

    /// Takes a price off sale: it cannot be deleted.
    pub async fn price_deactivate(&self, id: &str) -> Result<(), StripeError> {
        let params = Params::new().set("active", false);
        let path = format!("/v1/prices/{}", segment(id));
        self.post::<Price>("price_update", path, params, None).await.map(drop)
    }

    /// Creates a coupon for one charge that takes a percentage off.
    pub async fn rehearsal_percent_coupon(
        &self,
        percent: u8,
        run: &str,
        key: &str,
    ) -> Result<String, StripeError> {
        self.rehearsal_coupon(Params::new().set("percent_off", percent), run, key).await
    }

    /// Creates a coupon for one charge that takes an amount off.
    pub async fn rehearsal_amount_coupon(
        &self,
        centavos: i64,
        run: &str,
        key: &str,
    ) -> Result<String, StripeError> {
        let params = Params::new().set("amount_off", centavos).set("currency", "brl");
        self.rehearsal_coupon(params, run, key).await
    }

    async fn rehearsal_coupon(&self, params: Params, run: &str, key: &str) -> Result<String, StripeError> {
        let params = params.set("duration", "once").set("name", MARK).set(marked("metadata"), run);
        let made: Coupon = self.post("coupon_create", "/v1/coupons".into(), params, Some(key)).await?;
        Ok(made.id)
    }

    /// Reads the coupons that rehearsals made.
    pub async fn rehearsal_coupons(&self) -> Result<Vec<String>, StripeError> {
        let all = self
            .list("coupon_list", "/v1/coupons", Params::new(), |coupon: &MarkedCoupon| &coupon.id)
            .await?;
        Ok(all
            .into_iter()
            .filter(|coupon| coupon.metadata.contains_key(MARK))
            .map(|coupon| coupon.id)
            .collect())
    }

    /// Creates a subscription and charges what is due at once.
    pub async fn rehearsal_subscription(
        &self,
        order: &RehearsalSubscription<'_>,
        key: &str,
    ) -> Result<ObservedSubscription, StripeError> {
        // As the provider's guide writes it for boletos: the voucher waits while the subscription is incomplete.
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
            .set(marked("metadata"), order.run);
        self.post("subscription_create", "/v1/subscriptions".into(), params, Some(key)).await
    }

    /// Reads a subscription.
    pub async fn subscription_observe(&self, id: &str) -> Result<ObservedSubscription, StripeError> {
        self.get("subscription_get", format!("/v1/subscriptions/{}", segment(id)), Params::new()).await
    }

    /// Sets the payment method that a subscription charges.
    pub async fn subscription_method_set(&self, id: &str, method: &str) -> Result<(), StripeError> {
        let params = Params::new().set("default_payment_method", method);
        let path = format!("/v1/subscriptions/{}", segment(id));
        self.post::<Value>("subscription_update", path, params, None).await.map(drop)
    }

    /// Reads the first page of all subscriptions, without a filter.
    pub async fn subscriptions_first_page(&self) -> Result<Vec<ObservedSubscription>, StripeError> {
        let params = Params::new().set("status", "all").set("limit", 100);
        let page: Page<ObservedSubscription> =
            self.get("subscription_list", "/v1/subscriptions".into(), params).await?;
        Ok(page.data)
    }

    /// Reads the invoices of a subscription, newest first.
    pub async fn invoices_of(&self, subscription: &str) -> Result<Vec<ObservedInvoice>, StripeError> {
        let params = Params::new().set("subscription", subscription);
        self.list("invoice_list", "/v1/invoices", params, |invoice: &ObservedInvoice| &invoice.id).await
    }

    /// Reads an invoice.
    pub async fn invoice_observe(&self, id: &str) -> Result<ObservedInvoice, StripeError> {
        self.get("invoice_get", format!("/v1/invoices/{}", segment(id)), Params::new()).await
    }

    /// Reads an invoice with its confirmation secret.
    pub async fn invoice_observe_secret(&self, id: &str) -> Result<ObservedInvoice, StripeError> {
        let params = Params::new().list("expand", ["confirmation_secret"]);
        self.get("invoice_get", format!("/v1/invoices/{}", segment(id)), params).await
    }

    /// Pays an open invoice with a payment method while the payer is present.
    pub async fn invoice_pay_now(
        &self,
        id: &str,
        method: &str,
        key: &str,
    ) -> Result<ObservedInvoice, StripeError> {
        let params = Params::new().set("payment_method", method).set("off_session", false);
        self.post("invoice_pay", format!("/v1/invoices/{}/pay", segment(id)), params, Some(key)).await
    }

    /// Voids an open invoice.
    pub async fn invoice_void_now(&self, id: &str) -> Result<ObservedInvoice, StripeError> {
        self.post("invoice_void", format!("/v1/invoices/{}/void", segment(id)), Params::new(), None).await
    }

    /// Reads the payments of an invoice.
    pub async fn invoice_payments(&self, invoice: &str) -> Result<Vec<ObservedInvoicePayment>, StripeError> {
        let params = Params::new().set("invoice", invoice);
        let path = "/v1/invoice_payments";
        self.list("invoice_payment_list", path, params, |payment: &ObservedInvoicePayment| &payment.id).await
    }

    /// Reads a payment intent.
    pub async fn intent_observe(&self, id: &str) -> Result<ObservedIntent, StripeError> {
        self.get("payment_intent_get", format!("/v1/payment_intents/{}", segment(id)), Params::new()).await
    }

    /// Reads the charges of a payment intent, newest first.
    pub async fn charges_of(&self, intent: &str) -> Result<Vec<ObservedCharge>, StripeError> {
        let params = Params::new().set("payment_intent", intent);
        self.list("charge_list", "/v1/charges", params, |charge: &ObservedCharge| &charge.id).await
    }

    /// Reads a charge.
    pub async fn charge_observe(&self, id: &str) -> Result<ObservedCharge, StripeError> {
        self.get("charge_get", format!("/v1/charges/{}", segment(id)), Params::new()).await
    }

    /// Refunds a part of a charge, or what is left of it.
    pub async fn charge_refund(
        &self,
        charge: &str,
        centavos: Option<i64>,
        key: &str,
    ) -> Result<ObservedRefund, StripeError> {
        let params = Params::new().set("charge", charge).set_some("amount", centavos);
        self.post("refund_create", "/v1/refunds".into(), params, Some(key)).await
    }

    /// Reads the disputes of a charge.
    pub async fn disputes_of(&self, charge: &str) -> Result<Vec<ObservedDispute>, StripeError> {
        let params = Params::new().set("charge", charge);
        self.list("dispute_list", "/v1/disputes", params, |dispute: &ObservedDispute| &dispute.id).await
    }

    /// Submits the text by which test mode decides a dispute at once.
    pub async fn dispute_decide(&self, id: &str, text: &str) -> Result<ObservedDispute, StripeError> {
        let params = Params::new().set("evidence[uncategorized_text]", text).set("submit", true);
        self.post("dispute_update", format!("/v1/disputes/{}", segment(id)), params, None).await
    }

    /// Reads a dispute.
    pub async fn dispute_observe(&self, id: &str) -> Result<ObservedDispute, StripeError> {
        self.get("dispute_get", format!("/v1/disputes/{}", segment(id)), Params::new()).await
    }

    /// Reads the events of some types since an instant, newest first.
    pub async fn events_since(&self, since: i64, types: &[&str]) -> Result<Vec<ObservedEvent>, StripeError> {
        let params = Params::new().set("created[gte]", since).list("types", types);
        self.list("event_list", "/v1/events", params, |event: &ObservedEvent| &event.id).await
    }

    /// Opens a checkout on a page of the provider, which a person can open from a link.
    pub async fn hosted_checkout(
        &self,
        customer: &str,
        price: &str,
        run: &str,
        key: &str,
    ) -> Result<ObservedSession, StripeError> {
        let params = Params::new()
            .set("mode", "subscription")
            .set("ui_mode", "hosted_page")
            .set("success_url", "https://example.com/")
            .set("locale", "pt-BR")
            .set("customer", customer)
            .set("line_items[0][price]", price)
            .set("line_items[0][quantity]", 1)
            .list("allowed_payment_method_types", ["card"])
            .set(marked("metadata"), run)
            .set(marked("subscription_data[metadata]"), run);
        self.post("checkout_create", "/v1/checkout/sessions".into(), params, Some(key)).await
    }

    /// Reads a checkout session.
    pub async fn session_observe(&self, id: &str) -> Result<ObservedSession, StripeError> {
        self.get("checkout_get", format!("/v1/checkout/sessions/{}", segment(id)), Params::new()).await
    }

    /// Reads the open checkout sessions of a customer.
    pub async fn open_sessions_of(&self, customer: &str) -> Result<Vec<ObservedSession>, StripeError> {
        let params = Params::new().set("customer", customer).set("status", "open");
        self.list("checkout_list", "/v1/checkout/sessions", params, |session: &ObservedSession| &session.id)
            .await
    }

    async fn remove(&self, name: &'static str, path: String) -> Result<(), StripeError> {
        let request =
            Call { name, method: Method::DELETE, path, params: Params::new(), idempotency_key: None };
        present(self.send::<Value>(request).await).map(drop)
    }
}

/// The mark's key in a metadata parameter.
fn marked(metadata: &str) -> String {
    format!("{metadata}[{MARK}]")
}
