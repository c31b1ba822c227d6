//! Compares the whole provider with our rows by pages of 100, and enqueues the sync of each account
//! that differs.
//!
//! It finds changes that the event list does not show. A running subscription that no page lists is
//! synced individually: only such a sync records a loss, so that losses are counted and
//! reconciliation stops if there are too many.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::time::Duration;

use garimpo_domain::{Centavos, PaymentIntentId, SubscriptionId, Timestamp, Uid};
use tokio::time::Instant;

use crate::billing::facts::projection::{earliest_answer_by, state_of, status_of};
use crate::billing::jobs::reconciliation::account_job;
use crate::billing::reconciliation::Reconciler;
use crate::billing::reconciliation::{PAGE, PAGES_AT_ONCE, PAUSE_MINUTES};
use crate::error::Result;
use crate::providers::stripe::{self, Dispute, Page, Refund, StripeError};
use crate::store::{
    DisputeState, Invoice, Reconciliation, Subscription, SweepPhase, invoices, jobs, reconciliation,
    subscriptions, transaction,
};

/// Days before the last sweep whose invoices, refunds and disputes are read, because a boleto may
/// be paid that late.
const INVOICE_DAYS: i64 = 40;
/// A sweep of at most this many pages is repeated daily, a larger one weekly.
const DAILY_PAGES: i64 = 1_000;
const LARGE_EVERY_DAYS: i64 = 7;
/// Longest run, far below the queue's limit for a handler.
const MAX_RUN: Duration = Duration::from_secs(45);

/// A page of one of the provider's lists.
enum List {
    Subscriptions(Page<stripe::Subscription>),
    Invoices(Page<stripe::Invoice>),
    Refunds(Page<Refund>),
    Disputes(Page<Dispute>),
}

/// The result of reading one page.
#[derive(Debug, Default)]
struct Shown {
    /// Accounts whose rows differ.
    differing: BTreeSet<Uid>,
    /// Ids of the listed subscriptions.
    listed: Vec<SubscriptionId>,
    /// Id of the last object; `None` at the end of the list.
    last: Option<String>,
    /// Whether the next page waits, so that the enqueued syncs can first record losses.
    rests: bool,
}

impl Shown {
    /// The result for a page and the accounts that differ.
    fn of<T>(page: &Page<T>, differing: BTreeSet<Uid>, id: impl Fn(&T) -> &str) -> Self {
        let last = page.data.last().filter(|_| page.has_more).map(|fact| id(fact).to_owned());
        Self { differing, last, ..Self::default() }
    }
}

impl Reconciler {
    /// Runs some pages of a sweep. Returns when to continue.
    pub(super) async fn sweep(&self) -> Result<Timestamp> {
        let until = Instant::now() + MAX_RUN;
        if reconciliation::current(&self.context.store).await?.phase == SweepPhase::Idle {
            // The provider may have been out of reach at the start.
            self.selling_stop.check_if_empty().await?;
            self.orphans.repeat_adoptions().await?;
            let now = self.context.now();
            transaction!(self.context, |tx| reconciliation::begin_sweep(tx, now).await)?;
        }
        for _ in 0..PAGES_AT_ONCE {
            let state = reconciliation::current(&self.context.store).await?;
            if state.phase == SweepPhase::Idle {
                return Ok(next_sweep(&state));
            }
            if !self.sweep_page(&state).await? || Instant::now() >= until {
                break;
            }
        }
        let state = reconciliation::current(&self.context.store).await?;
        let is_over = state.phase == SweepPhase::Idle;
        Ok(if is_over { next_sweep(&state) } else { self.context.now().plus_minutes(PAUSE_MINUTES) })
    }

