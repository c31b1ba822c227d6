//! Checkouts: the intent, the provider's session, and its outcome.

use crate::store::engine::{
    NonEmpty, OrEmpty as _, Read, Result, Statement, Store, Text as _, Tx, purge, ro, row, statement, text,
    tx,
};
use garimpo_domain::{
    Centavos, CheckoutId, CheckoutSessionId, Email, Interval, PlanId, SubscriptionId, Timestamp, Uid,
};
use strum::{EnumString, IntoStaticStr};

/// Progress of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CheckoutStatus {
    /// Stored; the provider's session is not known yet.
    Intent,
    /// The session is open.
    Open,
    /// The buyer completed the session.
    Complete,
    /// The session expired.
    Expired,
    /// The provider refused the session.
    Failed,
}

/// Whether a checkout was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PaymentStatus {
    Unpaid,
    Paid,
}

text!(CheckoutStatus, PaymentStatus);

row! {
    "checkouts" by id, select;

    /// A checkout.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Checkout {
        pub id: CheckoutId,
        pub uid: Uid,
        /// Email of the account when the checkout began.
        pub email: String,
        pub plan_id: PlanId,
        pub plan_interval: Interval,
        /// Coupon of the first payment, if any.
        pub coupon_id: Option<NonEmpty>,
        /// Promotion code as typed.
        pub promo_code: Option<NonEmpty>,
        /// The provider's price id, `price_…`.
        pub price_id: String,
        /// Regular price of each period.
        pub price_centavos: Centavos,
        /// Amount of the first payment: the provider's once the session is open, until then ours.
        pub first_payment_centavos: Centavos,
        /// Amount of the first payment by our prices when the checkout began.
        pub quoted_centavos: Centavos,
        /// Number of the attempt to open the session; part of the idempotency key.
        pub attempt: i64,
        /// The provider's session, `cs_…`; absent until its response is stored.
        pub session_id: Option<CheckoutSessionId>,
        /// Secret of the session for the provider's script in the browser.
        pub client_secret: Option<String>,
        pub status: CheckoutStatus,
        pub payment_status: PaymentStatus,
        /// Whether it can no longer change.
        pub settled: bool,
        /// The subscription that it created.
        pub subscription_id: Option<SubscriptionId>,
        /// When it began.
        pub created_at: Timestamp as created_at_us,
        /// When the session expires.
        pub expires_at: Option<Timestamp> as expires_at_us,
    }
}

impl Checkout {
    /// Idempotency key of the call that opens the session.
    pub fn idempotency_key(&self) -> String {
        format!("{}-{}", self.id, self.attempt)
    }
}

/// The provider's current state of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutState {
    pub id: CheckoutId,
    /// `Open`, `Complete` or `Expired`.
    pub status: CheckoutStatus,
    pub payment_status: PaymentStatus,
    /// Whether it can no longer change.
    pub settled: bool,
    /// The subscription that it created.
    pub subscription_id: Option<SubscriptionId>,
    /// Amount of the first payment, if the session has one.
    pub amount_total_centavos: Option<Centavos>,
}

/// The checkout of a provider session.
pub async fn by_session(store: &Store, session_id: &CheckoutSessionId) -> Result<Option<Checkout>> {
    ro!(store, first select!("WHERE session_id = $1"), session_id)
}

/// The checkout that created a subscription.
pub async fn by_subscription(
    db: impl Read<'_>,
    subscription_id: &SubscriptionId,
) -> Result<Option<Checkout>> {
    ro!(db, first select!("WHERE subscription_id = $1 ORDER BY created_at_us LIMIT 1"), subscription_id)
}

/// The checkout that a request began.
pub async fn by_request(db: impl Read<'_>, uid: &Uid, request_id: &str) -> Result<Option<Checkout>> {
    ro!(db, first
        select!("WHERE id = (SELECT checkout_id FROM checkout_requests WHERE uid = $1 AND request_id = $2)"),
        uid, request_id)
}

/// All checkouts of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<Checkout>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// Checkouts with a coupon whose session is open or not stored yet.
pub async fn open_with_coupon(store: &Store) -> Result<Vec<Checkout>> {
    ro!(store, rows select!("WHERE NOT settled AND status IN ('intent', 'open') AND coupon_id <> ''"))
}

