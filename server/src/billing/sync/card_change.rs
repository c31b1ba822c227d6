//! Handles a new default card of the customer: it pays later renewals and open invoices.
//!
//! Checkout stores the card on the subscription. The provider's portal changes only the customer's
//! default card, which a subscription with its own card never uses. So this module copies the new
//! card to the subscriptions and pays their open invoices (docs/decisions.md). A plan change that
//! waits for its payer's confirmation is paid by that confirmation alone.

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{InvoiceId, SubscriptionId, Uid};
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::billing::facts::projection::Projection;
use crate::billing::notices;
use crate::billing::sync::follow_ups::FollowUps;
use crate::crash::{self, CrashPoint};
use crate::error::Result;
use crate::mail::{Mail, enqueue_mail};
use crate::providers::stripe::{self, CustomerState, SavedMethod, StripeError};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    CardPaymentOutcome, ClaimedJob, NewJob, StoreError, Subscription, Tx, accounts, cancellations,
    card_payments, customers, invoices, jobs, subscriptions, transaction,
};

/// Payload of the job. One job per account, so that two changes never run at the same time.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CardChange {
    uid: Uid,
    payment_method: String,
    /// `customers.card_changes` at this change.
    change: i64,
    /// Subscriptions that get the card.
    subscriptions: BTreeSet<SubscriptionId>,
}

/// A claimed attempt.
#[derive(Clone)]
struct PaymentAttempt {
    invoice_id: InvoiceId,
    payment_method: String,
    number: i64,
}

impl PaymentAttempt {
    fn key(&self) -> String {
        format!("pay-{}-{}-{}", self.invoice_id, self.payment_method, self.number)
    }
}

/// Stores the customer's default card and, if it is new, schedules its job. `before` are the
/// subscriptions stored before this sync.
pub(crate) async fn record_card(
    tx: &mut Tx,
    uid: &Uid,
    state: &CustomerState,
    before: &[Subscription],
    projection: &Projection,
) -> Result<(), StoreError> {
    // The customer's settings are part of the subscriptions' response, so without one they are
    // unknown.
    let Some(settings) = state.invoice_settings() else { return Ok(()) };
    let default = settings.default_method();
    let handled = customers::default_card(tx, uid).await?;
    let default_id = default.map(SavedMethod::id).unwrap_or_default();
    if handled.as_deref() == Some(default_id) {
        return Ok(());
    }
    let is_known = |row: &Subscription| handled.is_some() && before.iter().any(|known| known.id == row.id);
    let subscriptions: BTreeSet<SubscriptionId> = default
        .filter(|card| card.is_card())
        .into_iter()
        .flat_map(|card| {
            // A subscription that was stored before has a card from before the change. A checkout
            // first seen now may be later than the change; then the newer card is used.
            let is_for = move |row: &&Subscription| {
                takes_card(row) && (is_known(row) || is_newer(card, state.own_method(&row.id)))
            };
            projection.subscriptions.iter().filter(is_for).map(|row| row.id.clone())
        })
        .collect();
    if subscriptions.is_empty() {
        return customers::set_default_card(tx, uid, default_id).await;
    }
    let change = customers::change_default_card(tx, uid, default_id).await?;
    let payment_method = default_id.to_owned();
    let what = CardChange { uid: uid.clone(), payment_method, change, subscriptions };
    jobs::reschedule(tx, NewJob::new(JobKind::CardChange, uid, what, projection.now)).await
}

/// Whether a new card is stored on a subscription: it runs, or a payment would make it run again.
fn takes_card(row: &Subscription) -> bool {
    use SubscriptionStatus::{Active, PastDue, Trialing, Unpaid};
    let is_begun = matches!(row.provider_status, Trialing | Active | PastDue | Unpaid);
    row.is_running_and_kept() && is_begun
}

fn is_newer(card: &SavedMethod, own: Option<&SavedMethod>) -> bool {
    own.is_none_or(|own| own.created() < card.created())
}

impl FollowUps {
    /// Handles one change. Every step may run again.
    pub(crate) async fn run_card_change(self, job: ClaimedJob) -> JobResult {
        let what: CardChange = job.read()?;
        let customer = customers::by_uid(&self.context.store, &what.uid).await?;
        if customer.is_none_or(|customer| customer.card_changes != what.change) {
            return Ok(JobOutcome::Dropped("another card was chosen since"));
        }
        if accounts::by_uid(&self.context.store, &what.uid).await?.is_none() {
            return Ok(JobOutcome::Dropped("the account was deleted"));
        }
        for row in subscriptions::by_uid(&self.context.store, &what.uid).await? {
            if what.subscriptions.contains(&row.id) && takes_card(&row) {
                self.set_card(&what, &row).await?;
            }
        }
        self.sync.refresh(&what.uid).await?;
        Ok(JobOutcome::Done)
    }

