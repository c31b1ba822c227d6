//! RequestRefund: the money-back guarantee.
//!
//! One transaction decides the refunds and the end of access, and enqueues the job for the
//! provider, which runs again until it succeeds.

use garimpo_domain::{Timestamp, Uid};
use garimpo_proto::billing::v1 as pb;

use crate::billing::ending::Endings;
use crate::billing::facts::current_subscription::running;
use crate::billing::facts::guarantee::{GuaranteeRefund, guarantee_refund};
use crate::billing::facts::refund_request::{RefundSummary, refund_of, refunds_of_request};
use crate::billing::guards::refusals::{change_in_progress, no_subscription, request_id};
use crate::billing::jobs::retirement::{RetireReason, retire_job};
use crate::billing::notices;
use crate::billing::plan_change::change::claim_cutoff;
use crate::caller::not_yours;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason};
use crate::pause::{self, PausePoint};
use crate::protocol_number;
use crate::rights::append_rights;
use crate::store::{
    Account, Refund, RefundReason, Result, Store, StoreError, Text as _, Tx, accounts, invoices, jobs,
    plan_changes, refunds, subscriptions, transaction,
};
use crate::wire::timestamp;

impl Endings {
    /// Serves RequestRefund for the caller's own account.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, REFUND_WINDOW_CLOSED, INVALID_ARGUMENT, CHANGE_IN_PROGRESS.
    pub(crate) async fn request_refund(
        &self,
        account: &Account,
        request: pb::RequestRefundRequest,
    ) -> Result<pb::RequestRefundResponse, Error> {
        let request_id = request_id(request.request_id.as_deref())?.map(str::to_owned);
        // A payment whose event was lost must be refunded with the others.
        self.sync.refresh_if_available(&account.uid).await?;
        // A change that cannot be ended now is unfinished, and the transaction refuses the refund.
        match self.plan_changes.end_waiting_change(&account.uid).await {
            Err(error) if error.is_provider_down() => {}
            ended => drop(ended?),
        }
        let (endings, uid, now) = (self.clone(), account.uid.clone(), self.context.now());
        pause::point(PausePoint::Decide, &uid).await;
        let refunds: Vec<Refund> = transaction!(self.context.store, (endings, uid, request_id), |tx| {
            endings.find_or_store_refund(tx, uid, request_id.clone(), now).await
        })?;
        crash::point(CrashPoint::IntentStored);
        let summary = RefundSummary::of(&refunds.iter().collect::<Vec<_>>())
            .ok_or_else(|| Error::internal(anyhow::anyhow!("a request without refunds")))?;
        tracing::info!(
            user.id = %account.uid,
            told.protocol = summary.protocol,
            told.centavos = summary.centavos.get(),
            "a refund was requested"
        );
        Ok(pb::RequestRefundResponse {
            protocol: summary.protocol,
            amount_centavos: summary.centavos.get(),
            method: summary.method.text().to_owned(),
            due_at: summary.due_at.map(timestamp),
            pix_centavos: summary.pix_centavos.get(),
        })
    }

    /// The refunds of a request: those that it or an earlier click has already created, or new
    /// ones.
    async fn find_or_store_refund(
        &self,
        tx: &mut Tx,
        uid: &Uid,
        request_id: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Refund>, Error> {
        let account = accounts::lock(tx, uid).await?.ok_or_else(not_yours)?;
        let known = refunds::by_uid(&mut *tx, uid).await?;
        let asked = |refund: &&Refund| refund.was_asked_for();
        if let Some(same) =
            known.iter().filter(asked).find(|r| request_id.is_some() && r.request_id == request_id)
        {
            return Ok(refunds_of_request(&known, same).into_iter().cloned().collect());
        }
        let rows = subscriptions::by_uid(&mut *tx, uid).await?;
        let invoices = invoices::by_uid(&mut *tx, uid).await?;
        if let Some(back) = guarantee_refund(&account, &rows, &invoices, now) {
            // The change may already be at the provider. Our rows do not have its charge or credit
            // yet.
            let claimed = plan_changes::claimed(&mut *tx, uid, claim_cutoff(now)).await?;
            if claimed.is_some_and(|change| change.subscription_id == back.subscription.id) {
                return Err(change_in_progress("a confirmed plan change is not finished yet"));
            }
            return Ok(self.store_guarantee_refund(tx, &account, &back, request_id, now).await?);
        }
        if running(&rows, now, &self.policy).is_some() {
            return Err(Error::refused(
                ErrorReason::RefundWindowClosed,
                "the guarantee has ended, or has nothing to refund",
            ));
        }
        match known.iter().rfind(asked) {
            Some(last) => Ok(refunds_of_request(&known, last).into_iter().cloned().collect()),
            None => Err(no_subscription()),
        }
    }

    async fn store_guarantee_refund(
        &self,
        tx: &mut Tx,
        account: &Account,
        back: &GuaranteeRefund<'_>,
        request_id: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Refund>> {
        let protocol = Some(protocol_number::choose(tx, &self.context.ids, now).await?);
        let mut refunds = Vec::with_capacity(back.payments.len());
        for invoice in &back.payments {
            let refund = refund_of(
                &self.context.ids,
                invoice,
                RefundReason::Guarantee,
                Some(account.email.as_str()),
                now,
            );
            let refund = Refund { protocol: protocol.clone(), request_id: request_id.clone(), ..refund };
            refunds::insert(tx, &refund).await?;
            refunds.push(refund);
        }
        let row = back.subscription;
        subscriptions::mark_returned(tx, &row.id, now).await?;
        let rows = subscriptions::by_uid(&mut *tx, &account.uid).await?;
        jobs::enqueue_if_absent(tx, retire_job(row, RetireReason::Returned, now)).await?;
        if let Some(summary) = RefundSummary::of(&refunds.iter().collect::<Vec<_>>()) {
            notices::enqueue_refund_requested(tx, &account.uid, row, &summary, now).await?;
        }
        append_rights(tx, account, &rows, now, &self.policy).await?;
        Ok(refunds)
    }
}

/// Records that the operator paid a refund by Pix, and mails the person once. Returns the time of
/// the first call, because the operator may repeat a call after a lost response. `None` if no such
/// refund waits.
pub async fn record_pix_refund(
    store: &Store,
    id: &str,
    note: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let paid = transaction!(store, (id = id.to_owned(), note = note.to_owned()), |tx| {
        let Some((is_new, refund)) = refunds::mark_pix_paid(tx, id, note, now).await? else {
            return Ok(None);
        };
        if is_new {
            notices::enqueue_refund_paid(tx, &refund).await?;
        }
        Ok::<_, StoreError>(refund.ended_at)
    })?;
    crash::point(CrashPoint::RefundPaid);
    Ok(paid)
}
