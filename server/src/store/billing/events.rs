//! Raw events of the payment provider, stored once each.

use garimpo_domain::{
    CheckoutSessionId, CustomerId, EventId, InvoiceId, PaymentIntentId, SubscriptionId, Timestamp,
};

use crate::store::engine::{Result, Statement, Store, Tx, purge, ro, row, statement, tx};

/// A stored event without its body.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredEvent {
    pub id: EventId,
    /// Type, for instance `invoice.paid`.
    pub kind: String,
    /// Customer of the event, `cus_…`.
    pub customer_id: Option<CustomerId>,
    /// The customer's last issued ticket when the event was stored. A sync with a later ticket has
    /// read the change that the event reports.
    pub seen_ticket: i64,
}

/// A delivered event to store.
#[derive(Debug, Clone)]
pub struct NewEvent {
    pub id: EventId,
    /// Type, for instance `invoice.paid`.
    pub kind: String,
    /// Customer of the event, `cus_…`.
    pub customer_id: Option<CustomerId>,
    /// Raw body, as signed.
    pub body: Vec<u8>,
}

row! {
    "events" by id, select;

    /// A delivered event, for the account's export.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeliveredEvent {
        pub id: EventId,
        /// Raw body; empty if the personal data was deleted.
        pub body: Vec<u8>,
        /// When it was received.
        pub received_at: Timestamp as received_at_us,
    }
}

/// The stored events of a customer, oldest first.
pub async fn by_customer(store: &Store, customer_id: &CustomerId) -> Result<Vec<DeliveredEvent>> {
    ro!(store, rows select!("WHERE customer_id = $1 ORDER BY received_at_us, id"), customer_id)
}

/// A stored event.
pub async fn by_id(store: &Store, id: &EventId) -> Result<Option<StoredEvent>> {
    ro!(store, first "SELECT id, kind, customer_id, seen_ticket FROM events WHERE id = $1", id)
}

/// Stores an event with its customer's last ticket, once by its id. Returns whether it is new.
pub async fn insert(tx: &mut Tx, event: &NewEvent, now: Timestamp) -> Result<bool> {
    tx!(tx, changed
        "INSERT INTO events (id, kind, customer_id, seen_ticket, body, received_at_us)
         VALUES ($1, $2, $3, COALESCE((SELECT ticket_issued FROM customers WHERE customer_id = $3), 0), $4, $5)
         ON CONFLICT (id) DO NOTHING",
        &event.id, &event.kind, &event.customer_id, &event.body, now)
}

/// A state of one of the provider's objects, which has no way back to an earlier state. A row with
/// the state was read after the object reached it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Milestone {
    SubscriptionCreated(SubscriptionId),
    /// Its status is no longer `incomplete`.
    SubscriptionBegun(SubscriptionId),
    InvoiceFinalized(InvoiceId),
    InvoicePaid(InvoiceId),
    PaymentSucceeded(PaymentIntentId),
    CheckoutCompleted(CheckoutSessionId),
    /// The checkout was paid, or can no longer be paid.
    CheckoutSettled(CheckoutSessionId),
}

/// Whether our rows have reached a milestone.
pub async fn is_reached(store: &Store, milestone: &Milestone) -> Result<bool> {
    let (sql, id): (_, &str) = match milestone {
        Milestone::SubscriptionCreated(id) => {
            (statement!("SELECT COUNT(*) FROM subscriptions WHERE id = $1"), id)
        }
        Milestone::SubscriptionBegun(id) => (
            statement!(
                "SELECT COUNT(*) FROM subscriptions WHERE id = $1 AND provider_status <> 'incomplete'"
            ),
            id,
        ),
        Milestone::InvoiceFinalized(id) => {
            (statement!("SELECT COUNT(*) FROM invoices WHERE id = $1 AND status <> 'draft'"), id)
        }
        Milestone::InvoicePaid(id) => {
            (statement!("SELECT COUNT(*) FROM invoices WHERE id = $1 AND status = 'paid'"), id)
        }
        Milestone::PaymentSucceeded(id) => {
            (statement!("SELECT COUNT(*) FROM invoices WHERE payment_intent_id = $1 AND status = 'paid'"), id)
        }
        Milestone::CheckoutCompleted(id) => {
            (statement!("SELECT COUNT(*) FROM checkouts WHERE session_id = $1 AND status = 'complete'"), id)
        }
        Milestone::CheckoutSettled(id) => {
            (statement!("SELECT COUNT(*) FROM checkouts WHERE session_id = $1 AND settled"), id)
        }
    };
    ro!(store, exists registered sql, id)
}

/// Stores the customer of an event, with the customer's last ticket at this moment, because earlier
/// reads do not include the change.
pub async fn set_customer(tx: &mut Tx, id: &EventId, customer_id: &CustomerId) -> Result<()> {
    tx!(tx, execute "UPDATE events SET customer_id = $2,
           seen_ticket = COALESCE((SELECT ticket_issued FROM customers c WHERE c.customer_id = $2), 0) WHERE id = $1",
        id, customer_id)
}

/// Deletes the body of an event. The id stays, so that the event is not handled again.
pub async fn forget_body(tx: &mut Tx, id: &EventId) -> Result<()> {
    tx!(tx, execute "UPDATE events SET body = $2 WHERE id = $1", id, Vec::<u8>::new())
}

/// Deletes the bodies of a customer's events. The ids stay, so that none is handled again.
pub async fn forget_bodies(tx: &mut Tx, customer_id: &CustomerId) -> Result<()> {
    tx!(tx, execute "UPDATE events SET body = $2 WHERE customer_id = $1", customer_id, Vec::<u8>::new())
}

/// Removes events received before `$1`; at most `$2`.
pub const PURGE: Statement = purge!("events", "id", "received_at_us < $1");
