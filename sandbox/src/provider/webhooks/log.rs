//! Deliveries as the page at `/log/deliveries` shows them.

use serde_json::Value;
use sqlx::FromRow;

use crate::state::{Moment, World};

pub struct DeliveryFilter<'f> {
    /// Deliveries before this one.
    pub before: i64,
    /// Part of the event's type.
    pub kind: &'f str,
    /// Failures alone.
    pub failures: bool,
}

#[derive(FromRow)]
pub struct LoggedDelivery {
    pub seq: i64,
    pub state: String,
    pub attempts: i64,
    pub last_answer: String,
    #[sqlx(rename = "last_at_us")]
    pub last_at: Option<Moment>,
    #[sqlx(rename = "due_at_us")]
    pub due_at: Moment,
    pub endpoint_id: String,
    pub event: Value,
    /// Absent for a deleted endpoint.
    pub endpoint: Option<Value>,
}

/// The latest deliveries that a filter selects.
pub async fn logged(
    world: &World,
    filter: &DeliveryFilter<'_>,
    limit: usize,
) -> Result<Vec<LoggedDelivery>, sqlx::Error> {
    let sql = "SELECT d.*, e.doc AS event, w.doc AS endpoint
               FROM deliveries d JOIN objects e ON e.id = d.event_id LEFT JOIN objects w ON w.id = d.endpoint_id
               WHERE d.seq < $1 AND instr(json_extract(e.doc, '$.type'), $2) > 0
               AND (NOT $3 OR d.state IN ('dropped', 'failed', 'held') OR (d.state = 'pending' AND d.attempts > 0))
               ORDER BY d.seq DESC LIMIT $4";
    let query = sqlx::query_as(sql).bind(filter.before).bind(filter.kind).bind(filter.failures);
    query.bind(limit as i64).fetch_all(&mut *world.read().await?.conn).await
}
