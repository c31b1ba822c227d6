//! `/_test/faults`, and the middleware that does to a call what a fault says.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use crate::provider::{ApiError, read, webhooks};
use crate::state::faults::Fault;
use crate::state::{Cause, World};

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/_test/faults", post(add).get(list).delete(clear))
}

async fn add(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ApiError> {
    let fault: Fault = read(&body)?;
    let of_calls = fault.status.is_some() || fault.delay_ms.is_some() || fault.act_then_drop || fault.drop;
    let why = "either path with status, delay_ms, drop or act_then_drop, or webhooks";
    let is_one = fault.path.is_some() == of_calls && fault.webhooks.is_some() != of_calls;
    ensure!(is_one, ApiError::state(None, why));
    world.faults.add(&world.store, fault).await?;
    Ok(list(State(world)).await)
}

async fn list(State(world): State<Arc<World>>) -> Json<Value> {
    Json(json!({"faults": world.faults.list()}))
}

async fn clear(State(world): State<Arc<World>>) -> Result<Json<Value>, ApiError> {
    world.faults.clear(&world.store).await?;
    let mut tx = world.write(Cause::default()).await?;
    webhooks::release_held(&mut tx).await?;
    world.commit(tx).await?;
    Ok(list(State(world)).await)
}

fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Middleware: does to a call what the first matching fault says.
pub async fn act(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    if path.starts_with("/_test/") || path == "/clock" {
        return next.run(request).await;
    }
    let method = request.method().clone();
    let key = request.headers().get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    if let Some(failure) = key.as_deref().and_then(|key| world.faults.keep(key, world.now(), None)) {
        let mut again = failure_of(&failure);
        again.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
        return again;
    }
    let matches = |fault: &Fault| {
        fault.path.as_deref().is_some_and(|folder| is_under(&path, folder))
            && fault.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method.as_str()))
    };
    let fault = match world.faults.hit(&world.store, matches).await {
        Ok(Some(fault)) => fault,
        Ok(None) => return next.run(request).await,
        Err(error) => return ApiError::from(error).into_response(),
    };
    // As at the provider, a call that began is completed even if its caller has gone.
    let answered = tokio::spawn(async move { suffer(&world, &fault, key, request, next).await });
    answered.await.unwrap_or_else(|_| no_answer())
}

async fn suffer(world: &World, fault: &Fault, key: Option<String>, request: Request, next: Next) -> Response {
    if let Some(delay) = fault.delay_ms {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    if fault.status.is_some() {
        if let Some(key) = key.as_deref().filter(|_| fault.kept) {
            world.faults.keep(key, world.now(), Some(fault));
        }
        return failure_of(fault);
    }
    if fault.drop {
        return no_answer();
    }
    let response = next.run(request).await;
    if fault.act_then_drop { no_answer() } else { response }
}

/// The answer of a fault with a status.
fn failure_of(fault: &Fault) -> Response {
    let status = fault.status.and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let is_lock_timeout = status == StatusCode::TOO_MANY_REQUESTS && fault.rate_limited_reason.is_none();
    let (kind, code) = match status {
        StatusCode::TOO_MANY_REQUESTS if is_lock_timeout => ("invalid_request_error", Some("lock_timeout")),
        StatusCode::TOO_MANY_REQUESTS => ("invalid_request_error", Some("rate_limit")),
        _ => ("api_error", None),
    };
    let error =
        json!({"error": {"type": kind, "code": code, "message": "A fault asked for at /_test/faults."}});
    let mut response = (status, Json(error)).into_response();
    if let Some(reason) = json!(fault.rate_limited_reason).as_str().and_then(|reason| reason.parse().ok()) {
        response.headers_mut().insert("stripe-rate-limited-reason", reason);
    }
    if let Some(should_retry) = fault.should_retry.or(is_lock_timeout.then_some(true)) {
        let value = HeaderValue::from_static(if should_retry { "true" } else { "false" });
        response.headers_mut().insert("stripe-should-retry", value);
    }
    if let Some(seconds) = fault.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// An answer whose body fails before anything is flushed, so that the server closes the connection.
pub fn no_answer() -> Response {
    let broken =
        futures::stream::once(async { Err::<Bytes, _>(std::io::Error::other("dropped by a fault")) });
    Response::new(axum::body::Body::from_stream(broken))
}
