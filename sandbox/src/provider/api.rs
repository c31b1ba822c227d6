//! `/v1/…`: key, parameters, idempotency and expansion around the table of calls.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

use crate::provider::idempotency::Key;
use crate::provider::{
    API_VERSION, ApiError, Call, Params, Reply, clock_time, complete, expand, parameters, table,
};
use crate::state::{Cause, Tx, World, ids};

const SECRET_KEY: &str = "sk_test_garimpo";

/// Status and body of an answer, and whether it is that of an earlier call.
type Answer = (u16, String, bool);

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
    let request = Request {
        id: request_id.clone(),
        idempotency_key: header(&headers, "idempotency-key")
            .filter(|_| method == Method::POST)
            .map(str::to_owned),
        authorized: authorize(&headers),
        query: uri.query().unwrap_or_default().to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        method,
        path,
    };
    let log_url = format!("{}/log/{request_id}", world.url);
    let done = complete({
        let log_url = log_url.clone();
        async move { request.run(&world, &log_url).await }
    });
    let (status, body, replayed) =
        done.await.unwrap_or_else(|error| (error.status, error.body(&log_url), false));
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

/// Checks the key: as a bearer token, or as the user of Basic without a password.
fn authorize(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(given) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
        let message = "You did not provide an API key. Use the Authorization header with your key.";
        return Err(ApiError::unauthorized(message));
    };
    // The base64 of "sk_test_garimpo:".
    if given == format!("Bearer {SECRET_KEY}") || given == "Basic c2tfdGVzdF9nYXJpbXBvOg==" {
        return Ok(());
    }
    Err(ApiError::unauthorized("Invalid API Key provided: the sandbox knows sk_test_garimpo alone."))
}

struct Request {
    id: String,
    idempotency_key: Option<String>,
    authorized: Result<(), ApiError>,
    method: Method,
    path: String,
    query: String,
    body: String,
}

impl Request {
    async fn run(self, world: &World, log_url: &str) -> Result<Answer, ApiError> {
        self.authorized?;
        let call = Call {
            method: self.method,
            path: self.path.split('/').filter(|segment| !segment.is_empty()).collect(),
            params: Params::parse(&self.query, &self.body)?,
        };
        if call.method == Method::GET {
            let mut tx = world.read().await?;
            let body = answer_in(&mut tx, &call).await?;
            return Ok((200, body.to_string(), false));
        }
        let key = match &self.idempotency_key {
            Some(key) => Some(Key::claim(world, key, &call.method, &self.path, &call.params)?),
            None => None,
        };
        let cause = Cause { request_id: Some(self.id), idempotency_key: self.idempotency_key.clone() };
        let mut tx = world.write(cause).await?;
        if let Some(key) = &key
            && let Some((status, body)) = key.replay(&mut tx).await?
        {
            return Ok((status, body, true));
        }
        clock_time::enter_clock_of_call(&mut tx, &call).await?;
        let (status, body) = match answer_in(&mut tx, &call).await {
            Ok(body) => (200, body.to_string()),
            // A decline is a result: its changes are committed, and its key returns it again.
            Err(error) if error.status == 402 => (402, error.body(log_url)),
            Err(error) => {
                if let Some(key) = key.as_ref().filter(|_| error.is_result()) {
                    // The changes are rolled back, and the result is kept.
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
    parameters::check(call)?;
    // On the heap, because the largest write is larger than the rest of the call.
    let mut body = Box::pin(table::route(tx, call)).await?;
    for path in call.params.texts("expand") {
        expand::expand(tx, &mut body, &path).await?;
    }
    match call.params.unread() {
        Some(param) => Err(ApiError::not_played(&param)),
        None => Ok(body),
    }
}
