//! Deletion of an account: what it cancels, refunds and undoes at the provider.
//!
//! Everything is decided in the transaction that deletes the account, and stored there as refunds
//! and jobs. Later facts of the provider give no access. They are stored, because invoices must
//! stay true, and the same jobs undo whatever still runs or was paid since.

use garimpo_domain::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::billing::deletion_impact::deletion_impact;
use crate::billing::ending::Endings;
use crate::billing::guarantee::refund_of;
use crate::billing::notices;
use crate::billing::retirement::{RetireReason, retire_job, superfluous_job};
use crate::error::{Error, ErrorReason};
use crate::providers::stripe::present;
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{
    Account, ClaimedJob, NewJob, RefundReason, RefundState, Result, Tx, cancellations, checkouts, customers,
    deletions, events, invoices, jobs, provider_losses, refunds, subscriptions, transaction,
};

/// While something of a deleted account is not final at the provider, it is looked at this often.
const LOOK_AGAIN_MINUTES: i64 = 10;

/// Whose end is left to finish.
#[derive(Deserialize)]
struct Gone {
    uid: String,
}

impl Endings {
    /// Decides what the end of an account gives back and undoes, and stores it; answers the words
    /// for its last mail.
    pub(crate) async fn account_deletion_in_tx(
        &self,
        tx: &mut Tx,
        account: &Account,
        now: Timestamp,
    ) -> Result<String> {
        let uid = &account.uid;
        let rows = subscriptions::by_uid(&mut *tx, uid).await?;
        let invoices = invoices::by_uid(&mut *tx, uid).await?;
        let impact = deletion_impact(account, &rows, &invoices, now);
        for invoice in impact.refund.iter().flat_map(|back| &back.payments) {
            refunds::insert(
                tx,
                &refund_of(&self.context.ids, invoice, RefundReason::Deleted, Some(&account.email), now),
            )
            .await?;
        }
        for row in rows.iter().filter(|row| row.ended_at.is_none()) {
            jobs::enqueue_if_absent(tx, retire_job(row, RetireReason::Deleted, now)).await?;
        }
        for checkout in checkouts::unsettled(&mut *tx, uid).await? {
            if let Some(session_id) = &checkout.session_id {
                jobs::enqueue_if_absent(tx, superfluous_job(uid, &checkout.id, session_id, now)).await?;
            }
        }
        cancellations::forget_reasons(tx, uid).await?;
        let erase = NewJob::new(JobKind::AccountErase, uid, json!({ "uid": uid }), now);
        jobs::enqueue_if_absent(tx, erase).await?;
        Ok(notices::end_in_words(&impact))
    }

    /// Takes the person out of what is kept elsewhere, once nothing of theirs can change any more;
    /// may run again.
    pub(crate) async fn account_erase(self, job: ClaimedJob) -> JobResult {
        let Gone { uid } =
            serde_json::from_value(job.payload).map_err(|why| JobError::Park(why.to_string()))?;
        transaction!(self.context, (of = uid.clone()), |tx| {
            jobs::delete_of_uid(tx, JobKind::Conversion, of).await
        })?;
        match self.customer_erase(&uid).await {
            Ok(true) => {
                transaction!(self.context, (uid), |tx| deletions::forget_email(tx, uid).await)?;
                Ok(JobOutcome::Done)
            }
            // It comes back for as long as an outage lasts: parked, it would look no more.
            Err(error) if error.reason() != ErrorReason::ProviderUnavailable => Err(error.into()),
            Ok(false) | Err(_) => Ok(JobOutcome::Again(self.context.now().plus_minutes(LOOK_AGAIN_MINUTES))),
        }
    }

    /// Removes an account's customer at the provider, and what their events say of them; answers
    /// false while something of theirs can still change there.
    async fn customer_erase(&self, uid: &str) -> Result<bool, Error> {
        let customer = customers::by_uid(&self.context.store, uid).await?;
        let Some(customer_id) = customer.and_then(|row| row.customer_id) else { return Ok(true) };
        self.sync.refresh(uid).await?;
        // One that the provider's operator removed has nothing left that could become final.
        let fact = present(self.context.stripe.customer_get(&customer_id).await)?;
        if fact.is_none() && provider_losses::current_stop(&self.context.store).await?.is_some() {
            // The provider's data may come back, and with it the person's.
            return Ok(false);
        }
        if fact.is_some_and(|fact| !fact.deleted) {
            if !self.is_final(uid).await? {
                return Ok(false);
            }
            self.context.stripe.customer_delete(&customer_id).await?;
        }
        transaction!(self.context, (uid = uid.to_owned(), customer_id), |tx| {
            events::forget_bodies(tx, customer_id).await?;
            customers::forget_customer_id(tx, uid, customer_id).await
        })?;
        Ok(true)
    }

    /// Whether nothing of an account can change any more at the provider.
    async fn is_final(&self, uid: &str) -> Result<bool> {
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let refunds = refunds::by_uid(&self.context.store, uid).await?;
        let checkouts = checkouts::unsettled(&self.context.store, uid).await?;
        Ok(checkouts.is_empty()
            && rows.iter().all(|row| row.ended_at.is_some())
            && refunds.iter().all(|refund| !refund.goes_by_card() || refund.state == RefundState::Paid))
    }
}
