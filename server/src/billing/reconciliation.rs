//! Finds what events were lost: reads the provider again without being told to.
//!
//! Two jobs repeat: one every ten minutes over what is not final, one daily over all. Each enqueues one job per account,
//! so that a failing one is tried again alone. An account's wish to cancel that the provider did not answer is carried
//! out on the way.

use garimpo_domain::Timestamp;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;

use super::Billing;
use crate::error::Error;
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::{ClaimedJob, NewJob, StoreError, Tx, job_insist_in_tx, job_schedule_in_tx};

const OPEN: &str = "open";
const ALL: &str = "all";
/// Between two looks at what is not final.
const OPEN_EVERY_MINUTES: i64 = 10;
/// Accounts that one write enqueues.
const PAGE: i64 = 500;
/// How long after its paid period a subscription without news is looked at often.
const RENEWAL_LOOKED_AT_DAYS: i64 = 35;

/// Enqueues a look at one account.
pub(super) async fn reconcile_account_in_tx(
    tx: &mut Tx,
    uid: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (kind, key) = (JobKind::Reconcile, format!("account:{uid}"));
    job_schedule_in_tx(tx, NewJob { kind, key, payload: json!({ "uid": uid }), due_at: now }).await
}

impl Billing {
    /// Enqueues both looks; what is not final is looked at as soon as the clock is known.
    pub(super) async fn reconciliation_begin(&self) -> Result<(), Error> {
        self.in_tx(move |tx| {
            Box::pin(async move {
                // The clock may not be known yet: whatever it will say, this is due.
                let at_once = Timestamp::from_micros(0);
                let look = |key: &str| NewJob {
                    kind: JobKind::Reconcile,
                    key: key.to_owned(),
                    payload: json!({}),
                    due_at: at_once,
                };
                job_schedule_in_tx(tx, look(OPEN)).await?;
                job_insist_in_tx(tx, look(ALL)).await
            })
        })
        .await?;
        Ok(())
    }

    /// Runs one of both looks, or the look at one account that they enqueue.
    pub(super) async fn reconcile(self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let now = self.now();
        match job.key.as_str() {
            OPEN => {
                let uids =
                    self.store.customers_not_final(now, now.plus_days(-RENEWAL_LOOKED_AT_DAYS)).await?;
                self.enqueue_accounts(uids).await?;
                Ok(JobOutcome::Again(now.plus_minutes(OPEN_EVERY_MINUTES)))
            }
            ALL => {
                match self.strangers_taken_back().await {
                    // It comes back for as long as an outage lasts: parked, it would look no more.
                    Err(error) if error.reason() == ErrorReason::ProviderUnavailable => {
                        return Ok(JobOutcome::Again(now.plus_minutes(OPEN_EVERY_MINUTES)));
                    }
                    done => done?,
                }
                let mut after = String::new();
                loop {
                    let uids = self.store.customers_page(&after, PAGE).await?;
                    let Some(last) = uids.last().cloned() else { break };
                    self.enqueue_accounts(uids).await?;
                    after = last;
                }
                Ok(JobOutcome::Again(now.plus_days(1)))
            }
            _ => self.reconcile_account(job).await,
        }
    }

    /// Reads one account again.
    pub(super) async fn reconcile_account(&self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let uid = job.payload["uid"].as_str().unwrap_or_default();
        self.account_mend(uid).await?;
        Ok(JobOutcome::Done)
    }

    /// Brings one account up to what the provider holds, and the provider up to what the account wished.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE when it cannot be read; the store's own.
    pub async fn account_mend(&self, uid: &str) -> Result<(), Error> {
        self.refresh(uid).await?;
        self.wish_carry_out(uid).await
    }

    /// Accounts that the provider knows, in the order of their uids, after `after`.
    ///
    /// # Errors
    /// The store's own.
    pub async fn accounts_page(&self, after: &str) -> Result<Vec<String>, Error> {
        Ok(self.store.customers_page(after, PAGE).await?)
    }

    /// Whether there is an account with this uid, or was one that the provider knows.
    ///
    /// # Errors
    /// UNAVAILABLE when the database does not answer.
    pub async fn account_exists(&self, uid: &str) -> Result<bool, Error> {
        Ok(self.store.account_by_uid(uid).await?.is_some()
            || self.store.customer_by_uid(uid).await?.is_some())
    }

    async fn enqueue_accounts(&self, uids: Vec<String>) -> Result<(), JobError> {
        let now = self.now();
        self.in_tx(move |tx| {
            let uids = uids.clone();
            Box::pin(async move {
                for uid in uids {
                    reconcile_account_in_tx(tx, &uid, now).await?;
                }
                Ok(())
            })
        })
        .await?;
        Ok(())
    }
}
