//! Faults on wish (`/_test/faults`): answers that fail, come late or never, and webhooks that get lost,
//! doubled, shuffled or held. Durable, so that a restart does not heal the world by accident.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::Row;

use crate::provider::webhooks;
use crate::state::moment::{DAY, Moment};
use crate::state::store::{Cause, Store};
use crate::state::world::World;

/// What shall go wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Calls to this path and to what lies under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only calls of this method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Answer this status and do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Seconds that the answer asks its caller to wait (`retry-after`); with `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Why a 429 limits its caller (`Stripe-Rate-Limited-Reason`). A 429 without a reason is a lock timeout, which
    /// the provider did not execute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limited_reason: Option<RateLimitedReason>,
    /// `Stripe-Should-Retry`; with `status`. A lock timeout has `true` without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_retry: Option<bool>,
    /// The failure is the result of its idempotency key for a day, as at the provider once a call had begun; with
    /// `status`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// Close the connection without having done anything, as a host that is down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop: bool,
    /// Wait so long (real milliseconds), then do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Do it, then close the connection without an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub act_then_drop: bool,
    /// What happens to deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<WebhookFault>,
    /// How often; without it, until `DELETE /_test/faults`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

/// Values of `Stripe-Rate-Limited-Reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateLimitedReason {
    /// Calls per second of the account.
    GlobalRate,
    /// Calls at once of the account.
    GlobalConcurrency,
    /// Calls per second of one endpoint.
    EndpointRate,
    /// Calls at once of one endpoint.
    EndpointConcurrency,
    /// Calls on one object.
    ResourceSpecific,
}

impl RateLimitedReason {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::GlobalRate => "global-rate",
            Self::GlobalConcurrency => "global-concurrency",
            Self::EndpointRate => "endpoint-rate",
            Self::EndpointConcurrency => "endpoint-concurrency",
            Self::ResourceSpecific => "resource-specific",
        })
    }
}

/// What can happen to a webhook on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebhookFault {
    /// Never delivered, never tried again: only `/v1/events` knows of it.
    Drop,
    /// Delivered twice.
    Double,
    /// Delivered in any order.
    Shuffle,
    /// Delivered after `DELETE /_test/faults`.
    Hold,
}

/// The faults in force.
#[derive(Default)]
pub struct Faults {
    active: Mutex<Vec<(i64, Fault)>>,
    /// Failures that idempotency keys keep, with the instant of the first; gone when the sandbox stops.
    kept: Mutex<HashMap<String, (Moment, Fault)>>,
}

impl Faults {
    /// The faults as they were left.
    pub async fn open(store: &Store) -> Result<Self, sqlx::Error> {
        let mut conn = store.read().await?;
        let rows = sqlx::query("SELECT seq, doc FROM faults ORDER BY seq").fetch_all(&mut *conn).await?;
        let active = rows
            .iter()
            .filter_map(|row| Some((row.get(0), serde_json::from_str(row.get(1)).ok()?)))
            .collect();
        Ok(Self { active: Mutex::new(active), kept: Mutex::default() })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(i64, Fault)>> {
        self.active.lock().expect("no holder of the faults' lock panics")
    }

    /// The faults in force.
    pub fn list(&self) -> Vec<Fault> {
        self.lock().iter().map(|(_, fault)| fault.clone()).collect()
    }

    fn hit(&self, matches: impl Fn(&Fault) -> bool) -> Option<(i64, Fault)> {
        let mut active = self.lock();
        let at = active.iter().position(|(_, fault)| matches(fault))?;
        if let Some(times) = &mut active[at].1.times {
            *times = times.saturating_sub(1);
        }
        let hit = active[at].clone();
        if hit.1.times == Some(0) {
            active.remove(at);
        }
        Some(hit)
    }

    /// The failure that a key keeps, or that it keeps from now on.
    fn keep(&self, key: &str, now: Moment, fault: Option<&Fault>) -> Option<Fault> {
        let mut kept = self.kept.lock().expect("no holder of the faults' lock panics");
        kept.retain(|_, (since, _)| now < since.plus(DAY));
        if let Some(fault) = fault {
            kept.insert(key.to_owned(), (now, fault.clone()));
        }
        kept.get(key).map(|(_, fault)| fault.clone())
    }

    /// The fault for the next delivery, used up by one.
    pub async fn for_delivery(&self, world: &World) -> Option<WebhookFault> {
        let hit = self.hit(|fault| fault.webhooks.is_some())?;
        remember(world, &hit).await;
        hit.1.webhooks
    }

    /// Whether deliveries are being shuffled now.
    pub fn shuffling(&self) -> bool {
        self.lock().iter().any(|(_, fault)| fault.webhooks == Some(WebhookFault::Shuffle))
    }
}

async fn remember(world: &World, (seq, fault): &(i64, Fault)) {
    if fault.times.is_none() {
        return;
    }
    let written = async {
        let mut tx = world.write(Cause::default()).await?;
        let sql = if fault.times == Some(0) {
            "DELETE FROM faults WHERE seq = $1"
        } else {
            "UPDATE faults SET doc = $2 WHERE seq = $1"
        };
        sqlx::query(sql).bind(seq).bind(json!(fault).to_string()).execute(&mut *tx.conn).await?;
        world.commit(tx).await
    };
    if let Err(error) = written.await {
        tracing::error!(%error, "a used fault could not be noted");
    }
}

/// `/_test/faults`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/_test/faults", post(add).get(list).delete(end))
}

