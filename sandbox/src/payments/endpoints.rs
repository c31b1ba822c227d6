//! Webhook endpoints.

use serde_json::{Value, json};

use crate::ids;
use crate::params::Params;
use crate::payments::catalog::{get, set_texts};
use crate::payments::error::ApiError;
use crate::payments::{API_VERSION, Reply};
use crate::store::{Tx, text};

/// `POST /v1/webhook_endpoints`: the secret is in this answer alone.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["url", "enabled_events", "api_version", "description", "metadata", "connect"])?;
    let url = params.required("url")?;
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(ApiError::invalid(Some("url"), Some("url_invalid"), "Invalid URL"));
    }
    let names = params.texts("enabled_events");
    if names.is_empty() {
        return Err(ApiError::missing("enabled_events"));
    }
    let secret = format!("whsec_{}", ids::random(32));
    let mut doc = json!({
        "id": ids::new("we"), "object": "webhook_endpoint",
        "api_version": params.text("api_version").unwrap_or(API_VERSION), "application": null,
        "created": tx.now.seconds(), "description": params.text("description"), "enabled_events": names,
        "livemode": false, "metadata": params.metadata("metadata", None), "status": "enabled", "url": url,
        "_secret": secret,
    });
    tx.insert(&doc).await?;
    doc["secret"] = json!(secret);
    Ok(doc)
}

/// `POST /v1/webhook_endpoints/{id}`.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["url", "enabled_events", "description", "metadata", "disabled"])?;
    let mut doc = get(tx, "webhook_endpoint", id).await?;
    set_texts(&mut doc, params, &["url", "description"]);
    let names = params.texts("enabled_events");
    if !names.is_empty() {
        doc["enabled_events"] = json!(names);
    }
    if let Some(disabled) = params.boolean("disabled")? {
        doc["status"] = json!(if disabled { "disabled" } else { "enabled" });
    }
    doc["metadata"] = params.metadata("metadata", Some(&doc["metadata"]));
    tx.update(&doc).await?;
    Ok(doc)
}

/// `DELETE /v1/webhook_endpoints/{id}`: what was not delivered to it never will be.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let doc: Value = get(tx, "webhook_endpoint", id).await?;
    tx.delete(text(&doc, "id")).await?;
    sqlx::query("UPDATE deliveries SET state = 'failed' WHERE endpoint_id = $1 AND state <> 'delivered'")
        .bind(id)
        .execute(&mut *tx.conn)
        .await?;
    Ok(json!({"id": id, "object": "webhook_endpoint", "deleted": true}))
}
