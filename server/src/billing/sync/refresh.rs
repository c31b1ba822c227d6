//! Syncs one customer: reads the provider's state and stores it.
//!
//! Webhook events, the return page and reconciliation all call it. A ticket is issued before the
//! provider is read, and the result is stored only if no later ticket was stored. So repeated,
//! unordered and concurrent syncs end in the same rows.

mod write;

use garimpo_domain::provider_status::{CheckoutSessionStatus, InvoiceStatus};
use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::{Centavos, CheckoutId, CustomerId, InvoiceId, PaymentIntentId, SubscriptionId, Uid};

use crate::billing::facts::projection::{ProviderState, StoredState, may_be_paid_late, paid_purchase};
use crate::billing::sync::AccountSync;
use crate::crash::{self, CrashPoint};
use crate::error::Result;
use crate::providers::stripe::{self, CheckoutSession, CustomerState, PaymentIntent, StripeError, present};
use crate::store::{
    Absence, Checkout, Customer, Invoice, Milestone, Subscription, customers, events, paid_periods,
    transaction,
};

/// Maximum reads of one sync. It may give up, because each superseding read began later and its
/// result is newer.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// Days after which a payment of an ended subscription cannot be disputed any longer.
const DISPUTE_DAYS: i64 = 180;

/// One read of the provider, before it is stored.
struct ProviderSnapshot {
    uid: Uid,
    customer_id: CustomerId,
    ticket: i64,
    observed: ProviderState,
    checkouts: Vec<Checkout>,
}

/// Result of storing a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteOutcome {
    Stored,
    /// A higher ticket was applied, so the stored rows are newer than this read.
    Superseded,
}

