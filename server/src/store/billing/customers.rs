//! Accounts as the payment provider's customers, and the tickets that order what is read of them.

use garimpo_domain::{Centavos, Timestamp};

use crate::store::engine::{Names, Result, Store, Tx, ro, row, tx};

row! {
    "customers" by uid, select;

    /// An account's place at the provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Customer {
        /// Account.
        pub uid: String,
        /// Our id of the intent to make the customer.
        pub intent_id: String,
        /// Attempt of the intent: grows when the provider's answer to one can be had no more.
        pub attempt: i64,
        /// The provider's id, absent before its answer is stored.
        pub customer_id: Option<String>,
        /// The last ticket that was taken before a read.
        pub ticket_issued: i64,
        /// The highest ticket whose read was projected.
        pub ticket_applied: i64,
        /// What the provider keeps between invoices; negative is credit.
        pub balance_centavos: Centavos,
        /// Ids of subscriptions that somebody made at the provider, without our metadata.
        pub made_by_hand: Names,
        /// How often the customer's default card changed.
        pub card_changes: i64,
    }
}

impl Customer {
    /// Key under which the provider makes this customer once.
    pub fn idempotency_key(&self) -> String {
        format!("{}-{}", self.intent_id, self.attempt)
    }
}

/// The customer row of an account.
pub async fn by_uid(store: &Store, uid: &str) -> Result<Option<Customer>> {
    ro!(store, c => sqlx::query_as(select!("WHERE uid = $1")).bind(uid).fetch_optional(c).await)
}

/// The account behind a customer of the provider.
pub async fn by_customer_id(store: &Store, customer_id: &str) -> Result<Option<Customer>> {
    ro!(store, c => sqlx::query_as(select!("WHERE customer_id = $1")).bind(customer_id).fetch_optional(c).await)
}

/// Accounts that the provider knows, in the order of their uids, after `after`.
pub async fn page(store: &Store, after: &str, limit: i64) -> Result<Vec<String>> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT uid FROM customers WHERE uid > $1 AND customer_id IS NOT NULL ORDER BY uid LIMIT $2")
        .bind(after).bind(limit).fetch_all(c).await)
}

/// Accounts with something that is not final, in the order of their uids after `after`: a checkout
/// or an invoice that waits, a dispute, or a paid period that ended after `since` without news.
pub async fn not_final_page(
    store: &Store,
    now: Timestamp,
    since: Timestamp,
    after: &str,
    limit: i64,
) -> Result<Vec<String>> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT uid FROM (
           SELECT uid FROM checkouts WHERE NOT settled AND session_id IS NOT NULL
           UNION SELECT uid FROM invoices WHERE status IN ('draft', 'open')
           UNION SELECT uid FROM subscriptions WHERE disputed_at_us IS NOT NULL AND ended_at_us IS NULL
           UNION SELECT uid FROM subscriptions WHERE ended_at_us IS NULL AND retired = ''
             AND paid_until_us <= $1 AND paid_until_us > $2
         ) open WHERE uid > $3 ORDER BY uid LIMIT $4")
        .bind(now).bind(since).bind(after).bind(limit).fetch_all(c).await)
}

/// Accounts with a checkout that no event settled although it ended before an instant, longest
/// first. One account can stand twice.
pub async fn overdue(store: &Store, before: Timestamp, limit: i64) -> Result<Vec<String>> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT uid FROM checkouts WHERE NOT settled AND status = 'open' AND expires_at_us < $1
         ORDER BY expires_at_us LIMIT $2")
        .bind(before).bind(limit).fetch_all(c).await)
}

/// Accounts with a wish to cancel that the provider was not sent yet; at most `limit`.
pub async fn with_pending_cancellation(store: &Store, limit: i64) -> Result<Vec<String>> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT DISTINCT c.uid FROM cancellations c JOIN subscriptions s ON s.id = c.subscription_id
         WHERE NOT c.told AND s.ended_at_us IS NULL ORDER BY c.uid LIMIT $1")
        .bind(limit).fetch_all(c).await)
}

/// The customer whose invoice a payment of the provider collected.
pub async fn by_payment(store: &Store, payment_intent_id: &str) -> Result<Option<Customer>> {
    ro!(store, c => sqlx::query_as(select!(
        "WHERE uid = (SELECT uid FROM invoices WHERE payment_intent_id = $1 LIMIT 1)"))
        .bind(payment_intent_id).fetch_optional(c).await)
}

/// Stores the intent to make a customer, once per account, and answers the row that stands.
pub async fn intend(tx: &mut Tx, uid: &str, intent_id: &str, now: Timestamp) -> Result<Customer> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO customers (uid, intent_id, attempt, ticket_issued, ticket_applied, created_at_us)
         VALUES ($1, $2, 1, 0, 0, $3) ON CONFLICT (uid) DO NOTHING")
        .bind(uid).bind(intent_id).bind(now).execute(c).await.map(drop))?;
    tx!(tx, c => sqlx::query_as(select!("WHERE uid = $1")).bind(uid).fetch_one(c).await)
}