    /// Reads a page and stores its result. Returns whether the next page can be read immediately.
    async fn sweep_page(&self, state: &Reconciliation) -> Result<bool> {
        let phase = state.phase;
        let list = match self.list(phase, since(state), &state.sweep_after).await {
            Ok(list) => list,
            Err(StripeError::Refused { status: 400 | 404, .. }) if !state.sweep_after.is_empty() => {
                tracing::warn!(
                    "an object was deleted at the payment provider between two pages: the sweep starts again"
                );
                let now = self.context.now();
                transaction!(self.context, |tx| reconciliation::begin_sweep(tx, now).await)?;
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(List::Subscriptions(page)) = &list {
            self.orphans.adopt_orphans(&page.data).await?;
        }
        let shown = match &list {
            Some(list) => self.shown(list).await?,
            None => self.missing(state).await?,
        };
        let (next, after) = match &shown.last {
            Some(last) => (phase, last.clone()),
            None => (phase.next(), String::new()),
        };
        let goes_on = !shown.rests;
        let now = self.context.now();
        let is_moved = transaction!(self.context, (from = state.clone(), shown, after), |tx| {
            if !reconciliation::move_sweep(tx, from, next, after).await? {
                return Ok(false);
            }
            if !shown.listed.is_empty() {
                reconciliation::mark_listed(tx, &shown.listed).await?;
            }
            for uid in &shown.differing {
                jobs::enqueue_sweep(tx, account_job(uid, now)).await?;
            }
            Ok(true)
        })?;
        Ok(is_moved && goes_on)
    }

    /// Reads a page of a phase's list; `None` if the phase reads no list.
    async fn list(&self, phase: SweepPhase, since: i64, after: &str) -> Result<Option<List>, StripeError> {
        let stripe = &self.stripe;
        Ok(Some(match phase {
            SweepPhase::Subscriptions => List::Subscriptions(stripe.list_subscriptions_page(after).await?),
            SweepPhase::Invoices => List::Invoices(stripe.list_invoices_page(since, after).await?),
            SweepPhase::Refunds => List::Refunds(stripe.list_refunds_page(since, after).await?),
            SweepPhase::Disputes => List::Disputes(stripe.list_disputes_page(since, after).await?),
            SweepPhase::Idle | SweepPhase::Missing => return Ok(None),
        }))
    }

    /// Reads a page's result: the accounts whose rows differ from it.
    async fn shown(&self, list: &List) -> Result<Shown> {
        Ok(match list {
            List::Subscriptions(page) => Shown {
                listed: page.data.iter().map(|fact| fact.id.clone()).collect(),
                ..Shown::of(page, self.differing_subscriptions(&page.data).await?, |fact| &fact.id)
            },
            List::Invoices(page) => {
                Shown::of(page, self.differing_invoices(&page.data).await?, |fact| &fact.id)
            }
            List::Refunds(page) => {
                Shown::of(page, self.differing_refunds(&page.data).await?, |fact| &fact.id)
            }
            List::Disputes(page) => {
                Shown::of(page, self.differing_disputes(&page.data).await?, |fact| &fact.id)
            }
        })
    }

    /// Reads our subscriptions that no page listed and, at the end, the lost accounts.
    async fn missing(&self, state: &Reconciliation) -> Result<Shown> {
        let unlisted =
            reconciliation::unlisted_uids(&self.context.store, state, &state.sweep_after, PAGE).await?;
        let last = unlisted.last().filter(|_| unlisted.len() as i64 == PAGE).map(ToString::to_string);
        let mut differing: BTreeSet<_> = unlisted.into_iter().collect();
        if last.is_none() {
            differing.extend(self.list_lost_accounts().await?);
        }
        Ok(Shown { differing, last, rests: true, ..Shown::default() })
    }

    /// Accounts that differ by the provider's lists of the last weeks. Changes nothing.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if a list cannot be read, UNAVAILABLE if the database fails.
    pub async fn list_differing_accounts(&self) -> Result<BTreeSet<Uid>> {
        let since = self.context.now().plus_days(-INVOICE_DAYS).as_unix_seconds();
        let (mut differing, mut listed) = (BTreeSet::new(), BTreeSet::new());
        let lists =
            [SweepPhase::Subscriptions, SweepPhase::Invoices, SweepPhase::Refunds, SweepPhase::Disputes];
        for phase in lists {
            let mut after = String::new();
            while let Some(list) = self.list(phase, since, &after).await? {
                let shown = self.shown(&list).await?;
                listed.extend(shown.listed);
                differing.extend(shown.differing);
                let Some(last) = shown.last else { break };
                after = last;
            }
        }
        let mut after = String::new();
        loop {
            let running = reconciliation::running_subscriptions(&self.context.store, &after, PAGE).await?;
            let Some((last, _)) = running.last() else { return Ok(differing) };
            after = last.to_string();
            differing.extend(running.into_iter().filter(|(id, _)| !listed.contains(id)).map(|(_, uid)| uid));
        }
    }

    /// Accounts whose subscriptions of this page differ from our rows.
    async fn differing_subscriptions(&self, facts: &[stripe::Subscription]) -> Result<BTreeSet<Uid>> {
        let ids: Vec<_> = facts.iter().map(|fact| fact.id.clone()).collect();
        let rows = by_id(subscriptions::by_ids(&self.context.store, &ids).await?, |row| row.id.clone());
        let customers: Vec<_> = facts.iter().filter_map(|fact| fact.customer().cloned()).collect();
        let uids: BTreeMap<_, _> =
            reconciliation::uids_of_customers(&self.context.store, &customers).await?.into_iter().collect();
        let mut differing = BTreeSet::new();
        for fact in facts {
            let Some(uid) = fact.customer().and_then(|id| uids.get(id)) else { continue };
            if is_subscription_different(fact, rows.get(&fact.id), uid) {
                differing.insert(uid.clone());
            }
        }
        Ok(differing)
    }

    /// Accounts whose invoices of this page differ from our rows. An invoice without a row counts
    /// if its subscription has one.
    async fn differing_invoices(&self, facts: &[stripe::Invoice]) -> Result<BTreeSet<Uid>> {
        let ids: Vec<_> = facts.iter().map(|fact| fact.id.clone()).collect();
        let rows = by_id(invoices::by_ids(&self.context.store, &ids).await?, |row| row.id.clone());
        let (known, unknown): (Vec<_>, Vec<_>) = facts.iter().partition(|fact| rows.contains_key(&fact.id));
        let is_different = |row: &Invoice, fact: &stripe::Invoice| {
            status_of(fact) != row.status
                || fact.total != row.total_centavos.get()
                || fact.amount_due != row.amount_due_centavos.get()
        };
        let differing = known.into_iter().filter_map(|fact| {
            rows.get(&fact.id).filter(|row| is_different(row, fact)).map(|row| row.uid.clone())
        });
        let mut differing: BTreeSet<_> = differing.collect();
        let subscriptions: Vec<_> = unknown.iter().filter_map(|fact| fact.subscription().cloned()).collect();
        if !subscriptions.is_empty() {
            let rows = subscriptions::by_ids(&self.context.store, &subscriptions).await?;
            differing.extend(rows.into_iter().map(|row| row.uid));
        }
        Ok(differing)
    }

    /// Accounts with more money refunded than our rows have.
    async fn differing_refunds(&self, facts: &[Refund]) -> Result<BTreeSet<Uid>> {
        let mut back: HashMap<PaymentIntentId, i64> = HashMap::new();
        for fact in facts.iter().filter(|fact| fact.is_counted()) {
            if let Some(payment) = &fact.payment_intent {
                *back.entry(payment.clone()).or_default() += fact.amount;
            }
        }
        let payments: Vec<_> = back.keys().cloned().collect();
        let rows = self.invoices_of(&payments).await?;
        let is_less = |row: &Invoice| {
            let refunded =
                row.payment_intent_id.as_ref().and_then(|id| back.get(id)).copied().unwrap_or_default();
            row.refunded_centavos < Centavos::new(refunded).min(row.amount_due_centavos)
        };
        Ok(rows.into_iter().filter(is_less).map(|row| row.uid).collect())
    }

    /// Accounts with a dispute or inquiry whose state or deadline our rows do not have.
    async fn differing_disputes(&self, facts: &[Dispute]) -> Result<BTreeSet<Uid>> {
        let mut by_payment: HashMap<PaymentIntentId, Vec<&Dispute>> = HashMap::new();
        for fact in facts {
            if let Some(payment) = &fact.payment_intent {
                by_payment.entry(payment.clone()).or_default().push(fact);
            }
        }
        let payments: Vec<_> = by_payment.keys().cloned().collect();
        let rows = self.invoices_of(&payments).await?;
        let is_other = |row: &Invoice| {
            let facts = row.payment_intent_id.as_ref().and_then(|id| by_payment.get(id));
            facts.is_some_and(|facts| is_dispute_different(facts, row))
        };
        Ok(rows.into_iter().filter(is_other).map(|row| row.uid).collect())
    }

    async fn invoices_of(&self, payments: &[PaymentIntentId]) -> Result<Vec<Invoice>> {
        if payments.is_empty() {
            return Ok(Vec::new());
        }
        Ok(invoices::by_payments(&self.context.store, payments).await?)
    }
}

fn by_id<I: Eq + Hash, T>(rows: Vec<T>, id: impl Fn(&T) -> I) -> HashMap<I, T> {
    rows.into_iter().map(|row| (id(&row), row)).collect()
}

fn is_subscription_different(fact: &stripe::Subscription, row: Option<&Subscription>, uid: &Uid) -> bool {
    let Some(row) = row else {
        // A subscription that was never ours, or that ended before it was stored, is no difference.
        return !fact.is_over() && fact.uid().as_ref() == Some(uid);
    };
    let price = fact.item().and_then(|item| item.price.unit_amount).unwrap_or_default();
    row.provider_status != fact.status
        || row.cancel_at_period_end != fact.cancels()
        || row.price_centavos.get() != price
}

/// Whether the state or the deadline of a payment's disputes is not that of our row.
fn is_dispute_different(facts: &[&Dispute], row: &Invoice) -> bool {
    // The disputes of a payment have one combined state in our row, so the state of each is
    // accepted.
    let states: BTreeSet<DisputeState> = facts.iter().copied().filter_map(state_of).collect();
    let is_other_state = !states.is_empty() && row.dispute.is_none_or(|state| !states.contains(&state));
    is_other_state || earliest_answer_by(facts.iter().copied()) != row.dispute_answer_by
}

/// Earliest creation of the invoices to read, in Unix seconds.
fn since(state: &Reconciliation) -> i64 {
    state.sweep_before_at.unwrap_or(state.sweep_began_at).plus_days(-INVOICE_DAYS).as_unix_seconds()
}

/// When the next sweep begins.
fn next_sweep(state: &Reconciliation) -> Timestamp {
    let days = if state.sweep_pages <= DAILY_PAGES { 1 } else { LARGE_EVERY_DAYS };
    state.sweep_began_at.plus_days(days)
}
