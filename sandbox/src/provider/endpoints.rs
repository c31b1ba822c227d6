//! Webhook endpoints.

use serde_json::{Value, json};

use crate::objects::template;
use crate::provider::{API_VERSION, ApiError, Params, Reply, get, set_fields};
use crate::state::{Tx, ids, sql, text};

/// `POST /v1/webhook_endpoints`: only this answer contains the secret.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let url = params.url("url")?;
    // Events have the version of their endpoint, and the sandbox plays one version alone.
    let version = params.text("api_version").unwrap_or(API_VERSION);
    let message = format!("Invalid API version: {version}. The sandbox plays {API_VERSION} alone.");
    ensure!(version == API_VERSION, ApiError::value_not_played("api_version", message));
    let names = params.texts("enabled_events");
    ensure!(!names.is_empty(), ApiError::missing("enabled_events"));
    let secret = format!("whsec_{}", ids::random(32));
    let given = json!({
        "id": ids::new("we"), "api_version": version, "created": tx.now.seconds(),
        "enabled_events": names, "metadata": params.metadata_of(&Value::Null), "url": url,
    });
    let mut doc: Value = template("webhook_endpoint", given);
    tx.insert_with(&doc, Some(json!({"secret": secret}))).await?;
    doc["secret"] = json!(secret);
    Ok(doc)
}

/// `POST /v1/webhook_endpoints/{id}`.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut doc = get(tx, "webhook_endpoint", id).await?;
    set_fields(&mut doc, params, &[]);
    let names = params.texts("enabled_events");
    if !names.is_empty() {
        doc["enabled_events"] = json!(names);
    }
    if let Some(disabled) = params.boolean("disabled")? {
        doc["status"] = json!(if disabled { "disabled" } else { "enabled" });
        if disabled {
            give_up(tx, id).await?;
        }
    }
    tx.update(&doc).await?;
    Ok(doc)
}

/// `DELETE /v1/webhook_endpoints/{id}`.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let doc: Value = get(tx, "webhook_endpoint", id).await?;
    tx.delete(text(&doc, "id")).await?;
    give_up(tx, id).await?;
    Ok(json!({"id": id, "object": "webhook_endpoint", "deleted": true}))
}

/// Ends the deliveries to an endpoint that are not accepted yet.
async fn give_up(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let sql = "UPDATE deliveries SET state = 'failed' WHERE endpoint_id = $1 AND state <> 'delivered'";
    Ok(tx.execute(sql!(sql, id)).await.map(drop)?)
}
