//! Attribution of accounts: the source of the visit, as known at sign-up and at each checkout.

use garimpo_domain::{AdPlatform, CheckoutId, ClickIds, Labels, SubscriptionId, Timestamp, Touch, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::billing::subscriptions::is_counted_as_paid;
use crate::store::engine::{
    NonEmpty, Result, Statement, Store, Text as _, Tx, purge, ro, row, text, text_or_empty, tx,
};

/// First or last touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TouchKind {
    First,
    Last,
}

text!(TouchKind, AdPlatform);

row! {
    "attributions" by checkout_id, select, printed;

    /// A stored touch.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AttributionRow {
        /// The checkout at which it was known; `None` for the sign-up.
        pub checkout_id: Option<NonEmpty>,
        pub touch: TouchKind,
        /// When the visit arrived.
        pub touched_at: Timestamp as touched_at_us,
        pub utm_source: Option<NonEmpty>,
        pub utm_medium: Option<NonEmpty>,
        pub utm_campaign: Option<NonEmpty>,
        pub utm_term: Option<NonEmpty>,
        pub utm_content: Option<NonEmpty>,
        /// Query parameter `campaign`.
        pub campaign_id: Option<NonEmpty>,
        /// Query parameter `ref`.
        pub referral: Option<NonEmpty>,
        /// Promotion code, normalized for counting.
        pub promo: Option<NonEmpty>,
        /// Host of the page that linked to the site.
        pub referrer_host: Option<NonEmpty>,
        /// Platform whose advertisement was clicked.
        pub clicked: Option<AdPlatform>,
    }
}

row! {
    "click_ids" by checkout_id, printed;

    /// Stored click ids.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ClickIdsRow {
        /// The checkout at which they were known; `None` for the sign-up.
        pub checkout_id: Option<NonEmpty>,
        /// Meta's click id of the last click, cookie `_fbc`.
        pub fbc: Option<NonEmpty>,
        /// Meta's browser id, cookie `_fbp`.
        pub fbp: Option<NonEmpty>,
        /// Google's click id of the last click.
        pub gclid: Option<NonEmpty>,
        /// Meta's click id of the first click.
        pub first_fbc: Option<NonEmpty>,
        /// Google's click id of the first click.
        pub first_gclid: Option<NonEmpty>,
        /// When they were received.
        pub stored_at: Timestamp as stored_at_us,
    }
}

/// Number of sign-ups in a span with the same attribution.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CameFrom {
    #[sqlx(flatten)]
    pub labels: Labels,
    /// Accounts created.
    pub sign_ups: i64,
    /// Of these, accounts with a payment that was not refunded as a duplicate.
    pub paid: i64,
}

/// Number of purchases in a span with the same attribution.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct BoughtFrom {
    #[sqlx(flatten)]
    pub labels: Labels,
    /// Subscriptions bought.
    pub purchases: i64,
}

/// Stores a touch. A later first touch does not overwrite an earlier one. A later last touch
/// replaces all fields, for instance when an open checkout is opened again.
pub async fn insert(
    tx: &mut Tx,
    (uid, checkout_id): (&Uid, Option<&CheckoutId>),
    kind: TouchKind,
    (touch, at): &(Touch, Timestamp),
) -> Result<()> {
    let labels = touch.labels();
    tx!(tx, execute
        "INSERT INTO attributions (uid, checkout_id, touch, touched_at_us, source, campaign, promo, utm_source,
           utm_medium, utm_campaign, utm_term, utm_content, campaign_id, referral, referrer_host, clicked)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
         ON CONFLICT (uid, checkout_id, touch) DO UPDATE SET touched_at_us = excluded.touched_at_us,
           source = excluded.source, campaign = excluded.campaign, promo = excluded.promo,
           utm_source = excluded.utm_source, utm_medium = excluded.utm_medium,
           utm_campaign = excluded.utm_campaign, utm_term = excluded.utm_term,
           utm_content = excluded.utm_content, campaign_id = excluded.campaign_id,
           referral = excluded.referral, referrer_host = excluded.referrer_host, clicked = excluded.clicked
         WHERE attributions.touch = 'last' AND excluded.touched_at_us >= attributions.touched_at_us",
        uid, checkout_id.map_or("", |id| id), kind.text(), at, &labels.source, &labels.campaign, &labels.promo, &touch.utm_source,
        &touch.utm_medium, &touch.utm_campaign, &touch.utm_term, &touch.utm_content, &touch.campaign_id,
        &touch.referral, &touch.referrer_host, text_or_empty(touch.clicked))
}

