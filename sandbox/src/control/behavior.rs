//! `/_test/behavior`: GET returns all switches, PUT replaces them, DELETE restores the defaults.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;

use crate::provider::{ApiError, read};
use crate::state::World;
use crate::state::behavior::Behavior;

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/_test/behavior", get(show).put(replace).delete(restore))
}

async fn show(State(world): State<Arc<World>>) -> Json<Behavior> {
    Json(world.behavior.get())
}

async fn replace(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Behavior>, ApiError> {
    set(&world, read(&body)?).await
}

async fn restore(State(world): State<Arc<World>>) -> Result<Json<Behavior>, ApiError> {
    set(&world, Behavior::default()).await
}

async fn set(world: &World, behavior: Behavior) -> Result<Json<Behavior>, ApiError> {
    world.behavior.change(&world.store, |current| *current = behavior).await?;
    Ok(Json(behavior))
}
