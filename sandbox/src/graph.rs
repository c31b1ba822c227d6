//! The conversions endpoint (providers 4): validates as the real one does, keeps what it accepts.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::Row;

use crate::ids;
use crate::moment::{DAY, Moment};
use crate::store::{Cause, text};
use crate::world::World;

const SOURCES: [&str; 9] = [
    "website",
    "app",
    "email",
    "phone_call",
    "chat",
    "physical_store",
    "system_generated",
    "business_messaging",
    "other",
];
/// Keys of user_data that must come as SHA-256 hex.
const HASHED: [&str; 9] = ["em", "ph", "fn", "ln", "ct", "st", "zp", "country", "db"];
/// What alone does not say who it was.
const TOO_WEAK: [&str; 6] = ["ct", "country", "st", "zp", "ge", "client_user_agent"];

/// `/graph/{version}/{pixel}/events` and `/graph/events.json`.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/graph/{version}/{pixel}/events", post(receive))
        .route("/graph/events.json", get(list))
}

#[derive(Deserialize)]
struct Token {
    access_token: Option<String>,
}

struct Refusal {
    code: i64,
    subcode: Option<i64>,
    message: String,
}

impl Refusal {
    fn parameter(message: impl Into<String>) -> Self {
        Self { code: 100, subcode: None, message: message.into() }
    }
}

async fn receive(
    State(world): State<Arc<World>>,
    Path((version, pixel)): Path<(String, String)>,
    Query(token): Query<Token>,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let has_token =
        token.access_token.is_some_and(|t| !t.is_empty()) || !text(&body, "access_token").is_empty();
    let checked = if has_token {
        check(&version, &body, world.now())
    } else {
        Err(Refusal { code: 190, subcode: None, message: "Invalid OAuth access token.".into() })
    };
    if let Err(refusal) = checked {
        let error = json!({"error": {"message": "Invalid parameter", "type": "OAuthException", "code": refusal.code,
            "error_subcode": refusal.subcode, "is_transient": false, "error_user_title": refusal.message,
            "error_user_msg": refusal.message, "fbtrace_id": ids::random(20)}});
        let status = if refusal.code == 190 { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
        return (status, Json(error)).into_response();
    }
    match store(&world, &version, &pixel, &body).await {
        Ok(count) => Json(json!({"events_received": count, "messages": [], "fbtrace_id": ids::random(20)}))
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "conversion events could not be stored");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

fn check(version: &str, body: &Value, now: Moment) -> Result<(), Refusal> {
    if version.strip_prefix('v').is_none_or(|number| number.parse::<f32>().is_err()) {
        return Err(Refusal { code: 2500, subcode: None, message: "Unknown path components".into() });
    }
    let events = body["data"].as_array().ok_or_else(|| Refusal::parameter("data is required"))?;
    if events.is_empty() || events.len() > 1000 {
        return Err(Refusal::parameter("data must hold 1 to 1000 events"));
    }
    events.iter().try_for_each(|event| check_event(event, now))
}

fn check_event(event: &Value, now: Moment) -> Result<(), Refusal> {
    if text(event, "event_name").is_empty() {
        return Err(Refusal::parameter("event_name is required"));
    }
    let at = event["event_time"].as_i64().ok_or_else(|| Refusal::parameter("event_time is required"))?;
    let too_old = Refusal { code: 100, subcode: Some(2_804_003), message: "Event Timestamp Too Old".into() };
    if Moment::from_seconds(at) < now.plus(-7 * DAY) {
        return Err(too_old);
    }
    if at > now.seconds() + 600 {
        return Err(Refusal::parameter("event_time is in the future"));
    }
    let source = text(event, "action_source");
    if !SOURCES.contains(&source) {
        return Err(Refusal::parameter("action_source is required and must be known"));
    }
    let user = event["user_data"].as_object().filter(|data| !data.is_empty());
    let user = user.ok_or_else(|| Refusal::parameter("user_data is required"))?;
    if source == "website"
        && (text(event, "event_source_url").is_empty() || !user.contains_key("client_user_agent"))
    {
        return Err(Refusal::parameter("website events need event_source_url and client_user_agent"));
    }
    if user.keys().all(|key| TOO_WEAK.contains(&key.as_str())) {
        return Err(Refusal::parameter("user_data does not say enough about the customer"));
    }
    for key in HASHED {
        let values = match user.get(key) {
            Some(Value::Array(values)) => values.clone(),
            Some(value) => vec![value.clone()],
            None => continue,
        };
        if !values.iter().all(|value| value.as_str().is_some_and(is_sha256)) {
            return Err(Refusal::parameter(format!("user_data.{key} must be hashed with SHA-256")));
        }
    }
    let custom = &event["custom_data"];
    if event["event_name"] == "Purchase"
        && (!custom["value"].is_number() || text(custom, "currency").len() != 3)
    {
        return Err(Refusal::parameter("Purchase needs custom_data.value and custom_data.currency"));
    }
    Ok(())
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

async fn store(world: &World, version: &str, pixel: &str, body: &Value) -> Result<usize, sqlx::Error> {
    let events = body["data"].as_array().cloned().unwrap_or_default();
    let mut tx = world.write(Cause::default()).await?;
    for event in &events {
        sqlx::query(
            "INSERT INTO conversions (version, pixel, event_key, doc, received_at_us) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(version)
        .bind(pixel)
        .bind(format!("{} {}", text(event, "event_name"), text(event, "event_id")))
        .bind(event.to_string())
        .bind(tx.now.0)
        .execute(&mut *tx.conn)
        .await?;
    }
    world.commit(tx).await?;
    Ok(events.len())
}

async fn list(State(world): State<Arc<World>>) -> Response {
    match conversions(&world).await {
        Ok(events) => Json(events).into_response(),
        Err(error) => {
            tracing::error!(%error, "conversion events could not be read");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// The accepted events, newest first; `duplicate` marks those that the platform would count once only.
pub async fn conversions(world: &World) -> Result<Vec<Value>, sqlx::Error> {
    let mut tx = world.read().await?;
    let rows = sqlx::query(
        "SELECT c.version, c.pixel, c.doc, c.received_at_us, EXISTS (SELECT 1 FROM conversions e
           WHERE e.pixel = c.pixel AND e.event_key = c.event_key AND e.seq < c.seq
           AND e.received_at_us > c.received_at_us - $1 AND json_extract(c.doc, '$.event_id') IS NOT NULL)
         FROM conversions c ORDER BY c.seq DESC LIMIT 1000",
    )
    .bind(2 * DAY)
    .fetch_all(&mut *tx.conn)
    .await?;
    Ok(rows
        .iter()
        .map(|row| {
            let event: Value = serde_json::from_str(row.get(2)).unwrap_or_default();
            json!({"version": row.get::<String, _>(0), "pixel": row.get::<String, _>(1),
                "received_at": Moment(row.get(3)).rfc3339(), "duplicate": row.get::<bool, _>(4), "event": event})
        })
        .collect())
}
