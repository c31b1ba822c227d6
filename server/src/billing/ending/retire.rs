//! Ends subscriptions and sessions at the provider and pays refunds: for duplicates, refunded
//! subscriptions, and deleted accounts.

use garimpo_domain::{Centavos, PaymentIntentId, Uid};

use crate::billing::ending::Endings;
use crate::billing::facts::account_credit::credit_to_end;
use crate::billing::facts::money_owed::{
    is_disputed, minutes_until_refund, payment_by_credit, unrefunded_payment, waits_for_card,
};
use crate::billing::facts::refund_request::refund_of;
use crate::billing::jobs::retirement::{CheckoutExpiry, RetireReason, Retirement};
use crate::billing::notices;
use crate::billing::plan_change::change::claim_cutoff;
use crate::billing::sync::refunds_and_disputes::turn_into_pix;
use crate::crash::{self, CrashPoint};
use crate::error::Result;
use crate::pause::{self, PausePoint};
use crate::protocol_number;
use crate::providers::stripe::{BalanceMove, present};
use crate::queue::{JobOutcome, JobResult};
use crate::store::{
    ClaimedJob, Invoice, Refund, RefundReason, Text as _, accounts, customers, invoices, plan_changes,
    refunds, subscriptions, transaction,
};

/// Days for which a refund waits for a payment that is missing at the provider. Afterwards it is
/// paid by Pix.
const MISSING_DAYS: i64 = 7;
/// Minutes until such a refund is tried again.
const MISSING_AGAIN_MINUTES: i64 = 60;

/// The result of the refunds of a retirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefundsOutcome {
    /// Each refund was made, is blocked by a dispute, or is paid by Pix.
    Settled,
    /// A payment is missing at the provider and may return.
    PaymentMissing,
}

/// Seconds until the job runs again while a plan change is claimed. The change is finished by its
/// call, or by its job within a minute.
const CREDIT_AGAIN_SECONDS: i64 = 5;

impl Endings {
    /// Closes a session of an account that has a live subscription. If it was paid meanwhile, the
    /// sync that follows finds the payment.
    pub(crate) async fn expire_checkout(self, job: ClaimedJob) -> JobResult {
        let what: CheckoutExpiry = job.read()?;
        self.stripe.expire_checkout(&what.session_id).await?;
        self.sync.refresh(&what.uid).await?;
        Ok(JobOutcome::Done)
    }

    /// Runs a retirement. Every step may run again.
    pub(crate) async fn retire(self, job: ClaimedJob) -> JobResult {
        let what: Retirement = job.read()?;
        let given_back = self.retire_at_provider(&what, job.attempt).await?;
        self.sync.refresh(&what.uid).await?;
        if given_back == RefundsOutcome::PaymentMissing {
            return Ok(JobOutcome::Again(self.context.now().plus_minutes(MISSING_AGAIN_MINUTES)));
        }
        // This sync may have found a payment, which the same job refunds.
        let refunds = refunds::by_uid(&self.context.store, &what.uid).await?;
        let invoices = invoices::by_subscription(&self.context.store, &what.subscription_id).await?;
        if let Some(minutes) = minutes_until_refund(&refunds, &invoices, &what.subscription_id) {
            return Ok(JobOutcome::Again(self.context.now().plus_minutes(minutes)));
        }
        // Credit of a returned subscription may remain, because a plan change is unfinished.
        let with_credit = subscriptions::returned_with_credit(&self.context.store, &what.uid).await?;
        if what.reason == RetireReason::Returned && with_credit.contains(&what.subscription_id) {
            return Ok(JobOutcome::Again(self.context.now().plus_seconds(CREDIT_AGAIN_SECONDS)));
        }
        Ok(JobOutcome::Done)
    }

    async fn retire_at_provider(&self, what: &Retirement, attempt: u32) -> Result<RefundsOutcome> {
        pause::point(PausePoint::Provider, &what.uid).await;
        let mut invoices = invoices::by_subscription(&self.context.store, &what.subscription_id).await?;
        // The sync that follows finds an invoice that was paid or voided meanwhile.
        self.end_subscription(&what.subscription_id, &invoices).await?;
        if what.reason == RetireReason::Duplicate {
            self.return_duplicate_credit(&invoices, attempt).await?;
            if let Some(invoice) = unrefunded_payment(invoices.iter()) {
                self.record_duplicate_refund(invoice).await?;
            }
        }
        if what.reason == RetireReason::Returned {
            // A cancelled subscription cannot be changed, so this sync reads its final invoices.
            self.sync.refresh(&what.uid).await?;
            invoices = invoices::by_subscription(&self.context.store, &what.subscription_id).await?;
            self.end_credit(what, attempt).await?;
        }
        self.make_recorded_refunds(what, &invoices, attempt).await
    }

