//! Events: made beside every change, listed at `/v1/events`, delivered by `webhooks`.

use serde_json::{Map, Value, json};

use crate::provider::catalog::get;
use crate::provider::error::ApiError;
use crate::provider::listing::list_where;
use crate::provider::webhooks;
use crate::provider::{API_VERSION, Call, Reply, unused};
use crate::state::ids;
use crate::state::moment::DAY;
use crate::state::store::{Tx, public, text};

/// Days for which events can be read.
const KEPT_DAYS: i64 = 30;
/// The event's object is a customer of a test clock, or belongs to one; compared with NULL.
const OF_TEST_CLOCK: &str = "(SELECT json_extract(c.doc, '$.test_clock') FROM objects c WHERE c.id =
     coalesce(json_extract(objects.doc, '$.data.object.customer'), json_extract(objects.doc, '$.data.object.id')))
     IS ?";

/// Writes an event about an object as it is now.
pub async fn emit(
    tx: &mut Tx,
    kind: &str,
    object: &Value,
    previous: Option<Value>,
) -> Result<(), sqlx::Error> {
    let mut data = json!({"object": unused::complete(public(object))});
    if let Some(previous) = previous {
        data["previous_attributes"] = unused::complete_older(object, public(&previous));
    }
    let event = json!({
        "id": ids::new("evt"), "object": "event", "api_version": API_VERSION, "created": tx.sandbox_now.seconds(),
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

/// `GET /v1/events/{id}`.
pub async fn retrieve(tx: &mut Tx, id: &str) -> Reply {
    let mut doc = get(tx, "event", id).await?;
    count_pending(tx, &mut doc).await?;
    Ok(doc)
}

/// How many endpoints have not answered it yet.
async fn count_pending(tx: &mut Tx, event: &mut Value) -> Result<(), sqlx::Error> {
    let sql = "SELECT count(*) FROM deliveries WHERE event_id = $1 AND state NOT IN ('delivered', 'failed')";
    let pending: i64 = sqlx::query_scalar(sql).bind(text(event, "id")).fetch_one(&mut *tx.conn).await?;
    event["pending_webhooks"] = json!(pending);
    Ok(())
}

/// `GET /v1/events`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let params = &call.params;
    params.only(&[
        "limit",
        "starting_after",
        "ending_before",
        "created",
        "type",
        "types",
        "delivery_success",
    ])?;
    let types = params.texts("types");
    let mut more = Vec::new();
    if types.len() > 20 || (!types.is_empty() && params.text("type").is_some()) {
        let message = "Pass either type or types, and at most 20 of them.";
        return Err(ApiError::invalid(Some("types"), None, message));
    }
    if !types.is_empty() {
        more.push(("type", types));
    }
    let mut conditions = Vec::new();
    if let Some(kind) = params.text("type") {
        // `invoice.*` is every event whose name begins so.
        conditions
            .push(("json_extract(doc, '$.type') GLOB ?".to_owned(), Some(kind.replace(['?', '['], ""))));
    }
    if let Some(all_arrived) = params.boolean("delivery_success")? {
        let sql = "EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = objects.id AND d.state <> 'delivered') = CAST(? AS INTEGER)";
        conditions.push((sql.to_owned(), Some(String::from(if all_arrived { "0" } else { "1" }))));
    }
    if tx.behavior.events_omit_test_clocks {
        conditions.push((OF_TEST_CLOCK.to_owned(), None));
    }
    let oldest = tx.sandbox_now.plus(-KEPT_DAYS * DAY).seconds();
    conditions.push(("created >= CAST(? AS INTEGER)".to_owned(), Some(oldest.to_string())));
    let mut list = list_where(tx, call, "event", &[], &more, &conditions).await?;
    for event in list["data"].as_array_mut().into_iter().flatten() {
        count_pending(tx, event).await?;
    }
    Ok(list)
}
