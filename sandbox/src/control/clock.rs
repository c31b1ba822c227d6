//! `/clock` over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use self::walk::{WalkError, Walked, walk as walk_to};

use crate::control::clock::walk::Step;
use crate::state::moment::Moment;
use crate::state::world::World;

pub mod walk;

/// Microseconds of a second, for fractions of one.
const MICROS: f64 = 1e6;
const LONG_POLL: Duration = Duration::from_secs(20);

/// `GET` and `POST /clock`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/clock", get(read).post(advance))
}

#[derive(Deserialize)]
struct Poll {
    after: Option<u64>,
    follower: Option<String>,
    /// RFC 3339, optional: when the follower's own next work is due, so that a walk stops there too.
    next_due: Option<String>,
}

async fn read(State(world): State<Arc<World>>, Query(poll): Query<Poll>) -> Response {
    let next_due = poll.next_due.as_deref().and_then(Moment::parse);
    let _open = poll.follower.as_deref().map(|name| world.clock.followers.poll(name, poll.after, next_due));
    if let Some(after) = poll.after {
        let mut revisions = world.clock.revisions.subscribe();
        // A revision beyond ours is one of an earlier world: answered at once, so that the follower starts anew.
        let moved = revisions.wait_for(|revision| *revision != after);
        let mut stopping = world.stopping.subscribe();
        tokio::select! {
            _ = tokio::time::timeout(LONG_POLL, moved) => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }
    Json(world.clock.answer()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    advance_seconds: Option<f64>,
    set: Option<String>,
    #[serde(default)]
    keep_sessions: bool,
}

async fn advance(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let refuse = |why: String| (StatusCode::BAD_REQUEST, Json(json!({"error": why}))).into_response();
    let wish: Wish = match serde_json::from_slice(&body) {
        Ok(wish) => wish,
        Err(error) => return refuse(error.to_string()),
    };
    let step = match (wish.advance_seconds, wish.set.as_deref().map(Moment::parse)) {
        (Some(seconds), None) if (0.0..=4e9).contains(&seconds) => Step::Advance((seconds * MICROS) as i64),
        (None, Some(Some(at))) => Step::Set(at),
        (None, Some(None)) => return refuse("set: not an RFC 3339 instant".into()),
        _ => return refuse("one of advance_seconds (0 to 4e9) and set is required".into()),
    };
    // A walk that began goes to its end, also when its caller goes away.
    let walking = world.clone();
    let walked = tokio::spawn(async move { walk_to(&walking, step, wish.keep_sessions).await }).await;
    match walked {
        Ok(Ok(Walked { pending, fell_silent })) => {
            let mut answer = world.clock.answer();
            answer["pending"] = json!(pending);
            answer["fell_silent"] = json!(fell_silent);
            Json(answer).into_response()
        }
        Ok(Err(error @ WalkError::Backwards { .. })) => refuse(error.to_string()),
        other => {
            tracing::error!(?other, "the sandbox's clock could not walk");
            (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({"error": "the clock could not walk"})))
                .into_response()
        }
    }
}
