//! The calls about money that goes back: refunds, charges and their disputes.

use super::calls::segment;
use super::objects::{Charge, Dispute, Refund};
use super::request::Params;
use super::{Stripe, StripeError};

impl Stripe {
    /// Gives back what is left of a card payment and answers the refund; none where it was given back already. While its
    /// bank disputes it, it cannot be given back: that passes.
    pub async fn refund_create(
        &self,
        payment_intent: &str,
        reason: &str,
        key: &str,
    ) -> Result<Option<Refund>, StripeError> {
        let params = Params::new().set("payment_intent", payment_intent).set("reason", reason);
        match self.post("refund_create", "/v1/refunds".into(), params, Some(key)).await {
            Err(error) if error.is_code("charge_already_refunded") => Ok(None),
            Err(error) if error.is_code("charge_disputed") => {
                Err(StripeError::transport("the charge is disputed"))
            }
            answer => answer.map(Some),
        }
    }

    /// Reads a refund.
    pub async fn refund_get(&self, id: &str) -> Result<Refund, StripeError> {
        self.get("refund_get", format!("/v1/refunds/{}", segment(id)), Params::new()).await
    }

    /// Reads every charge of a customer.
    pub async fn charges_all(&self, customer: &str) -> Result<Vec<Charge>, StripeError> {
        let params = Params::new().set("customer", customer);
        self.list("charge_list", "/v1/charges", params, |charge: &Charge| &charge.id).await
    }

    /// Reads every charge of a payment: also of a customer that was deleted, by whom charges may
    /// not be listed.
    pub async fn charges_of_payment(&self, payment_intent: &str) -> Result<Vec<Charge>, StripeError> {
        let params = Params::new().set("payment_intent", payment_intent);
        self.list("charge_list", "/v1/charges", params, |charge: &Charge| &charge.id).await
    }

    /// Reads the disputes of a charge, newest first.
    pub async fn disputes_all(&self, charge: &str) -> Result<Vec<Dispute>, StripeError> {
        let params = Params::new().set("charge", charge);
        self.list("dispute_list", "/v1/disputes", params, |dispute: &Dispute| &dispute.id).await
    }
}
