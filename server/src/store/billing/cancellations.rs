//! Requested cancellations, each stored before the provider is called.

use garimpo_domain::{SubscriptionId, Timestamp, Uid};

use crate::store::engine::{NonEmpty, OrEmpty as _, Result, Store, Tx, ro, row, tx};

row! {
    "cancellations" by id, select, printed;

    /// A requested cancellation.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Cancellation {
        /// Our id, `can_…`.
        pub id: String,
        pub uid: Uid,
        /// Subscription to cancel.
        pub subscription_id: SubscriptionId,
        /// Id that the caller gave its request, if any.
        pub request_id: Option<String>,
        /// The person's reason, as typed.
        pub reason: Option<NonEmpty>,
        /// Whether it is settled: the provider has it, or the subscription was resumed.
        pub told: bool,
        /// When it was requested.
        pub created_at: Timestamp as created_at_us,
    }
}

/// All cancellations of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<Cancellation>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// The cancellation of a request.
pub async fn by_request(tx: &mut Tx, uid: &Uid, request_id: &str) -> Result<Option<Cancellation>> {
    tx!(tx, first select!("WHERE uid = $1 AND request_id = $2"), uid, request_id)
}

/// Stores a cancellation.
pub async fn insert(tx: &mut Tx, row: &Cancellation) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO cancellations (id, uid, subscription_id, request_id, reason, told, created_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &row.id, &row.uid, &row.subscription_id, &row.request_id, row.reason.or_empty(), row.told,
        row.created_at)
}

/// Settles every cancellation of a subscription.
pub async fn settle(tx: &mut Tx, uid: &Uid, subscription_id: &SubscriptionId) -> Result<()> {
    tx!(tx, execute
        "UPDATE cancellations SET told = TRUE WHERE uid = $1 AND subscription_id = $2 AND NOT told",
        uid, subscription_id)
}

/// Whether the subscription's owner ever canceled it here.
pub async fn was_requested(tx: &mut Tx, subscription_id: &SubscriptionId) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM cancellations WHERE subscription_id = $1", subscription_id)
}

/// Whether a cancellation of the subscription is requested and not settled.
pub async fn is_pending(tx: &mut Tx, subscription_id: &SubscriptionId) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM cancellations WHERE subscription_id = $1 AND NOT told",
        subscription_id)
}

/// Deletes the reasons of a deleted account.
pub async fn forget_reasons(tx: &mut Tx, uid: &Uid) -> Result<()> {
    tx!(tx, execute "UPDATE cancellations SET reason = '' WHERE uid = $1", uid)
}
