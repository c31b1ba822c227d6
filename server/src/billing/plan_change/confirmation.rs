//! A plan change whose payment the bank wants the payer to confirm (3-D Secure).
//!
//! The provider keeps it as a pending update: the subscription stays as it is until the invoice is
//! paid. It is discarded with its invoice, which we void or which the provider voids when its time
//! is over. So the payer's confirmation alone applies it, at the previewed amount.

use garimpo_domain::{InvoiceId, Timestamp, Uid};
use garimpo_proto::billing::v1 as pb;

use crate::billing::account::payment_authentication::confirmation;
use crate::billing::guards::refusals::change_in_progress;
use crate::billing::plan_change::PlanChanges;
use crate::billing::plan_change::change::{ASK_AGAIN_SECONDS, confirmation_end, is_applied};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::pause::{self, PausePoint};
use crate::providers::stripe::present;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    Account, NewJob, PlanChange, PlanChangeState, accounts, jobs, plan_changes, subscriptions, transaction,
};

impl PlanChanges {
    /// Serves CancelPlanChange for the caller's own account.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, CHANGE_IN_PROGRESS, PROVIDER_UNAVAILABLE.
    pub(crate) async fn cancel(&self, account: &Account) -> Result<pb::Subscription> {
        if !self.end_waiting_change(&account.uid).await? {
            return Err(change_in_progress("the bank processes the payment of a plan change"));
        }
        self.account.require_subscription(account).await
    }

    /// Ends the change of an account that waits for the bank: voids its invoice, which discards it.
    /// If it was paid before, it is stored as applied. Returns false if the bank processes the
    /// payment, so that the change still waits.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE.
    pub(crate) async fn end_waiting_change(&self, uid: &Uid) -> Result<bool> {
        let Some(change) = plan_changes::confirming(&self.context.store, uid).await? else { return Ok(true) };
        let Some(account) = accounts::by_uid(&self.context.store, uid).await? else { return Ok(true) };
        pause::point(PausePoint::Provider, uid).await;
        if let Some(invoice_id) = &change.invoice_id {
            self.stripe.void_invoice(invoice_id).await?;
            crash::point(CrashPoint::ProviderAnswered);
        }
        match self.resume(&account, &change).await {
            Ok(answer) if answer.confirmation.is_some() => return Ok(false),
            Ok(_) => {}
            Err(error) => match error.reason() {
                ErrorReason::PreviewExpired | ErrorReason::PaymentDeclined => {}
                _ => return Err(error),
            },
        }
        self.sync.refresh(uid).await?;
        Ok(true)
    }

    /// Whether a payment of the change's subscription is disputed.
    pub(super) async fn is_disputed(&self, change: &PlanChange) -> Result<bool> {
        let row = subscriptions::by_id(&self.context.store, &change.subscription_id).await?;
        Ok(row.is_some_and(|row| row.disputed_at.is_some()))
    }

    /// Ends a change whose subscription was disputed while it waited: a preview of a disputed
    /// subscription is refused, so its payment is not accepted either.
    pub(super) async fn discard_disputed(&self, change: &PlanChange) -> JobResult {
        match self.end_waiting_change(&change.uid).await {
            Ok(true) => Ok(JobOutcome::Done),
            Err(error) if !error.is_provider_down() => Err(error.into()),
            // Rescheduled instead of parked, because a parked job would not continue after the
            // outage.
            Ok(false) | Err(_) => Ok(JobOutcome::Again(self.context.now().plus_seconds(ASK_AGAIN_SECONDS))),
        }
    }

    /// The reply for a change whose invoice is open at the provider. A payment that the bank
    /// declined discards the change.
    pub(super) async fn wait_for_confirmation(
        &self,
        account: &Account,
        change: &PlanChange,
        invoice_id: &InvoiceId,
        until: Timestamp,
    ) -> Result<pb::ChangePlanResponse> {
        let Some((there, payment)) = self.account.open_payment(invoice_id).await? else {
            return self.settle_closed_invoice(account, change).await;
        };
        if !payment.needs_authentication() && !payment.may_still_pay() {
            self.stripe.void_invoice(invoice_id).await?;
            crash::point(CrashPoint::ProviderAnswered);
            let code = payment.decline_code().unwrap_or_default();
            self.mark_declined(change, code).await?;
            return Err(Error::payment_declined(code));
        }
        if change.state != PlanChangeState::Confirming {
            self.mark_confirming(change, invoice_id, until).await?;
            self.sync.refresh(&change.uid).await?;
        }
        let waiting = PlanChange { confirm_until: Some(until), ..change.clone() };
        let standing = self.account.get_subscription(account).await?;
        Ok(pb::ChangePlanResponse {
            subscription: standing.subscription,
            charged_centavos: 0,
            credit_centavos: standing.credit_centavos,
            confirmation: Some(pb::PlanChangeConfirmation {
                client_secret: there.client_secret().unwrap_or_default().to_owned(),
                ..confirmation(&waiting, invoice_id)
            }),
        })
    }

    async fn mark_confirming(
        &self,
        change: &PlanChange,
        invoice_id: &InvoiceId,
        until: Timestamp,
    ) -> Result<()> {
        let (id, uid, invoice_id) = (change.id.clone(), change.uid.clone(), invoice_id.clone());
        let due_at = confirmation_end(until, self.context.now());
        transaction!(self.context, (id, uid, invoice_id), |tx| {
            plan_changes::mark_confirming(tx, id, invoice_id, until).await?;
            let job = NewJob::of_account(JobKind::PlanChange, id, uid, due_at);
            jobs::reschedule(tx, job).await
        })
    }

    /// The result of a change whose invoice was paid or voided after its subscription was read.
    async fn settle_closed_invoice(
        &self,
        account: &Account,
        change: &PlanChange,
    ) -> Result<pb::ChangePlanResponse> {
        match present(self.stripe.get_subscription(&change.subscription_id).await)? {
            Some(fact) if is_applied(change, &fact) => self.finish(account, change, &fact).await,
            _ => self.expire(change).await,
        }
    }
}
