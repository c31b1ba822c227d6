//! Events: created with every change, listed at `/v1/events`, delivered by `webhooks`.

use serde_json::{Map, Value, json};

use crate::objects::template;
use crate::provider::{API_VERSION, ApiError, Call, Listing, Reply, get, webhooks};
use crate::state::{DAY, Document, Tx, ids, text};

/// Days for which events can be read.
const KEPT_DAYS: i64 = 30;
/// The event's object is a customer of a test clock, or belongs to one; compared with NULL.
const OF_TEST_CLOCK: &str = "(SELECT json_extract(c.doc, '$.test_clock') FROM objects c WHERE c.id =
     coalesce(json_extract(objects.doc, '$.data.object.customer'), json_extract(objects.doc, '$.data.object.id')))
     IS ?";

/// Stores an event about an object as it is now.
pub async fn emit<D: Document>(tx: &mut Tx, kind: &str, object: &D) -> Result<(), sqlx::Error> {
    emit_data(tx, kind, json!({"object": object.document()})).await
}

/// Stores an event about a changed object, with the earlier values of the changed fields.
pub async fn emit_change<D: Document>(
    tx: &mut Tx,
    kind: &str,
    before: &D,
    after: &D,
) -> Result<(), sqlx::Error> {
    let after = after.document();
    let previous = changed(before.document(), &after);
    emit_data(tx, kind, json!({"object": after, "previous_attributes": previous})).await
}

/// Stores a new object and its event.
pub async fn insert<D: Document>(tx: &mut Tx, kind: &str, object: &D) -> Result<(), sqlx::Error> {
    tx.insert(object).await?;
    emit(tx, kind, object).await
}

/// Replaces a stored object and stores an event without the earlier values.
pub async fn replace<D: Document>(tx: &mut Tx, kind: &str, object: &D) -> Result<(), sqlx::Error> {
    tx.update(object).await?;
    emit(tx, kind, object).await
}

/// Replaces a stored object and stores the event about its change.
pub async fn update<D: Document>(tx: &mut Tx, kind: &str, before: &D, after: &D) -> Result<(), sqlx::Error> {
    tx.update(after).await?;
    emit_change(tx, kind, before, after).await
}

async fn emit_data(tx: &mut Tx, kind: &str, data: Value) -> Result<(), sqlx::Error> {
    let given = json!({
        "id": ids::new("evt"), "api_version": API_VERSION, "created": tx.sandbox_now.seconds(), "data": data,
        "request": {"id": tx.cause.request_id, "idempotency_key": tx.cause.idempotency_key}, "type": kind,
    });
    webhooks::enqueue(tx, &template("event", given)).await
}

/// The changed fields with their earlier values.
fn changed(before: Value, after: &Value) -> Value {
    let Value::Object(before) = before else { return json!({}) };
    let earlier = before.into_iter().filter(|(name, value)| after.get(name) != Some(value));
    Value::Object(earlier.collect::<Map<_, _>>())
}

/// `GET /v1/events/{id}`.
pub async fn retrieve(tx: &mut Tx, id: &str) -> Reply {
    let mut doc = get(tx, "event", id).await?;
    count_pending(tx, &mut doc).await?;
    Ok(doc)
}

/// Sets the number of endpoints that have not accepted the event yet.
async fn count_pending(tx: &mut Tx, event: &mut Value) -> Result<(), sqlx::Error> {
    let sql = "SELECT count(*) FROM deliveries WHERE event_id = $1 AND state NOT IN ('delivered', 'failed')";
    let pending: i64 = sqlx::query_scalar(sql).bind(text(event, "id")).fetch_one(&mut *tx.conn).await?;
    event["pending_webhooks"] = json!(pending);
    Ok(())
}

/// `GET /v1/events`.
pub async fn list(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let params = &call.params;
    let types = params.texts("types");
    let message = "Pass either type or types, and at most 20 of them.";
    let is_one = types.is_empty() || params.text("type").is_none();
    ensure!(is_one && types.len() <= 20, ApiError::param("types", message));
    let mut list = Listing::of("event").one_of("type", types);
    if let Some(kind) = params.text("type") {
        // `invoice.*` is every event whose name begins so.
        let pattern = kind.replace(['?', '['], "");
        list = list.and("json_extract(doc, '$.type') GLOB ?", Some(pattern));
    }
    if let Some(all_arrived) = params.boolean("delivery_success")? {
        let sql =
            "EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = objects.id AND d.state <> 'delivered')
                   = CAST(? AS INTEGER)";
        list = list.and(sql, Some(String::from(if all_arrived { "0" } else { "1" })));
    }
    if tx.behavior.events_omit_test_clocks {
        list = list.and(OF_TEST_CLOCK, None);
    }
    let oldest = tx.sandbox_now.plus(-KEPT_DAYS * DAY).seconds();
    list = list.and("created >= CAST(? AS INTEGER)", Some(oldest.to_string()));
    let mut page = list.run(tx, call).await?;
    for event in page["data"].as_array_mut().into_iter().flatten() {
        count_pending(tx, event).await?;
    }
    Ok(page)
}
