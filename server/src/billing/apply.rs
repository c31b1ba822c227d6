//! Reads the provider's state of one customer and stores what it means: one idempotent apply for every caller.
//!
//! Its callers are the event's job, the return page and reconciliation. A ticket is taken before the provider is read;
//! the result is written only if no higher ticket was applied. So duplicates, any order and two workers at once end in
//! the same rows (design section 7).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::funnel::Step;
use garimpo_domain::subscription::Policy;

use super::projection::{Known, Observed, Projection, project};
use super::retire::{
    RetireReason, credit_made, credit_to_give_back, is_owed_by_card, retire_job, superfluous_job,
    to_give_back, void_job,
};
use super::{Billing, LANES, carry, lapses, notices, periods, reminders};
use crate::crash::{self, CrashPoint};
use crate::error::Error;
use crate::measures::EVENTS_IGNORED;
use crate::providers::stripe::{CustomerState, StripeError, present};
use crate::store::cancellations::cancellations_settled_in_tx;
use crate::store::checkouts::{Checkout, checkout_completes_in_tx, checkout_state_in_tx};
use crate::store::customers::{
    Customer, customer_balance_in_tx, customer_by_hand_in_tx, customer_ticket_apply_in_tx,
    customer_ticket_take_in_tx,
};
use crate::store::funnel_counts::{day_text, steps_add_in_tx};
use crate::store::invoices::{Invoice, invoice_project_in_tx, invoices_by_uid_in_tx};
use crate::store::refunds::{Refund, refund_settled_in_tx, refunds_by_uid_in_tx};
use crate::store::subscriptions::{Subscription, subscriptions_by_uid_in_tx, subscriptions_project_in_tx};
use crate::store::{
    StoreError, Tx, account_lock_in_tx, account_was_deleted_in_tx, job_enqueue_in_tx, job_insist_in_tx,
};

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

    /// The same, for what happened before `seen_ticket` was the customer's last one: an apply with a later ticket has
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

    /// Everything of one reading in one transaction, the account's row locked first.
    async fn write_reading(
        &self,
        tx: &mut Tx,
        reading: &Reading,
        now: Timestamp,
    ) -> Result<Written, StoreError> {
        let account = account_lock_in_tx(tx, &reading.uid).await?;
        if !customer_ticket_apply_in_tx(tx, &reading.uid, reading.ticket).await? {
            return Ok(Written::Overtaken);
        }
        if account.is_none() && !account_was_deleted_in_tx(tx, &reading.uid).await? {
            // Nobody's: restored from a backup of before the account, and the operator's to look at.
            return Ok(Written::Projected);
        }
        let subscriptions = subscriptions_by_uid_in_tx(tx, &reading.uid).await?;
        let invoices = invoices_by_uid_in_tx(tx, &reading.uid).await?;
        let refunds = refunds_by_uid_in_tx(tx, &reading.uid).await?;
        let known = Known {
            refunds: &refunds,
            uid: &reading.uid,
            subscriptions: &subscriptions,
            invoices: &invoices,
            checkouts: &reading.checkouts,
        };
        let projection = project(&known, &reading.observed, now, &self.settings.policy)?;
        subscriptions_project_in_tx(tx, &reading.uid, &projection.subscriptions).await?;
        for invoice in &projection.invoices {
            invoice_project_in_tx(tx, invoice).await?;
        }
        periods::paid_periods_in_tx(tx, &reading.observed, &projection).await?;
        let ends = |row: &&Subscription| row.cancel_at_period_end || row.ended_at_us.is_some();
        for row in projection.subscriptions.iter().filter(ends) {
            cancellations_settled_in_tx(tx, &reading.uid, &row.id).await?;
        }
        let mut finished = 0;
        for checkout in &projection.checkouts {
            finished += i64::from(checkout_completes_in_tx(tx, checkout).await?);
            checkout_state_in_tx(tx, checkout).await?;
        }
        if let Some(balance) = projection.balance_centavos {
            customer_balance_in_tx(tx, &reading.uid, balance).await?;
        }
        if customer_by_hand_in_tx(tx, &reading.uid, &projection.made_by_hand).await?
            && !projection.made_by_hand.is_empty()
        {
            metrics::counter!(EVENTS_IGNORED, "kind" => "customer.subscription.made_by_hand").increment(1);
            let ids = &projection.made_by_hand;
            tracing::error!(
                user.id = reading.uid,
                ids,
                "a subscription made at the provider by hand gives nothing"
            );
        }
        let email = account.as_ref().map(|account| account.email.as_str());
        self.failed_refunds_in_tx(tx, &reading.uid, email, &reading.observed.taken, now).await?;
        let refunds = self.late_payments_in_tx(tx, account.as_ref(), refunds, &projection, now).await?;
        self.retirements_in_tx(tx, &projection, &refunds, now).await?;
        if let Some(account) = account {
            notices::enqueue_in_tx(tx, &account, &projection, now, &self.settings.policy).await?;
            lapses::lapses_in_tx(tx, &account, &projection, now, &self.settings.policy).await?;
            reminders::schedule_in_tx(tx, &projection, now).await?;
            carry::carries_in_tx(tx, &projection, now).await?;
            superfluous_in_tx(tx, reading, &projection, now, &self.settings.policy).await?;
            steps_in_tx(tx, finished, &projection, now).await?;
            self.rights_change_in_tx(tx, &account, &projection.subscriptions, now).await?;
        } else {
            // A deleted account has no rights and is told nothing; what is left of it is undone.
            self.write_gone_in_tx(tx, &reading.uid, &invoices, &projection, now).await?;
            close_open_in_tx(tx, reading, &projection, now).await?;
        }
        Ok(Written::Projected)
    }

    /// What a provider that failed for long has left undone is asked for again by each reading, at least daily.
    async fn retirements_in_tx(
        &self,
        tx: &mut Tx,
        projection: &Projection,
        refunds: &[Refund],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // The second of two payments goes back by a job of its own, below.
        let is_returned = |row: &&Subscription| row.returned_at_us.is_some() && !row.is_duplicate();
        for row in projection.subscriptions.iter().filter(is_returned) {
            let of_row = projection.invoices.iter().filter(|invoice| invoice.subscription_id == row.id);
            if row.ended_at_us.is_none() || is_owed_by_card(refunds, row) {
                job_insist_in_tx(tx, retire_job(row, RetireReason::Returned, now)).await?;
            } else if credit_made(of_row, refunds) > 0 {
                // Given back and ended by one stroke at the provider's dashboard: the credit is looked at once.
                job_enqueue_in_tx(tx, retire_job(row, RetireReason::Returned, now)).await?;
            }
        }
        for row in &projection.subscriptions {
            let Some(reason) = RetireReason::of(row) else { continue };
            // What ended before it could be retired has nothing to undo but money.
            if row.ended_at_us.is_none() || is_owed_in_tx(tx, row, &projection.invoices).await? {
                job_insist_in_tx(tx, retire_job(row, reason, now)).await?;
            }
        }
        // An open invoice of what is over could still be paid, and would give nothing.
        for invoice in projection.invoices.iter().filter(|invoice| invoice.can_be_paid()) {
            let of = |row: &&Subscription| row.id == invoice.subscription_id && row.ended_at_us.is_some();
            let Some(row) = projection.subscriptions.iter().find(of) else { continue };
            job_insist_in_tx(tx, void_job(row, invoice, now)).await?;
        }
        Ok(())
    }
}