    async fn set_card(&self, what: &CardChange, row: &Subscription) -> Result<()> {
        match self.stripe.set_subscription_card(&row.id, &what.payment_method).await {
            Err(error @ StripeError::Refused { status: 400 | 404, .. }) => {
                // The card was detached or the subscription has ended. The next sync finds out.
                tracing::warn!(user.id = %what.uid, %error, "a new card could not be stored on a subscription");
                return Ok(());
            }
            set => set?,
        }
        // `latest_invoice` can be a newer draft, so the open invoices are listed.
        let mut open = self.stripe.list_open_invoices(&row.id).await?;
        let now = self.context.now().as_unix_seconds();
        // A payment for a period that is over would give no rights.
        open.retain(|invoice| invoice.period().is_none_or(|(_, end)| now < end));
        open.sort_by_key(|invoice| invoice.created);
        for invoice in &open {
            if let Some(attempt) = self.claim_card_payment(what, &row.id, invoice).await? {
                crash::point(CrashPoint::IntentStored);
                self.make_card_payment(what, &attempt).await?;
            }
        }
        Ok(())
    }

    /// Claims an attempt, unless the subscription was cancelled or is being refunded, or the
    /// invoice is of a plan change that waits for its payer.
    async fn claim_card_payment(
        &self,
        what: &CardChange,
        subscription_id: &SubscriptionId,
        invoice: &stripe::Invoice,
    ) -> Result<Option<PaymentAttempt>> {
        let (what, now) = (what.clone(), self.context.now());
        let (subscription_id, invoice_id) = (subscription_id.clone(), invoice.id.clone());
        let is_of_change = invoice.is_of_change();
        transaction!(self.context, (what, subscription_id, invoice_id), |tx| {
            if accounts::hold(tx, &what.uid).await?.is_none() {
                return Ok(None);
            }
            let row = subscriptions::by_id(&mut *tx, subscription_id).await?;
            let is_wanted = row.is_some_and(|row| {
                let waits_for_payer = is_of_change && row.provider_status == SubscriptionStatus::Active;
                takes_card(&row) && !row.cancel_at_period_end && !waits_for_payer
            });
            if !is_wanted || cancellations::is_pending(tx, subscription_id).await? {
                return Ok(None);
            }
            let (invoice_id, payment_method) = (invoice_id.clone(), what.payment_method.clone());
            let number = card_payments::claim(tx, &invoice_id, &payment_method, what.change, now).await?;
            Ok(number.map(|number| PaymentAttempt { invoice_id, payment_method, number }))
        })
    }

    async fn make_card_payment(&self, what: &CardChange, attempt: &PaymentAttempt) -> Result<()> {
        let paid =
            self.stripe.pay_invoice(&attempt.invoice_id, &attempt.payment_method, &attempt.key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        let outcome = match paid {
            Ok(()) => CardPaymentOutcome::Paid,
            Err(error) if error.needs_authentication() => CardPaymentOutcome::Authentication,
            Err(StripeError::Refused { status: 402, .. }) => CardPaymentOutcome::Declined,
            // The invoice was paid or voided meanwhile, for instance in the portal.
            Err(error @ StripeError::Refused { status: 400 | 404, .. }) => {
                tracing::info!(user.id = %what.uid, %error, "an open invoice is not paid by the new card");
                CardPaymentOutcome::Refused
            }
            Err(error) => {
                if error.is_kept_under_its_key() {
                    transaction!(self.context, (attempt = attempt.clone()), |tx| {
                        let PaymentAttempt { invoice_id, payment_method, number } = attempt;
                        card_payments::next_attempt(tx, invoice_id, payment_method, *number).await
                    })?;
                }
                return Err(error.into());
            }
        };
        self.end_card_payment(what, attempt, outcome).await?;
        tracing::info!(user.id = %what.uid, ?outcome, "a new card was charged for an open invoice");
        Ok(())
    }

    /// Stores the result, and the mail about a decline. The next sync enqueues the mails about
    /// other results.
    async fn end_card_payment(
        &self,
        what: &CardChange,
        attempt: &PaymentAttempt,
        outcome: CardPaymentOutcome,
    ) -> Result<()> {
        let (uid, attempt, now) = (what.uid.clone(), attempt.clone(), self.context.now());
        let policy = self.policy;
        transaction!(self.context, (uid, attempt), |tx| {
            let PaymentAttempt { invoice_id, payment_method, number } = attempt;
            let is_new = card_payments::set_outcome(tx, invoice_id, payment_method, *number, outcome).await?;
            if !is_new || outcome != CardPaymentOutcome::Declined {
                return Ok(());
            }
            if accounts::by_uid(&mut *tx, uid).await?.is_none() {
                return Ok(());
            }
            let invoice = invoices::by_id(tx, invoice_id).await?;
            // A declined plan change changes nothing, so it is no failed renewal.
            let Some(invoice) = invoice.filter(|invoice| !invoice.is_of_change()) else { return Ok(()) };
            let row = subscriptions::by_id(&mut *tx, &invoice.subscription_id).await?;
            let Some(row) = row else { return Ok(()) };
            let mail = Mail::PaymentFailed(notices::unpaid_charge(&invoice, &row, now, &policy));
            let key = format!("payment_failed:{}", attempt.key());
            enqueue_mail(tx, key, mail, uid, now).await
        })
    }
}
