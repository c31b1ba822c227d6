//! Deletes old rows, once a day. `docs/operation.md` lists how long each table is kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use garimpo_domain::attribution::{ARRIVAL_KEPT_DAYS, KEPT_DAYS as COUNTS_KEPT_DAYS, LIVES_DAYS};
use serde_json::json;
use strum::{EnumIter, IntoEnumIterator as _};

use crate::billing::CURSOR_DAYS;
use crate::clock::{Clock, system_now};
use crate::crash::{self, CrashPoint};
use crate::person_memory;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    CodeUse, NewJob, Result, Store, Tx, attributions, audit_events, checkouts, ended_tokens,
    entitlement_changes, events, funnel_counts, jobs, limits, mailed_codes, plan_changes, refund_marks,
    sessions, transaction,
};
use crate::tracking::anonymize_parked;

/// Most rows of one transaction, because every other write of an embedded database waits for it.
const MAX_ROWS: i64 = 1_000;
/// A longer run leaves the rest to the next one, which follows at once, because the queue stops a
/// job after two minutes.
const MAX_RUN: Duration = Duration::from_mins(1);

/// Rows that expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
enum Expiring {
    /// Counters of attempts whose window is over.
    Limits,
    /// Finished jobs.
    Jobs,
    /// Raw events of the payment provider.
    Events,
    /// Expired mailed codes.
    PasswordResets,
    EmailConfirmations,
    /// Unused previews of plan changes.
    PlanChanges,
    /// Superseded states of the entitlement feed.
    EntitlementChanges,
    /// Intents to open a checkout to which the provider never replied; they are ended here, and
    /// deleted as abandoned checkouts.
    UnansweredCheckouts,
    /// Checkouts that ended without a payment.
    Checkouts,
    CheckoutRequests,
    /// Pix keys of paid refunds.
    PixKeys,
    FunnelCounts,
    VisitCounts,
    Attributions,
    ClickIds,
    AuditEvents,
    /// Expired tokens of an outside identity provider that were signed out.
    EndedTokens,
    /// Deleted before sessions, so that no session deletes thousands with it.
    IdTokens,
    Sessions,
}

impl Expiring {
    /// Days for which it is kept; `docs/operation.md` states since when.
    fn kept_days(self) -> i64 {
        match self {
            Self::Limits => 0,
            // The provider drops an intent's idempotency key after a day. A token has its own
            // expiry.
            Self::UnansweredCheckouts | Self::EndedTokens => 1,
            // Meanwhile the operator can undo a wrong mark.
            Self::PixKeys => 7,
            Self::EntitlementChanges => CURSOR_DAYS + 1,
            // More than the 14 days of a session.
            Self::Jobs
            | Self::PasswordResets
            | Self::EmailConfirmations
            | Self::PlanChanges
            | Self::Checkouts
            | Self::CheckoutRequests
            | Self::IdTokens
            | Self::Sessions => 30,
            Self::Events => 90,
            Self::ClickIds => LIVES_DAYS,
            Self::AuditEvents => 365,
            Self::FunnelCounts | Self::VisitCounts => COUNTS_KEPT_DAYS,
            Self::Attributions => ARRIVAL_KEPT_DAYS,
        }
    }

    /// The time by which it expires.
    fn now(self, clock: &dyn Clock) -> Timestamp {
        match self {
            Self::EndedTokens => system_now(),
            Self::IdTokens | Self::Sessions => clock.session_now(),
            _ => clock.now(),
        }
    }

    /// Deletes at most [`MAX_ROWS`] rows that expired before an instant; returns their number.
    async fn purge_in_tx(self, tx: &mut Tx, before: Timestamp) -> Result<u64> {
        match self {
            Self::Limits => limits::purge(tx, before, MAX_ROWS).await,
            Self::Jobs => jobs::purge(tx, before, MAX_ROWS).await,
            Self::Events => events::purge(tx, before, MAX_ROWS).await,
            Self::PasswordResets => mailed_codes::purge(tx, CodeUse::PasswordReset, before, MAX_ROWS).await,
            Self::EmailConfirmations => {
                mailed_codes::purge(tx, CodeUse::EmailConfirmation, before, MAX_ROWS).await
            }
            Self::PlanChanges => plan_changes::purge(tx, before, MAX_ROWS).await,
            Self::EntitlementChanges => entitlement_changes::purge(tx, before, MAX_ROWS).await,
            Self::UnansweredCheckouts => checkouts::end_unanswered(tx, before, MAX_ROWS).await,
            Self::Checkouts => checkouts::purge(tx, before, MAX_ROWS).await,
            Self::CheckoutRequests => checkouts::purge_requests(tx, before, MAX_ROWS).await,
            Self::PixKeys => refund_marks::purge_pix_keys(tx, before, MAX_ROWS).await,
            Self::FunnelCounts => funnel_counts::purge_steps(tx, before, MAX_ROWS).await,
            Self::VisitCounts => funnel_counts::purge_visits(tx, before, MAX_ROWS).await,
            Self::Attributions => attributions::purge(tx, before, MAX_ROWS).await,
            Self::ClickIds => attributions::purge_click_ids(tx, before, MAX_ROWS).await,
            Self::AuditEvents => audit_events::purge(tx, before, MAX_ROWS).await,
            Self::EndedTokens => ended_tokens::purge(tx, before, MAX_ROWS).await,
            Self::IdTokens => sessions::purge_id_tokens(tx, before, MAX_ROWS).await,
            Self::Sessions => sessions::purge(tx, before, MAX_ROWS).await,
        }
    }
}

/// Enqueues the daily job.
pub(crate) async fn schedule(store: &Store) -> Result<()> {
    // Due at once when the clock is known.
    let due_at = Timestamp::from_micros(0);
    transaction!(store, |tx| {
        jobs::enqueue_or_revive(tx, NewJob::new(JobKind::Retention, "daily", json!({}), due_at)).await
    })
}

/// Job: deletes expired rows, and runs again in a day.
pub(crate) async fn run(store: Store, clock: Arc<dyn Clock>) -> JobResult {
    let began = Instant::now();
    let now = clock.now();
    anonymize_parked(&store, now).await?;
    while person_memory::fill(&store).await? {}
    for expiring in Expiring::iter() {
        let before = expiring.now(&*clock).plus_days(-expiring.kept_days());
        loop {
            let purged = purge(&store, expiring, before).await?;
            crash::point(CrashPoint::RowsPurged);
            if purged < MAX_ROWS as u64 {
                break;
            }
            if began.elapsed() > MAX_RUN {
                return Ok(JobOutcome::Again(now));
            }
        }
    }
    Ok(JobOutcome::Again(now.plus_days(1)))
}

async fn purge(store: &Store, expiring: Expiring, before: Timestamp) -> Result<u64> {
    transaction!(store, |tx| expiring.purge_in_tx(tx, before).await)
}

#[cfg(test)]
mod tests;
