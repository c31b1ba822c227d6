//! CancelSubscription and ResumeSubscription: cancellation at the end of the paid period.
//!
//! A cancellation is stored before the provider is called. If the provider does not reply,
//! reconciliation calls it again. A cancellation is settled by the end of the subscription or by
//! ResumeSubscription.

use std::time::Duration;

use garimpo_domain::{Policy, SubscriptionId, Timestamp, Uid};
use garimpo_proto::billing::v1 as pb;

use crate::billing::ending::Endings;
use crate::billing::facts::current_subscription::running;
use crate::billing::guards::refusals::{no_subscription, request_id};
use crate::caller::not_yours;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::pause::{self, PausePoint};
use crate::providers::stripe::StripeError;
use crate::store::{
    Account, Cancellation, Invoice, NonEmpty, Subscription, Tx, accounts, cancellations, card_payments,
    invoices, provider_losses, subscriptions, transaction,
};

/// When a caller may retry a cancellation that is stored but blocked.
const COME_AGAIN: Duration = Duration::from_secs(2);
/// Longest reason in characters; the provider keeps 500 as well.
const MAX_REASON_CHARS: usize = 500;

impl Endings {
    /// Cancels the subscription of the caller's account. A repeated call changes nothing, so a
    /// caller without a reply may call again.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, INVALID_ARGUMENT, PROVIDER_UNAVAILABLE.
    pub(crate) async fn cancel(
        &self,
        account: &Account,
        request: pb::CancelSubscriptionRequest,
    ) -> Result<pb::Subscription> {
        let reason = read_reason(request.reason)?;
        let request_id = request_id(request.request_id.as_deref())?.map(str::to_owned);
        let (id, uid, now) = (self.context.ids.id("can_"), account.uid.clone(), self.context.now());
        let policy = self.policy;
        pause::point(PausePoint::Decide, &uid).await;
        let new = Cancellation {
            id,
            uid,
            subscription_id: SubscriptionId::new(""),
            request_id,
            reason,
            told: false,
            created_at: now,
        };
        let pending = transaction!(self.context.store, (new), |tx| {
            store_pending_cancellation(tx, new.clone(), now, &policy).await
        })?;
        crash::point(CrashPoint::IntentStored);
        if let Some((row, cancellation)) = pending {
            self.send(&row, &cancellation).await?;
        }
        self.account.require_subscription(account).await
    }

    async fn send(&self, row: &Subscription, cancellation: &Cancellation) -> Result<()> {
        // Its payment would change the plan of a cancelled subscription.
        if !self.plan_changes.end_waiting_change(&row.uid).await? {
            let why = "the payment of a plan change is under way";
            return Err(Error::refused(ErrorReason::ProviderUnavailable, why).retry_after(COME_AGAIN));
        }
        let invoices = invoices::by_subscription(&self.context.store, &row.id).await?;
        pause::point(PausePoint::Provider, &row.uid).await;
        let answer = if is_paid_time_over(row, self.context.now()) {
            if card_payments::has_unread_result(&self.context.store, &row.uid).await? {
                // The payment may have paid the period that this would end, so the cancellation
                // waits for its result.
                let why = "a payment of the subscription is under way";
                return Err(Error::refused(ErrorReason::ProviderUnavailable, why).retry_after(COME_AGAIN));
            }
            // The paid period is over, and open invoices could still be charged.
            self.end_subscription(&row.id, &invoices).await
        } else {
            self.stripe.cancel_subscription_later(&row.id, cancellation.reason.as_deref()).await
        };
        crash::point(CrashPoint::ProviderAnswered);
        self.settle_change(&row.uid, answer).await?;
        tracing::info!(user.id = %row.uid, "a subscription was cancelled by its owner");
        Ok(())
    }