/// Counts the steps that a reading saw for the first time, in the order of their rows for everybody.
async fn steps_in_tx(
    tx: &mut Tx,
    finished: i64,
    projection: &Projection,
    now: Timestamp,
) -> Result<(), StoreError> {
    let paid = projection.payments.iter().filter(|payment| payment.opens_subscription).count() as i64;
    for (step, count) in [(Step::CheckoutFinished, finished), (Step::Paid, paid)] {
        if count > 0 {
            steps_add_in_tx(tx, &day_text(now), step, count).await?;
        }
    }
    Ok(())
}

/// Whether the money or the credit of a duplicate is still to be given back. The job of it is forgotten after a month, and
/// what was given back must not be asked for again.
async fn is_owed_in_tx(tx: &mut Tx, row: &Subscription, invoices: &[Invoice]) -> Result<bool, StoreError> {
    if !row.is_duplicate() {
        return Ok(false);
    }
    let of_row = || invoices.iter().filter(|invoice| invoice.subscription_id == row.id);
    if credit_to_give_back(of_row()).is_some() {
        return Ok(true);
    }
    match to_give_back(of_row()) {
        Some(invoice) => Ok(!refund_settled_in_tx(tx, &invoice.id).await?),
        None => Ok(false),
    }
}

/// Sessions that stay open beside a subscription that bars another could only be paid to be given back: they are closed.
async fn superfluous_in_tx(
    tx: &mut Tx,
    reading: &Reading,
    projection: &Projection,
    now: Timestamp,
    policy: &Policy,
) -> Result<(), StoreError> {
    let live = projection.subscriptions.iter().find(|row| row.live).map(Subscription::state).transpose()?;
    if !live.is_some_and(|state| state.bars_another(now, policy)) {
        return Ok(());
    }
    close_open_in_tx(tx, reading, projection, now).await
}

/// Closes every session that is open still.
async fn close_open_in_tx(
    tx: &mut Tx,
    reading: &Reading,
    projection: &Projection,
    now: Timestamp,
) -> Result<(), StoreError> {
    for state in projection.checkouts.iter().filter(|state| state.status == "open") {
        let Some(session_id) =
            reading.checkouts.iter().find(|row| row.id == state.id).and_then(|row| row.session_id.as_ref())
        else {
            continue;
        };
        job_insist_in_tx(tx, superfluous_job(&reading.uid, &state.id, session_id, now)).await?;
    }
    Ok(())
}
