//! Deliveries as the page at `/log/deliveries` shows them.

use serde_json::Value;
use sqlx::Row;

use crate::state::{Moment, World};

pub struct DeliveryFilter<'f> {
    /// Deliveries before this one.
    pub before: i64,
    /// Part of the event's type.
    pub kind: &'f str,
    /// Failures alone.
    pub failures: bool,
}

pub struct LoggedDelivery {
    pub seq: i64,
    pub state: String,
    pub attempts: i64,
    pub last_answer: String,
    pub last_at: Option<Moment>,
    pub due_at: Moment,
    pub endpoint_id: String,
    pub event: Value,
    /// Null for a deleted endpoint.
    pub endpoint: Value,
}

/// The latest deliveries that a filter selects.
pub async fn logged(
    world: &World,
    filter: &DeliveryFilter<'_>,
    limit: usize,
) -> Result<Vec<LoggedDelivery>, sqlx::Error> {
    let mut tx = world.read().await?;
    let rows = sqlx::query(
        "SELECT d.seq, d.state, d.attempts, d.last_answer, d.last_at_us, d.due_at_us, d.endpoint_id, e.doc, w.doc
         FROM deliveries d JOIN objects e ON e.id = d.event_id LEFT JOIN objects w ON w.id = d.endpoint_id
         WHERE d.seq < $1 AND instr(json_extract(e.doc, '$.type'), $2) > 0
         AND ($3 = 0 OR d.state IN ('dropped', 'failed', 'held') OR (d.state = 'pending' AND d.attempts > 0))
         ORDER BY d.seq DESC LIMIT $4",
    )
    .bind(filter.before)
    .bind(filter.kind)
    .bind(i64::from(filter.failures))
    .bind(limit as i64)
    .fetch_all(&mut *tx.conn)
    .await?;
    let json = |doc: Option<&str>| doc.and_then(|doc| serde_json::from_str(doc).ok()).unwrap_or_default();
    let delivery = |row: &sqlx::sqlite::SqliteRow| LoggedDelivery {
        seq: row.get(0),
        state: row.get(1),
        attempts: row.get(2),
        last_answer: row.get(3),
        last_at: row.get::<Option<i64>, _>(4).map(Moment),
        due_at: Moment(row.get(5)),
        endpoint_id: row.get(6),
        event: json(row.get(7)),
        endpoint: json(row.get(8)),
    };
    Ok(rows.iter().map(delivery).collect())
}
