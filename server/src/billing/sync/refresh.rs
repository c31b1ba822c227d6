//! Syncs one customer: reads the provider's state and stores it.
//!
//! Webhook events, the return page and reconciliation all call it. A ticket is taken before the
//! provider is read, and the result is stored only if no later ticket was stored. So repeated,
//! unordered and concurrent syncs end in the same rows.

mod write;

use garimpo_domain::provider_status::InvoiceStatus;
use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::Centavos;

use crate::billing::projection::{Observed, may_be_paid_late};
use crate::billing::sync::AccountSync;
use crate::crash::{self, CrashPoint};
use crate::error::{ErrorReason, Result};
use crate::providers::stripe::{self, CustomerState, StripeError, present};
use crate::store::{
    Absence, Checkout, Customer, Invoice, ProviderStop, Refund, StoreError, Subscription, checkouts,
    customers, invoices, paid_periods, refunds, subscriptions, transaction,
};

/// Reads of the provider before an apply that is always overtaken leaves it to those that overtake.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// A payment older than this is disputed no more, where its subscription is over.
const DISPUTE_DAYS: i64 = 180;

/// One read of the provider, on its way into the database.
struct Reading {
    uid: String,
    customer_id: String,
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

/// A write with what it found out about customers that the provider lost.
#[derive(Debug)]
struct Wrote {
    written: Written,
    /// Too many are lost by now, and reconciliation stops with this write.
    stopped: Option<ProviderStop>,
    /// The last of too many is there again, and reconciliation goes on.
    resumed: bool,
}

impl From<Written> for Wrote {
    fn from(written: Written) -> Self {
        Self { written, stopped: None, resumed: false }
    }
}

impl AccountSync {
    /// Brings an account's rows up to what the provider holds at the time of the call, or later.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE when it cannot be read; the store's own.
    pub async fn refresh(&self, uid: &str) -> Result<()> {
        let Some(customer) = customers::by_uid(&self.context.store, uid).await? else { return Ok(()) };
        self.refresh_beyond(uid, customer.ticket_issued).await
    }

    /// The same before something is asked for, where our rows stand while the provider does not
    /// answer.
    pub(crate) async fn refresh_or_stand(&self, uid: &str) -> Result<()> {
        match self.refresh(uid).await {
            Err(error) if error.reason() == ErrorReason::ProviderUnavailable => Ok(()),
            read => read,
        }
    }