/// The newest open checkout or intent of an account for the same purchase that began after
/// `begun_after`.
pub async fn same_purchase(
    db: impl Read<'_>,
    wanted: &Checkout,
    begun_after: Timestamp,
) -> Result<Option<Checkout>> {
    ro!(db, first
        select!("WHERE uid = $1 AND plan_id = $2 AND plan_interval = $3 AND coupon_id = $4 AND promo_code = $5
           AND quoted_centavos = $6 AND price_id = $7
           AND status IN ('intent', 'open') AND created_at_us > $8
         ORDER BY created_at_us DESC LIMIT 1"),
        &wanted.uid, wanted.plan_id.text(), wanted.plan_interval.text(), wanted.coupon_id.or_empty(),
        wanted.promo_code.or_empty(), wanted.quoted_centavos, &wanted.price_id, begun_after)
}

/// Checkouts of an account that can still change.
pub async fn unsettled(db: impl Read<'_>, uid: &Uid) -> Result<Vec<Checkout>> {
    ro!(db, rows select!("WHERE uid = $1 AND NOT settled AND session_id IS NOT NULL ORDER BY created_at_us"),
        uid)
}

/// Checkouts of an account that can still be paid, including those whose session is not stored yet.
pub async fn begun(tx: &mut Tx, uid: &Uid) -> Result<Vec<Checkout>> {
    tx!(tx, rows select!("WHERE uid = $1 AND NOT settled"), uid)
}

/// Stores an intent.
pub async fn insert(tx: &mut Tx, row: &Checkout) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO checkouts (id, uid, email, plan_id, plan_interval, coupon_id, promo_code, price_id,
           price_centavos, first_payment_centavos, attempt, session_id, client_secret, status, payment_status,
           settled, subscription_id, created_at_us, expires_at_us, quoted_centavos)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
        &row.id, &row.uid, &row.email, row.plan_id.text(), row.plan_interval.text(), row.coupon_id.or_empty(),
        row.promo_code.or_empty(), &row.price_id, row.price_centavos, row.first_payment_centavos, row.attempt,
        &row.session_id, &row.client_secret, row.status.text(), row.payment_status.text(), row.settled,
        &row.subscription_id, row.created_at, row.expires_at, row.quoted_centavos)
}

/// Records the checkout of a request id. A later call does not overwrite it.
pub async fn record_request(
    tx: &mut Tx,
    uid: &Uid,
    request_id: &str,
    checkout_id: &CheckoutId,
    now: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO checkout_requests (uid, request_id, checkout_id, created_at_us) VALUES ($1, $2, $3, $4)
         ON CONFLICT (uid, request_id) DO NOTHING", uid, request_id, checkout_id, now)
}

/// Stores the provider's response to an intent, unless one is stored. Returns whether this call
/// stored it.
pub async fn mark_opened(
    tx: &mut Tx,
    id: &CheckoutId,
    session_id: &CheckoutSessionId,
    client_secret: &str,
    expires_at: Option<Timestamp>,
    first_payment_centavos: Centavos,
) -> Result<bool> {
    tx!(tx, changed
        "UPDATE checkouts SET session_id = $2, client_secret = $3, expires_at_us = $4, status = 'open',
           first_payment_centavos = $5
         WHERE id = $1 AND status = 'intent'",
        id, session_id, client_secret, expires_at, first_payment_centavos)
}

/// Raises the attempt, so that the next call has another key, because the response to this attempt
/// is lost.
pub async fn next_attempt(tx: &mut Tx, id: &CheckoutId, attempt: i64) -> Result<()> {
    tx!(tx, execute "UPDATE checkouts SET attempt = attempt + 1 WHERE id = $1 AND attempt = $2", id, attempt)
}

/// Changes the email to which refunds of an account's checkouts go.
pub async fn set_email(tx: &mut Tx, uid: &Uid, email: &Email) -> Result<()> {
    tx!(tx, execute "UPDATE checkouts SET email = $2 WHERE uid = $1 AND email <> ''", uid, email.as_str())
}

/// Marks an intent that the provider refused as failed.
pub async fn mark_refused(tx: &mut Tx, id: &CheckoutId) -> Result<()> {
    tx!(tx, execute
        "UPDATE checkouts SET status = 'failed', settled = TRUE WHERE id = $1 AND status = 'intent'", id)
}

/// Ends intents stored before `$1` that got no answer; nobody has their sessions, so none can be
/// paid. At most `$2`.
pub const END_UNANSWERED: Statement = statement!(
    "UPDATE checkouts SET status = 'failed', settled = TRUE WHERE id IN (SELECT id FROM checkouts
       WHERE NOT settled AND status = 'intent' AND created_at_us < $1 LIMIT $2)"
);

/// Removes abandoned checkouts that were begun before `$1`: those that can be paid no more
/// and were not. At most `$2`.
pub const PURGE: Statement =
    purge!("checkouts", "id", "settled AND payment_status = 'unpaid' AND created_at_us < $1");

/// Removes request ids of checkouts that were begun before `$1`; at most `$2`.
pub const PURGE_REQUESTS: Statement = purge!("checkout_requests", "uid, request_id", "created_at_us < $1");

/// Whether a session is complete at the provider and its row does not have this yet.
pub async fn is_newly_complete(tx: &mut Tx, state: &CheckoutState) -> Result<bool> {
    if state.status != CheckoutStatus::Complete {
        return Ok(false);
    }
    tx!(tx, exists "SELECT COUNT(*) FROM checkouts WHERE id = $1 AND status <> 'complete'", &state.id)
}

/// The checkout with this id.
pub async fn by_id(tx: &mut Tx, id: &CheckoutId) -> Result<Option<Checkout>> {
    tx!(tx, first select!("WHERE id = $1"), id)
}

/// Stores the provider's current state of a session.
pub async fn set_state(tx: &mut Tx, state: &CheckoutState) -> Result<()> {
    tx!(tx, execute
        "UPDATE checkouts SET status = $2, payment_status = $3, settled = $4, subscription_id = $5,
           first_payment_centavos = COALESCE($6, first_payment_centavos) WHERE id = $1",
        &state.id, state.status.text(), state.payment_status.text(), state.settled, &state.subscription_id,
        state.amount_total_centavos)
}
