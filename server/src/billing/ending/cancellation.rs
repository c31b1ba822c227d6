//! CancelSubscription and ResumeSubscription: the end at the paid period's end, wished for and taken back.
//!
//! A wish is stored before the provider is told. One that the provider did not answer is carried out by reconciliation;
//! it is settled by whatever ends the subscription, seen at the provider, and by taking the cancellation back.

use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::subscription::Policy;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;

use crate::billing::current_subscription::running;
use crate::billing::ending::Endings;
use crate::billing::refusals::{no_subscription, request_id};
use crate::caller::not_yours;
use crate::crash::{self, CrashPoint};
use crate::error::Error;
use crate::pause::{self, PausePoint};
use crate::providers::stripe::StripeError;
use crate::store::cancellations::{
    Cancellation, cancellation_by_request_in_tx, cancellation_insert_in_tx, cancellations_settled_in_tx,
};
use crate::store::invoices::Invoice;
use crate::store::subscriptions::{Subscription, subscriptions_by_uid_in_tx};
use crate::store::{Account, Tx, account_lock_in_tx};

/// When a kept cancellation may be asked for again.
const COME_AGAIN: Duration = Duration::from_secs(2);
/// Longest reason in characters; the provider keeps 500 as well.
const LONGEST_REASON: usize = 500;

/// A wish with the subscription that it ends.
struct Wish {
    cancellation: Cancellation,
    subscription: Subscription,
}

impl Endings {
    /// Answers CancelSubscription for the caller's own account. Telling the provider twice changes nothing: who was not
    /// answered may ask again.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, INVALID_ARGUMENT, PROVIDER_UNAVAILABLE.
    pub(crate) async fn subscription_cancel(
        &self,
        account: &Account,
        request: pb::CancelSubscriptionRequest,
    ) -> Result<pb::Subscription, Error> {
        let reason = read_reason(request.reason)?;
        let request_id = request_id(request.request_id.as_deref())?.map(str::to_owned);
        let (id, uid, now) = (self.context.ids.id("can_"), account.uid.clone(), self.context.now());
        let policy = self.context.settings.policy;
        pause::point(PausePoint::Decide, &uid).await;
        let wish = self
            .context
            .store
            .write::<_, Error, _>(move |tx| {
                let new = Cancellation {
                    id: id.clone(),
                    uid: uid.clone(),
                    subscription_id: String::new(),
                    request_id: request_id.clone(),
                    reason: reason.clone(),
                    told: false,
                    created_at_us: now.as_micros(),
                };
                Box::pin(async move { wish_in_tx(tx, new, now, &policy).await })
            })
            .await?;
        crash::point(CrashPoint::IntentStored);
        if let Some(wish) = wish {
            self.tell(&wish).await?;
        }
        self.account.subscription_known(account).await
    }

    async fn tell(&self, wish: &Wish) -> Result<(), Error> {
        let row = &wish.subscription;
        let invoices = self.context.store.invoices_by_subscription(&row.id).await?;
        pause::point(PausePoint::Provider, &row.uid).await;
        let answer = if is_paid_time_over(row, self.context.now()) {
            if self.context.store.card_payment_waits(&row.uid).await? {
                // It may have paid the period that this would end: the cancellation is kept until that is known.
                let why = "a payment of the subscription is under way";
                return Err(Error::refused(ErrorReason::ProviderUnavailable, why).retry_after(COME_AGAIN));
            }
            // Nothing is left to be used, and what is open could still be charged.
            self.subscription_end(row, &invoices).await
        } else {
            self.context.stripe.subscription_cancel_later(&row.id, &wish.cancellation.reason).await
        };
        crash::point(CrashPoint::ProviderAnswered);
        self.settle_change(&row.uid, answer).await?;
        tracing::info!(user.id = row.uid, "a subscription was cancelled by its owner");
        Ok(())
    }

