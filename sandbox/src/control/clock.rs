//! `/clock` over HTTP.

pub mod walk;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use self::walk::{Step, Walked};
use crate::provider::{ApiError, complete, read};
use crate::state::{Moment, World};

/// Microseconds of a second.
const MICROS: f64 = 1e6;
const LONG_POLL: Duration = Duration::from_secs(20);

/// `GET` and `POST /clock`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/clock", get(show).post(advance))
}

#[derive(Deserialize)]
struct Poll {
    after: Option<u64>,
    follower: Option<String>,
    /// RFC 3339: when the follower's own next work is due, so that a walk stops there too.
    next_due: Option<String>,
}

async fn show(State(world): State<Arc<World>>, Query(poll): Query<Poll>) -> Json<Value> {
    let next_due = poll.next_due.as_deref().and_then(Moment::parse);
    let _open = poll.follower.as_deref().map(|name| world.clock.followers.poll(name, poll.after, next_due));
    if let Some(after) = poll.after {
        let mut revisions = world.clock.revisions.subscribe();
        // A revision that is not ours belongs to an earlier world: reply at once, so that the
        // follower starts again.
        let moved = revisions.wait_for(|revision| *revision != after);
        let mut stopping = world.stopping.subscribe();
        tokio::select! {
            _ = tokio::time::timeout(LONG_POLL, moved) => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }
    Json(world.clock.answer())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveRequest {
    advance_seconds: Option<f64>,
    set: Option<String>,
    #[serde(default)]
    keep_sessions: bool,
}

impl MoveRequest {
    fn step(&self) -> Result<Step, ApiError> {
        let refuse = |why: &str| Err(ApiError::state(None, why));
        match (self.advance_seconds, self.set.as_deref().map(Moment::parse)) {
            (Some(seconds), None) if (0.0..=4e9).contains(&seconds) => {
                Ok(Step::Advance((seconds * MICROS) as i64))
            }
            (None, Some(Some(at))) => Ok(Step::Set(at)),
            (None, Some(None)) => refuse("set: not an RFC 3339 instant"),
            _ => refuse("one of advance_seconds (0 to 4e9) and set is required"),
        }
    }
}

async fn advance(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ApiError> {
    let request: MoveRequest = read(&body)?;
    let step = request.step()?;
    let walking = world.clone();
    let walked = complete(async move { walk::walk(&walking, step, request.keep_sessions).await });
    let Walked { pending, fell_silent } = walked.await?;
    let mut answer = world.clock.answer();
    answer["pending"] = json!(pending);
    answer["fell_silent"] = json!(fell_silent);
    Ok(Json(answer))
}