impl AccountSync {
    /// Syncs an account: its rows show the provider's state at the time of the call, or a later
    /// one.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub async fn refresh(&self, uid: &Uid) -> Result<()> {
        self.refresh_unless(uid, None).await
    }

    /// Like `refresh`, unless a sync that ends first stores the milestone.
    pub(crate) async fn refresh_unless(&self, uid: &Uid, milestone: Option<&Milestone>) -> Result<()> {
        let Some(customer) = customers::by_uid(&self.context.store, uid).await? else { return Ok(()) };
        self.refresh_after_ticket(uid, customer.ticket_issued, milestone).await
    }

    /// Syncs before a request; keeps our rows if the provider does not answer.
    pub(crate) async fn refresh_if_available(&self, uid: &Uid) -> Result<()> {
        match self.refresh(uid).await {
            Err(error) if error.is_provider_down() => Ok(()),
            read => read,
        }
    }

    /// Like `refresh`, for a change that was reported when `seen_ticket` was the customer's last
    /// ticket. A sync with a later ticket has read it. So has any sync whose rows have reached the
    /// milestone, if the change is one. Thus the events of a purchase cost one read.
    pub(crate) async fn refresh_after_ticket(
        &self,
        uid: &Uid,
        seen_ticket: i64,
        milestone: Option<&Milestone>,
    ) -> Result<()> {
        let _turn = self.locks.acquire(uid).await;
        for _ in 0..MAX_ATTEMPTS {
            let Some(customer) = customers::by_uid(&self.context.store, uid).await? else { return Ok(()) };
            let is_read = customer.ticket_applied > seen_ticket
                || match milestone {
                    Some(milestone) => events::is_reached(&self.context.store, milestone).await?,
                    None => false,
                };
            if is_read {
                return Ok(());
            }
            if self.try_sync(&customer).await? == WriteOutcome::Stored {
                return Ok(());
            }
        }
        // Each superseding sync began its read after this call, so its result is current.
        Ok(())
    }

    async fn try_sync(&self, customer: &Customer) -> Result<WriteOutcome> {
        let known = StoredState::read(&self.context.store, &customer.uid).await?;
        // Payments of a deleted customer are read even if the account has no other customer yet.
        if customer.customer_id.is_none() && known.invoices.is_empty() {
            return Ok(WriteOutcome::Stored);
        }
        let uid = customer.uid.clone();
        let ticket = transaction!(self.context, (uid), |tx| customers::issue_ticket(tx, uid).await)?;
        let observed = self.read_provider(&known, customer.customer_id.as_ref()).await?;
        let StoredState { uid, checkouts, .. } = known;
        let customer_id = customer.customer_id.clone().unwrap_or_else(|| CustomerId::new(""));
        let reading = ProviderSnapshot { uid, customer_id, ticket, observed, checkouts };
        let now = self.context.now();
        let written = transaction!(self.context, (sync = self.clone(), reading), |tx| {
            sync.write(tx, reading, now).await
        })?;
        if written == WriteOutcome::Stored {
            crash::point(CrashPoint::ProjectionCommitted);
        }
        Ok(written)
    }

    /// Reads subscriptions and invoices. The provider may list them in two calls, and a plan change
    /// may happen between them. Its invoice would then be read with the old plan and mailed as an
    /// ordinary payment. So if a new change's invoice is found, both are read again, until the
    /// invoice existed before the subscriptions were read.
    async fn consistent_state(
        &self,
        known: &StoredState,
        customer_id: Option<&CustomerId>,
    ) -> Result<(CustomerState, Option<Absence>)> {
        let Some(customer_id) = customer_id else { return Ok((CustomerState::default(), None)) };
        let new_changes = |state: &CustomerState| -> BTreeSet<InvoiceId> {
            let is_new = |fact: &&stripe::Invoice| {
                let is_newly_paid = fact.is(InvoiceStatus::Paid) && !known.was_paid(&fact.id);
                fact.is_of_change() && (known.invoice(&fact.id).is_none() || is_newly_paid)
            };
            state.invoices.iter().filter(is_new).map(|fact| fact.id.clone()).collect()
        };
        let mut seen = BTreeSet::new();
        let mut read = self.read_customer(known, customer_id).await?;
        for _ in 1..MAX_ATTEMPTS {
            let found = new_changes(&read.0);
            if found.is_subset(&seen) {
                break;
            }
            seen = found;
            read = self.read_customer(known, customer_id).await?;
        }
        Ok(read)
    }

    /// Reads all input of the projection.
    pub(crate) async fn read_provider(
        &self,
        known: &StoredState,
        customer_id: Option<&CustomerId>,
    ) -> Result<ProviderState> {
        let (mut state, mut absence) = self.consistent_state(known, customer_id).await?;
        let mut sessions = self.sessions_of(&known.checkouts, &state).await?;
        // The provider still calls the sessions of a deleted customer open, but nobody can pay one.
        let is_open = |session: &Option<CheckoutSession>| {
            session.as_ref().is_some_and(|session| session.status == CheckoutSessionStatus::Open)
        };
        if let Some(id) = customer_id
            && sessions.values().any(is_open)
            && self.absence_of(&known.uid, id).await? == Some(Absence::Deleted)
        {
            sessions.values_mut().filter(|session| is_open(session)).for_each(|session| *session = None);
        }
        let is_listed = |id: &SubscriptionId| state.subscriptions.iter().any(|fact| fact.id == *id);
        let purchases = || sessions.values().flatten().filter_map(|session| session.subscription.as_ref());
        if absence.is_none() && !purchases().all(is_listed) {
            // A session was completed after the lists were read, so they lack its purchase.
            (state, absence) = self.consistent_state(known, customer_id).await?;
        }
        if absence == Some(Absence::Unknown) {
            return Ok(ProviderState { state, sessions, absence, ..ProviderState::default() });
        }
        let payments = self.payments_of(known, &state).await?;
        let unlisted = self.unlisted_payments(known, &state);
        let reversals = self.read_reversals(&state, &unlisted, &known.refunds).await?;
        let paid_until = if unlisted.is_empty() {
            BTreeMap::new()
        } else {
            paid_periods::until_by_invoice(&self.context.store, &known.uid).await?
        };
        tracing::debug!(
            user.id = %known.uid,
            subscriptions = state.subscriptions.len(),
            "the provider's state was read"
        );
        Ok(ProviderState { state, payments, sessions, reversals, absence, paid_until })
    }

    /// Reads the sessions of checkouts, by the checkout's id. A purchase that was paid shows that
    /// its session is complete, so that session is not read.
    async fn sessions_of(
        &self,
        checkouts: &[Checkout],
        state: &CustomerState,
    ) -> Result<BTreeMap<CheckoutId, Option<CheckoutSession>>> {
        let mut sessions = BTreeMap::new();
        for checkout in checkouts.iter().filter(|checkout| paid_purchase(state, &checkout.id).is_none()) {
            let Some(session_id) = &checkout.session_id else { continue };
            // A session that is missing at the provider can no longer be paid.
            let session = present(self.stripe.get_checkout(session_id).await)?;
            sessions.insert(checkout.id.clone(), session);
        }
        Ok(sessions)
    }

    /// The payments that the projection needs, by id: of invoices that are open or whose method is
    /// unknown.
    async fn payments_of(
        &self,
        known: &StoredState,
        state: &CustomerState,
    ) -> Result<BTreeMap<PaymentIntentId, PaymentIntent>> {
        let mut payments = BTreeMap::new();
        for invoice in &state.invoices {
            let stored = known.invoice(&invoice.id);
            let is_needed = match invoice.status {
                // The payment method can change while an invoice is open.
                Some(InvoiceStatus::Open | InvoiceStatus::Uncollectible) => true,
                Some(InvoiceStatus::Paid) => {
                    invoice.total != 0
                        && !stored.is_some_and(|row| row.is_paid() && row.payment_method.is_some())
                }
                Some(InvoiceStatus::Void) => {
                    stored.is_some_and(|row| may_be_paid_late(row, &known.refunds, self.context.now()))
                }
                _ => false,
            };
            let Some(id) = invoice.payment_intent().filter(|_| is_needed) else { continue };
            let payment = match state.payments.iter().find(|payment| payment.id == *id) {
                Some(listed) => listed.clone(),
                None => self.stripe.get_payment_intent(id).await?,
            };
            payments.insert(id.clone(), payment);
        }
        Ok(payments)
    }

    /// Our paid invoices that the provider does not list, because the customer was deleted. Their
    /// payments can still be read, and a refund or dispute of them ends access.
    fn unlisted_payments<'a>(&self, known: &'a StoredState, state: &CustomerState) -> Vec<&'a Invoice> {
        let is_listed = |row: &Invoice| state.invoices.iter().any(|fact| fact.id == row.id);
        let is_money = |row: &Invoice| {
            row.is_paid() && row.amount_due_centavos > Centavos::ZERO && row.payment_intent_id.is_some()
        };
        let since = self.context.now().plus_days(-DISPUTE_DAYS);
        let can_change = |row: &Invoice| {
            let bought = known.subscription(&row.subscription_id);
            row.paid_at.is_some_and(|at| at >= since) || bought.is_some_and(Subscription::is_running_and_kept)
        };
        known.invoices.iter().filter(|row| is_money(row) && !is_listed(row) && can_change(row)).collect()
    }

    /// Reads a customer's subscriptions and invoices. If a stored running subscription is missing
    /// or has just ended, the customer is read, too: it may be unknown to the provider or deleted.
    async fn read_customer(
        &self,
        known: &StoredState,
        customer_id: &CustomerId,
    ) -> Result<(CustomerState, Option<Absence>)> {
        let invoice_ids: Vec<_> = known.invoices.iter().map(|row| &row.id).collect();
        let state = match self.stripe.read_customer_state(customer_id, &invoice_ids).await {
            Ok(state) => state,
            // How the provider refuses to list the objects of a deleted customer is not documented.
            Err(error @ StripeError::Refused { status: 400 | 404, .. }) => {
                let absence = self.absence_of(&known.uid, customer_id).await?;
                return absence.map(|absence| (CustomerState::default(), Some(absence))).ok_or(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let runs_there =
            |row: &Subscription| state.subscriptions.iter().any(|fact| fact.id == row.id && !fact.is_over());
        if known.subscriptions.iter().all(|row| !row.is_running_and_kept() || runs_there(row)) {
            return Ok((state, None));
        }
        Ok(match self.absence_of(&known.uid, customer_id).await? {
            None => (state, None),
            absence => (CustomerState::default(), absence),
        })
    }

    /// Why the provider does not have the customer; `None` if it does.
    async fn absence_of(&self, uid: &Uid, customer_id: &CustomerId) -> Result<Option<Absence>, StripeError> {
        Ok(match present(self.stripe.get_customer(customer_id).await)? {
            None => Some(Absence::Unknown),
            Some(fact) if fact.deleted => Some(Absence::Deleted),
            // The id belongs to another account, so the provider's data is not that of our
            // customers.
            Some(fact) if fact.uid().is_some_and(|theirs| theirs != *uid) => Some(Absence::Unknown),
            Some(_) => None,
        })
    }
}
