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

use self::walk::{MoveRequest, Walked};
use crate::provider::{ApiError, complete, read};
use crate::state::{Moment, World};

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

async fn advance(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ApiError> {
    let request: MoveRequest = read(&body)?;
    let walking = world.clone();
    let walked = complete(async move { walk::walk(&walking, &request).await });
    let Walked { pending, fell_silent } = walked.await?;
    let mut answer = world.clock.answer();
    answer["pending"] = json!(pending);
    answer["fell_silent"] = json!(fell_silent);
    Ok(Json(answer))
}
