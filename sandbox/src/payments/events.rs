//! Events: made beside every change, listed at `/v1/events`, delivered by `webhooks`.

use serde_json::{Map, Value, json};
use sqlx::Row;

use crate::ids;
use crate::payments::listing::list_loosely;
use crate::payments::{API_VERSION, Call, Reply};
use crate::store::{Tx, public};
use crate::webhooks;

/// Writes an event about an object as it is now.
pub async fn emit(
    tx: &mut Tx,
    kind: &str,
    object: &Value,
    previous: Option<Value>,
) -> Result<(), sqlx::Error> {
    let mut data = json!({"object": public(object)});
    if let Some(previous) = previous {
        data["previous_attributes"] = public(&previous);
    }
    let event = json!({
        "id": ids::new("evt"), "object": "event", "api_version": API_VERSION, "created": tx.now.seconds(),
        "data": data, "livemode": false, "pending_webhooks": 1,
        "request": {"id": tx.cause.request_id, "idempotency_key": tx.cause.idempotency_key}, "type": kind,
    });
    webhooks::emit(tx, &event).await
}

/// The fields that changed, with their older values.
pub fn changed(before: &Value, after: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return json!({}) };
    let older: Map<_, _> = before
        .iter()
        .filter(|(name, value)| after.get(*name) != Some(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Value::Object(older)
}

/// `GET /v1/events`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    call.params.only(&[
        "limit",
        "starting_after",
        "ending_before",
        "created",
        "type",
        "types",
        "delivery_success",
    ])?;
    let mut more = Vec::new();
    let types = call.params.texts("types");
    if !types.is_empty() {
        more.push(("type", types));
    }
    if let Some(success) = call.params.boolean("delivery_success")? {
        let rows = sqlx::query("SELECT DISTINCT event_id FROM deliveries WHERE (state = 'delivered') = $1")
            .bind(success)
            .fetch_all(&mut *tx.conn)
            .await?;
        more.push(("id", rows.iter().map(|row| row.get(0)).collect()));
    }
    list_loosely(tx, call, "event", &["type"], &more).await
}
