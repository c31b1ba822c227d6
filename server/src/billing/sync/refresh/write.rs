//! Stores one read with its mails, jobs and rights.

use garimpo_domain::{Step, Timestamp, Uid};

use crate::billing::facts::projection::{Projection, StoredState, project};
use crate::billing::guards::coupon_once_per_person::record_first_subscription;
use crate::billing::jobs::reconciliation::{enqueue_loss_alarm, schedule_sweep};
use crate::billing::jobs::retirement::{checkout_expire_job, enqueue_retirements};
use crate::billing::notices;
use crate::billing::notices::{boleto_expiry, reminders};
use crate::billing::sync::AccountSync;
use crate::billing::sync::invoice_collection::enqueue_collection;
use crate::billing::sync::payments_after_end::{
    extend_refund_request, refund_payments_after_end, settle_deleted_account,
};
use crate::billing::sync::refresh::{ProviderSnapshot, WriteOutcome};
use crate::billing::sync::refunds_and_disputes::{settle_refunds, turn_into_pix};
use crate::billing::sync::{below_minimum_amount, card_change, coupon_until_first_charge, paid_periods};
use crate::measures::EVENTS_IGNORED;
use crate::queue::JobKind;
use crate::rights::{append_rights, rights_of, state_of};
use crate::store::{
    Account, Checkout, CheckoutStatus, Invoice, Names, NewJob, ProviderLoss, ProviderStop, Result,
    Subscription, Tx, accounts, cancellations, checkouts, customers, deletions, entitlement_changes,
    funnel_counts, invoices, jobs, plan_changes, provider_losses, refunds, subscriptions,
};

impl AccountSync {
    /// Stores everything from one read in one transaction, which first locks the account's row.
    pub(super) async fn write(
        &self,
        tx: &mut Tx,
        reading: &ProviderSnapshot,
        now: Timestamp,
    ) -> Result<WriteOutcome> {
        let account = accounts::hold(tx, &reading.uid).await?;
        if !customers::apply_ticket(tx, &reading.uid, reading.ticket).await? {
            return Ok(WriteOutcome::Superseded);
        }
        if account.is_none() && !deletions::was_account_deleted(tx, &reading.uid).await? {
            // The operator decides about an account that neither exists nor was deleted, because
            // the database was restored from an older backup.
            return Ok(WriteOutcome::Stored);
        }
        let known = StoredState {
            uid: reading.uid.clone(),
            subscriptions: subscriptions::by_uid(&mut *tx, &reading.uid).await?,
            invoices: invoices::by_uid(&mut *tx, &reading.uid).await?,
            refunds: refunds::by_uid(&mut *tx, &reading.uid).await?,
            checkouts: reading.checkouts.clone(),
            renewing: plan_changes::renewing(&mut *tx, &reading.uid).await?,
            has_account: account.is_some(),
        };
        let projection = project(&known, &reading.observed, now, &self.policy);
        let finished = write_rows(tx, reading, &projection).await?;
        record_made_by_hand(tx, &reading.uid, &projection.made_by_hand).await?;
        let email = account.as_ref().map(|account| account.email.as_str());
        let reversals = &reading.observed.reversals;
        settle_refunds(tx, &reading.uid, reversals, now).await?;
        turn_into_pix(tx, &reading.uid, email, &reversals.failed, now).await?;
        let refunds = known.refunds.clone();
        let refunds =
            extend_refund_request(tx, &self.context.ids, account.as_ref(), refunds, &projection).await?;
        refund_payments_after_end(tx, &self.context.ids, &reading.uid, account.as_ref(), &projection).await?;
        enqueue_retirements(tx, &projection, &refunds).await?;
        enqueue_collection(tx, &reading.observed.state.invoices, &projection).await?;
        record_loss(tx, reading, &projection).await?;
        if let Some(account) = &account {
            let state = &reading.observed.state;
            let before = &known.subscriptions;
            card_change::record_card(tx, &reading.uid, state, before, &projection).await?;
            record_first_subscription(tx, account, before, &projection.subscriptions, now).await?;
            follow_up(tx, reading, account, &projection, finished).await?;
            let after = subscriptions::by_uid(&mut *tx, &reading.uid).await?;
            self.publish_rights(tx, account, before, &after, now).await?;
        } else {
            // A deleted account gets no mails and no rights. Its payments are refunded.
            settle_deleted_account(tx, &self.context.ids, &known, &projection).await?;
            expire_open_checkouts(tx, reading, &projection).await?;
        }
        Ok(WriteOutcome::Stored)
    }

