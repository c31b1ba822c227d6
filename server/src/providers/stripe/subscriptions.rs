//! A change of plan at the provider: what it would cost, and doing it. Both go out with the same parameters, so that
//! what is shown is what is charged.

use super::invoices::Invoice;
use super::objects::Subscription;
use super::request::Params;
use super::{Stripe, StripeError};

/// Another price for the item of a subscription.
#[derive(Debug, Clone)]
pub struct PlanChangeOrder<'a> {
    /// Subscription that is changed.
    pub subscription: &'a str,
    /// Its item.
    pub item: &'a str,
    /// Price of each later period.
    pub price: &'a str,
    /// The instant from which unused and remaining time are counted, Unix seconds within the present period.
    pub proration_date: i64,
    /// Whether a wish to end with the present period is dropped, since the change begins another one.
    pub renews_again: bool,
}

/// What a change of plan begins from and answers.
const EXPANDED: [&str; 3] =
    ["default_payment_method", "customer.invoice_settings.default_payment_method", "latest_invoice"];

impl Stripe {
    /// Reads a subscription with its customer, what it is paid by, and its latest invoice.
    pub async fn subscription_get(&self, id: &str) -> Result<Subscription, StripeError> {
        self.get("subscription_get", subscription_path(id), Params::new().list("expand", EXPANDED)).await
    }

    /// Answers the invoice that a change of plan would make now; nothing is stored at the provider.
    pub async fn plan_change_preview(&self, order: &PlanChangeOrder<'_>) -> Result<Invoice, StripeError> {
        let params = order
            .params("subscription_details[items][0]", "subscription_details[proration_date]")
            .set("subscription", order.subscription)
            .set("subscription_details[proration_behavior]", "always_invoice");
        self.post("plan_change_preview", "/v1/invoices/create_preview".into(), params, None).await
    }

    /// Changes the plan at once: what is due is charged within the call, and where that fails nothing changes (402).
    pub async fn plan_change(
        &self,
        order: &PlanChangeOrder<'_>,
        key: &str,
    ) -> Result<Subscription, StripeError> {
        let mut params = order
            .params("items[0]", "proration_date")
            .set("proration_behavior", "always_invoice")
            .set("payment_behavior", "error_if_incomplete")
            .list("expand", EXPANDED);
        if order.renews_again {
            params = params.set("cancel_at_period_end", false);
        }
        self.post("plan_change", subscription_path(order.subscription), params, Some(key)).await
    }
}

impl PlanChangeOrder<'_> {
    fn params(&self, item: &str, date: &str) -> Params {
        Params::new()
            .set(format!("{item}[id]"), self.item)
            .set(format!("{item}[price]"), self.price)
            .set(date, self.proration_date)
    }
}

fn subscription_path(id: &str) -> String {
    format!("/v1/subscriptions/{}", super::calls::segment(id))
}
