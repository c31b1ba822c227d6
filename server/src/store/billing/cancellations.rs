//! Requested cancellations, each stored before the provider is called.

use garimpo_domain::Timestamp;

use crate::store::engine::{NonEmpty, OrEmpty as _, Result, Store, Tx, ro, row, tx};

row! {
    "cancellations" by id, select, printed;

    /// A requested cancellation.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Cancellation {
        /// Our id, `can_…`.
        pub id: String,
        pub uid: String,
        /// Subscription to cancel.
        pub subscription_id: String,
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
pub async fn by_uid(store: &Store, uid: &str) -> Result<Vec<Cancellation>> {
    ro!(store, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
        .bind(uid).fetch_all(c).await)
}

/// The cancellation of a request.
pub async fn by_request(tx: &mut Tx, uid: &str, request_id: &str) -> Result<Option<Cancellation>> {
    tx!(tx, c => sqlx::query_as(select!("WHERE uid = $1 AND request_id = $2"))
        .bind(uid).bind(request_id).fetch_optional(c).await)
}

/// Stores a cancellation.
pub async fn insert(tx: &mut Tx, row: &Cancellation) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO cancellations (id, uid, subscription_id, request_id, reason, told, created_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(&row.id).bind(&row.uid).bind(&row.subscription_id).bind(&row.request_id).bind(row.reason.or_empty())
        .bind(row.told).bind(row.created_at).execute(c).await.map(drop))
}

/// Settles every cancellation of a subscription.
pub async fn settle(tx: &mut Tx, uid: &str, subscription_id: &str) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "UPDATE cancellations SET told = TRUE WHERE uid = $1 AND subscription_id = $2 AND NOT told")
        .bind(uid).bind(subscription_id).execute(c).await.map(drop))
}

/// Whether a cancellation of the subscription is requested and not settled.
pub async fn is_pending(tx: &mut Tx, subscription_id: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query_scalar::<_, i64>(
        "SELECT COUNT(*) FROM cancellations WHERE subscription_id = $1 AND NOT told")
        .bind(subscription_id).fetch_one(c).await.map(|count| count > 0))
}

/// Deletes the reasons of a deleted account.
pub async fn forget_reasons(tx: &mut Tx, uid: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE cancellations SET reason = '' WHERE uid = $1").bind(uid).execute(c).await.map(drop))
}
