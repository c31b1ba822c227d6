//! Lists over the whole account, page by page: what reconciliation reads instead of three lists of each customer.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::calls::PAGE;
use super::objects::{Dispute, Page, Refund, Subscription};
use super::request::Params;
use super::{Invoice, Stripe, StripeError};

impl Stripe {
    /// Reads a page of the subscriptions in every status, after the one of this id.
    pub async fn subscriptions_page(&self, after: &str) -> Result<Page<Subscription>, StripeError> {
        let params = Params::new().set("status", "all");
        self.page("subscription_list", "/v1/subscriptions", params, after).await
    }

    /// Reads a page of the invoices made since `since`, Unix seconds, after the one of this id.
    pub async fn invoices_page(&self, since: i64, after: &str) -> Result<Page<Invoice>, StripeError> {
        self.page("invoice_list", "/v1/invoices", made_since(since), after).await
    }

    /// Reads a page of the refunds made since `since`, Unix seconds, after the one of this id.
    pub async fn refunds_page(&self, since: i64, after: &str) -> Result<Page<Refund>, StripeError> {
        self.page("refund_list", "/v1/refunds", made_since(since), after).await
    }

    /// Reads a page of the disputes made since `since`, Unix seconds, after the one of this id.
    pub async fn disputes_page(&self, since: i64, after: &str) -> Result<Page<Dispute>, StripeError> {
        self.page("dispute_list", "/v1/disputes", made_since(since), after).await
    }

    /// Reads the newest page of the events.
    pub async fn events_newest(&self) -> Result<Page<Value>, StripeError> {
        self.page("event_list", "/v1/events", Params::new(), "").await
    }

    /// Reads the events that follow one: those nearest to it, newest first. The types are not filtered, because the
    /// provider takes 20 of them and more are handled.
    pub async fn events_after(&self, id: &str) -> Result<Page<Value>, StripeError> {
        self.page("event_list", "/v1/events", Params::new().set("ending_before", id), "").await
    }

    async fn page<T: DeserializeOwned>(
        &self,
        name: &'static str,
        path: &str,
        params: Params,
        after: &str,
    ) -> Result<Page<T>, StripeError> {
        let after = Some(after).filter(|after| !after.is_empty());
        let params = params.set("limit", PAGE).set_some("starting_after", after);
        self.get(name, path.to_owned(), params).await
    }
}

fn made_since(since: i64) -> Params {
    Params::new().set("created[gte]", since)
}