    /// Gives back the credit that paid a duplicate, or a part of it.
    async fn return_duplicate_credit(&self, invoices: &[Invoice], attempt: u32) -> Result<()> {
        let Some(invoice) = payment_by_credit(invoices.iter()) else { return Ok(()) };
        let Some(customer) = customers::id_of(&self.context.store, &invoice.uid).await? else {
            return Ok(());
        };
        let order = BalanceMove {
            customer: &customer,
            centavos: -invoice.credit_used().get(),
            cause: &format!("returned:{}", invoice.id),
            description: "Crédito de um pagamento em duplicidade",
        };
        let key = format!("returned-{}-{attempt}", invoice.id);
        self.stripe.move_customer_balance(&order, &key).await?;
        crash::point(CrashPoint::ProviderAnswered);
        let (bought, now) =
            (subscriptions::by_id(&self.context.store, &invoice.subscription_id).await?, self.context.now());
        // If money is refunded too, that mail covers the credit.
        let bought = bought.filter(|_| invoice.money_kept() == Centavos::ZERO);
        let credit = invoice.credit_used();
        transaction!(self.context, (id = invoice.id.clone(), bought), |tx| {
            invoices::set_credit_returned(tx, id, credit).await?;
            match bought {
                Some(bought) => notices::enqueue_payment_returned(tx, bought, None, credit, now).await,
                None => Ok(()),
            }
        })
    }

    /// Ends the credit of all returned subscriptions of an account immediately, for the operator's
    /// command.
    pub(crate) async fn repair_credit(&self, uid: &Uid) -> Result<()> {
        for subscription_id in subscriptions::returned_with_credit(&self.context.store, uid).await? {
            let row = subscriptions::by_id(&self.context.store, &subscription_id).await?;
            // A running subscription can still be changed, so its job must cancel it first.
            if row.is_none_or(|row| row.ended_at.is_none()) {
                continue;
            }
            let reason = RetireReason::Returned;
            self.end_credit(&Retirement { uid: uid.clone(), subscription_id, reason }, 0).await?;
        }
        Ok(())
    }

    /// Ends the credit that plan changes created from refunded money, once. The subscription is
    /// cancelled by now, so no more such credit can be created.
    async fn end_credit(&self, what: &Retirement, attempt: u32) -> Result<()> {
        // A claimed change of a cancelled subscription fails at the provider or was applied before.
        // Its call or its job finds out. Until then its invoice may be missing here.
        let cutoff = claim_cutoff(self.context.now());
        if plan_changes::claimed(&self.context.store, &what.uid, cutoff).await?.is_some() {
            return Ok(());
        }
        self.remove_credit(what, attempt).await?;
        let now = self.context.now();
        transaction!(self.context, (id = what.subscription_id.clone()), |tx| {
            subscriptions::mark_credit_ended(tx, id, now).await
        })
    }

    async fn remove_credit(&self, what: &Retirement, attempt: u32) -> Result<()> {
        let refunds = refunds::by_uid(&self.context.store, &what.uid).await?;
        let all = invoices::by_uid(&self.context.store, &what.uid).await?;
        let made = credit_to_end(&what.subscription_id, &all, &refunds);
        let customer = customers::id_of(&self.context.store, &what.uid).await?;
        let Some(customer) = customer.filter(|_| made > Centavos::ZERO) else { return Ok(()) };
        // Our balance may be older than credit that was used since.
        let there = present(self.stripe.get_customer(&customer).await)?;
        let left = there.map_or(0, |there| -there.balance).min(made.get());
        if left <= 0 {
            return Ok(());
        }
        let order = BalanceMove {
            customer: &customer,
            centavos: left,
            cause: &format!("ended:{}", what.subscription_id),
            description: "Crédito de um pagamento que foi devolvido",
        };
        let key = format!("ended-{}-{attempt}", what.subscription_id);
        Ok(self.stripe.move_customer_balance(&order, &key).await?)
    }