    /// As `refresh`, for what happened before `seen_ticket` was the customer's last one: an apply
    /// with a later ticket has read it, so that the dozen events of one purchase cost few reads.
    pub(crate) async fn refresh_beyond(&self, uid: &str, seen_ticket: i64) -> Result<()> {
        let _turn = self.context.locks.acquire(uid).await;
        for _ in 0..MAX_ATTEMPTS {
            let Some(customer) = customers::by_uid(&self.context.store, uid).await? else { return Ok(()) };
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

    async fn apply(&self, customer: &Customer) -> Result<Written> {
        let (uid, customer_id) = (customer.uid.clone(), customer.customer_id.clone());
        // Payments of a deleted customer are read also before the account has another one.
        if customer_id.is_none() && invoices::by_uid(&self.context.store, &uid).await?.is_empty() {
            return Ok(Written::Projected);
        }
        let ticket =
            transaction!(self.context, (uid = uid.clone()), |tx| customers::issue_ticket(tx, uid).await)?;
        let checkouts = checkouts::unsettled(&self.context.store, &uid).await?;
        let invoices = invoices::by_uid(&self.context.store, &uid).await?;
        let refunds = refunds::by_uid(&self.context.store, &uid).await?;
        let observed = self.observe(&uid, customer_id.as_deref(), &checkouts, &invoices, &refunds).await?;
        let customer_id = customer_id.unwrap_or_default();
        let reading = Reading { uid, customer_id, ticket, observed, checkouts };
        let now = self.context.now();
        let Wrote { written, stopped, resumed } =
            transaction!(self.context, (sync = self.clone(), reading), |tx| {
                sync.write_reading(tx, reading, now).await
            })?;
        log_stop(stopped, resumed);
        if written == Written::Projected {
            crash::point(CrashPoint::ProjectionCommitted);
        }
        Ok(written)
    }

    /// Reads subscriptions and invoices. The provider lists them by two calls, and a change of plan
    /// may come between: its invoice would then be read with the plan of before, and be told as a
    /// payment for it. So the invoice of a change that is not stored yet counts only once it was
    /// there before the subscriptions were read.
    async fn state_untorn(
        &self,
        uid: &str,
        customer_id: &str,
        known: &[Invoice],
    ) -> Result<(CustomerState, Option<Absence>)> {
        let new_changes = |state: &CustomerState| -> BTreeSet<String> {
            let is_new =
                |fact: &&stripe::Invoice| fact.is_of_change() && !known.iter().any(|row| row.id == fact.id);
            state.invoices.iter().filter(is_new).map(|fact| fact.id.clone()).collect()
        };
        let mut seen = BTreeSet::new();
        let mut read = self.state_of(uid, customer_id).await?;
        for _ in 1..MAX_ATTEMPTS {
            let found = new_changes(&read.0);
            if found.is_subset(&seen) {
                break;
            }
            seen = found;
            read = self.state_of(uid, customer_id).await?;
        }
        Ok(read)
    }

    /// Reads all that the projection needs. Sessions first: what one says is complete is then in
    /// the lists.
    pub(crate) async fn observe(
        &self,
        uid: &str,
        customer_id: Option<&str>,
        checkouts: &[Checkout],
        known_invoices: &[Invoice],
        refunds: &[Refund],
    ) -> Result<Observed> {
        let mut sessions = BTreeMap::new();
        for checkout in checkouts {
            let Some(session_id) = &checkout.session_id else { continue };
            // One that is gone there can come to nothing any more.
            let session = present(self.context.stripe.checkout_get(session_id).await)?;
            sessions.insert(checkout.id.clone(), session);
        }
        let (state, absence) = match customer_id {
            Some(id) => self.state_untorn(uid, id, known_invoices).await?,
            None => (CustomerState::default(), None),
        };
        if absence == Some(Absence::Unknown) {
            return Ok(Observed { state, sessions, absence, ..Observed::default() });
        }
        let mut payments = BTreeMap::new();
        for invoice in &state.invoices {
            // While it was open, another method may have been chosen.
            let method_known = known_invoices
                .iter()
                .any(|row| row.id == invoice.id && row.is_paid() && row.payment_method.is_some());
            let is_asked = match invoice.status {
                Some(InvoiceStatus::Open | InvoiceStatus::Uncollectible) => true,
                Some(InvoiceStatus::Paid) => !method_known && invoice.total != 0,
                Some(InvoiceStatus::Void) => known_invoices
                    .iter()
                    .any(|row| row.id == invoice.id && may_be_paid_late(row, refunds, self.context.now())),
                _ => false,
            };
            let Some(intent_id) = invoice.payment_intent().filter(|_| is_asked) else { continue };
            payments.insert(intent_id.to_owned(), self.context.stripe.payment_intent_get(intent_id).await?);
        }
        let unlisted = self.unlisted_payments(uid, &state, known_invoices).await?;
        let taken =
            self.taken_back(customer_id.unwrap_or_default(), &state.invoices, &unlisted, refunds).await?;
        let paid_until = if unlisted.is_empty() {
            BTreeMap::new()
        } else {
            paid_periods::until_by_invoice(&self.context.store, uid).await?
        };
        tracing::debug!(
            user.id = uid,
            subscriptions = state.subscriptions.len(),
            "the provider's state was read"
        );
        Ok(Observed { state, payments, sessions, taken, absence, paid_until })
    }

    /// Paid invoices of ours that the provider does not list with the customer: it was deleted
    /// there. Their payments can be read all the same, and a refund or a dispute of them ends
    /// access.
    async fn unlisted_payments<'a>(
        &self,
        uid: &str,
        state: &CustomerState,
        known: &'a [Invoice],
    ) -> Result<Vec<&'a Invoice>, StoreError> {
        let is_listed = |row: &Invoice| state.invoices.iter().any(|fact| fact.id == row.id);
        let is_money = |row: &&Invoice| {
            row.is_paid() && row.amount_due_centavos > Centavos::ZERO && row.payment_intent_id.is_some()
        };
        let mut unlisted: Vec<_> = known.iter().filter(is_money).filter(|row| !is_listed(row)).collect();
        if unlisted.is_empty() {
            return Ok(unlisted);
        }
        let since = self.context.now().plus_days(-DISPUTE_DAYS);
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let goes_on =
            |row: &Invoice| rows.iter().any(|bought| bought.id == row.subscription_id && bought.goes_on());
        unlisted.retain(|row| row.paid_at.is_some_and(|at| at >= since) || goes_on(row));
        Ok(unlisted)
    }

    /// Reads a customer's subscriptions and invoices. Where a stored subscription that goes on is
    /// not there or has just ended, the customer itself is read: it may be unknown to the provider,
    /// or have been deleted.
    async fn state_of(&self, uid: &str, customer_id: &str) -> Result<(CustomerState, Option<Absence>)> {
        let state = match self.context.stripe.customer_state(customer_id).await {
            Ok(state) => state,
            // How the provider refuses to list what a deleted customer had is not documented.
            Err(error @ StripeError::Refused { status: 400 | 404, .. }) => {
                let absence = self.absence_of(uid, customer_id).await?;
                return absence.map(|absence| (CustomerState::default(), Some(absence))).ok_or(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let runs_there =
            |row: &Subscription| state.subscriptions.iter().any(|fact| fact.id == row.id && !fact.is_over());
        if rows.iter().all(|row| !row.goes_on() || runs_there(row)) {
            return Ok((state, None));
        }
        Ok(match self.absence_of(uid, customer_id).await? {
            None => (state, None),
            absence => (CustomerState::default(), absence),
        })
    }

    /// Why the provider has no such customer; `None` where it has.
    async fn absence_of(&self, uid: &str, customer_id: &str) -> Result<Option<Absence>, StripeError> {
        Ok(match present(self.context.stripe.customer_get(customer_id).await)? {
            None => Some(Absence::Unknown),
            Some(fact) if fact.deleted => Some(Absence::Deleted),
            // The same id for somebody else: the data is not that of our customers.
            Some(fact) if fact.metadata.get("uid").is_some_and(|theirs| theirs != uid) => {
                Some(Absence::Unknown)
            }
            Some(_) => None,
        })
    }
}

/// Raises the one alarm of a mass loss, and its end.
fn log_stop(stopped: Option<ProviderStop>, resumed: bool) {
    if let Some(ProviderStop { losses, customers, .. }) = stopped {
        tracing::error!(
            losses,
            customers,
            "the payment provider does not know our customers: reconciliation stops, entitlements stay as stored; \
             see docs/operation.md"
        );
    }
    if resumed {
        tracing::warn!("the payment provider knows our customers again: reconciliation goes on");
    }
}
