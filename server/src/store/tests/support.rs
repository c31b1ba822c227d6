//! Resets, copies and reads an account in tests, so that one account can receive the same events in
//! many orders.

use std::sync::Arc;

use garimpo_domain::consent::TEXT_VERSION;
use garimpo_domain::{CheckoutSessionId, Uid};
use tokio::sync::Semaphore;

use crate::store::billing::checkouts::{self, Checkout};
use crate::store::engine::{Store, StoreError, ro, transaction, tx};

/// A job with an effect that a person or another system sees.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct JobSeen {
    /// Name of the kind.
    pub kind: String,
    /// Unique per kind.
    pub key: String,
    /// Input of the handler, as stored.
    pub payload: String,
    /// `waiting`, `done` or `parked`.
    pub state: String,
    /// Due instant of the job at an account's next change of rights; 0 for other jobs.
    pub wakes_at_us: i64,
}

const FORGOTTEN: [&str; 6] = [
    "DELETE FROM events WHERE $1 <> ''",
    "DELETE FROM jobs WHERE $1 <> '' AND kind NOT IN ('reconcile', 'catalog_push', 'retention')",
    "DELETE FROM invoices WHERE uid = $1",
    "DELETE FROM subscriptions WHERE uid = $1",
    "UPDATE customers SET ticket_issued = 0, ticket_applied = 0 WHERE uid = $1",
    "UPDATE checkouts SET status = 'open', payment_status = 'unpaid', settled = FALSE, subscription_id = NULL
     WHERE uid = $1",
];

/// Resets the only account to the state right after its checkout was opened.
pub async fn forget_account(store: &Store, uid: &Uid) -> Result<(), StoreError> {
    transaction!(store, (uid = uid.clone()), |tx| {
        for statement in FORGOTTEN {
            tx!(tx, execute built statement, uid)?;
        }
        Ok(())
    })
}

/// Adds `count` copies of an account, with `_1`, `_2`, … appended to every id.
pub async fn multiply(store: &Store, uid: &str, count: u32) -> Result<(), StoreError> {
    transaction!(store, (uid = uid.to_owned()), |tx| {
        for copy in include_str!("copies.sql").split(';') {
            tx!(tx, execute built copy, uid, i64::from(count))?;
        }
        Ok(())
    })
}

/// Mails, conversions, changes of rights and retirements, in any state.
pub async fn jobs_seen(store: &Store) -> Result<Vec<JobSeen>, StoreError> {
    ro!(store, rows "SELECT kind, key, payload, state,
           CASE WHEN kind = 'rights_change' THEN due_at_us ELSE 0 END AS wakes_at_us FROM jobs
         WHERE kind NOT IN ('payment_event', 'reconcile', 'catalog_push', 'retention') ORDER BY kind, key")
}

/// All checkouts of an account with a session.
pub async fn opened_checkouts(store: &Store, uid: &Uid) -> Result<Vec<Checkout>, StoreError> {
    let sessions: Vec<CheckoutSessionId> = ro!(store, values
        "SELECT session_id FROM checkouts WHERE uid = $1 AND session_id IS NOT NULL ORDER BY session_id",
        uid)?;
    let mut checkouts = Vec::new();
    for session in sessions {
        checkouts.extend(checkouts::by_session(store, &session).await?);
    }
    Ok(checkouts)
}

/// Stores an account's answer about advertising as its sign-up would, or deletes it.
pub async fn answer_consent(store: &Store, uid: &Uid, consent: Option<bool>) -> Result<(), StoreError> {
    transaction!(store, (uid = uid.clone()), |tx| tx!(tx, execute
        "UPDATE accounts SET consent_given = $2, consent_text_version = $3, consent_at_us = created_at_us
             WHERE uid = $1", uid, consent, TEXT_VERSION))
}

/// Locks the row of the heartbeat, which blocks every heartbeat, until the gate opens.
pub async fn hold_heartbeat(store: &Store, gate: Arc<Semaphore>) -> Result<(), StoreError> {
    transaction!(store, (gate), |tx| {
        tx!(tx, execute "UPDATE heartbeats SET beat = beat + 1")?;
        gate.acquire().await.map_err(|_| StoreError::Closing)?.forget();
        Ok(())
    })
}

/// Number of stored deliveries.
pub async fn count_events(store: &Store) -> Result<i64, StoreError> {
    ro!(store, value "SELECT COUNT(*) FROM events")
}
