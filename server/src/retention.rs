//! Removes what need not be kept, once a day. `docs/operation.md` lists how long each table is
//! kept.

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
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::billing::{checkouts, entitlement_changes, events, plan_changes};
use crate::store::identity::mailed_codes::{self, CodeUse};
use crate::store::identity::{audit_events, ended_tokens, limits, sessions};
use crate::store::jobs::{self, NewJob};
use crate::store::operator::refund_marks;
use crate::store::tracking::{attributions, funnel_counts};
use crate::store::{Store, StoreError, Tx};
use crate::tracking::conversions_forget;

/// Rows that one transaction changes at most, because every other write of an embedded database
/// waits for it.
const MAX_ROWS: i64 = 1_000;
/// A run that takes longer leaves the rest to the next one, which follows at once: the queue stops
/// a job after two minutes.
const LONGEST: Duration = Duration::from_mins(1);

/// What is removed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
enum Expiring {
    /// Counters of attempts whose window is over.
    Limits,
    /// Jobs that are done.
    Jobs,
    /// Raw events of the payment provider.
    Events,
    /// Codes that were mailed and have ended.
    PasswordResets,
    EmailConfirmations,
    /// Previews of plan changes that were not taken.
    PlanChanges,
    /// Superseded states of the entitlement feed.
    EntitlementChanges,
    /// Intents to open a checkout that the provider never answered; they are ended, and removed as
    /// abandoned ones.
    UnansweredCheckouts,
    /// Checkouts that ended without a payment.
    Checkouts,
    CheckoutRequests,
    /// Where a refund went that was paid.
    PixKeys,
    /// Steps and visits by day.
    FunnelCounts,
    VisitCounts,
    /// Arrivals and ids of clicks.
    Attributions,
    ClickIds,
    /// The audit trail.
    AuditEvents,
    /// Signed-out tokens of an outside identity provider that have ended.
    EndedTokens,
    /// Sessions without use. Their ID tokens go first, so that no session takes thousands with it.
    IdTokens,
    Sessions,
}

impl Expiring {
    /// Days for which it is kept; from when on is written beside it in the documentation.
    fn kept_days(self) -> i64 {
        match self {
            Self::Limits => 0,
            // The provider forgets the key of an intent after a day. An ended token has its own
            // end.
            Self::UnansweredCheckouts | Self::EndedTokens => 1,
            // A wrong mark of the operator can be undone meanwhile.
            Self::PixKeys => 7,
            Self::EntitlementChanges => CURSOR_DAYS + 1,
            // The life of a session of 14 days lies inside.
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

    /// The clock by which it ends.
    fn now(self, clock: &dyn Clock) -> Timestamp {
        match self {
            Self::EndedTokens => system_now(),
            Self::IdTokens | Self::Sessions => clock.session_now(),
            _ => clock.now(),
        }
    }

    /// Removes at most [`MAX_ROWS`] of what ended before an instant, and returns how many there
    /// were.
    async fn purge_in_tx(self, tx: &mut Tx, before: Timestamp) -> Result<u64, StoreError> {
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

/// Sees to it that the daily job exists.
pub(crate) async fn schedule(store: &Store) -> Result<(), StoreError> {
    // The clock may not be known yet, so it is due as soon as it is.
    let due_at = Timestamp::from_micros(0);
    store
        .write((), move |tx, ()| {
            Box::pin(async move {
                let job =
                    NewJob { kind: JobKind::Retention, key: "daily".into(), payload: json!({}), due_at };
                jobs::enqueue_or_revive(tx, job).await
            })
        })
        .await
}

/// Removes once, and again in a day.
pub(crate) async fn run(store: Store, clock: Arc<dyn Clock>) -> Result<JobOutcome, JobError> {
    let began = Instant::now();
    let now = clock.now();
    conversions_forget(&store, now).await?;
    while person_memory::fill(&store).await? {}
    for expiring in Expiring::iter() {
        let before = expiring.now(&*clock).plus_days(-expiring.kept_days());
        loop {
            let purged = purge(&store, expiring, before).await?;
            crash::point(CrashPoint::RowsPurged);
            if purged < MAX_ROWS as u64 {
                break;
            }
            if began.elapsed() > LONGEST {
                return Ok(JobOutcome::Again(now));
            }
        }
    }
    Ok(JobOutcome::Again(now.plus_days(1)))
}

async fn purge(store: &Store, expiring: Expiring, before: Timestamp) -> Result<u64, StoreError> {
    store.write((), move |tx, ()| Box::pin(async move { expiring.purge_in_tx(tx, before).await })).await
}

#[cfg(test)]
mod tests;
