//! The middleware that logs calls.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};

use crate::control::faults::no_answer;
use crate::state::World;
use crate::state::calls::{Api, Call, MAX_ANSWER_BYTES};

const MAX_REQUEST_BYTES: usize = 1024 * 1024;

/// Logs its call when it is dropped, so that a call whose caller went away is logged too.
struct LogOnDrop {
    world: Arc<World>,
    began: Instant,
    call: Call,
}

impl Drop for LogOnDrop {
    fn drop(&mut self) {
        let took_ms = self.began.elapsed().as_millis();
        self.world.calls.push(|seq| Call { seq, took_ms, ..self.call.clone() });
    }
}

/// Middleware: logs each call except those of the clock, which followers poll, and of the log.
pub async fn watch(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    if path == "/clock" || path.starts_with("/assets/") || path.starts_with("/log") {
        return next.run(request).await;
    }
    let is_api = path.starts_with("/v1/");
    let call = Call {
        seq: 0,
        at: world.now(),
        method: request.method().to_string(),
        path,
        status: None,
        took_ms: 0,
        api: None,
    };
    let mut logged = LogOnDrop { world, began: Instant::now(), call };
    if is_api {
        return log_api_call(&mut logged, request, next).await;
    }
    let response = next.run(request).await;
    logged.call.status = Some(response.status().as_u16());
    response
}

async fn log_api_call(logged: &mut LogOnDrop, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_REQUEST_BYTES).await else {
        logged.call.status = Some(413);
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    logged.call.api = Some(Api {
        idempotency_key: header(&parts.headers, "idempotency-key"),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body: body.clone(),
        ..Api::default()
    });
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    let (parts, body) = response.into_parts();
    // A fault can make the body fail: the answer stays broken.
    let Ok(body) = to_bytes(body, usize::MAX).await else { return no_answer() };
    logged.call.status = Some(parts.status.as_u16());
    if let Some(api) = &mut logged.call.api {
        api.request_id = header(&parts.headers, "request-id").unwrap_or_default();
        api.replayed = parts.headers.contains_key("idempotent-replayed");
        if body.len() <= MAX_ANSWER_BYTES {
            api.answer = body.clone();
        }
    }
    Response::from_parts(parts, Body::from(body))
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
