//! Charges, and money that goes back: refunds and disputes.

use garimpo_domain::PaymentIntentId;
use garimpo_domain::provider_status::{ChargeStatus, DisputeStatus, RefundStatus};
use serde::Deserialize;

use super::client::Stripe;
use super::errors::{Result, StripeError};
use super::lists::{Page, listed};
use super::references;
use super::request::Params;

/// One attempt to collect a payment, successful or not.
#[derive(Debug, Clone, Deserialize)]
pub struct Charge {
    /// `ch_…` or `py_…`.
    pub id: String,
    #[serde(default, deserialize_with = "references::id")]
    pub payment_intent: Option<PaymentIntentId>,
    #[serde(default, deserialize_with = "references::id")]
    pub payment_method: Option<String>,
    #[serde(default)]
    pub amount: i64,
    /// The refunded amount, with pending refunds and without failed ones.
    #[serde(default)]
    pub amount_refunded: i64,
    /// Whether the whole amount was refunded.
    #[serde(default)]
    pub refunded: bool,
    /// Whether its bank disputed it at any time.
    #[serde(default)]
    pub disputed: bool,
    pub status: ChargeStatus,
    /// Whether the money was collected.
    #[serde(default)]
    pub paid: bool,
}

impl Charge {
    /// Whether it collected money. A payment that was declined first has failed charges as well.
    pub fn has_succeeded(&self) -> bool {
        self.paid && self.status == ChargeStatus::Succeeded
    }
}

/// A bank's claim for the money of a charge.
#[derive(Debug, Clone, Deserialize)]
pub struct Dispute {
    /// `dp_…` or `du_…`.
    pub id: String,
    /// No money moves in an inquiry (`warning_…`).
    pub status: DisputeStatus,
    /// The disputed part of the charge.
    pub amount: i64,
    pub created: i64,
    #[serde(default, deserialize_with = "references::id")]
    pub payment_intent: Option<PaymentIntentId>,
    /// Whether the charge can be refunded in spite of it.
    #[serde(default)]
    pub is_charge_refundable: bool,
    #[serde(default)]
    evidence_details: Option<EvidenceDetails>,
}

#[derive(Debug, Clone, Deserialize)]
struct EvidenceDetails {
    /// Unix seconds.
    due_by: Option<i64>,
}

impl Dispute {
    /// Deadline for our answer in Unix seconds, while the bank waits for one.
    pub fn answer_by(&self) -> Option<i64> {
        self.evidence_details.as_ref().filter(|_| self.status.needs_response())?.due_by
    }
}

/// Stripe's `Refund`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Refund {
    /// `re_…`.
    pub id: String,
    pub status: Option<RefundStatus>,
    #[serde(default)]
    pub amount: i64,
    #[serde(default, deserialize_with = "references::id")]
    pub payment_intent: Option<PaymentIntentId>,
}

listed!(Charge, Dispute);

impl Refund {
    /// Whether the payer has the money back, or will have it.
    pub fn is_counted(&self) -> bool {
        !matches!(self.status, Some(RefundStatus::Failed | RefundStatus::Canceled))
    }
}

impl Stripe {
    /// Refunds the rest of a card payment; `None` if nothing is left. A disputed payment cannot be
    /// refunded until the dispute ends.
    pub async fn create_refund(
        &self,
        payment_intent: &PaymentIntentId,
        reason: &str,
        key: &str,
    ) -> Result<Option<Refund>> {
        let params = Params::new().set("payment_intent", payment_intent).set("reason", reason);
        match self.post("refund_create", &["refunds"], params, key).await {
            Err(error) if error.is_code("charge_already_refunded") => Ok(None),
            Err(error) if error.is_code("charge_disputed") => {
                Err(StripeError::unavailable("the charge is disputed"))
            }
            result => result.map(Some),
        }
    }

    /// Reads a refund.
    pub async fn get_refund(&self, id: &str) -> Result<Refund> {
        self.get("refund_get", &["refunds", id], Params::new()).await
    }

    /// Reads every charge of a payment, newest first. It works after the customer was deleted,
    /// unlike a list by customer.
    pub async fn charges_of_payment(&self, payment_intent: &PaymentIntentId) -> Result<Vec<Charge>> {
        self.list("charge_list", &["charges"], Params::new().set("payment_intent", payment_intent)).await
    }

    /// Reads the disputes of a charge, newest first.
    pub async fn list_disputes(&self, charge: &str) -> Result<Vec<Dispute>> {
        self.list("dispute_list", &["disputes"], Params::new().set("charge", charge)).await
    }

    /// Reads a page of the refunds created since `since`.
    pub async fn list_refunds_page(&self, since: i64, after: &str) -> Result<Page<Refund>> {
        self.page("refund_list", &["refunds"], Params::created_since(since), after).await
    }

    /// Reads a page of the disputes created since `since`.
    pub async fn list_disputes_page(&self, since: i64, after: &str) -> Result<Page<Dispute>> {
        self.page("dispute_list", &["disputes"], Params::created_since(since), after).await
    }
}
