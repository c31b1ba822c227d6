//! Timers: what happens to an object at an instant, by the sandbox's clock or by a test clock.

use sqlx::FromRow;

use crate::state::moment::Moment;
use crate::state::store::{Tx, sql};

/// The `clock_id` of timers of the sandbox's own clock.
pub const SANDBOX: &str = "";

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "snake_case")]
pub enum Timer {
    /// An open checkout session ends.
    SessionExpires,
    /// The due date of a voucher has passed.
    VoucherExpires,
    /// A test address has its voucher paid.
    VoucherPaid,
    /// The bank confirms the payment of a voucher.
    VoucherConfirmed,
    /// A first subscription was not paid within 23 hours.
    IncompleteEnds,
    /// The invoice of a pending update was not paid in time.
    PendingUpdateExpires,
    /// A subscription's period or trial ends.
    PeriodEnds,
    /// `invoice.upcoming` is due.
    RenewalNears,
    /// `customer.subscription.trial_will_end` is due.
    TrialNearsEnd,
    /// A subscription reaches its `cancel_at`.
    EndsAt,
    /// A subscription's paused collection is resumed.
    CollectionResumes,
    /// The draft invoice of a renewal is finalized and charged.
    InvoiceCloses,
    /// A failed invoice is tried again.
    InvoiceRetries,
    /// The bank of a test card disputes a charge.
    DisputeOpens,
    /// A bank decides on a refund.
    RefundSettles,
    /// A test clock and its customers are deleted.
    ClockDeleted,
}

impl Timer {
    /// Whether it keeps the sandbox's time for customers of a test clock too.
    fn keeps_sandbox_time(self) -> bool {
        matches!(self, Self::SessionExpires | Self::DisputeOpens | Self::RefundSettles | Self::ClockDeleted)
    }
}

/// A timer that is due.
#[derive(Debug, FromRow)]
pub struct Due {
    pub object_id: String,
    pub what: Timer,
    #[sqlx(rename = "due_at_us")]
    pub at: Moment,
}

impl Tx {
    /// Sets or moves a timer of an object.
    pub async fn set_timer(&mut self, id: &str, what: Timer, due: Moment) -> Result<(), sqlx::Error> {
        let clock = self.test_clock.clone().filter(|_| !what.keeps_sandbox_time());
        let due = if clock.is_some() { due } else { self.sandbox_now.plus(due.0 - self.now.0) };
        let sql = "INSERT INTO clock_timers (object_id, what, due_at_us, clock_id) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (object_id, what) DO UPDATE SET due_at_us = excluded.due_at_us,
                   clock_id = excluded.clock_id";
        self.execute(sql!(sql, id, what, due, clock.as_deref().unwrap_or(SANDBOX))).await.map(drop)
    }

    pub async fn due_of_timer(&mut self, id: &str, what: Timer) -> Result<Option<Moment>, sqlx::Error> {
        let sql = "SELECT due_at_us FROM clock_timers WHERE object_id = $1 AND what = $2";
        sqlx::query_scalar(sql).bind(id).bind(what).fetch_optional(&mut *self.conn).await
    }

    /// Deletes every timer of an object.
    pub async fn clear_timers(&mut self, id: &str) -> Result<(), sqlx::Error> {
        self.execute(sql!("DELETE FROM clock_timers WHERE object_id = $1", id)).await.map(drop)
    }

    /// Deletes one timer.
    pub async fn clear_timer(&mut self, due: &Due) -> Result<(), sqlx::Error> {
        let sql = "DELETE FROM clock_timers WHERE object_id = $1 AND what = $2";
        self.execute(sql!(sql, &due.object_id, due.what)).await.map(drop)
    }

    /// Deletes every timer of a test clock.
    pub async fn clear_timers_of_clock(&mut self, clock: &str) -> Result<(), sqlx::Error> {
        self.execute(sql!("DELETE FROM clock_timers WHERE clock_id = $1", clock)).await.map(drop)
    }

    /// The instant of the first timer of the sandbox's clock.
    pub async fn first_due(&mut self) -> Result<Option<Moment>, sqlx::Error> {
        let sql = "SELECT min(due_at_us) FROM clock_timers WHERE clock_id = $1";
        sqlx::query_scalar(sql).bind(SANDBOX).fetch_one(&mut *self.conn).await
    }

    /// Takes the first timer of a clock that is due at an instant.
    pub async fn take_due(&mut self, clock: &str, at: Moment) -> Result<Option<Due>, sqlx::Error> {
        let sql = "DELETE FROM clock_timers WHERE rowid = (SELECT rowid FROM clock_timers
                   WHERE clock_id = $1 AND due_at_us <= $2 ORDER BY due_at_us, rowid LIMIT 1)
                   RETURNING object_id, what, due_at_us";
        sqlx::query_as(sql).bind(clock).bind(at).fetch_optional(&mut *self.conn).await
    }
}
