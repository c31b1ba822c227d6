//! The provider's customer of each account, and the tickets that order the reads of it.

use garimpo_domain::{Centavos, CustomerId, PaymentIntentId, Timestamp, Uid};

use crate::store::engine::{Names, Read, Result, Store, Tx, ro, row, tx};

row! {
    "customers" by uid, select;

    /// An account's customer at the provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Customer {
        pub uid: Uid,
        /// Our id of the intent to create the customer.
        pub intent_id: String,
        /// Number of the attempt; raised when the provider's reply to one is lost.
        pub attempt: i64,
        /// The provider's id, `cus_…`; absent until its response is stored.
        pub customer_id: Option<CustomerId>,
        /// The last ticket that was issued before a read.
        pub ticket_issued: i64,
        /// The highest ticket whose read was stored.
        pub ticket_applied: i64,
        /// The customer's balance at the provider; negative is credit.
        pub balance_centavos: Centavos,
        /// Ids of subscriptions that somebody made at the provider, without our metadata.
        pub made_by_hand: Names,
        /// How often the customer's default card changed.
        pub card_changes: i64,
    }
}

impl Customer {
    /// Idempotency key of the call that creates the customer.
    pub fn idempotency_key(&self) -> String {
        format!("{}-{}", self.intent_id, self.attempt)
    }
}

/// The customer row of an account.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Option<Customer>> {
    ro!(store, first select!("WHERE uid = $1"), uid)
}

/// Id of an account's customer at the provider.
pub async fn id_of(store: &Store, uid: &Uid) -> Result<Option<CustomerId>> {
    Ok(by_uid(store, uid).await?.and_then(|customer| customer.customer_id))
}

/// The row of a customer id.
pub async fn by_customer_id(db: impl Read<'_>, customer_id: &CustomerId) -> Result<Option<Customer>> {
    ro!(db, first select!("WHERE customer_id = $1"), customer_id)
}

/// Accounts with a customer, ordered by uid, after `after`.
pub async fn page(store: &Store, after: &str, limit: i64) -> Result<Vec<Uid>> {
    ro!(store, values
        "SELECT uid FROM customers WHERE uid > $1 AND customer_id IS NOT NULL ORDER BY uid LIMIT $2",
        after, limit)
}

/// Accounts with something that is not final, ordered by uid, after `after`: an open checkout or
/// invoice, a dispute, or a paid period that ended after `since` without a renewal.
pub async fn not_final_page(
    store: &Store,
    now: Timestamp,
    since: Timestamp,
    after: &str,
    limit: i64,
) -> Result<Vec<Uid>> {
    ro!(store, values "SELECT uid FROM (
           SELECT uid FROM checkouts WHERE NOT settled AND session_id IS NOT NULL
           UNION SELECT uid FROM invoices WHERE status IN ('draft', 'open')
           UNION SELECT uid FROM subscriptions WHERE disputed_at_us IS NOT NULL AND ended_at_us IS NULL
           UNION SELECT uid FROM subscriptions WHERE ended_at_us IS NULL AND retired = ''
             AND paid_until_us <= $1 AND paid_until_us > $2
         ) open WHERE uid > $3 ORDER BY uid LIMIT $4", now, since, after, limit)
}

