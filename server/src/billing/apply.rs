//! Reads the provider's state of one customer and stores what it means: one idempotent apply for every caller.
//!
//! Its callers are the event's job, the return page and reconciliation. A ticket is taken before the provider is read;
//! the result is written only if no higher ticket was applied. So duplicates, any order and two workers at once end in
//! the same rows (design section 7).

mod write;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use garimpo_proto::errors::v1::ErrorReason;

use super::projection::Observed;
use super::{Billing, LANES};
use crate::crash::{self, CrashPoint};
use crate::error::Error;
use crate::providers::stripe::{CustomerState, StripeError, present};
use crate::store::StoreError;
use crate::store::checkouts::Checkout;
use crate::store::customers::{Customer, customer_ticket_take_in_tx};
use crate::store::invoices::Invoice;
use crate::store::refunds::Refund;

/// Reads of the provider before an apply that is always overtaken leaves it to those that overtake.
pub(super) const TRIES: u32 = 3;

/// One read of the provider, on its way into the database.
struct Reading {
    uid: String,
    ticket: i64,
    observed: Observed,
    checkouts: Vec<Checkout>,
}

/// How a write ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Projected,
    /// A higher ticket was applied: this reading is older than what is stored.
    Overtaken,
}

impl Billing {
    /// Brings an account's rows up to what the provider holds at the time of the call, or later.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE when it cannot be read; the store's own.
    pub async fn refresh(&self, uid: &str) -> Result<(), Error> {
        let Some(customer) = self.store.customer_by_uid(uid).await? else { return Ok(()) };
        self.refresh_beyond(uid, customer.ticket_issued).await
    }

    /// The same before something is asked for, where our rows stand while the provider does not answer.
    pub(super) async fn refresh_or_stand(&self, uid: &str) -> Result<(), Error> {
        match self.refresh(uid).await {
            Err(error) if error.reason() == ErrorReason::ProviderUnavailable => Ok(()),
            read => read,
        }
    }

    /// As `refresh`, for what happened before `seen_ticket` was the customer's last one: an apply with a later ticket has
    /// read it, so that the dozen events of one purchase cost few reads.
    pub(super) async fn refresh_beyond(&self, uid: &str, seen_ticket: i64) -> Result<(), Error> {
        let _turn = self.lane(uid).lock().await;
        for _ in 0..TRIES {
            let Some(customer) = self.store.customer_by_uid(uid).await? else { return Ok(()) };
            if customer.ticket_applied > seen_ticket {
                return Ok(());
            }
            if self.apply(&customer).await? == Written::Projected {
                return Ok(());
            }
        }
        // Each of those that overtook has read the provider after this call began.
        Ok(())
    }

    fn lane(&self, uid: &str) -> &tokio::sync::Mutex<()> {
        let mut hasher = DefaultHasher::new();
        uid.hash(&mut hasher);
        &self.lanes[hasher.finish() as usize % LANES]
    }

    async fn apply(&self, customer: &Customer) -> Result<Written, Error> {
        let Some(customer_id) = customer.customer_id.clone() else { return Ok(Written::Projected) };
        let uid = customer.uid.clone();
        let of = uid.clone();
        let ticket = self
            .store
            .write::<_, StoreError, _>(move |tx| {
                let of = of.clone();
                Box::pin(async move { customer_ticket_take_in_tx(tx, &of).await })
            })
            .await?;
        let checkouts = self.store.checkouts_unsettled(&uid).await?;
        let invoices = self.store.invoices_by_uid(&uid).await?;
        let refunds = self.store.refunds_by_uid(&uid).await?;
        let observed = self.observe(&uid, &customer_id, &checkouts, &invoices, &refunds).await?;
        let reading = Arc::new(Reading { uid, ticket, observed, checkouts });
        let (billing, now) = (self.clone(), self.now());
        let written = self
            .store
            .write::<_, StoreError, _>(move |tx| {
                let (billing, reading) = (billing.clone(), reading.clone());
                Box::pin(async move { billing.write_reading(tx, &reading, now).await })
            })
            .await?;
        if written == Written::Projected {
            crash::point(CrashPoint::ProjectionCommitted);
        }
        Ok(written)
    }

    /// Reads all that the projection needs. Sessions first: what one says is complete is then in the lists.
    pub(super) async fn observe(
        &self,
        uid: &str,
        customer_id: &str,
        checkouts: &[Checkout],
        known_invoices: &[Invoice],
        refunds: &[Refund],
    ) -> Result<Observed, StripeError> {
        let mut sessions = BTreeMap::new();
        for checkout in checkouts {
            let Some(session_id) = &checkout.session_id else { continue };
            // One that is gone there can come to nothing any more.
            let session = present(self.stripe.checkout_get(session_id).await)?;
            sessions.insert(checkout.id.clone(), session);
        }
        let state = match self.stripe.customer_state(customer_id).await {
            // Nothing of a customer that is gone there can come to anything; what it paid for stands in our rows.
            Err(error) if error.misses_customer() => CustomerState::default(),
            answer => answer?,
        };
        let mut payments = BTreeMap::new();
        for invoice in &state.invoices {
            // While it was open, another method may have been chosen.
            let method_known = known_invoices
                .iter()
                .any(|row| row.id == invoice.id && row.is_paid() && !row.payment_method.is_empty());
            let is_asked = match invoice.status.as_deref() {
                Some("open" | "uncollectible") => true,
                Some("paid") => !method_known && invoice.total != 0,
                _ => false,
            };
            let Some(intent_id) = invoice.payment_intent().filter(|_| is_asked) else { continue };
            payments.insert(intent_id.to_owned(), self.stripe.payment_intent_get(intent_id).await?);
        }
        let taken = self.taken_back(customer_id, &state.invoices, refunds).await?;
        tracing::debug!(
            user.id = uid,
            subscriptions = state.subscriptions.len(),
            "the provider's state was read"
        );
        Ok(Observed { state, payments, sessions, taken })
    }
}
