//! The provider's events as the operator sees them, each with the state of its job.

use garimpo_domain::{CustomerId, EventId, Timestamp, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Tx, ro, row, text, text_or_empty, tx};

/// State of an event, which is the state of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EventState {
    /// Its job is to be run.
    Waiting,
    /// Its job was run.
    Done,
    /// Its job waits for the operator's decision.
    Parked,
    /// It causes no job, or the job was deleted.
    None,
}

text!(EventState);

row! {
    "events" by id, printed;

    /// An event with the state of its job.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EventSeen {
        pub id: EventId,
        /// Type, for instance `invoice.paid`.
        pub kind: String,
        /// Account of the event, if its customer is known.
        pub uid: Option<Uid>,
        /// Customer of the event, `cus_…`.
        pub customer_id: Option<CustomerId>,
        /// When it was received.
        pub received_at: Timestamp as received_at_us,
        pub state: EventState,
        /// Why the last run failed.
        pub last_error: Option<String>,
    }
}

/// Which events to list. An absent field matches all.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only of this type.
    pub kind: Option<String>,
    /// Only in this state.
    pub state: Option<EventState>,
    /// Only received after this instant.
    pub after: Option<Timestamp>,
}

/// Events for the operator, newest first, at most `limit`.
pub async fn list(store: &Store, filter: &EventFilter, limit: i64) -> Result<Vec<EventSeen>> {
    ro!(store, rows "SELECT * FROM (SELECT e.id, e.kind, c.uid, e.customer_id, e.received_at_us,
             COALESCE(j.state, 'none') AS state, j.last_error
           FROM events e LEFT JOIN customers c ON c.customer_id = e.customer_id
           LEFT JOIN jobs j ON j.kind = 'payment_event' AND j.key = e.id
           WHERE e.received_at_us > $1 AND (CAST($2 AS TEXT) IS NULL OR e.kind = $2)) seen
         WHERE $3 = '' OR state = $3 ORDER BY received_at_us DESC, id DESC LIMIT $4",
        filter.after.unwrap_or(Timestamp::MIN), &filter.kind, text_or_empty(filter.state), limit)
}

/// The newest events about a customer, at most `limit`.
pub async fn of_customer(store: &Store, customer_id: &CustomerId, limit: i64) -> Result<Vec<EventSeen>> {
    ro!(store, rows
        "SELECT e.id, e.kind, c.uid, e.customer_id, e.received_at_us, COALESCE(j.state, 'none') AS state, j.last_error
         FROM events e LEFT JOIN customers c ON c.customer_id = e.customer_id
         LEFT JOIN jobs j ON j.kind = 'payment_event' AND j.key = e.id
         WHERE e.customer_id = $1 ORDER BY e.received_at_us DESC, e.id DESC LIMIT $2", customer_id, limit)
}

/// Bodies of the newest events about a customer's disputes, at most `limit`.
pub async fn dispute_bodies(store: &Store, customer_id: &CustomerId, limit: i64) -> Result<Vec<Vec<u8>>> {
    ro!(store, values "SELECT body FROM events WHERE customer_id = $1 AND kind LIKE 'charge.dispute.%'
         ORDER BY received_at_us DESC, id DESC LIMIT $2", customer_id, limit)
}

/// The signed body of an event; empty if the personal data was deleted.
pub async fn body(store: &Store, id: &EventId) -> Result<Option<Vec<u8>>> {
    ro!(store, first_value "SELECT body FROM events WHERE id = $1", id)
}

/// Sets the event's ticket to the customer's last one, so that its job reads the provider again.
pub async fn mark_unread(tx: &mut Tx, id: &EventId) -> Result<()> {
    tx!(tx, execute "UPDATE events SET seen_ticket = COALESCE((SELECT ticket_issued FROM customers c
           WHERE c.customer_id = events.customer_id), 0) WHERE id = $1", id)
}