/// Accounts with an unsettled checkout that ended before an instant, oldest first. An account may
/// be listed twice.
pub async fn overdue(store: &Store, before: Timestamp, limit: i64) -> Result<Vec<Uid>> {
    ro!(store, values "SELECT uid FROM checkouts WHERE NOT settled AND status = 'open' AND expires_at_us < $1
         ORDER BY expires_at_us LIMIT $2", before, limit)
}

/// Accounts with a cancellation that the provider does not have yet, at most `limit`.
pub async fn with_pending_cancellation(store: &Store, limit: i64) -> Result<Vec<Uid>> {
    ro!(store, values
        "SELECT DISTINCT c.uid FROM cancellations c JOIN subscriptions s ON s.id = c.subscription_id
         WHERE NOT c.told AND s.ended_at_us IS NULL ORDER BY c.uid LIMIT $1", limit)
}

/// The customer of the invoice that a payment paid.
pub async fn by_payment(store: &Store, payment_intent_id: &PaymentIntentId) -> Result<Option<Customer>> {
    ro!(store, first select!("WHERE uid = (SELECT uid FROM invoices WHERE payment_intent_id = $1 LIMIT 1)"),
        payment_intent_id)
}

/// Stores the intent to create a customer, once per account, and returns the stored row.
pub async fn intend(tx: &mut Tx, uid: &Uid, intent_id: &str, now: Timestamp) -> Result<Customer> {
    tx!(tx, execute
        "INSERT INTO customers (uid, intent_id, attempt, ticket_issued, ticket_applied, created_at_us)
         VALUES ($1, $2, 1, 0, 0, $3) ON CONFLICT (uid) DO NOTHING", uid, intent_id, now)?;
    tx!(tx, row select!("WHERE uid = $1"), uid)
}

/// Stores the provider's customer id. A later call does not overwrite it.
pub async fn set_customer_id(tx: &mut Tx, uid: &Uid, customer_id: &CustomerId) -> Result<()> {
    tx!(tx, execute "UPDATE customers SET customer_id = $2 WHERE uid = $1 AND customer_id IS NULL",
        uid, customer_id)
}

/// Gives an account the customer that the provider keeps for it; false if it has one.
pub async fn adopt(
    tx: &mut Tx,
    uid: &Uid,
    customer_id: &CustomerId,
    intent_id: &str,
    now: Timestamp,
) -> Result<bool> {
    tx!(tx, changed
        "INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
         VALUES ($1, $2, 1, $3, 0, 0, $4)
         ON CONFLICT (uid) DO UPDATE SET customer_id = excluded.customer_id WHERE customers.customer_id IS NULL",
        uid, intent_id, customer_id, now)
}

/// Deletes the id of a customer that the provider no longer has; the next attempt creates one under
/// another key.
pub async fn forget_customer_id(tx: &mut Tx, uid: &Uid, customer_id: &CustomerId) -> Result<()> {
    tx!(tx, execute
        "UPDATE customers SET customer_id = NULL, balance_centavos = 0, default_card = NULL, attempt = attempt + 1 WHERE uid = $1 AND customer_id = $2",
        uid, customer_id)
}

/// Raises the attempt, so that the next call has another key, because the response to this attempt
/// is lost.
pub async fn next_attempt(tx: &mut Tx, uid: &Uid, attempt: i64) -> Result<()> {
    tx!(tx, execute "UPDATE customers SET attempt = attempt + 1 WHERE uid = $1 AND attempt = $2",
        uid, attempt)
}

/// The customer's balance at the provider; negative is credit.
pub async fn balance(tx: &mut Tx, uid: &Uid) -> Result<Centavos> {
    let found: Option<Centavos> = tx!(tx, first_value "SELECT balance_centavos FROM customers WHERE uid = $1",
        uid)?;
    Ok(found.unwrap_or_default())
}

/// Stores the customer's balance at the provider.
pub async fn set_balance(tx: &mut Tx, uid: &Uid, balance_centavos: Centavos) -> Result<()> {
    tx!(tx, execute "UPDATE customers SET balance_centavos = $2 WHERE uid = $1", uid, balance_centavos)
}

/// Writes which subscriptions are not of our making; answers whether that is news.
pub async fn set_made_by_hand(tx: &mut Tx, uid: &Uid, ids: &Names) -> Result<bool> {
    tx!(tx, changed "UPDATE customers SET made_by_hand = $2 WHERE uid = $1 AND made_by_hand <> $2",
        uid, ids)
}

/// Issues the customer's next ticket. Call it before the provider is read.
pub async fn issue_ticket(tx: &mut Tx, uid: &Uid) -> Result<i64> {
    tx!(tx, value
        "UPDATE customers SET ticket_issued = ticket_issued + 1 WHERE uid = $1 RETURNING ticket_issued", uid)
}

/// Marks a ticket as applied. Returns false if a higher ticket was applied; then nothing may be
/// written.
pub async fn apply_ticket(tx: &mut Tx, uid: &Uid, ticket: i64) -> Result<bool> {
    tx!(tx, changed "UPDATE customers SET ticket_applied = $2 WHERE uid = $1 AND ticket_applied < $2",
        uid, ticket)
}

/// The stored default card: `None` before the first read, empty without a card.
pub async fn default_card(tx: &mut Tx, uid: &Uid) -> Result<Option<String>> {
    let found: Option<Option<String>> = tx!(tx, first_value
        "SELECT default_card FROM customers WHERE uid = $1", uid)?;
    Ok(found.flatten())
}

/// Stores the default card of a customer without a subscription that uses it.
pub async fn set_default_card(tx: &mut Tx, uid: &Uid, card: &str) -> Result<()> {
    tx!(tx, execute "UPDATE customers SET default_card = $2 WHERE uid = $1", uid, card)
}

/// Stores a new default card and returns the number of the change.
pub async fn change_default_card(tx: &mut Tx, uid: &Uid, card: &str) -> Result<i64> {
    tx!(tx, value
        "UPDATE customers SET default_card = $2, card_changes = card_changes + 1 WHERE uid = $1 RETURNING card_changes",
        uid, card)
}
