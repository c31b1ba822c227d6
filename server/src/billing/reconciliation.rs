//! Finds changes that no webhook delivered.
//!
//! Three jobs repeat. `events` reads the provider's event list every five minutes and syncs the
//! accounts of unknown events. `all` sweeps over the whole provider by pages. `open` syncs a few
//! accounts that are not final every ten minutes, and repeats cancellations without a reply of the
//! provider. Each sync is its own job, so that a failing one is retried alone.

pub(super) mod dry_run;
mod missed_events;
mod sweep;

use std::collections::BTreeSet;

use garimpo_domain::{Policy, Timestamp, Uid};

use crate::billing::ending::Endings;
use crate::billing::guards::selling_stop::SellingStop;
use crate::billing::jobs::reconciliation::{ALL, LOSSES, account_job, global_job, schedule_reconciliation};
use crate::billing::sync::AccountSync;
use crate::billing::sync::orphaned_subscriptions::Orphans;
use crate::context::AppContext;
use crate::error::Result;
use crate::providers::stripe::Stripe;
use crate::queue::{JobOutcome, JobResult};
use crate::store::{
    AccountPayload, ClaimedJob, ProviderStop, Text as _, accounts, customers, jobs, provider_losses,
    reconciliation, transaction,
};

const OPEN: &str = "open";
const EVENTS: &str = "events";
/// Accounts that the alarm of single losses names.
const LOSSES_NAMED: usize = 10;
/// Stop re-reading lost accounts after this many are still lost.
const PROBES: usize = 3;
/// Lost accounts that one pass reads again.
const LOSSES_PAGE: i64 = 500;
/// Interval of the passes over the event list.
const EVENTS_EVERY_MINUTES: i64 = 5;
/// Interval of the passes over accounts that are not final.
const OPEN_EVERY_MINUTES: i64 = 10;
/// Accounts that one such pass enqueues. With four calls each, this is at most 14,400 calls a day.
const OPEN_AT_ONCE: i64 = 25;
/// Of these, at most this many for checkouts without a reported end, so that the other accounts
/// also get a turn.
const OVERDUE_AT_ONCE: i64 = 20;
/// Time for a checkout's event to arrive and be handled.
const OVERDUE_MINUTES: i64 = 10;
/// Accounts whose pending cancellation one pass carries out.
const MAX_PENDING_CANCELLATIONS: i64 = 100;
/// Accounts that one transaction enqueues.
const PAGE: i64 = 500;
/// Pages that one run of a sweep reads before its pause: at most 28,800 calls a day.
const PAGES_AT_ONCE: u32 = 20;
const PAUSE_MINUTES: i64 = 1;
/// Days after a paid period in which a subscription without a renewal counts as not final.
const RENEWAL_WATCH_DAYS: i64 = 35;

/// Whether this many lost accounts of all customers stop reconciliation.
pub fn is_mass_loss(lost: usize, customers: usize) -> bool {
    ProviderStop::is_needed(lost as i64, customers as i64)
}

/// Finds and repairs accounts whose rows differ from the payment provider.
#[derive(Clone)]
pub struct Reconciler {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) sync: AccountSync,
    pub(crate) endings: Endings,
    pub(crate) orphans: Orphans,
    pub(crate) selling_stop: SellingStop,
}

impl Reconciler {
    /// Enqueues the repeating jobs. The first pass runs as soon as the clock is known.
    pub(crate) async fn begin(&self) -> Result<()> {
        transaction!(self.context, |tx| {
            // The clock may be unknown yet. Instant 0 is due by any clock.
            let at_once = Timestamp::from_micros(0);
            jobs::reschedule(tx, global_job(OPEN, at_once)).await?;
            jobs::enqueue_or_revive(tx, global_job(EVENTS, at_once)).await?;
            jobs::enqueue_or_revive(tx, global_job(ALL, at_once)).await
        })
    }

