//! Applies a previewed plan change immediately and exactly once.
//!
//! One transaction claims the preview and enqueues a job that continues after a crash. Then the
//! provider is called under the preview's idempotency key. The subscription itself shows whether
//! the change happened, so a lost reply never leads to a second charge. A change that has not
//! happened before the preview expires does not happen later, except one that waits for the payer's
//! confirmation at the bank (`confirmation`).

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{Centavos, PaymentMethod, Timestamp, Uid};
use garimpo_proto::billing::v1 as pb;

use crate::auth::token_hash;
use crate::billing::guards::refusals::{no_subscription, request_id, request_id_used};
use crate::billing::plan_change::PlanChanges;
use crate::caller::not_yours;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::pause::{self, PausePoint};
use crate::providers::stripe::{self, PlanChangeOrder, StripeError, present};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    Account, ClaimedJob, NewJob, OrEmpty as _, PlanChange, PlanChangeState, Tx, accounts, jobs, plan_changes,
    refunds, subscriptions, transaction,
};
use crate::wire::instant;

/// When the job continues a claimed change: its call must have ended by then.
const TAKEN_OVER_AFTER_SECONDS: i64 = 20;
/// Pause of the job while the provider does not reply.
pub(super) const ASK_AGAIN_SECONDS: i64 = 30;

/// Minutes after the preview's expiry in which a claimed change counts as in progress. It is
/// ignored afterwards, because its call has ended and an expired change is not started.
const CLAIM_ACTIVE_MINUTES: i64 = 10;

/// Seconds after the end of a confirmation's time, or after now, in which the job reads whether the
/// provider has discarded the change. Its event is usually earlier.
const DISCARDED_AFTER_SECONDS: i64 = 60;

/// When the job reads the end of a change that can be confirmed until `until`.
pub(super) fn confirmation_end(until: Timestamp, now: Timestamp) -> Timestamp {
    until.max(now).plus_seconds(DISCARDED_AFTER_SECONDS)
}

/// A claimed change counts as in progress if its preview ended after this.
pub(crate) fn claim_cutoff(now: Timestamp) -> Timestamp {
    now.plus_minutes(-CLAIM_ACTIVE_MINUTES)
}

impl PlanChanges {
    /// Serves ChangePlan for the caller's own account.
    ///
    /// # Errors
    /// PREVIEW_EXPIRED, PAYMENT_DECLINED, CARD_REQUIRED, NO_SUBSCRIPTION, INVALID_ARGUMENT,
    /// PROVIDER_UNAVAILABLE.
    pub(crate) async fn change(
        &self,
        account: &Account,
        request: &pb::ChangePlanRequest,
    ) -> Result<pb::ChangePlanResponse> {
        let request_id = request_id(request.request_id.as_deref())?;
        let change = self.find_preview(account, &request.preview_token, request_id).await?;
        let change = match change.state {
            PlanChangeState::Done => return self.reply(account, &change.id).await,
            PlanChangeState::Claimed | PlanChangeState::Confirming => {
                return self.resume(account, &change).await;
            }
            PlanChangeState::Declined
                if request_id.is_some() && change.request_id.as_deref() == request_id =>
            {
                return Err(Error::payment_declined(change.decline_code.or_empty()));
            }
            PlanChangeState::Previewed | PlanChangeState::Declined => {
                match self.claim(&change, request_id).await {
                    // The same call ran twice at once; the other one has applied the change, so the
                    // preview no longer matches.
                    Err(error) if error.reason() == ErrorReason::PreviewExpired => {
                        return self.find_result_of_other_call(account, &change.id, error).await;
                    }
                    claimed => claimed?,
                }
            }
            PlanChangeState::Expired => return Err(expired()),
        };
        crash::point(CrashPoint::IntentStored);
        self.apply(account, &change).await
    }

