//! Timers: what happens to an object at an instant, by the sandbox's clock or by a test clock.

use sqlx::{AssertSqlSafe, FromRow, Row};

use crate::state::moment::Moment;
use crate::state::store::Tx;

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
    /// A subscription's period or trial ends.
    PeriodEnds,
    /// `invoice.upcoming` is due.
    RenewalNears,
    /// `customer.subscription.trial_will_end` is due.
    TrialNearsEnd,
    /// A subscription reaches its `cancel_at`.
    EndsAt,
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
#[derive(Debug)]
pub struct Due {
    pub object_id: String,
    pub what: Timer,
    pub at: Moment,
}

impl<'r> FromRow<'r, sqlx::sqlite::SqliteRow> for Due {
    fn from_row(row: &'r sqlx::sqlite::SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self { object_id: row.try_get(0)?, what: row.try_get(1)?, at: Moment(row.try_get(2)?) })
    }
}

impl Tx {
    /// Sets or moves a timer of an object.
    pub async fn timer_set(&mut self, id: &str, what: Timer, due: Moment) -> Result<(), sqlx::Error> {
        let clock = self.test_clock.as_ref().filter(|_| !what.keeps_sandbox_time());
        let query = if let Some(clock) = clock {
            sqlx::query(
                "INSERT INTO clock_timers (object_id, what, due_at_us, clock_id) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (object_id, what) DO UPDATE SET due_at_us = excluded.due_at_us",
            )
            .bind(id)
            .bind(what)
            .bind(due.0)
            .bind(clock)
        } else {
            sqlx::query(
                "INSERT INTO timers (object_id, what, due_at_us) VALUES ($1, $2, $3)
                 ON CONFLICT (object_id, what) DO UPDATE SET due_at_us = excluded.due_at_us",
            )
            .bind(id)
            .bind(what)
            .bind(self.sandbox_now.plus(due.0 - self.now.0).0)
        };
        query.execute(&mut *self.conn).await?;
        Ok(())
    }

    pub async fn timer_due(&mut self, id: &str, what: Timer) -> Result<Option<Moment>, sqlx::Error> {
        let sql = "SELECT due_at_us FROM timers WHERE object_id = $1 AND what = $2
                   UNION ALL SELECT due_at_us FROM clock_timers WHERE object_id = $1 AND what = $2";
        let due = sqlx::query_scalar(sql).bind(id).bind(what).fetch_optional(&mut *self.conn).await?;
        Ok(due.map(Moment))
    }

    /// Deletes every timer of an object.
    pub async fn timers_clear(&mut self, id: &str) -> Result<(), sqlx::Error> {
        for table in ["timers", "clock_timers"] {
            let sql = AssertSqlSafe(format!("DELETE FROM {table} WHERE object_id = $1"));
            sqlx::query(sql).bind(id).execute(&mut *self.conn).await?;
        }
        Ok(())
    }

    /// Deletes one timer.
    pub async fn timer_clear(&mut self, due: &Due) -> Result<(), sqlx::Error> {
        for table in ["timers", "clock_timers"] {
            let sql = AssertSqlSafe(format!("DELETE FROM {table} WHERE object_id = $1 AND what = $2"));
            sqlx::query(sql).bind(&due.object_id).bind(due.what).execute(&mut *self.conn).await?;
        }
        Ok(())
    }

    /// The instant of the first timer of the sandbox's clock.
    pub async fn first_due(&mut self) -> Result<Option<Moment>, sqlx::Error> {
        let due: Option<i64> =
            sqlx::query_scalar("SELECT min(due_at_us) FROM timers").fetch_one(&mut *self.conn).await?;
        Ok(due.map(Moment))
    }

    /// Takes the first timer of the sandbox's clock that is due.
    pub async fn take_due(&mut self) -> Result<Option<Due>, sqlx::Error> {
        sqlx::query_as(
            "DELETE FROM timers WHERE rowid = (SELECT rowid FROM timers WHERE due_at_us <= $1
             ORDER BY due_at_us, rowid LIMIT 1) RETURNING object_id, what, due_at_us",
        )
        .bind(self.now.0)
        .fetch_optional(&mut *self.conn)
        .await
    }

    /// Takes the first timer of a test clock that is due at an instant.
    pub async fn take_due_of_clock(&mut self, clock: &str, at: Moment) -> Result<Option<Due>, sqlx::Error> {
        sqlx::query_as(
            "DELETE FROM clock_timers WHERE rowid = (SELECT rowid FROM clock_timers
             WHERE clock_id = $1 AND due_at_us <= $2 ORDER BY due_at_us, rowid LIMIT 1)
             RETURNING object_id, what, due_at_us",
        )
        .bind(clock)
        .bind(at.0)
        .fetch_optional(&mut *self.conn)
        .await
    }
}
