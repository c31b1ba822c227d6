//! The scripts of advertising platforms as a page loads them, and what they would have told: kept while this runs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::pages::script;
use crate::state::world::World;

/// Events that are kept.
const KEPT: usize = 1000;
/// One transparent pixel.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// What pages told, newest first.
#[derive(Default)]
pub struct Told(Mutex<VecDeque<Value>>);

/// `/pixel/fbevents.js`, `/pixel/gtag.js`, where both tell (`/pixel/tr`) and what they told (`/pixel/events.json`).
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/pixel/fbevents.js", get(async || script(include_str!("../../assets/fbevents.js"))))
        .route("/pixel/gtag.js", get(async || script(include_str!("../../assets/gtag.js"))))
        .route("/pixel/tr", get(take))
        .route("/pixel/events.json", get(list))
}

async fn take(State(world): State<Arc<World>>, Query(mut told): Query<BTreeMap<String, String>>) -> Response {
    let data: Value = serde_json::from_str(&told.remove("data").unwrap_or_default()).unwrap_or_default();
    let mut event = json!(told);
    event["data"] = data;
    event["at"] = world.now().rfc3339().into();
    let mut kept = world.told.0.lock().unwrap_or_else(PoisonError::into_inner);
    kept.truncate(KEPT - 1);
    kept.push_front(event);
    let policy = ("cross-origin-resource-policy", "cross-origin");
    ([(CONTENT_TYPE.as_str(), "image/gif"), policy], GIF).into_response()
}

async fn list(State(world): State<Arc<World>>) -> Json<Value> {
    let kept = world.told.0.lock().unwrap_or_else(PoisonError::into_inner);
    Json(kept.iter().cloned().collect())
}