async fn add(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let fault: Fault = match serde_json::from_slice(&body) {
        Ok(fault) => fault,
        Err(error) => {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": error.to_string()}))).into_response();
        }
    };
    let of_calls = fault.status.is_some() || fault.delay_ms.is_some() || fault.act_then_drop || fault.drop;
    if fault.path.is_some() != of_calls || fault.webhooks.is_some() == of_calls {
        let why = "either path with status, delay_ms, drop or act_then_drop, or webhooks";
        return (StatusCode::BAD_REQUEST, Json(json!({"error": why}))).into_response();
    }
    match store(&world, &fault).await {
        Ok(()) => Json(json!({"faults": world.faults.list()})).into_response(),
        Err(error) => failed(&error),
    }
}

async fn store(world: &World, fault: &Fault) -> Result<(), sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let seq: i64 = sqlx::query_scalar("INSERT INTO faults (doc) VALUES ($1) RETURNING seq")
        .bind(json!(fault).to_string())
        .fetch_one(&mut *tx.conn)
        .await?;
    world.commit(tx).await?;
    world.faults.lock().push((seq, fault.clone()));
    Ok(())
}

async fn list(State(world): State<Arc<World>>) -> Response {
    Json(json!({"faults": world.faults.list()})).into_response()
}

async fn end(State(world): State<Arc<World>>) -> Response {
    match clear(&world).await {
        Ok(()) => Json(json!({"faults": []})).into_response(),
        Err(error) => failed(&error),
    }
}

async fn clear(world: &World) -> Result<(), sqlx::Error> {
    world.faults.lock().clear();
    let mut tx = world.write(Cause::default()).await?;
    sqlx::query("DELETE FROM faults").execute(&mut *tx.conn).await?;
    webhooks::release_held_in_tx(&mut tx).await?;
    world.commit(tx).await
}

fn failed(error: &sqlx::Error) -> Response {
    tracing::error!(%error, "the faults could not be stored");
    StatusCode::SERVICE_UNAVAILABLE.into_response()
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
    let hit = world.faults.hit(|fault| {
        fault.path.as_deref().is_some_and(|folder| is_under(&path, folder))
            && fault.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method.as_str()))
    });
    let Some(hit) = hit else { return next.run(request).await };
    remember(&world, &hit).await;
    // What began is done in the end, also when its caller has gone: as at the provider.
    let answered = tokio::spawn(async move { suffer(&world, &hit.1, key, request, next).await });
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
    if let Some(reason) = fault.rate_limited_reason {
        response.headers_mut().insert("stripe-rate-limited-reason", reason.header());
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

/// A body that fails before anything is flushed makes the server close the connection without an answer.
pub fn no_answer() -> Response {
    let broken =
        futures::stream::once(async { Err::<Bytes, _>(std::io::Error::other("dropped by a fault")) });
    Response::new(axum::body::Body::from_stream(broken))
}
