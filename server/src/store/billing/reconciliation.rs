//! Progress of reconciliation: its position in the provider's events and lists.

use garimpo_domain::{CustomerId, SubscriptionId, Timestamp, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Text, Tx, ro, row, tx};

row! {
    "reconciliation" by sweep, select;

    /// Progress of reconciliation.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Reconciliation {
        /// The last event that was read; empty before the first one.
        pub event_cursor: String,
        /// When the event list was last read.
        pub events_read_at: Option<Timestamp> as events_read_at_us,
        /// The last account of the pass over accounts that are not final.
        pub open_after: String,
        /// Number of the sweep.
        pub sweep: i64,
        /// Objects that the sweep is reading.
        pub phase: SweepPhase as sweep_phase,
        /// The last object or account that was read in this phase.
        pub sweep_after: String,
        /// Pages that the sweep has read.
        pub sweep_pages: i64,
        /// When this sweep began.
        pub sweep_began_at: Timestamp as sweep_began_at_us,
        /// When the previous sweep began.
        pub sweep_before_at: Option<Timestamp> as sweep_before_at_us = "NULLIF(sweep_before_at_us, 0)",
    }
}

/// Objects that a sweep reads, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SweepPhase {
    /// No sweep runs.
    #[strum(serialize = "")]
    Idle,
    /// Subscriptions in every status.
    Subscriptions,
    /// Recently created invoices.
    Invoices,
    /// Recently created refunds.
    Refunds,
    /// Recently created disputes.
    Disputes,
    /// Our subscriptions that no page listed.
    Missing,
}

impl SweepPhase {
    /// The phase after this one.
    pub fn next(self) -> Self {
        match self {
            Self::Idle => Self::Subscriptions,
            Self::Subscriptions => Self::Invoices,
            Self::Invoices => Self::Refunds,
            Self::Refunds => Self::Disputes,
            Self::Disputes => Self::Missing,
            Self::Missing => Self::Idle,
        }
    }
}

/// An unknown phase of another version counts as `Idle`, so that a new sweep begins.
impl Text for SweepPhase {
    fn parse(text: &str) -> Option<Self> {
        Some(text.parse().unwrap_or(Self::Idle))
    }

    fn text(self) -> &'static str {
        self.into()
    }
}

/// The stored progress of reconciliation.
pub async fn current(store: &Store) -> Result<Reconciliation> {
    ro!(store, row select!("WHERE id = 1"))
}

/// The accounts of customers, as pairs of customer id and uid.
pub async fn uids_of_customers(store: &Store, ids: &[CustomerId]) -> Result<Vec<(CustomerId, Uid)>> {
    ro!(store, rows in ids => "SELECT customer_id, uid FROM customers WHERE customer_id IN {}")
}

/// Subscriptions that have not ended, with their accounts, ordered by id, after `after`.
pub async fn running_subscriptions(
    store: &Store,
    after: &str,
    limit: i64,
) -> Result<Vec<(SubscriptionId, Uid)>> {
    ro!(store, rows "SELECT id, uid FROM subscriptions WHERE ended_at_us IS NULL AND retired = '' AND id > $1
         ORDER BY id LIMIT $2", after, limit)
}

/// Accounts with a running subscription that existed before the sweep and was not listed in it,
/// ordered by uid, after `after`.
pub async fn unlisted_uids(
    store: &Store,
    sweep: &Reconciliation,
    after: &str,
    limit: i64,
) -> Result<Vec<Uid>> {
    ro!(store, values "SELECT DISTINCT uid FROM subscriptions
         WHERE ended_at_us IS NULL AND retired = '' AND swept <> $1 AND created_at_us < $2 AND uid > $3
         ORDER BY uid LIMIT $4", sweep.sweep, sweep.sweep_began_at, after, limit)
}

/// Moves the event cursor; false if another run has moved it.
pub async fn move_event_cursor(tx: &mut Tx, from: &str, to: &str, now: Timestamp) -> Result<bool> {
    tx!(tx, changed
        "UPDATE reconciliation SET event_cursor = $2, events_read_at_us = $3 WHERE id = 1 AND event_cursor = $1",
        from, to, now)
}

/// Stores the last account of the pass over accounts that are not final.
pub async fn set_open_after(tx: &mut Tx, after: &str) -> Result<()> {
    tx!(tx, execute "UPDATE reconciliation SET open_after = $1 WHERE id = 1", after)
}

/// Begins a new sweep, even if one is running.
pub async fn begin_sweep(tx: &mut Tx, now: Timestamp) -> Result<()> {
    tx!(tx, execute
        "UPDATE reconciliation SET sweep = sweep + 1, sweep_phase = $1, sweep_after = '', sweep_pages = 0,
           sweep_before_at_us = sweep_began_at_us, sweep_began_at_us = $2 WHERE id = 1",
        SweepPhase::Subscriptions.text(), now)
}

/// Moves the sweep; false if another run has moved it.
pub async fn move_sweep(tx: &mut Tx, from: &Reconciliation, phase: SweepPhase, after: &str) -> Result<bool> {
    tx!(tx, changed
        "UPDATE reconciliation SET sweep_phase = $1, sweep_after = $2, sweep_pages = sweep_pages + 1
         WHERE id = 1 AND sweep = $3 AND sweep_phase = $4 AND sweep_after = $5",
        phase.text(), after, from.sweep, from.phase.text(), &from.sweep_after)
}

/// Marks subscriptions as listed in the current sweep.
pub async fn mark_listed(tx: &mut Tx, ids: &[SubscriptionId]) -> Result<()> {
    tx!(tx, execute in ids =>
        "UPDATE subscriptions SET swept = (SELECT sweep FROM reconciliation WHERE id = 1) WHERE id IN {}")
}