/// Stores the provider's answer; the first one stays.
pub async fn set_customer_id(tx: &mut Tx, uid: &str, customer_id: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE customers SET customer_id = $2 WHERE uid = $1 AND customer_id IS NULL")
        .bind(uid).bind(customer_id).execute(c).await.map(drop))
}

/// Gives an account the customer that the provider keeps for it; false if it has one.
pub async fn adopt(
    tx: &mut Tx,
    uid: &str,
    customer_id: &str,
    intent_id: &str,
    now: Timestamp,
) -> Result<bool> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
         VALUES ($1, $2, 1, $3, 0, 0, $4)
         ON CONFLICT (uid) DO UPDATE SET customer_id = excluded.customer_id WHERE customers.customer_id IS NULL")
        .bind(uid).bind(intent_id).bind(customer_id).bind(now)
        .execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Forgets a customer that the provider has no more; the next try makes it anew, under another key.
pub async fn forget_customer_id(tx: &mut Tx, uid: &str, customer_id: &str) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "UPDATE customers SET customer_id = NULL, balance_centavos = 0, default_card = NULL, attempt = attempt + 1 WHERE uid = $1 AND customer_id = $2")
        .bind(uid).bind(customer_id).execute(c).await.map(drop))
}

/// Gives the next try another key, since the answer to this attempt is lost for good.
pub async fn next_attempt(tx: &mut Tx, uid: &str, attempt: i64) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE customers SET attempt = attempt + 1 WHERE uid = $1 AND attempt = $2")
        .bind(uid).bind(attempt).execute(c).await.map(drop))
}

/// What the provider keeps between invoices; negative is credit.
pub async fn balance(tx: &mut Tx, uid: &str) -> Result<Centavos> {
    let found: Option<Centavos> = tx!(tx, c => sqlx::query_scalar("SELECT balance_centavos FROM customers WHERE uid = $1")
        .bind(uid).fetch_optional(c).await)?;
    Ok(found.unwrap_or_default())
}

/// Writes what the provider keeps between invoices.
pub async fn set_balance(tx: &mut Tx, uid: &str, balance_centavos: Centavos) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE customers SET balance_centavos = $2 WHERE uid = $1")
        .bind(uid).bind(balance_centavos).execute(c).await.map(drop))
}

/// Writes which subscriptions are not of our making; answers whether that is news.
pub async fn set_made_by_hand(tx: &mut Tx, uid: &str, ids: &Names) -> Result<bool> {
    tx!(tx, c => sqlx::query("UPDATE customers SET made_by_hand = $2 WHERE uid = $1 AND made_by_hand <> $2")
        .bind(uid).bind(ids.to_string()).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Takes the next ticket of a customer; it is taken before the provider is read.
pub async fn issue_ticket(tx: &mut Tx, uid: &str) -> Result<i64> {
    tx!(tx, c => sqlx::query_scalar(
        "UPDATE customers SET ticket_issued = ticket_issued + 1 WHERE uid = $1 RETURNING ticket_issued")
        .bind(uid).fetch_one(c).await)
}

/// Marks a ticket as projected; false when a higher one was, and then nothing may be written.
pub async fn apply_ticket(tx: &mut Tx, uid: &str, ticket: i64) -> Result<bool> {
    tx!(tx, c => sqlx::query(
        "UPDATE customers SET ticket_applied = $2 WHERE uid = $1 AND ticket_applied < $2")
        .bind(uid).bind(ticket).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// The default card that was handled last; `None` before the first look, empty without one.
pub async fn default_card(tx: &mut Tx, uid: &str) -> Result<Option<String>> {
    let found: Option<Option<String>> = tx!(tx, c => sqlx::query_scalar("SELECT default_card FROM customers WHERE uid = $1")
        .bind(uid).fetch_optional(c).await)?;
    Ok(found.flatten())
}

/// Records the default card of a customer without a subscription that takes it.
pub async fn set_default_card(tx: &mut Tx, uid: &str, card: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE customers SET default_card = $2 WHERE uid = $1")
        .bind(uid).bind(card).execute(c).await.map(drop))
}

/// Records a new default card and returns the number of the change.
pub async fn change_default_card(tx: &mut Tx, uid: &str, card: &str) -> Result<i64> {
    tx!(tx, c => sqlx::query_scalar(
        "UPDATE customers SET default_card = $2, card_changes = card_changes + 1 WHERE uid = $1 RETURNING card_changes")
        .bind(uid).bind(card).fetch_one(c).await)
}
