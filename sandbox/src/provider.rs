//! The payments API at `/v1/…`: key, parameters, idempotency and expansion around one table of calls.

pub mod billing;
pub mod catalog;
pub mod checkout;
pub mod customers;
mod endpoints;
pub mod error;
pub mod events;
mod expand;
mod idempotency;
mod listing;
pub mod money;
pub mod params;
pub mod portal;
mod table;
pub mod test_clocks;
mod unused;
pub mod webhooks;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde_json::{Value, json};

use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::state::ids;
use crate::state::store::{Cause, Tx};
use crate::state::world::World;

/// The version that the sandbox plays.
pub const API_VERSION: &str = "2026-10-28.endive";
/// The first version that refuses the old names of `ui_mode`.
pub const DAHLIA: &str = "2026-03-25";
/// The first version that refuses a session's `payment_method_types` (changelog of the SDK, 23.0.0).
pub const ENDIVE: &str = "2026-09-30";
const SECRET_KEY: &str = "sk_test_garimpo";

/// What a call answers when it succeeds.
pub type Reply = Result<Value, ApiError>;
/// Status and body of an answer, and whether it is an earlier one's.
pub type Answered = Result<(u16, String, bool), ApiError>;

/// One call, decoded.
pub struct Call<'c> {
    /// Method.
    pub method: Method,
    /// What follows `/v1/`, by segments.
    pub path: Vec<&'c str>,
    /// Query and body.
    pub params: Params,
    /// The version that the call is made in.
    pub version: &'c str,
}

/// `/v1/…`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/v1/{*path}", any(answer))
}

async fn answer(
    State(world): State<Arc<World>>,
    Path(path): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request_id = ids::new("req");
    let version = header(&headers, "stripe-version").unwrap_or(API_VERSION).to_owned();
    let job = Job {
        request_id: request_id.clone(),
        idempotency_key: header(&headers, "idempotency-key")
            .filter(|_| method == Method::POST)
            .map(str::to_owned),
        authorized: authorize(&headers),
        query: uri.query().unwrap_or_default().to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        version: version.clone(),
        method,
        path,
    };
    // A call that began goes to its end, also when its caller goes away: as at the provider.
    let done = tokio::spawn(async move { job.run(&world).await }).await;
    let (status, body, replayed) = done.unwrap_or_else(|error| {
        tracing::error!(%error, "a call of the payments API failed");
        (500, json!({"error": {"type": "api_error", "message": "The sandbox failed."}}).to_string(), false)
    });
    let mut response = (StatusCode::from_u16(status).unwrap_or_default(), body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in [("request-id", request_id), ("stripe-version", version)] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    if replayed {
        headers.insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty())
}

/// Bearer, or Basic with the key as user and no password.
fn authorize(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(given) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
        return Err(ApiError::unauthorized(
            "You did not provide an API key. Use the Authorization header with your key.",
        ));
    };
    // base64 of "sk_test_garimpo:", which is all that Basic may carry here.
    let known = given == format!("Bearer {SECRET_KEY}") || given == "Basic c2tfdGVzdF9nYXJpbXBvOg==";
    known.then_some(()).ok_or_else(|| {
        ApiError::unauthorized("Invalid API Key provided: the sandbox knows sk_test_garimpo alone.")
    })
}

struct Job {
    request_id: String,
    idempotency_key: Option<String>,
    authorized: Result<(), ApiError>,
    method: Method,
    path: String,
    query: String,
    body: String,
    version: String,
}

impl Job {
    /// Status, body, and whether the answer is an earlier one's.
    async fn run(self, world: &World) -> (u16, String, bool) {
        let log_url = format!("{}/log/{}", world.url, self.request_id);
        match self.try_run(world, &log_url).await {
            Ok(done) => done,
            Err(error) => (error.status, error.body(&log_url), false),
        }
    }

    async fn try_run(self, world: &World, log_url: &str) -> Answered {
        self.authorized.clone()?;
        let call = Call {
            method: self.method.clone(),
            path: self.path.split('/').filter(|segment| !segment.is_empty()).collect(),
            params: Params::parse(&self.query, &self.body)?,
            version: &self.version,
        };
        if self.method == Method::GET {
            let mut tx = world.read().await?;
            let body = answer_in(&mut tx, &call).await?;
            return Ok((200, body.to_string(), false));
        }
        let key = match &self.idempotency_key {
            Some(key) => Some(idempotency::Key::take(world, key, &self.method, &self.path, &call.params)?),
            None => None,
        };
        let cause = Cause {
            request_id: Some(self.request_id.clone()),
            idempotency_key: self.idempotency_key.clone(),
        };
        let mut tx = world.write(cause).await?;
        if let Some(key) = &key
            && let Some((status, body)) = key.replay(&mut tx).await?
        {
            return Ok((status, body, true));
        }
        test_clocks::enter_clock_of_call(&mut tx, &call).await?;
        let (status, body) = match answer_in(&mut tx, &call).await {
            Ok(body) => (200, body.to_string()),
            // A decline has happened: what it did stays, and its key answers the same again.
            Err(error) if error.status == 402 => (402, error.body(log_url)),
            Err(error) => {
                if let Some(key) = key.as_ref().filter(|_| error.is_result()) {
                    // What the call did is undone; its result is kept.
                    drop(tx);
                    let mut tx = world.write(Cause::default()).await?;
                    key.keep(&mut tx, error.status, &error.body(log_url)).await?;
                    world.commit(tx).await?;
                }
                return Err(error);
            }
        };
        if let Some(key) = &key {
            key.keep(&mut tx, status, &body).await?;
        }
        world.commit(tx).await?;
        Ok((status, body, false))
    }
}

async fn answer_in(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let mut body = table::route(tx, call).await?;
    for wish in call.params.texts("expand") {
        expand::expand(tx, &mut body, &wish).await?;
    }
    Ok(unused::complete(crate::state::store::public(&body)))
}
