//! Whether the payment provider has subscriptions of ours beside a database without accounts.

use garimpo_domain::{Timestamp, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Text as _, Tx, ro, row, text, tx};

/// Result of the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PayersState {
    /// The provider had no such subscription.
    Clear,
    /// The provider had some, so nothing is sold.
    Found,
    /// The operator sells nevertheless.
    Accepted,
}

text!(PayersState);

row! {
    "payers_check" by state;

    /// The stored check.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PayersCheck {
        pub state: PayersState,
        /// Subscriptions with our metadata whose account is unknown here; at most a page of them.
        pub subscriptions: i64,
        pub checked_at: Timestamp as checked_at_us,
    }
}

/// The stored check; `None` before the provider was first reached.
pub async fn current(store: &Store) -> Result<Option<PayersCheck>> {
    ro!(store, first "SELECT state, subscriptions, checked_at_us FROM payers_check WHERE id = 1")
}

/// Whether the database has an account.
pub async fn has_accounts(store: &Store) -> Result<bool> {
    ro!(store, exists "SELECT COUNT(*) FROM (SELECT 1 FROM accounts LIMIT 1) AS one")
}

/// Those of the uids that are, or were, accounts of this database.
pub async fn known_uids(store: &Store, uids: &[Uid]) -> Result<Vec<Uid>> {
    let accounts: Vec<(Uid,)> = ro!(store, rows in uids => "SELECT uid FROM accounts WHERE uid IN {}")?;
    let deleted: Vec<(Uid,)> = ro!(store, rows in uids => "SELECT uid FROM deletions WHERE uid IN {}")?;
    Ok(accounts.into_iter().chain(deleted).map(|(uid,)| uid).collect())
}

/// Stores the result of a check, unless the operator accepted an earlier one.
pub async fn save(tx: &mut Tx, check: &PayersCheck) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO payers_check (id, state, subscriptions, checked_at_us) VALUES (1, $1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, subscriptions = excluded.subscriptions,
           checked_at_us = excluded.checked_at_us WHERE payers_check.state <> 'accepted'",
        check.state.text(), check.subscriptions, check.checked_at)
}

/// Accepts what the check found. Returns whether it had found something.
pub async fn accept(tx: &mut Tx) -> Result<bool> {
    tx!(tx, changed "UPDATE payers_check SET state = 'accepted' WHERE id = 1 AND state <> 'clear'")
}
