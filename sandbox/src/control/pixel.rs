//! `/pixel/tr`, where the scripts of advertising platforms send events, and `/pixel/events.json`,
//! which lists them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::state::World;

/// One transparent pixel.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/pixel/tr", get(receive)).route("/pixel/events.json", get(list))
}

async fn receive(
    State(world): State<Arc<World>>,
    Query(mut fields): Query<BTreeMap<String, String>>,
) -> Response {
    let data: Value = serde_json::from_str(&fields.remove("data").unwrap_or_default()).unwrap_or_default();
    let mut event = json!(fields);
    event["data"] = data;
    event["at"] = world.now().rfc3339().into();
    world.pixel_events.push(|_| event);
    let policy = ("cross-origin-resource-policy", "cross-origin");
    ([(CONTENT_TYPE.as_str(), "image/gif"), policy], GIF).into_response()
}

async fn list(State(world): State<Arc<World>>) -> Json<Vec<Value>> {
    Json(world.pixel_events.latest(usize::MAX, |_| true))
}
