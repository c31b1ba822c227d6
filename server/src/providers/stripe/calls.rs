//! The calls that Garimpo makes to the payment provider, each named for what it does.

use garimpo_domain::checkout::BOLETO_DAYS;
use reqwest::Method;

use super::invoices::{Invoice, InvoiceConfirmation};
use super::objects::{
    CheckoutSession, Coupon, Customer, InvoiceSettings, Page, PaymentIntent, PortalSession, Price, Product,
    SavedMethod, Subscription,
};
use super::request::Params;
use super::{Call, Stripe, StripeError};

/// Objects a page; the provider allows no more.
pub(super) const PAGE: u32 = 100;

/// A customer to be made.
#[derive(Debug, Clone)]
pub struct CustomerOrder<'a> {
    /// Account.
    pub uid: &'a str,
    /// Email in lower case.
    pub email: &'a str,
    /// Name on receipts.
    pub name: &'a str,
}

/// A price to be made.
#[derive(Debug, Clone)]
pub struct PriceOrder<'a> {
    /// Product that it prices.
    pub product: &'a str,
    /// Our name for it.
    pub lookup_key: &'a str,
    /// Amount of each period.
    pub centavos: i64,
    /// Length of the period.
    pub days: u32,
    /// Our keys.
    pub metadata: Vec<(&'a str, String)>,
}

/// A coupon to be created.
#[derive(Debug, Clone, Copy)]
pub struct CouponOrder<'a> {
    /// Id.
    pub id: &'a str,
    /// Name on the provider's page and invoice.
    pub name: &'a str,
    /// Discount.
    pub terms: CouponTerms,
    /// Our coupon that this one is derived from.
    pub derived_from: Option<&'a str>,
}

/// What a coupon takes off the first invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CouponTerms {
    /// Whole percent.
    Percent(u8),
    /// Centavos.
    Amount(i64),
}

/// A checkout session to be opened.
#[derive(Debug, Clone)]
pub struct CheckoutOrder<'a> {
    /// Who pays.
    pub customer: &'a str,
    /// Price of each period.
    pub price: &'a str,
    /// Coupon of the first invoice, by its id at the provider.
    pub coupon: Option<&'a str>,
    /// Whether a boleto may pay it.
    pub boleto: bool,
    /// When the first charge falls, Unix seconds; `None` where it is made at once.
    pub trial_end: Option<i64>,
    /// Where the provider sends the tab that had to leave the site.
    pub return_url: &'a str,
    /// Our keys, written on the session and on its subscription.
    pub metadata: Vec<(&'a str, String)>,
}

/// Everything of one customer that the projection reads.
#[derive(Debug, Clone, Default)]
pub struct CustomerState {
    /// Subscriptions in every status, newest first.
    pub subscriptions: Vec<Subscription>,
    /// Invoices in every status, newest first.
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
    /// Makes a customer.
    pub async fn customer_create(
        &self,
        order: &CustomerOrder<'_>,
        key: &str,
    ) -> Result<Customer, StripeError> {
        let params = Params::new()
            .set("email", order.email)
            .set("name", order.name)
            .list("preferred_locales", ["pt-BR"])
            .set("metadata[uid]", order.uid);
        self.post("customer_create", "/v1/customers".into(), params, Some(key)).await
    }

    /// Reads a customer.
    pub async fn customer_get(&self, id: &str) -> Result<Customer, StripeError> {
        self.get("customer_get", format!("/v1/customers/{}", segment(id)), Params::new()).await
    }

    /// Removes a customer with their name, email and cards; invoices stay, and one that is gone already is fine.
    pub async fn customer_delete(&self, id: &str) -> Result<(), StripeError> {
        let request = Call {
            name: "customer_delete",
            method: Method::DELETE,
            path: format!("/v1/customers/{}", segment(id)),
            params: Params::new(),
            idempotency_key: None,
        };
        present(self.send::<serde_json::Value>(request).await).map(drop)
    }