    /// Continues a change whose call ended without a result.
    pub(crate) async fn take_over(self, job: ClaimedJob) -> JobResult {
        let claimed = plan_changes::by_id(&self.context.store, &job.key)
            .await?
            .filter(|row| matches!(row.state, PlanChangeState::Claimed | PlanChangeState::Confirming));
        let Some(change) = claimed else { return Ok(JobOutcome::Done) };
        let Some(account) = accounts::by_uid(&self.context.store, &change.uid).await? else {
            // The subscription of a deleted account is cancelled, and what the change charged is
            // refunded.
            self.mark_expired(&change).await?;
            return Ok(JobOutcome::Done);
        };
        if change.state == PlanChangeState::Confirming && self.is_disputed(&change).await? {
            return self.discard_disputed(&change).await;
        }
        match self.resume(&account, &change).await {
            Ok(answer) => Ok(match answer.confirmation.and_then(|waiting| waiting.expires_at) {
                Some(until) => JobOutcome::Again(confirmation_end(instant(&until), self.context.now())),
                None => JobOutcome::Done,
            }),
            Err(error) => match error.reason() {
                ErrorReason::PaymentDeclined | ErrorReason::PreviewExpired => Ok(JobOutcome::Done),
                // Rescheduled instead of parked, because a parked job would not continue after the
                // outage.
                ErrorReason::ProviderUnavailable | ErrorReason::PaymentsDown => {
                    Ok(JobOutcome::Again(self.context.now().plus_seconds(ASK_AGAIN_SECONDS)))
                }
                _ => Err(error.into()),
            },
        }
    }

    /// Result of the call that claimed the change; this call's error if none did.
    async fn find_result_of_other_call(
        &self,
        account: &Account,
        id: &str,
        error: Error,
    ) -> Result<pb::ChangePlanResponse> {
        match plan_changes::by_id(&self.context.store, id).await? {
            Some(change) if change.state == PlanChangeState::Done => self.reply(account, id).await,
            Some(change)
                if matches!(change.state, PlanChangeState::Claimed | PlanChangeState::Confirming) =>
            {
                self.resume(account, &change).await
            }
            _ => Err(error),
        }
    }

    /// The preview that a call confirms. A request id belongs to one preview.
    async fn find_preview(
        &self,
        account: &Account,
        token: &str,
        request_id: Option<&str>,
    ) -> Result<PlanChange> {
        let change = plan_changes::by_token(&self.context.store, &account.uid, &token_hash(token)).await?;
        if let Some(request_id) = request_id {
            let known = plan_changes::by_request(&self.context.store, &account.uid, request_id).await?;
            if known.is_some_and(|known| Some(&known.id) != change.as_ref().map(|change| &change.id)) {
                return Err(request_id_used("change"));
            }
        }
        change.ok_or_else(expired)
    }

    /// Checks that the subscription is as previewed, then claims the preview and enqueues the job
    /// that continues it.
    async fn claim(&self, change: &PlanChange, request_id: Option<&str>) -> Result<PlanChange> {
        if self.context.now() >= change.expires_at {
            return Err(expired());
        }
        let rows = subscriptions::by_uid(&self.context.store, &change.uid).await?;
        let row = self.require_running(&rows)?;
        if row.id != change.subscription_id {
            return Err(expired());
        }
        let fact = self.active_at_provider(row).await?;
        if !is_as_previewed(change, &fact) {
            return Err(expired());
        }
        if change.due_centavos > Centavos::ZERO && fact.method() == Some(PaymentMethod::Boleto) {
            return Err(Error::refused(ErrorReason::CardRequired, "a boleto cannot be charged at once"));
        }
        let (plan_changes, id, uid) = (self.clone(), change.id.clone(), change.uid.clone());
        let (request_id, now) = (request_id.map(str::to_owned), self.context.now());
        pause::point(PausePoint::Decide, &uid).await;
        transaction!(self.context.store, (plan_changes, id, uid, request_id), |tx| {
            plan_changes.claim_preview(tx, id, uid, request_id.as_deref(), now).await
        })
    }

    /// Claims a preview. If another call has claimed it, continues that change under its
    /// idempotency key.
    async fn claim_preview(
        &self,
        tx: &mut Tx,
        id: &str,
        uid: &Uid,
        request_id: Option<&str>,
        now: Timestamp,
    ) -> Result<PlanChange> {
        accounts::lock(tx, uid).await?.ok_or_else(not_yours)?;
        if let Some(request_id) = request_id {
            let known = plan_changes::by_request(&mut *tx, uid, request_id).await?;
            if known.is_some_and(|known| known.id != id) {
                return Err(request_id_used("change"));
            }
        }
        let change = plan_changes::by_id(&mut *tx, id).await?.ok_or_else(expired)?;
        if matches!(change.state, PlanChangeState::Previewed | PlanChangeState::Declined) {
            self.refuse_refunded(tx, &change).await?;
        }
        if plan_changes::claim(tx, id, request_id, now).await? {
            let due_at = now.plus_seconds(TAKEN_OVER_AFTER_SECONDS);
            let job = NewJob::of_account(JobKind::PlanChange, id, uid, due_at);
            jobs::reschedule(tx, job).await?;
        }
        let row = plan_changes::by_id(&mut *tx, id).await?;
        row.filter(|row| {
            use PlanChangeState::{Claimed, Confirming, Done};
            matches!(row.state, Claimed | Confirming | Done)
        })
        .ok_or_else(expired)
    }

