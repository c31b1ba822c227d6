//! Deletion of an account: what it cancels, refunds and undoes at the provider.
//!
//! The transaction that deletes the account also decides what is refunded and ended, and stores it
//! as refunds and jobs. Later changes at the provider give no rights. They are stored, because
//! invoices must stay correct, and the same jobs end and refund whatever still runs or was paid
//! since.

use garimpo_domain::{Timestamp, Uid};
use serde::{Deserialize, Serialize};

use crate::billing::ending::Endings;
use crate::billing::facts::deletion_impact::deletion_impact;
use crate::billing::facts::refund_request::refund_of;
use crate::billing::jobs::retirement::{RetireReason, checkout_expire_job, retire_job};
use crate::billing::notices;
use crate::error::Error;
use crate::providers::stripe::present;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    Account, ClaimedJob, NewJob, RefundReason, RefundState, Result, Tx, cancellations, checkouts, customers,
    deletions, events, invoices, jobs, provider_losses, refunds, subscriptions, transaction,
};

/// Interval of the checks whether the objects of a deleted account are final at the provider.
const LOOK_AGAIN_MINUTES: i64 = 10;

/// Payload of the job: the deleted account.
#[derive(Serialize, Deserialize)]
struct AccountErase {
    uid: Uid,
}

impl Endings {
    /// Decides what deleting the account refunds and ends, and stores it. Returns the sentences for
    /// the account's last mail.
    pub(crate) async fn settle_deletion(
        &self,
        tx: &mut Tx,
        account: &Account,
        now: Timestamp,
    ) -> Result<String> {
        let uid = &account.uid;
        let rows = subscriptions::by_uid(&mut *tx, uid).await?;
        let invoices = invoices::by_uid(&mut *tx, uid).await?;
        let impact = deletion_impact(account, &rows, &invoices, now);
        let (ids, email) = (&self.context.ids, Some(account.email.as_str()));
        for invoice in impact.refund.iter().flat_map(|back| &back.payments) {
            refunds::insert(tx, &refund_of(ids, invoice, RefundReason::Deleted, email, now)).await?;
        }
        for row in rows.iter().filter(|row| row.ended_at.is_none()) {
            jobs::enqueue_if_absent(tx, retire_job(row, RetireReason::Deleted, now)).await?;
        }
        let unsettled = checkouts::unsettled(&mut *tx, uid).await?;
        for job in unsettled.iter().filter_map(|checkout| checkout_expire_job(checkout, now)) {
            jobs::enqueue_if_absent(tx, job).await?;
        }
        cancellations::forget_reasons(tx, uid).await?;
        let erase = NewJob::new(JobKind::AccountErase, uid, AccountErase { uid: uid.clone() }, now);
        jobs::enqueue_if_absent(tx, erase).await?;
        Ok(notices::end_in_words(&impact))
    }

    /// Deletes the person's remaining data here and at the provider, when none of it can change.
    /// May run again.
    pub(crate) async fn erase_account(self, job: ClaimedJob) -> JobResult {
        let AccountErase { uid } = job.read()?;
        transaction!(self.context, (of = uid.clone()), |tx| {
            jobs::delete_of_uid(tx, JobKind::Conversion, of).await
        })?;
        match self.erase_customer(&uid).await {
            Ok(true) => {
                transaction!(self.context, (uid), |tx| deletions::forget_email(tx, uid).await)?;
                if self.context.store.empty_log().await? {
                    return Ok(JobOutcome::Done);
                }
                Ok(JobOutcome::Again(self.context.now().plus_minutes(LOOK_AGAIN_MINUTES)))
            }
            // Rescheduled instead of parked, because a parked job would not continue after the
            // outage.
            Err(error) if !error.is_provider_down() => Err(error.into()),
            Ok(false) | Err(_) => Ok(JobOutcome::Again(self.context.now().plus_minutes(LOOK_AGAIN_MINUTES))),
        }
    }

    /// Deletes an account's customer at the provider and the bodies of its events. Returns false
    /// while an object of the account can still change there.
    async fn erase_customer(&self, uid: &Uid) -> Result<bool, Error> {
        let Some(customer_id) = customers::id_of(&self.context.store, uid).await? else { return Ok(true) };
        self.sync.refresh(uid).await?;
        // A customer that was deleted at the provider has no object that could still change.
        let fact = present(self.stripe.get_customer(&customer_id).await)?;
        if fact.is_none() && provider_losses::current_stop(&self.context.store).await?.is_some() {
            // The provider's data may return, with personal data in it.
            return Ok(false);
        }
        if fact.is_some_and(|fact| !fact.deleted) {
            if !self.is_final(uid).await? {
                return Ok(false);
            }
            self.stripe.delete_customer(&customer_id).await?;
        }
        transaction!(self.context, (uid = uid.clone(), customer_id), |tx| {
            events::forget_bodies(tx, customer_id).await?;
            customers::forget_customer_id(tx, uid, customer_id).await
        })?;
        Ok(true)
    }

    /// Whether no object of an account can still change at the provider.
    async fn is_final(&self, uid: &Uid) -> Result<bool> {
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let refunds = refunds::by_uid(&self.context.store, uid).await?;
        let checkouts = checkouts::unsettled(&self.context.store, uid).await?;
        Ok(checkouts.is_empty()
            && rows.iter().all(|row| row.ended_at.is_some())
            && refunds.iter().all(|refund| !refund.goes_by_card() || refund.state == RefundState::Paid))
    }
}
