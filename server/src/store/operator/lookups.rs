//! Queries that only the operator runs: the account of an id, an account's jobs, and sign-ups.

use garimpo_domain::{
    Centavos, CheckoutId, CheckoutSessionId, Interval, Phone, PlanId, SubscriptionId, Timestamp, Uid,
};

use crate::store::billing::checkouts::{CheckoutStatus, PaymentStatus};
use crate::store::billing::subscriptions::is_counted_as_paid;
use crate::store::engine::{NonEmpty, Result, Store, ro, row};
use crate::store::identity::sessions::AliveSince;
use crate::store::jobs::JobState;

row! {
    "jobs" by key, select, printed;

    /// A job of an account, without its payload.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobSeenBy {
        /// Name of the kind; text, because a newer version may have stored another kind.
        pub kind: String,
        /// Number of runs.
        pub key: String,
        pub state: JobState,
        /// Runs so far.
        pub attempts: i64,
        /// When it became or becomes due.
        pub due_at: Timestamp as due_at_us,
        /// When it was done or parked.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// Why the last run failed.
        pub last_error: Option<String>,
    }
}

row! {
    "checkouts" by id, printed;

    /// A checkout without its client secret.
    #[derive(Debug)]
    pub struct CheckoutSeen {
        pub id: CheckoutId,
        pub session_id: Option<CheckoutSessionId>,
        pub plan_id: PlanId,
        pub plan_interval: Interval,
        /// Coupon of the first payment, if any.
        pub coupon_id: Option<NonEmpty>,
        pub first_payment_centavos: Centavos,
        pub status: CheckoutStatus,
        pub payment_status: PaymentStatus,
        /// Whether it can no longer change.
        pub settled: bool,
        pub subscription_id: Option<SubscriptionId>,
        pub created_at: Timestamp as created_at_us,
    }
}

/// Number of sign-ups in a span, and how many of them have paid since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, sqlx::FromRow)]
pub struct SignUps {
    /// Accounts created, including deleted ones.
    pub sign_ups: i64,
    /// Of these, accounts with a payment that was not refunded as a duplicate.
    pub paid: i64,
}

/// The account of an id of any kind: uid, customer, subscription, invoice with its number, payment,
/// charge, session or checkout, event, refund or protocol.
pub async fn uid_of(store: &Store, id: &str) -> Result<Option<Uid>> {
    let found: Option<Uid> = ro!(store, first_value "SELECT uid FROM accounts WHERE uid = $1
         UNION ALL SELECT uid FROM customers WHERE uid = $1 OR customer_id = $1
         UNION ALL SELECT uid FROM subscriptions WHERE id = $1
         UNION ALL SELECT uid FROM invoices WHERE id = $1
         UNION ALL SELECT uid FROM checkouts WHERE id = $1
         UNION ALL SELECT uid FROM checkouts WHERE session_id = $1
         UNION ALL SELECT uid FROM refunds WHERE id = $1
         UNION ALL SELECT uid FROM refunds WHERE protocol = $1
         UNION ALL SELECT uid FROM cancellations WHERE id = $1
         UNION ALL SELECT uid FROM deletions WHERE protocol = $1 OR uid = $1
         UNION ALL SELECT c.uid FROM events e JOIN customers c ON c.customer_id = e.customer_id WHERE e.id = $1
         LIMIT 1", id)?;
    if found.is_some() {
        return Ok(found);
    }
    // These columns have no index. The query is rare, so it reads the whole table.
    ro!(store, first_value "SELECT uid FROM invoices
         WHERE payment_intent_id = $1 OR charge_id = $1 OR UPPER(number) = UPPER($1) LIMIT 1", id)
}

/// Events of disputes: the account of the customer, and the signed body. Nothing indexes the id of
/// a dispute, and disputes are few, so the caller reads all.
pub async fn dispute_events(store: &Store) -> Result<Vec<(Uid, Vec<u8>)>> {
    ro!(store, rows "SELECT c.uid, e.body FROM events e JOIN customers c ON c.customer_id = e.customer_id
         WHERE e.kind LIKE 'charge.dispute.%'")
}

/// Uid and email of each account with this phone, oldest first.
pub async fn accounts_by_phone(store: &Store, phone: &Phone) -> Result<Vec<(Uid, String)>> {
    ro!(store, rows "SELECT uid, email FROM accounts WHERE phone = $1 ORDER BY created_at_us, uid",
        phone.as_str())
}

/// The account that was last deleted with this email hash.
pub async fn deleted_uid_by_email(store: &Store, email_hash: &str) -> Result<Option<Uid>> {
    ro!(store, first_value
        "SELECT uid FROM deletions WHERE email_hash = $1 ORDER BY deleted_at_us DESC LIMIT 1", email_hash)
}

/// Protocol and time of an account's deletion.
pub async fn deletion(store: &Store, uid: &Uid) -> Result<Option<(String, Timestamp)>> {
    ro!(store, first "SELECT protocol, deleted_at_us FROM deletions WHERE uid = $1", uid)
}

/// Number of valid sessions of an account.
pub async fn count_live_sessions(store: &Store, uid: &Uid, alive: AliveSince) -> Result<i64> {
    ro!(store, value
        "SELECT COUNT(*) FROM sessions WHERE uid = $1 AND created_at_us > $2 AND seen_at_us > $3",
        uid, alive.created, alive.seen)
}

/// Jobs about an account: unfinished ones first, then the newest, at most `limit`.
pub async fn jobs_about(store: &Store, uid: &Uid, limit: i64) -> Result<Vec<JobSeenBy>> {
    ro!(store, rows
        select!("WHERE uid = $1 ORDER BY CASE state WHEN 'parked' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END, due_at_us DESC, kind, key
         LIMIT $2"), uid, limit)
}

/// All checkouts of an account, oldest first.
pub async fn checkouts_of(store: &Store, uid: &Uid) -> Result<Vec<CheckoutSeen>> {
    ro!(store, rows
        "SELECT id, session_id, plan_id, plan_interval, coupon_id, first_payment_centavos, status, payment_status,
           settled, subscription_id, created_at_us FROM checkouts WHERE uid = $1 ORDER BY created_at_us, id",
        uid)
}

/// Sign-ups in a span. Deleted accounts count while their audit trail is stored.
pub async fn sign_ups(store: &Store, from: Timestamp, until: Timestamp) -> Result<SignUps> {
    ro!(store, row concat!("SELECT COUNT(*) AS sign_ups, COUNT(CASE WHEN EXISTS (SELECT 1 FROM subscriptions s
             WHERE s.uid = made.uid AND ", is_counted_as_paid!(), ") THEN 1 END) AS paid
         FROM (SELECT uid FROM accounts WHERE created_at_us >= $1 AND created_at_us < $2
           UNION SELECT uid FROM audit_events WHERE kind = 'sign_up' AND uid IS NOT NULL
             AND at_us >= $1 AND at_us < $2) made"), from, until)
}