    /// Appends the rights to the feed, and raises the account's revision if rows or rights changed.
    async fn publish_rights(
        &self,
        tx: &mut Tx,
        account: &Account,
        before: &[Subscription],
        after: &[Subscription],
        now: Timestamp,
    ) -> Result<()> {
        let is_changed = before != after || {
            let rights = rights_of(account, after, now, &self.policy);
            entitlement_changes::is_news(tx, &state_of(account, &rights, now)).await?
        };
        let counted = if is_changed { accounts::lock(tx, &account.uid).await? } else { None };
        append_rights(tx, counted.as_ref().unwrap_or(account), after, now, &self.policy).await
    }
}

/// Mails, reminders, closed sessions, counters and rights of an account that exists.
async fn follow_up(
    tx: &mut Tx,
    reading: &ProviderSnapshot,
    account: &Account,
    projection: &Projection,
    finished: i64,
) -> Result<()> {
    notices::enqueue(tx, account, projection).await?;
    boleto_expiry::enqueue(tx, account, projection).await?;
    reminders::schedule(tx, projection).await?;
    below_minimum_amount::enqueue_carry_overs(tx, projection).await?;
    coupon_until_first_charge::enqueue_coupons(tx, &reading.observed, projection).await?;
    expire_barred_checkouts(tx, reading, projection).await?;
    schedule_plan_change(tx, &reading.uid, projection).await?;
    count_funnel_steps(tx, finished, projection).await
}

/// Schedules the job that finishes a plan change whose invoice no longer waits for the payer, or
/// that discards it because its subscription is disputed.
async fn schedule_plan_change(tx: &mut Tx, uid: &Uid, projection: &Projection) -> Result<()> {
    let Some(change) = plan_changes::confirming(&mut *tx, uid).await? else { return Ok(()) };
    let waits = |row: &Invoice| Some(&row.id) == change.invoice_id.as_ref() && row.waits_for_authentication();
    let is_disputed =
        projection.subscription(&change.subscription_id).is_some_and(|row| row.disputed_at.is_some());
    if projection.invoices.iter().any(waits) && !is_disputed {
        return Ok(());
    }
    jobs::reschedule(tx, NewJob::of_account(JobKind::PlanChange, &change.id, uid, projection.now)).await
}

/// Records or deletes the loss of the account's purchase at the provider. Reconciliation stops at
/// too many losses, and resumes when most of them are deleted.
async fn record_loss(tx: &mut Tx, reading: &ProviderSnapshot, projection: &Projection) -> Result<()> {
    let now = projection.now;
    let uid = reading.uid.clone();
    let Some(absence) = projection.lost else {
        let is_over = provider_losses::remove(tx, &uid, projection.has_retained_access).await?;
        if is_over && provider_losses::end_stop(tx).await? {
            tx.after_commit(|| {
                tracing::warn!("the payment provider knows our customers again: reconciliation goes on");
            });
            schedule_sweep(tx, now).await?;
        }
        return Ok(());
    };
    let loss = ProviderLoss { uid, customer_id: reading.customer_id.clone(), kind: absence };
    if !provider_losses::add(tx, &loss, now).await? {
        return Ok(());
    }
    if let Some(ProviderStop { losses, customers, .. }) = provider_losses::begin_stop(tx, now).await? {
        tx.after_commit(move || {
            tracing::error!(
                losses,
                customers,
                "the payment provider does not know our customers: reconciliation stops, entitlements stay as stored; \
                 see docs/operation.md"
            );
        });
    }
    enqueue_loss_alarm(tx, now).await
}