    /// Repeats a cancellation without a reply of the provider. The owner gets a mail, because the
    /// call had failed.
    pub(crate) async fn carry_out_pending_cancellation(&self, uid: &Uid) -> Result<()> {
        // The cancellation waits until the provider has its data again.
        if provider_losses::is_curable(&self.context.store, uid).await? {
            return Ok(());
        }
        let known = cancellations::by_uid(&self.context.store, uid).await?;
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let Some(row) = running(&rows, self.context.now(), &self.policy) else {
            return Ok(());
        };
        let last = known.into_iter().rfind(|known| known.subscription_id == row.id);
        let Some(cancellation) = last.filter(|known| !known.told) else { return Ok(()) };
        match self.send(row, &cancellation).await {
            // The subscription has ended meanwhile, which settled the cancellation.
            Err(error) if error.reason() == ErrorReason::NoSubscription => Ok(()),
            sent => sent,
        }
    }

    /// Voids the invoices of a subscription that can still be paid, and ends it.
    pub(super) async fn end_subscription(
        &self,
        id: &SubscriptionId,
        invoices: &[Invoice],
    ) -> Result<(), StripeError> {
        for invoice in invoices.iter().filter(|invoice| invoice.can_be_paid()) {
            self.stripe.void_invoice(&invoice.id).await?;
        }
        self.stripe.cancel_subscription(id).await
    }

    /// Resumes the subscription of the caller's account.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, PROVIDER_UNAVAILABLE.
    pub(crate) async fn resume(&self, account: &Account) -> Result<pb::Subscription> {
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let row = running(&rows, self.context.now(), &self.policy).ok_or_else(no_subscription)?;
        let (uid, id) = (account.uid.clone(), row.id.clone());
        pause::point(PausePoint::Decide, &uid).await;
        // Settled first, because a pending cancellation must not end the resumed subscription.
        transaction!(self.context, (uid, id), |tx| cancellations::settle(tx, uid, id).await)?;
        pause::point(PausePoint::Provider, &account.uid).await;
        let answer = self.stripe.resume_subscription(&row.id).await;
        self.settle_change(&account.uid, answer).await?;
        tracing::info!(user.id = %account.uid, "a subscription was resumed by its owner");
        self.account.require_subscription(account).await
    }

    /// Syncs after a change at the provider. A subscription that cannot be changed there has ended
    /// meanwhile, or the provider has lost it.
    async fn settle_change(&self, uid: &Uid, answer: Result<(), StripeError>) -> Result<()> {
        match answer {
            Ok(()) => self.sync.refresh(uid).await,
            Err(StripeError::Refused { status: 400 | 404, .. }) => {
                Err(self.repairs.unchangeable_error(uid).await?)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Stores a cancellation, or finds the one of the same request; `None` if the provider has replied
/// to that one.
async fn store_pending_cancellation(
    tx: &mut Tx,
    new: Cancellation,
    now: Timestamp,
    policy: &Policy,
) -> Result<Option<(Subscription, Cancellation)>> {
    accounts::lock(tx, &new.uid).await?.ok_or_else(not_yours)?;
    let known = match &new.request_id {
        Some(request_id) => cancellations::by_request(tx, &new.uid, request_id).await?,
        None => None,
    };
    if known.as_ref().is_some_and(|known| known.told) {
        return Ok(None);
    }
    let rows = subscriptions::by_uid(&mut *tx, &new.uid).await?;
    let subscription = running(&rows, now, policy).ok_or_else(no_subscription)?.clone();
    let cancellation = match known {
        Some(known) if known.subscription_id == subscription.id => known,
        // The request belongs to an earlier subscription.
        Some(_) => return Ok(None),
        None => {
            let new = Cancellation { subscription_id: subscription.id.clone(), ..new };
            cancellations::insert(tx, &new).await?;
            new
        }
    };
    Ok(Some((subscription, cancellation)))
}

/// Whether the paid period is over, so that only an unpaid renewal keeps the subscription.
fn is_paid_time_over(row: &Subscription, now: Timestamp) -> bool {
    row.paid_until.or(row.first_charge_at).is_some_and(|end| end <= now)
}

fn read_reason(reason: Option<String>) -> Result<Option<NonEmpty>> {
    let reason = reason.unwrap_or_default().trim().to_owned();
    if reason.chars().count() > MAX_REASON_CHARS || reason.contains('\0') {
        let refused = Error::refused(ErrorReason::InvalidArgument, "reason: at most 500 characters");
        return Err(refused.with_field("reason", "at most 500 characters"));
    }
    Ok(NonEmpty::new(reason))
}