    /// Runs a repeating job, or the sync of one account that it enqueued.
    pub(crate) async fn reconcile(self, job: ClaimedJob) -> JobResult {
        let now = self.context.now();
        if job.key == LOSSES {
            return self.report_losses().await;
        }
        if provider_losses::current_stop(&self.context.store).await?.is_some() {
            match job.key.as_str() {
                // The provider may have our customers again.
                OPEN | ALL | EVENTS if self.is_stop_over().await? => {}
                OPEN | ALL | EVENTS => return Ok(JobOutcome::Again(now.plus_minutes(OPEN_EVERY_MINUTES))),
                _ => return Ok(JobOutcome::Dropped("reconciliation is stopped")),
            }
        }
        let (next, every) = match job.key.as_str() {
            OPEN => (self.enqueue_open().await, OPEN_EVERY_MINUTES),
            EVENTS => (self.read_missed_events().await, EVENTS_EVERY_MINUTES),
            ALL => (self.sweep().await, OPEN_EVERY_MINUTES),
            _ => {
                let AccountPayload { uid } = job.read()?;
                self.repair_account(&uid).await?;
                return Ok(JobOutcome::Done);
            }
        };
        match next {
            Ok(next) => Ok(JobOutcome::Again(next)),
            // Rescheduled instead of parked, because a parked job would not continue after the
            // outage.
            Err(error) if error.is_provider_down() => {
                Ok(JobOutcome::Again(self.context.now().plus_minutes(every)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Syncs lost accounts again and returns whether that ended the stop. It gives up when
    /// [`PROBES`] accounts are still lost.
    async fn is_stop_over(&self) -> Result<bool> {
        let mut lost_still = 0;
        for loss in provider_losses::list(&self.context.store, LOSSES_PAGE).await? {
            self.sync.refresh(&loss.uid).await?;
            if provider_losses::current_stop(&self.context.store).await?.is_none() {
                self.enqueue_losses().await?;
                return Ok(true);
            }
            lost_still += usize::from(provider_losses::is_lost(&self.context.store, &loss.uid).await?);
            if lost_still == PROBES {
                break;
            }
        }
        Ok(false)
    }

    /// Enqueues the sync of the lost accounts, because the sweep reads them only at its end.
    async fn enqueue_losses(&self) -> Result<()> {
        let losses = provider_losses::list(&self.context.store, LOSSES_PAGE).await?;
        let now = self.context.now();
        transaction!(self.context, (losses), |tx| {
            for loss in losses {
                jobs::enqueue_sweep(tx, account_job(&loss.uid, now)).await?;
            }
            Ok(())
        })
    }

    /// Logs the alarm of individual losses, unless the alarm of a mass loss is active.
    async fn report_losses(&self) -> JobResult {
        if provider_losses::current_stop(&self.context.store).await?.is_some() {
            return Ok(JobOutcome::Done);
        }
        let lost = transaction!(self.context, |tx| provider_losses::mark_reported(tx).await)?;
        if !lost.is_empty() {
            let named: Vec<_> = lost
                .iter()
                .take(LOSSES_NAMED)
                .map(|loss| format!("{} {}", loss.uid, loss.kind.text()))
                .collect();
            tracing::error!(
                customers = lost.len(),
                accounts = named.join(", "),
                "the payment provider does not have customers who paid: their paid time holds; see docs/operation.md"
            );
        }
        Ok(JobOutcome::Done)
    }

    /// Syncs one account, ends credit that is due, and repeats a pending cancellation.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub async fn repair_account(&self, uid: &Uid) -> Result<()> {
        self.sync.refresh(uid).await?;
        self.endings.repair_credit(uid).await?;
        self.endings.carry_out_pending_cancellation(uid).await
    }

    /// Accounts with a customer, ordered by uid, after `after`.
    pub async fn list_accounts(&self, after: &str) -> Result<Vec<Uid>> {
        Ok(customers::page(&self.context.store, after, PAGE).await?)
    }

    /// Accounts that are lost at the provider.
    pub async fn list_lost_accounts(&self) -> Result<Vec<Uid>> {
        let lost = provider_losses::list(&self.context.store, i64::MAX).await?;
        Ok(lost.into_iter().map(|loss| loss.uid).collect())
    }

    /// Whether an account with this uid exists, or a deleted one has a customer.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn has_account(&self, uid: &Uid) -> Result<bool> {
        Ok(accounts::by_uid(&self.context.store, uid).await?.is_some()
            || customers::by_uid(&self.context.store, uid).await?.is_some())
    }

    /// Enqueues the sync of some accounts that are not final: those with an overdue checkout first,
    /// then the others in turn. Returns when to do so again.
    async fn enqueue_open(&self) -> Result<Timestamp> {
        let now = self.context.now();
        let after = reconciliation::current(&self.context.store).await?.open_after;
        let since = now.plus_days(-RENEWAL_WATCH_DAYS);
        let overdue =
            customers::overdue(&self.context.store, now.plus_minutes(-OVERDUE_MINUTES), OVERDUE_AT_ONCE)
                .await?;
        let in_turn = OPEN_AT_ONCE - overdue.len() as i64;
        let open = customers::not_final_page(&self.context.store, now, since, &after, in_turn).await?;
        let is_end = (open.len() as i64) < in_turn;
        let last = open.last().filter(|_| !is_end).map(ToString::to_string).unwrap_or_default();
        let pending =
            customers::with_pending_cancellation(&self.context.store, MAX_PENDING_CANCELLATIONS).await?;
        let uids: BTreeSet<_> = overdue.into_iter().chain(open).chain(pending).collect();
        transaction!(self.context, (uids, last), |tx| {
            for uid in uids {
                schedule_reconciliation(tx, uid, now).await?;
            }
            reconciliation::set_open_after(tx, last).await
        })?;
        Ok(now.plus_minutes(OPEN_EVERY_MINUTES))
    }
}