/// Stores the rows of a projection. Returns the number of newly completed checkouts.
async fn write_rows(tx: &mut Tx, reading: &ProviderSnapshot, projection: &Projection) -> Result<i64> {
    subscriptions::project(tx, &reading.uid, &projection.subscriptions).await?;
    for invoice in &projection.invoices {
        invoices::project(tx, invoice).await?;
    }
    paid_periods::record(tx, &reading.observed, projection).await?;
    let ends = |row: &&Subscription| row.cancel_at_period_end || row.ended_at.is_some();
    for row in projection.subscriptions.iter().filter(ends) {
        cancellations::settle(tx, &reading.uid, &row.id).await?;
    }
    let mut finished = 0;
    for checkout in &projection.checkouts {
        finished += i64::from(checkouts::is_newly_complete(tx, checkout).await?);
        checkouts::set_state(tx, checkout).await?;
    }
    if let Some(balance) = projection.balance_centavos {
        customers::set_balance(tx, &reading.uid, balance).await?;
    }
    Ok(finished)
}

/// Records the running subscriptions without our metadata, and logs an error if their set changed
/// and is not empty.
async fn record_made_by_hand(tx: &mut Tx, uid: &Uid, ids: &Names) -> Result<()> {
    if customers::set_made_by_hand(tx, uid, ids).await? && !ids.is_empty() {
        let (user, ids) = (uid.clone(), ids.to_string());
        tx.after_commit(move || {
            metrics::counter!(EVENTS_IGNORED, "kind" => "customer.subscription.made_by_hand").increment(1);
            tracing::error!(
                user.id = %user,
                ids,
                "a subscription created at the provider by hand gives no access"
            );
        });
    }
    Ok(())
}

/// Adds newly completed checkouts and first payments to the funnel. The order of the steps is
/// fixed, because transactions that lock the counter rows in different orders can deadlock.
async fn count_funnel_steps(tx: &mut Tx, finished: i64, projection: &Projection) -> Result<()> {
    let paid = projection.payments.iter().filter(|payment| payment.opens_subscription).count() as i64;
    for (step, count) in [(Step::CheckoutFinished, finished), (Step::Paid, paid)] {
        if count > 0 {
            funnel_counts::add_steps(tx, projection.now.day_in_sao_paulo(), step, count).await?;
        }
    }
    Ok(())
}

/// Expires the open sessions of an account whose subscription forbids another one, because a
/// payment of such a session would be refunded.
async fn expire_barred_checkouts(
    tx: &mut Tx,
    reading: &ProviderSnapshot,
    projection: &Projection,
) -> Result<()> {
    let live = projection.subscriptions.iter().find(|row| row.live).map(Subscription::state);
    if !live.is_some_and(|state| state.bars_another(projection.now, &projection.policy)) {
        return Ok(());
    }
    expire_open_checkouts(tx, reading, projection).await
}

/// Enqueues the expiry of each open session.
async fn expire_open_checkouts(
    tx: &mut Tx,
    reading: &ProviderSnapshot,
    projection: &Projection,
) -> Result<()> {
    let is_open = |checkout: &&Checkout| {
        let state = projection.checkouts.iter().find(|state| state.id == checkout.id);
        state.is_some_and(|state| state.status == CheckoutStatus::Open)
    };
    let open = reading.checkouts.iter().filter(is_open);
    for job in open.filter_map(|checkout| checkout_expire_job(checkout, projection.now)) {
        jobs::enqueue_or_revive(tx, job).await?;
    }
    Ok(())
}
