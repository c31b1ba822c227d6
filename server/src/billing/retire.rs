//! Ends what lost against a subscription that was paid, and what a deleted account left: open sessions, and
//! subscriptions, whose money is given back where it is owed.

use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::guarantee::pix_refund_due_at;
use serde::Deserialize;

use super::events::retry;
use super::farewell::DELETED;
use super::projection::DUPLICATE;
use super::{Billing, notices};
use crate::error::Error;
use crate::queue::{JobError, JobOutcome};
use crate::store::ClaimedJob;
use crate::store::invoices::Invoice;
use crate::store::refunds::{Refund, refund_insert_in_tx, refund_paid_in_tx};

/// Which subscription, and why.
#[derive(Deserialize)]
struct Retirement {
    uid: String,
    subscription_id: String,
    reason: String,
}

/// Which session, and whose.
#[derive(Deserialize)]
struct Superfluous {
    uid: String,
    session_id: String,
}

impl Billing {
    /// Closes a session beside a live subscription; one that was paid meanwhile is found by the reading that follows.
    pub(super) async fn checkout_expire(&self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let what: Superfluous =
            serde_json::from_value(job.payload).map_err(|why| JobError::Park(why.to_string()))?;
        self.stripe.checkout_expire(&what.session_id).await.map_err(|error| retry(error.into()))?;
        self.refresh(&what.uid).await.map_err(retry)?;
        Ok(JobOutcome::Done)
    }

    /// Runs one retirement; every step may be run again.
    pub(super) async fn retire(&self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let what: Retirement =
            serde_json::from_value(job.payload).map_err(|why| JobError::Park(why.to_string()))?;
        self.retire_at_provider(&what, job.attempt).await.map_err(retry)?;
        self.refresh(&what.uid).await.map_err(retry)?;
        Ok(JobOutcome::Done)
    }

    async fn retire_at_provider(&self, what: &Retirement, attempt: u32) -> Result<(), Error> {
        let invoices = self.store.invoices_by_subscription(&what.subscription_id).await?;
        for invoice in invoices.iter().filter(|row| row.can_be_paid()) {
            // One that was paid or voided meanwhile is seen by the refresh that follows.
            self.stripe.invoice_void(&invoice.id).await?;
        }
        self.stripe.subscription_cancel(&what.subscription_id).await?;
        match what.reason.as_str() {
            DUPLICATE => match to_give_back(invoices.iter()) {
                Some(invoice) => self.give_back(invoice, attempt).await,
                None => Ok(()),
            },
            DELETED => self.give_back_noted(what, &invoices, attempt).await,
            _ => Ok(()),
        }
    }

    /// Gives back by card what the end of an account noted.
    async fn give_back_noted(
        &self,
        what: &Retirement,
        invoices: &[Invoice],
        attempt: u32,
    ) -> Result<(), Error> {
        let refunds = self.store.refunds_by_uid(&what.uid).await?;
        let is_owed = |refund: &&Refund| {
            refund.subscription_id == what.subscription_id
                && refund.reason == DELETED
                && refund.method == "card"
                && refund.state == "requested"
        };
        for refund in refunds.iter().filter(is_owed) {
            if let Some(invoice) = invoices.iter().find(|invoice| invoice.id == refund.invoice_id) {
                self.refund_by_card(invoice, "requested_by_customer", attempt).await?;
                tracing::info!(user.id = what.uid, "the payment of a deleted account is given back");
            }
        }
        Ok(())
    }

    /// Gives a card payment back and notes it.
    async fn refund_by_card(&self, invoice: &Invoice, reason: &str, attempt: u32) -> Result<(), Error> {
        // The provider keeps a fault of its own under the key for a day; it gives no payment back twice in any case.
        let key = format!("refund-{}-{attempt}", invoice.id);
        self.stripe.refund_create(&invoice.payment_intent_id, reason, &key).await?;
        let (invoice_id, now) = (invoice.id.clone(), self.now());
        self.in_tx(move |tx| {
            let invoice_id = invoice_id.clone();
            Box::pin(async move { refund_paid_in_tx(tx, &invoice_id, now).await })
        })
        .await?;
        Ok(())
    }

    /// A card's money goes back through the provider; a boleto's by Pix, which the operator pays.
    async fn give_back(&self, invoice: &Invoice, attempt: u32) -> Result<(), Error> {
        let method = refund_method(&invoice.payment_method);
        let by_card = method == "card";
        let now = self.now();
        let refund = Refund {
            id: self.ids.id("ref_"),
            uid: invoice.uid.clone(),
            subscription_id: invoice.subscription_id.clone(),
            invoice_id: invoice.id.clone(),
            amount_centavos: invoice.total_centavos,
            method: method.to_owned(),
            reason: DUPLICATE.to_owned(),
            state: "requested".to_owned(),
            due_at_us: (!by_card).then(|| pix_refund_due_at(now).as_micros()),
            created_at_us: now.as_micros(),
            pix_key: None,
        };
        let bought = self.store.subscription_by_id(&invoice.subscription_id).await?;
        self.in_tx(move |tx| {
            let (refund, bought) = (refund.clone(), bought.clone());
            Box::pin(async move {
                // Told once for ever: the job of the mail is forgotten after a month, the refund is not.
                let is_new = refund_insert_in_tx(tx, &refund).await?;
                match bought.filter(|_| is_new) {
                    Some(bought) => notices::payment_returned_in_tx(tx, &refund, &bought, now).await,
                    None => Ok(()),
                }
            })
        })
        .await?;
        if by_card {
            self.refund_by_card(invoice, "duplicate", attempt).await?;
        }
        tracing::warn!(user.id = invoice.uid, "a second payment at the same time is given back");
        Ok(())
    }
}

/// The payment of a duplicate, among the invoices of its subscription: the last one.
pub(super) fn to_give_back<'a>(invoices: impl Iterator<Item = &'a Invoice>) -> Option<&'a Invoice> {
    invoices.filter(|row| row.status == "paid" && row.total_centavos > 0).max_by_key(|row| row.paid_at_us)
}

/// How money comes back that was paid by `payment_method`: the provider cannot give a boleto back.
pub(super) fn refund_method(payment_method: &str) -> &'static str {
    if payment_method == PaymentMethod::Boleto.name() { "pix" } else { "card" }
}