    /// Refuses a change if the subscription has ended or is being refunded since it was read. The
    /// credit of such a change would outlive the refund.
    async fn refuse_refunded(&self, tx: &mut Tx, change: &PlanChange) -> Result<()> {
        let rows = subscriptions::by_uid(&mut *tx, &change.uid).await?;
        let row = self.require_running(&rows)?;
        if row.id != change.subscription_id {
            return Err(expired());
        }
        let refunds = refunds::by_uid(&mut *tx, &change.uid).await?;
        let has_refund = refunds.iter().any(|refund| refund.subscription_id == row.id);
        if row.returned_at.is_some() || has_refund { Err(no_subscription()) } else { Ok(()) }
    }

    /// Continues a confirmed change: reads the provider, and applies it only if it was not applied.
    pub(super) async fn resume(
        &self,
        account: &Account,
        change: &PlanChange,
    ) -> Result<pb::ChangePlanResponse> {
        let fact = present(self.stripe.get_subscription(&change.subscription_id).await)?;
        let Some(fact) = fact else { return self.expire(change).await };
        if let Some(answer) = self.find_change(account, change, &fact).await? {
            return Ok(answer);
        }
        let can_begin = change.state == PlanChangeState::Claimed && self.context.now() < change.expires_at;
        if !can_begin || !is_as_previewed(change, &fact) {
            return self.expire(change).await;
        }
        self.apply(account, change).await
    }