/// Stores the click ids of the first and last click of an account that allows advertising. New
/// values overwrite old ones.
pub async fn save_click_ids(
    tx: &mut Tx,
    (uid, checkout_id): (&Uid, Option<&CheckoutId>),
    [first, last]: [&ClickIds; 2],
    now: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO click_ids (uid, checkout_id, fbc, fbp, gclid, stored_at_us, first_fbc, first_gclid)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (uid, checkout_id) DO UPDATE SET fbc = excluded.fbc, fbp = excluded.fbp,
           gclid = excluded.gclid, stored_at_us = excluded.stored_at_us,
           first_fbc = excluded.first_fbc, first_gclid = excluded.first_gclid",
        uid, checkout_id.map_or("", |id| id), &last.fbc, &last.fbp, &last.gclid, now, &first.fbc, &first.gclid)
}

/// The click ids of a purchase: those of its checkout, or else the account's newest.
pub async fn click_ids_of_purchase(
    tx: &mut Tx,
    uid: &Uid,
    subscription_id: &SubscriptionId,
) -> Result<Option<ClickIdsRow>> {
    tx!(tx, first
        "SELECT i.checkout_id, i.fbc, i.fbp, i.gclid, i.first_fbc, i.first_gclid, i.stored_at_us FROM click_ids i
         LEFT JOIN checkouts o ON o.id = i.checkout_id AND o.subscription_id = $2
         WHERE i.uid = $1 ORDER BY CASE WHEN o.id IS NULL THEN 1 ELSE 0 END, i.stored_at_us DESC LIMIT 1",
        uid, subscription_id)
}

/// Removes arrivals of before `$1`; at most `$2`.
pub const PURGE: Statement = purge!("attributions", "uid, checkout_id, touch", "touched_at_us < $1");

/// Removes ids of clicks that were stored before `$1`; at most `$2`.
pub const PURGE_CLICK_IDS: Statement = purge!("click_ids", "uid, checkout_id", "stored_at_us < $1");

/// All stored touches of an account.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<AttributionRow>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY checkout_id, touched_at_us, touch"), uid)
}

/// All stored click ids of an account.
pub async fn click_ids_by_uid(store: &Store, uid: &Uid) -> Result<Vec<ClickIdsRow>> {
    ro!(store, rows "SELECT checkout_id, fbc, fbp, gclid, first_fbc, first_gclid, stored_at_us FROM click_ids
         WHERE uid = $1 ORDER BY checkout_id", uid)
}

/// Attribution of the sign-ups in a span whose account still exists, with the number that has paid.
pub async fn sign_ups_by_origin(
    store: &Store,
    kind: TouchKind,
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<CameFrom>> {
    ro!(store, rows concat!("SELECT COALESCE(t.source, '') AS source, COALESCE(t.campaign, '') AS campaign,
           COALESCE(t.promo, '') AS promo, COUNT(*) AS sign_ups,
           COUNT(CASE WHEN EXISTS (SELECT 1 FROM subscriptions s WHERE s.uid = a.uid AND ", is_counted_as_paid!(), ")
             THEN 1 END) AS paid
         FROM accounts a LEFT JOIN attributions t ON t.uid = a.uid AND t.checkout_id = '' AND t.touch = $1
         WHERE a.created_at_us >= $2 AND a.created_at_us < $3
         GROUP BY COALESCE(t.source, ''), COALESCE(t.campaign, ''), COALESCE(t.promo, '')"),
        kind.text(), from, until)
}

/// Attribution of the subscriptions first paid in a span, by the touch of this kind known at their
/// checkout. Deleted accounts and duplicates are not counted.
pub async fn purchases_by_origin(
    store: &Store,
    kind: TouchKind,
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<BoughtFrom>> {
    ro!(store, rows concat!("SELECT COALESCE(t.source, '') AS source, COALESCE(t.campaign, '') AS campaign,
           COALESCE(t.promo, '') AS promo, COUNT(*) AS purchases
         FROM subscriptions s JOIN accounts a ON a.uid = s.uid
         LEFT JOIN checkouts o ON o.uid = s.uid AND o.subscription_id = s.id
         LEFT JOIN attributions t ON t.uid = s.uid AND t.checkout_id = o.id AND t.touch = $1
         WHERE s.first_paid_at_us >= $2 AND s.first_paid_at_us < $3 AND ", is_counted_as_paid!(), "
         GROUP BY COALESCE(t.source, ''), COALESCE(t.campaign, ''), COALESCE(t.promo, '')"),
        kind.text(), from, until)
}