    /// Makes the recorded refunds by card of a subscription.
    async fn make_recorded_refunds(
        &self,
        what: &Retirement,
        invoices: &[Invoice],
        attempt: u32,
    ) -> Result<RefundsOutcome> {
        let mut given_back = RefundsOutcome::Settled;
        let refunds = refunds::by_uid(&self.context.store, &what.uid).await?;
        for refund in refunds.iter().filter(|refund| waits_for_card(refund, &what.subscription_id)) {
            if is_disputed(invoices, refund) {
                continue;
            }
            if let Some(invoice) = invoices.iter().find(|invoice| invoice.id == refund.invoice_id) {
                if self.refund_by_card(invoice, refund.reason, attempt).await? {
                    tracing::info!(
                        user.id = %what.uid,
                        refund.reason = refund.reason.text(),
                        "a card payment was refunded"
                    );
                } else if !self.goes_by_pix(refund).await? {
                    given_back = RefundsOutcome::PaymentMissing;
                }
            }
        }
        Ok(given_back)
    }

    /// Turns a refund into a Pix if its payment has been missing at the provider for a week, and
    /// returns whether it did. From then on nothing is refunded at the provider, even if its data
    /// returns.
    async fn goes_by_pix(&self, refund: &Refund) -> Result<bool> {
        let now = self.context.now();
        if now < refund.created_at.plus_days(MISSING_DAYS) {
            return Ok(false);
        }
        let account = accounts::by_uid(&self.context.store, &refund.uid).await?;
        let email = account.map(|account| String::from(account.email));
        let failed = [refund.id.clone()].into();
        transaction!(self.context, (uid = refund.uid.clone(), email, failed), |tx| {
            turn_into_pix(tx, uid, email.as_deref(), failed, now).await
        })?;
        Ok(true)
    }

    /// Refunds a card payment and records it. Returns false if the provider does not have the
    /// payment.
    async fn refund_by_card(&self, invoice: &Invoice, reason: RefundReason, attempt: u32) -> Result<bool> {
        // The provider stores an internal error under the key for a day, so each attempt has its
        // own key. The provider never refunds a payment twice.
        let key = format!("refund-{}-{attempt}", invoice.id);
        let reason = match reason {
            RefundReason::Duplicate => "duplicate",
            _ => "requested_by_customer",
        };
        let payment = invoice.payment_intent_id.clone().unwrap_or_else(|| PaymentIntentId::new(""));
        let made = match self.stripe.create_refund(&payment, reason, &key).await {
            Err(error) if error.is_missing() || error.is_code("resource_missing") => return Ok(false),
            made => made?,
        };
        crash::point(CrashPoint::ProviderAnswered);
        let (provider_id, now) = (made.map(|made| made.id), self.context.now());
        transaction!(self.context, (id = invoice.id.clone(), provider_id), |tx| {
            refunds::mark_paid(tx, id, provider_id.as_deref(), now).await
        })?;
        Ok(true)
    }

    /// Records the refund of a payment: of a card through the provider, of a boleto by Pix, which
    /// the operator pays.
    async fn record_duplicate_refund(&self, invoice: &Invoice) -> Result<()> {
        let now = self.context.now();
        let account = accounts::by_uid(&self.context.store, &invoice.uid).await?;
        let email = account.as_ref().map(|account| account.email.as_str());
        let refund = refund_of(&self.context.ids, invoice, RefundReason::Duplicate, email, now);
        let bought = subscriptions::by_id(&self.context.store, &invoice.subscription_id).await?;
        let credit = invoice.credit_used().max(Centavos::ZERO);
        transaction!(self.context, (endings = self.clone(), refund, bought), |tx| {
            let refund = Refund {
                protocol: Some(protocol_number::choose(tx, &endings.context.ids, now).await?),
                ..refund.clone()
            };
            // Mail once: the mail's job is deleted after a month, but the refund is kept.
            if !refunds::insert(tx, &refund).await? {
                return Ok(());
            }
            if let Some(bought) = bought {
                notices::enqueue_payment_returned(tx, bought, Some(&refund), credit, now).await?;
            }
            tx.after_commit(move || {
                tracing::warn!(user.id = %refund.uid, "the refund of a duplicate payment was recorded");
            });
            Ok(())
        })
    }
}
