//! The conversions platform: validates events as the real one does, stores them, and counts each
//! once.

mod check;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::provider::ApiError;
use crate::state::{Cause, DAY, Moment, World, ids, sql, text};

/// Within this time, events with the same name and id are the same event.
const COUNTED_ONCE_WITHIN: i64 = 2 * DAY;
const MAX_LISTED: usize = 1000;

/// `/graph/{version}/{pixel}/events` and `/graph/events.json`.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/graph/{version}/{pixel}/events", post(receive))
        .route("/graph/events.json", get(list))
}

#[derive(Deserialize)]
struct Token {
    #[serde(default)]
    access_token: String,
}

async fn receive(
    State(world): State<Arc<World>>,
    Path((version, pixel)): Path<(String, String)>,
    Query(query): Query<Token>,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let token = Some(text(&body, "access_token")).filter(|token| !token.is_empty());
    let token = token.unwrap_or(&query.access_token);
    if let Err(refusal) = check::check(&version, &pixel, token, &body, world.now()) {
        return refusal.into_response();
    }
    match store(&world, &version, &pixel, &body).await {
        Ok(count) => Json(json!({"events_received": count, "messages": [], "fbtrace_id": ids::random(20)}))
            .into_response(),
        Err(error) => ApiError::from(error).into_response(),
    }
}

async fn store(world: &World, version: &str, pixel: &str, body: &Value) -> Result<usize, sqlx::Error> {
    let events = body["data"].as_array().cloned().unwrap_or_default();
    let mut tx = world.write(Cause::default()).await?;
    for event in &events {
        let sql = "INSERT INTO conversions (version, pixel, event_key, doc, received_at_us) VALUES ($1, $2, $3, $4, $5)";
        let key = format!("{} {}", text(event, "event_name"), text(event, "event_id"));
        tx.execute(sql!(sql, version, pixel, key, event, tx.now)).await?;
    }
    world.commit(tx).await?;
    Ok(events.len())
}

async fn list(State(world): State<Arc<World>>) -> Result<Json<Vec<Counted>>, ApiError> {
    Ok(Json(conversions(&world).await?))
}

/// An event that the platform counts.
#[derive(Debug, Serialize)]
pub struct Counted {
    pub version: String,
    pub pixel: String,
    /// First arrival.
    pub received_at: Moment,
    /// Duplicates within two days, which are not counted.
    pub repeats: u32,
    pub event: Value,
}

/// The counted events, newest first.
pub async fn conversions(world: &World) -> Result<Vec<Counted>, sqlx::Error> {
    let sql = "SELECT version, pixel, event_key, doc, received_at_us FROM conversions ORDER BY seq";
    let rows: Vec<(String, String, String, Value, Moment)> =
        sqlx::query_as(sql).fetch_all(&mut *world.read().await?.conn).await?;
    let mut counted: Vec<Counted> = Vec::new();
    let mut seen: HashMap<(String, String), (Moment, usize)> = HashMap::new();
    for (version, pixel, key, event, received_at) in rows {
        let key = (pixel.clone(), key);
        // Events without an id are never duplicates.
        let first = seen.get(&key).filter(|(since, _)| {
            !text(&event, "event_id").is_empty() && received_at < since.plus(COUNTED_ONCE_WITHIN)
        });
        if let Some((_, index)) = first {
            counted[*index].repeats += 1;
            continue;
        }
        seen.insert(key, (received_at, counted.len()));
        counted.push(Counted { version, pixel, received_at, repeats: 0, event });
    }
    counted.reverse();
    counted.truncate(MAX_LISTED);
    Ok(counted)
}