    /// Opens an embedded checkout session for a subscription.
    pub async fn checkout_create(
        &self,
        order: &CheckoutOrder<'_>,
        key: &str,
    ) -> Result<CheckoutSession, StripeError> {
        let methods: &[&str] = if order.boleto { &["card", "boleto"] } else { &["card"] };
        let mut params = Params::new()
            .set("mode", "subscription")
            .set("ui_mode", "embedded_page")
            .set("redirect_on_completion", "if_required")
            .set("return_url", order.return_url)
            .set("locale", "pt-BR")
            .set("customer", order.customer)
            .set("line_items[0][price]", order.price)
            .set("line_items[0][quantity]", 1)
            .list("allowed_payment_method_types", methods)
            .set_some("discounts[0][coupon]", order.coupon)
            .set_some("subscription_data[trial_end]", order.trial_end)
            .map("metadata", order.metadata.clone())
            .map("subscription_data[metadata]", order.metadata.clone());
        if order.boleto {
            params = params.set("payment_method_options[boleto][expires_after_days]", BOLETO_DAYS);
        }
        self.post("checkout_create", "/v1/checkout/sessions".into(), params, Some(key)).await
    }

    /// Reads a checkout session.
    pub async fn checkout_get(&self, id: &str) -> Result<CheckoutSession, StripeError> {
        self.get("checkout_get", format!("/v1/checkout/sessions/{}", segment(id)), Params::new()).await
    }