    /// The reply for a change that the provider applied or that waits for its payment there; `None`
    /// if the provider has neither.
    async fn find_change(
        &self,
        account: &Account,
        change: &PlanChange,
        fact: &stripe::Subscription,
    ) -> Result<Option<pb::ChangePlanResponse>> {
        if is_applied(change, fact) {
            return self.finish(account, change, fact).await.map(Some);
        }
        match (fact.pending_update_to(&change.price_id), fact.latest_invoice()) {
            (Some(update), Some(invoice)) => {
                let until = Timestamp::from_unix_seconds(update.expires_at);
                self.wait_for_confirmation(account, change, &invoice.id, until).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Applies the change at the provider and stores the result.
    async fn apply(&self, account: &Account, change: &PlanChange) -> Result<pb::ChangePlanResponse> {
        let order = PlanChangeOrder {
            subscription: &change.subscription_id,
            item: &change.item_id,
            price: &change.price_id,
            proration_date: change.counts_from_at.as_unix_seconds(),
        };
        pause::point(PausePoint::Provider, &change.uid).await;
        let answer = self.stripe.change_plan(&order, &change.idempotency_key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        match answer {
            Ok(fact) => {
                if let Some(answer) = self.find_change(account, change, &fact).await? {
                    return Ok(answer);
                }
                tracing::error!(plan_change.id = change.id, "the provider accepted a change and shows none");
                self.expire(change).await
            }
            Err(error) => self.handle_failed_change(change, error).await,
        }
    }

    async fn handle_failed_change(
        &self,
        change: &PlanChange,
        error: StripeError,
    ) -> Result<pb::ChangePlanResponse> {
        let (id, attempt) = (change.id.clone(), change.attempt);
        match &error {
            StripeError::Refused { status: 402, decline_code, .. } => {
                self.mark_declined(change, decline_code.as_deref().unwrap_or_default()).await?;
            }
            StripeError::Refused { .. } => {
                tracing::error!(plan_change.id = id, %error, "the provider refused a change that it had previewed");
                return self.expire(change).await;
            }
            _ if error.is_kept_under_its_key() => {
                transaction!(self.context, (id), |tx| plan_changes::next_attempt(tx, id, attempt).await)?;
            }
            _ => {}
        }
        Err(error.into())
    }

    /// Expires a change that was not applied, and refuses the call.
    pub(super) async fn expire(&self, change: &PlanChange) -> Result<pb::ChangePlanResponse> {
        self.mark_expired(change).await?;
        Err(expired())
    }

    pub(super) async fn mark_declined(&self, change: &PlanChange, decline_code: &str) -> Result<()> {
        let (id, attempt, code) = (change.id.clone(), change.attempt, decline_code.to_owned());
        transaction!(self.context, (id, code), |tx| {
            plan_changes::mark_declined(tx, id, attempt, code).await?;
            jobs::cancel(tx, JobKind::PlanChange, id).await.map(drop)
        })
    }

    async fn mark_expired(&self, change: &PlanChange) -> Result<()> {
        transaction!(self.context, (id = change.id.clone()), |tx| {
            plan_changes::mark_expired(tx, id).await?;
            jobs::cancel(tx, JobKind::PlanChange, id).await.map(drop)
        })
    }

    /// Stores an applied change: undoes the cancellation if the change does, syncs the account, and
    /// logs a charge that differs from the preview.
    pub(super) async fn finish(
        &self,
        account: &Account,
        change: &PlanChange,
        fact: &stripe::Subscription,
    ) -> Result<pb::ChangePlanResponse> {
        if change.renews_again && fact.cancels() {
            let renewing = plan_changes::renewing(&self.context.store, &change.uid).await?;
            if renewing.is_some_and(|renewing| renewing.id == change.id) {
                self.stripe.resume_subscription(&fact.id).await?;
                crash::point(CrashPoint::ProviderAnswered);
            }
        }
        self.sync.refresh(&change.uid).await?;
        let made_since = change.created_at.as_unix_seconds();
        let is_its = |invoice: &&stripe::Invoice| invoice.is_of_change() && invoice.created >= made_since;
        let invoice = fact.latest_invoice().filter(is_its);
        let charged = invoice.map_or(change.due_centavos, |invoice| Centavos::new(invoice.amount_paid));
        if invoice.is_none_or(|made| {
            Centavos::new(made.total) != change.total_centavos || charged != change.due_centavos
        }) {
            tracing::error!(
                plan_change.id = change.id,
                shown_total = change.total_centavos.get(),
                shown_due = change.due_centavos.get(),
                total = invoice.map(|invoice| invoice.total),
                charged = charged.get(),
                "a change of plan was not charged as it was shown"
            );
        }
        let (id, invoice_id) = (change.id.clone(), invoice.map(|invoice| invoice.id.clone()));
        transaction!(self.context, (id, invoice_id), |tx| {
            plan_changes::mark_done(tx, id, invoice_id.as_ref(), charged).await?;
            jobs::cancel(tx, JobKind::PlanChange, id).await.map(drop)
        })?;
        tracing::info!(
            user.id = %change.uid,
            plan_change.id = change.id,
            "plan changed to {}",
            change.plan_id.as_str()
        );
        self.reply(account, &change.id).await
    }

    /// The reply for an applied change.
    async fn reply(&self, account: &Account, id: &str) -> Result<pb::ChangePlanResponse> {
        let change = plan_changes::by_id(&self.context.store, id).await?;
        let standing = self.account.get_subscription(account).await?;
        Ok(pb::ChangePlanResponse {
            subscription: standing.subscription,
            charged_centavos: change.and_then(|change| change.charged_centavos).unwrap_or_default().get(),
            credit_centavos: standing.credit_centavos,
            confirmation: None,
        })
    }
}

/// Whether the subscription has the price of the change.
pub(super) fn is_applied(change: &PlanChange, fact: &stripe::Subscription) -> bool {
    fact.item().is_some_and(|item| item.price.id == change.price_id)
}

/// Whether the subscription is as previewed: same item, price, period, balance and cancellation.
fn is_as_previewed(change: &PlanChange, fact: &stripe::Subscription) -> bool {
    fact.status == SubscriptionStatus::Active
        && fact.cancels() == change.from_cancels
        && fact.balance() == Some(change.from_balance_centavos.get())
        && fact.item().is_some_and(|item| {
            item.id == change.item_id
                && item.price.id == change.from_price_id
                && Timestamp::from_unix_seconds(item.current_period_start) == change.from_period_start_at
                && Timestamp::from_unix_seconds(item.current_period_end) == change.from_period_end_at
        })
}

fn expired() -> Error {
    Error::refused(ErrorReason::PreviewExpired, "the preview is no longer valid")
}
