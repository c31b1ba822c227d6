//! Deletes old rows, once a day. `docs/operation.md` lists how long each table is kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use garimpo_domain::attribution::{ARRIVAL_KEPT_DAYS, KEPT_DAYS as COUNTS_KEPT_DAYS, LIVES_DAYS};
use serde_json::json;

use crate::billing::CURSOR_DAYS;
use crate::clock::{Clock, system_now};
use crate::crash::{self, CrashPoint};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::engine::{Statement, purge};
use crate::store::{
    NewJob, Result, Store, attributions, audit_events, checkouts, ended_tokens, entitlement_changes, events,
    funnel_counts, jobs, limits, mailed_codes, plan_changes, refund_marks, sessions, transaction,
};
use crate::tracking::anonymize_parked;

/// Most rows of one transaction, because every other write of an embedded database waits for it.
const MAX_ROWS: i64 = 1_000;
/// A longer run leaves the rest to the next one, which follows at once, because the queue stops a
/// job after two minutes.
const MAX_RUN: Duration = Duration::from_mins(1);
/// More than the 14 days of a session.
const MONTH: i64 = 30;

/// Rows that expire.
struct Expiring {
    /// Table or column, as `docs/operation.md` names it.
    name: &'static str,
    /// Days for which it is kept; `docs/operation.md` states since when.
    kept_days: i64,
    purge: Statement,
    by: By,
}

/// What the age of a row is counted by.
#[derive(Clone, Copy)]
enum By {
    Clock,
    Day,
    SessionClock,
    /// The clock of an outside identity provider.
    RealTime,
}

const fn of(name: &'static str, kept_days: i64, purge: Statement) -> Expiring {
    Expiring { name, kept_days, purge, by: By::Clock }
}

impl Expiring {
    const fn by(self, by: By) -> Self {
        Self { by, ..self }
    }
}

static EXPIRING: [Expiring; 19] = [
    of("limits", 0, limits::PURGE),
    of("jobs", MONTH, jobs::PURGE),
    of("events", 90, events::PURGE),
    of("password_resets", MONTH, mailed_codes::PURGE_RESETS),
    of("email_confirmations", MONTH, mailed_codes::PURGE_CONFIRMATIONS),
    of("plan_changes", MONTH, plan_changes::PURGE),
    of("entitlement_changes", CURSOR_DAYS + 1, entitlement_changes::PURGE),
    // The provider drops an intent's idempotency key after a day. They are ended here, and deleted
    // as abandoned checkouts.
    of("checkouts.status", 1, checkouts::END_UNANSWERED),
    of("checkouts", MONTH, checkouts::PURGE),
    of("checkout_requests", MONTH, checkouts::PURGE_REQUESTS),
    // Meanwhile the operator can undo a wrong mark.
    of("refunds.pix_key", 7, refund_marks::PURGE_PIX_KEYS),
    of("funnel_counts", COUNTS_KEPT_DAYS, funnel_counts::PURGE_STEPS).by(By::Day),
    of("visit_counts", COUNTS_KEPT_DAYS, funnel_counts::PURGE_VISITS).by(By::Day),
    of("attributions", ARRIVAL_KEPT_DAYS, attributions::PURGE),
    of("click_ids", LIVES_DAYS, attributions::PURGE_CLICK_IDS),
    of("audit_events", 365, audit_events::PURGE),
    // A token has its own expiry.
    of("ended_tokens", 1, ended_tokens::PURGE).by(By::RealTime),
    // Deleted before sessions, so that no session deletes thousands with it.
    of("id_tokens", MONTH, sessions::PURGE_ID_TOKENS).by(By::SessionClock),
    of("sessions", MONTH, sessions::PURGE).by(By::SessionClock),
];

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
    for expiring in &EXPIRING {
        let today = match expiring.by {
            By::Clock | By::Day => clock.now(),
            By::SessionClock => clock.session_now(),
            By::RealTime => system_now(),
        };
        let before = today.plus_days(-expiring.kept_days);
        loop {
            let purged = purge(&store, expiring, before).await?;
            crash::point(CrashPoint::RowsPurged);
            tracing::debug!(expiring.name, purged, "expired rows were deleted");
            if purged < MAX_ROWS as u64 {
                break;
            }
            if began.elapsed() > MAX_RUN {
                return Ok(JobOutcome::Again(now));
            }
        }
    }
    let is_gone = store.empty_log().await?;
    Ok(JobOutcome::Again(if is_gone { now.plus_days(1) } else { now.plus_minutes(10) }))
}

async fn purge(store: &Store, expiring: &'static Expiring, before: Timestamp) -> Result<u64> {
    transaction!(store, |tx| match expiring.by {
        By::Day => purge::before_day(tx, expiring.purge, &before.day_in_sao_paulo().iso(), MAX_ROWS).await,
        _ => purge::before(tx, expiring.purge, before, MAX_ROWS).await,
    })
}

#[cfg(test)]
mod tests;
