//! The provider's events as the operator sees them: each with what became of it.

use garimpo_domain::Timestamp;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Tx, ro, row, text, text_or_empty, tx};

/// Progress of an event, which is that of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EventState {
    /// Its job is to be run.
    Waiting,
    /// Its job was run.
    Done,
    /// The operator decides what becomes of its job.
    Parked,
    /// It causes no work, or its job is forgotten.
    None,
}

text!(EventState);

row! {
    "events" by id, printed;

    /// An event with the state of its job.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EventSeen {
        /// The provider's id, `evt_…`.
        pub id: String,
        /// For instance `invoice.paid`.
        pub kind: String,
        /// Account that it concerns, where we know its customer.
        pub uid: Option<String>,
        /// Customer that it concerns.
        pub customer_id: Option<String>,
        /// When it came.
        pub received_at: Timestamp as received_at_us,
        pub state: EventState,
        /// Why the last run failed.
        pub last_error: Option<String>,
    }
}

/// Which events; what is empty is any.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Of this type alone.
    pub kind: String,
    /// In this state alone.
    pub state: Option<EventState>,
    /// About this customer alone.
    pub customer_id: String,
    /// Received after this instant.
    pub after_us: i64,
}

/// Events for the operator, the newest first; at most `limit`.
pub async fn list(store: &Store, filter: &EventFilter, limit: i64) -> Result<Vec<EventSeen>> {
    ro!(store, c => sqlx::query_as(
        "SELECT * FROM (SELECT e.id, e.kind, c.uid, e.customer_id, e.received_at_us,
             COALESCE(j.state, 'none') AS state, j.last_error
           FROM events e LEFT JOIN customers c ON c.customer_id = e.customer_id
           LEFT JOIN jobs j ON j.kind = 'payment_event' AND j.key = e.id
           WHERE e.received_at_us > $1 AND ($2 = '' OR e.kind = $2) AND ($3 = '' OR e.customer_id = $3)) seen
         WHERE $4 = '' OR state = $4 ORDER BY received_at_us DESC, id DESC LIMIT $5")
        .bind(filter.after_us).bind(&filter.kind).bind(&filter.customer_id).bind(text_or_empty(filter.state)).bind(limit)
        .fetch_all(c).await)
}

/// The newest events about a customer; at most `limit`.
pub async fn of_customer(store: &Store, customer_id: &str, limit: i64) -> Result<Vec<EventSeen>> {
    ro!(store, c => sqlx::query_as(
        "SELECT e.id, e.kind, c.uid, e.customer_id, e.received_at_us, COALESCE(j.state, 'none') AS state, j.last_error
         FROM events e LEFT JOIN customers c ON c.customer_id = e.customer_id
         LEFT JOIN jobs j ON j.kind = 'payment_event' AND j.key = e.id
         WHERE e.customer_id = $1 ORDER BY e.received_at_us DESC, e.id DESC LIMIT $2")
        .bind(customer_id).bind(limit).fetch_all(c).await)
}

/// Bodies of the newest events about a customer's disputes; at most `limit`.
pub async fn dispute_bodies(store: &Store, customer_id: &str, limit: i64) -> Result<Vec<Vec<u8>>> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT body FROM events WHERE customer_id = $1 AND kind LIKE 'charge.dispute.%'
         ORDER BY received_at_us DESC, id DESC LIMIT $2")
        .bind(customer_id).bind(limit).fetch_all(c).await)
}

/// The body of an event as it was signed; empty where its person was taken out.
pub async fn body(store: &Store, id: &str) -> Result<Option<Vec<u8>>> {
    ro!(store, c => sqlx::query_scalar("SELECT body FROM events WHERE id = $1").bind(id).fetch_optional(c).await)
}

/// Forgets that an apply has read an event's news, so that its job reads the provider again.
pub async fn mark_unread(tx: &mut Tx, id: &str) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "UPDATE events SET seen_ticket = COALESCE((SELECT ticket_issued FROM customers c
           WHERE c.customer_id = events.customer_id), 0) WHERE id = $1")
        .bind(id).execute(c).await.map(drop))
}