    /// Closes an open checkout session, so that nobody can pay it any more; one that is not open is fine.
    pub async fn checkout_expire(&self, id: &str) -> Result<(), StripeError> {
        let path = format!("/v1/checkout/sessions/{}/expire", segment(id));
        match self.post::<serde_json::Value>("checkout_expire", path, Params::new(), None).await {
            Err(StripeError::Refused { status: 400 | 404, .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens the provider's portal for a customer and answers its address.
    pub async fn portal_create(&self, customer: &str, return_url: &str) -> Result<String, StripeError> {
        let params =
            Params::new().set("customer", customer).set("return_url", return_url).set("locale", "pt-BR");
        let made: PortalSession =
            self.post("portal_create", "/v1/billing_portal/sessions".into(), params, None).await?;
        Ok(made.url)
    }

    /// Reads all subscriptions and invoices of a customer.
    pub async fn customer_state(&self, customer: &str) -> Result<CustomerState, StripeError> {
        let methods =
            ["data.default_payment_method", "data.customer.invoice_settings.default_payment_method"];
        let subscriptions =
            Params::new().set("customer", customer).set("status", "all").list("expand", methods);
        let invoices = Params::new().set("customer", customer).list("expand", ["data.payments"]);
        // In this order: an invoice read here may be newer than its subscription, never the other way round.
        let subscriptions = self
            .list("subscription_list", "/v1/subscriptions", subscriptions, |s: &Subscription| &s.id)
            .await?;
        let invoices = self.list("invoice_list", "/v1/invoices", invoices, |i: &Invoice| &i.id).await?;
        Ok(CustomerState { subscriptions, invoices })
    }

    /// Reads a payment with its method.
    pub async fn payment_intent_get(&self, id: &str) -> Result<PaymentIntent, StripeError> {
        let params = Params::new().list("expand", ["payment_method"]);
        self.get("payment_intent_get", format!("/v1/payment_intents/{}", segment(id)), params).await
    }

    /// Stores a card on a subscription, for its later invoices.
    pub async fn subscription_card_set(&self, id: &str, card: &str) -> Result<(), StripeError> {
        let path = format!("/v1/subscriptions/{}", segment(id));
        let params = Params::new().set("default_payment_method", card);
        self.post::<serde_json::Value>("subscription_card_set", path, params, None).await.map(drop)
    }

    /// Reads the open invoices of a subscription, newest first.
    pub async fn invoices_open(&self, subscription: &str) -> Result<Vec<Invoice>, StripeError> {
        let params = Params::new().set("subscription", subscription).set("status", "open");
        self.list("invoice_list", "/v1/invoices", params, |invoice: &Invoice| &invoice.id).await
    }

    /// Reads what confirms the payment of an open invoice.
    pub async fn invoice_confirmation(&self, id: &str) -> Result<InvoiceConfirmation, StripeError> {
        let params = Params::new().list("expand", ["confirmation_secret", "payments"]);
        self.get("invoice_confirmation", format!("/v1/invoices/{}", segment(id)), params).await
    }

    /// Pays an open invoice with a card of its customer, who is not there to authenticate it.
    pub async fn invoice_pay(&self, id: &str, card: &str, key: &str) -> Result<(), StripeError> {
        let params = Params::new().set("payment_method", card).set("off_session", true);
        let path = format!("/v1/invoices/{}/pay", segment(id));
        self.post::<serde_json::Value>("invoice_pay", path, params, Some(key)).await.map(drop)
    }

    /// Ends a subscription at once; one that ended already is fine.
    pub async fn subscription_cancel(&self, id: &str) -> Result<(), StripeError> {
        let path = format!("/v1/subscriptions/{}", segment(id));
        let answer: Result<serde_json::Value, _> = self
            .send(Call {
                name: "subscription_cancel",
                method: Method::DELETE,
                path,
                params: Params::new(),
                idempotency_key: None,
            })
            .await;
        match answer {
            Err(error) if !error.is_missing() => Err(error),
            _ => Ok(()),
        }
    }

    /// Voids an open invoice; one that is not open any more is fine.
    pub async fn invoice_void(&self, id: &str) -> Result<(), StripeError> {
        let path = format!("/v1/invoices/{}/void", segment(id));
        match self.post::<serde_json::Value>("invoice_void", path, Params::new(), None).await {
            Err(StripeError::Refused { status: 400 | 404, .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Resumes the automatic collection of a draft or open invoice. An invoice in another state stays as it is.
    pub async fn invoice_collect(&self, id: &str) -> Result<(), StripeError> {
        let params = Params::new().set("auto_advance", true);
        let path = format!("/v1/invoices/{}", segment(id));
        match self.post::<serde_json::Value>("invoice_collect", path, params, None).await {
            Err(StripeError::Refused { status: 400 | 404, .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lets a subscription end with its period, for a reason in the payer's words; empty where none was said.
    pub async fn subscription_cancel_later(&self, id: &str, reason: &str) -> Result<(), StripeError> {
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let params =
            Params::new().set("cancel_at_period_end", true).set_some("cancellation_details[comment]", reason);
        let path = format!("/v1/subscriptions/{}", segment(id));
        self.post::<serde_json::Value>("subscription_cancel_later", path, params, None).await.map(drop)
    }

    /// Takes the wish to end back, in whichever way it was said: by the period or by a date.
    pub async fn subscription_resume(&self, id: &str) -> Result<(), StripeError> {
        let path = format!("/v1/subscriptions/{}", segment(id));
        let found: Subscription = self.get("subscription_get", path.clone(), Params::new()).await?;
        let params = match (found.cancel_at_period_end, found.cancel_at) {
            (true, _) => Params::new().set("cancel_at_period_end", false),
            (false, Some(_)) => Params::new().set("cancel_at", ""),
            (false, None) => return Ok(()),
        };
        self.post::<serde_json::Value>("subscription_resume", path, params, None).await.map(drop)
    }

    /// Reads a product, `None` when there is none of this id.
    pub async fn product_get(&self, id: &str) -> Result<Option<Product>, StripeError> {
        present(self.get("product_get", format!("/v1/products/{}", segment(id)), Params::new()).await)
    }

    /// Makes a product under an id of ours.
    pub async fn product_create(&self, id: &str, name: &str, key: &str) -> Result<(), StripeError> {
        let params = Params::new().set("id", id).set("name", name).set("metadata[plan]", id);
        self.post::<Product>("product_create", "/v1/products".into(), params, Some(key)).await.map(drop)
    }

    /// Names a product anew and puts it on sale.
    pub async fn product_update(&self, id: &str, name: &str) -> Result<(), StripeError> {
        let params = Params::new().set("name", name).set("active", true);
        let path = format!("/v1/products/{}", segment(id));
        self.post::<Product>("product_update", path, params, None).await.map(drop)
    }

    /// Reads the active price of a lookup key.
    pub async fn price_by_lookup_key(&self, lookup_key: &str) -> Result<Option<Price>, StripeError> {
        let params = Params::new().list("lookup_keys", [lookup_key]).set("active", true);
        let page: Page<Price> = self.get("price_list", "/v1/prices".into(), params).await?;
        Ok(page.data.into_iter().next())
    }

    /// Makes a price, taking its lookup key from the one that had it.
    pub async fn price_create(&self, order: &PriceOrder<'_>, key: &str) -> Result<Price, StripeError> {
        let params = Params::new()
            .set("currency", "brl")
            .set("product", order.product)
            .set("unit_amount", order.centavos)
            .set("recurring[interval]", "day")
            .set("recurring[interval_count]", order.days)
            .set("lookup_key", order.lookup_key)
            .set("transfer_lookup_key", true)
            .map("metadata", order.metadata.clone());
        self.post("price_create", "/v1/prices".into(), params, Some(key)).await
    }

    /// Reads a coupon, `None` when there is none of this id.
    pub async fn coupon_get(&self, id: &str) -> Result<Option<Coupon>, StripeError> {
        present(self.get("coupon_get", format!("/v1/coupons/{}", segment(id)), Params::new()).await)
    }

    /// Lists every coupon.
    pub async fn coupons_all(&self) -> Result<Vec<Coupon>, StripeError> {
        self.list("coupon_list", "/v1/coupons", Params::new(), |coupon: &Coupon| &coupon.id).await
    }

    /// Creates a coupon for first invoices, under an id of ours.
    pub async fn coupon_create(&self, order: &CouponOrder<'_>, key: &str) -> Result<(), StripeError> {
        let params = Params::new()
            .set("id", order.id)
            .set("name", order.name)
            .set("duration", "once")
            .set_some("metadata[derived_from]", order.derived_from);
        let params = match order.terms {
            CouponTerms::Percent(percent) => params.set("percent_off", percent),
            CouponTerms::Amount(centavos) => params.set("amount_off", centavos).set("currency", "brl"),
        };
        self.post::<Coupon>("coupon_create", "/v1/coupons".into(), params, Some(key)).await.map(drop)
    }

    /// Sets the coupon of a subscription's next invoice, in place of the discounts that it has.
    pub async fn subscription_coupon_set(&self, id: &str, coupon: &str) -> Result<(), StripeError> {
        let path = format!("/v1/subscriptions/{}", segment(id));
        let params = Params::new().set("discounts[0][coupon]", coupon);
        self.post::<serde_json::Value>("subscription_coupon_set", path, params, None).await.map(drop)
    }

    /// Removes a coupon; discounts that carry it stay, and one that is gone already is fine.
    pub async fn coupon_delete(&self, id: &str) -> Result<(), StripeError> {
        let path = format!("/v1/coupons/{}", segment(id));
        let request = Call {
            name: "coupon_delete",
            method: Method::DELETE,
            path,
            params: Params::new(),
            idempotency_key: None,
        };
        present(self.send::<serde_json::Value>(request).await).map(drop)
    }

    pub(super) async fn get<T: serde::de::DeserializeOwned>(
        &self,
        name: &'static str,
        path: String,
        params: Params,
    ) -> Result<T, StripeError> {
        self.send(Call { name, method: Method::GET, path, params, idempotency_key: None }).await
    }

    /// Calls without a key are those that may be made twice: the same update, one more portal session.
    pub(super) async fn post<T: serde::de::DeserializeOwned>(
        &self,
        name: &'static str,
        path: String,
        params: Params,
        idempotency_key: Option<&str>,
    ) -> Result<T, StripeError> {
        self.send(Call { name, method: Method::POST, path, params, idempotency_key }).await
    }

    /// Reads every page of a list.
    pub(super) async fn list<T: serde::de::DeserializeOwned>(
        &self,
        name: &'static str,
        path: &str,
        params: Params,
        id: impl Fn(&T) -> &String,
    ) -> Result<Vec<T>, StripeError> {
        let mut all: Vec<T> = Vec::new();
        loop {
            let after = all.last().map(|last| id(last).clone());
            let page_params = params.clone().set("limit", PAGE).set_some("starting_after", after);
            let page: Page<T> = self.get(name, path.to_owned(), page_params).await?;
            let ended = !page.has_more || page.data.is_empty();
            all.extend(page.data);
            if ended {
                return Ok(all);
            }
        }
    }
}

/// Takes "there is no such object" for an answer.
///
/// # Errors
/// Every other failure.
pub fn present<T>(answer: Result<T, StripeError>) -> Result<Option<T>, StripeError> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// An id as one path segment. Another text than an id becomes [`NO_OBJECT`], and such a call is not sent.
pub(super) fn segment(id: &str) -> &str {
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_id { id } else { NO_OBJECT }
}

/// Stands in a path for a text that cannot be an id: ids hold letters, digits, `_` and `-`.
pub(super) const NO_OBJECT: &str = "%";