    /// Carries out the wish that the provider did not answer; whoever waited for that answer is told by mail.
    pub(crate) async fn wish_carry_out(&self, uid: &str) -> Result<(), Error> {
        // It waits until the provider has its data again.
        if self.context.store.is_provider_loss_curable(uid).await? {
            return Ok(());
        }
        let wishes = self.context.store.cancellations_by_uid(uid).await?;
        let rows = self.context.store.subscriptions_by_uid(uid).await?;
        let Some(row) = running(&rows, self.context.now(), &self.context.settings.policy)? else {
            return Ok(());
        };
        let last = wishes.into_iter().rfind(|wish| wish.subscription_id == row.id);
        let Some(cancellation) = last.filter(|wish| !wish.told) else { return Ok(()) };
        match self.tell(&Wish { cancellation, subscription: row.clone() }).await {
            // It has ended meanwhile, and that settled the wish.
            Err(error) if error.reason() == ErrorReason::NoSubscription => Ok(()),
            told => told,
        }
    }

    async fn subscription_end(&self, row: &Subscription, invoices: &[Invoice]) -> Result<(), StripeError> {
        for invoice in invoices.iter().filter(|invoice| invoice.can_be_paid()) {
            self.context.stripe.invoice_void(&invoice.id).await?;
        }
        self.context.stripe.subscription_cancel(&row.id).await
    }

    /// Answers ResumeSubscription for the caller's own account.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, PROVIDER_UNAVAILABLE.
    pub(crate) async fn subscription_resume(&self, account: &Account) -> Result<pb::Subscription, Error> {
        let rows = self.context.store.subscriptions_by_uid(&account.uid).await?;
        let row =
            running(&rows, self.context.now(), &self.context.settings.policy)?.ok_or_else(no_subscription)?;
        let (uid, id) = (account.uid.clone(), row.id.clone());
        pause::point(PausePoint::Decide, &uid).await;
        // First: a wish that still waits for the provider's answer must not end what is taken up again.
        self.context
            .in_tx(move |tx| {
                let (uid, id) = (uid.clone(), id.clone());
                Box::pin(async move { cancellations_settled_in_tx(tx, &uid, &id).await })
            })
            .await?;
        pause::point(PausePoint::Provider, &account.uid).await;
        let answer = self.context.stripe.subscription_resume(&row.id).await;
        self.settle_change(&account.uid, answer).await?;
        tracing::info!(user.id = account.uid, "a cancellation was taken back");
        self.account.subscription_known(account).await
    }

    /// Reads what a change at the provider came to. What refuses to be changed there has ended
    /// meanwhile, or the provider has lost it.
    async fn settle_change(&self, uid: &str, answer: Result<(), StripeError>) -> Result<(), Error> {
        match answer {
            Ok(()) => self.sync.refresh(uid).await,
            Err(StripeError::Refused { status: 400 | 404, .. }) => {
                Err(self.repairs.why_not_there(uid).await?)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Stores a wish, or finds the one of the same request; `None` when the provider was told of that one.
async fn wish_in_tx(
    tx: &mut Tx,
    new: Cancellation,
    now: Timestamp,
    policy: &Policy,
) -> Result<Option<Wish>, Error> {
    account_lock_in_tx(tx, &new.uid).await?.ok_or_else(not_yours)?;
    let known = match &new.request_id {
        Some(request_id) => cancellation_by_request_in_tx(tx, &new.uid, request_id).await?,
        None => None,
    };
    if known.as_ref().is_some_and(|known| known.told) {
        return Ok(None);
    }
    let rows = subscriptions_by_uid_in_tx(tx, &new.uid).await?;
    let subscription = running(&rows, now, policy)?.ok_or_else(no_subscription)?.clone();
    let cancellation = match known {
        Some(known) if known.subscription_id == subscription.id => known,
        // Of a subscription that is no more: the wish of now has nothing to do with it.
        Some(_) => return Ok(None),
        None => {
            let new = Cancellation { subscription_id: subscription.id.clone(), ..new };
            cancellation_insert_in_tx(tx, &new).await?;
            new
        }
    };
    Ok(Some(Wish { cancellation, subscription }))
}

/// Whether what was paid is used up: only a renewal that is not paid keeps the subscription.
fn is_paid_time_over(row: &Subscription, now: Timestamp) -> bool {
    row.paid_until_us.or(row.first_charge_at_us).is_some_and(|end| end <= now.as_micros())
}

fn read_reason(reason: Option<String>) -> Result<String, Error> {
    let reason = reason.unwrap_or_default().trim().to_owned();
    if reason.chars().count() > LONGEST_REASON || reason.contains('\0') {
        let refused = Error::refused(ErrorReason::InvalidArgument, "reason has more than 500 characters");
        return Err(refused.with_field("reason", "at most 500 characters"));
    }
    Ok(reason)
}
