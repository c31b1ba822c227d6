//! The log of calls: the latest that the sandbox answered, kept in memory. Those of the payments API keep what
//! was asked and what was answered, for the pages at `/log`; a call whose caller went away is there too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::control::faults::no_answer;
use crate::provider::params::Params;
use crate::state::moment::Moment;
use crate::state::world::World;

/// So many calls are kept; the oldest are forgotten.
pub const KEPT: usize = 200;
/// Larger answers are not kept, only that they were given.
pub const LARGEST_ANSWER: usize = 48 * 1024;
const LARGEST_REQUEST: usize = 1024 * 1024;

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its place in the log: later calls have greater numbers.
    pub seq: u64,
    /// When it came.
    pub at: Moment,
    /// Method.
    pub method: String,
    /// Path without its query.
    pub path: String,
    /// Status of the answer; absent when its caller got none.
    pub status: Option<u16>,
    /// How long the answer took, in milliseconds.
    pub took_ms: u128,
    /// What a call of the payments API said and was told.
    pub api: Option<Api>,
}

/// What a call of the payments API said and was told.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// `req_…`; empty when the call did not get so far.
    pub request_id: String,
    /// Its Idempotency-Key.
    pub idempotency_key: Option<String>,
    /// Whether the answer was an earlier one's.
    pub replayed: bool,
    sent: (String, Bytes),
    answer: Bytes,
}

impl Api {
    /// The parameters of query and body, for people.
    pub fn params(&self) -> String {
        let body = String::from_utf8_lossy(&self.sent.1);
        match Params::parse(&self.sent.0, &body) {
            Ok(Params(params)) if params.as_object().is_some_and(serde_json::Map::is_empty) => String::new(),
            Ok(Params(params)) => pretty(&params),
            Err(_) => body.into_owned(),
        }
    }

    /// The answer, for people; absent when it was too large to be kept.
    pub fn answer(&self) -> Option<String> {
        self.read_answer().map(|answer| pretty(&answer))
    }

    /// What an error said: its code, or its type.
    pub fn error(&self) -> Option<String> {
        let error = &self.read_answer()?["error"];
        error["code"].as_str().or(error["type"].as_str()).map(str::to_owned)
    }

    fn read_answer(&self) -> Option<Value> {
        serde_json::from_slice(&self.answer).ok()
    }
}

/// JSON for people, its secrets masked.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(&masked(value)).unwrap_or_default()
}

/// Secrets, and links that open a customer's data without a key, show their beginning alone.
fn masked(value: &Value) -> Value {
    let cut = |text: &str| json!(format!("{}…", text.chars().take(12).collect::<String>()));
    match value {
        Value::Object(fields) => {
            let is_portal = fields.get("object").is_some_and(|kind| kind == "billing_portal.session");
            let mask = |name: &str| {
                matches!(name, "client_secret" | "secret" | "cvc") || (is_portal && name == "url")
            };
            let of = |name: &String, value: &Value| match value {
                Value::String(text) if mask(name) => cut(text),
                other => masked(other),
            };
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), of(name, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        other => other.clone(),
    }
}

/// The latest calls.
#[derive(Default)]
pub struct CallLog {
    calls: Mutex<(u64, VecDeque<Call>)>,
}

impl CallLog {
    fn note(&self, mut call: Call) {
        let mut log = self.calls.lock().expect("no holder of the log's lock panics");
        log.0 += 1;
        call.seq = log.0;
        log.1.truncate(KEPT - 1);
        log.1.push_front(call);
    }

    /// The latest calls that are wanted, newest first.
    pub fn latest(&self, count: usize, wanted: impl Fn(&Call) -> bool) -> Vec<Call> {
        let log = self.calls.lock().expect("no holder of the log's lock panics");
        log.1.iter().filter(|call| wanted(call)).take(count).cloned().collect()
    }
}

/// Notes its call when it goes, however that comes about.
struct Noting {
    world: Arc<World>,
    began: Instant,
    call: Call,
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.call.took_ms = self.began.elapsed().as_millis();
        self.world.calls.note(self.call.clone());
    }
}

/// Middleware: notes each call. The clock, which is asked all the time, and the log itself are left out.
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
    let mut noting = Noting { world, began: Instant::now(), call };
    if is_api {
        return of_api(&mut noting, request, next).await;
    }
    let response = next.run(request).await;
    noting.call.status = Some(response.status().as_u16());
    response
}

async fn of_api(noting: &mut Noting, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_REQUEST).await else {
        noting.call.status = Some(413);
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    noting.call.api = Some(Api {
        idempotency_key: header(&parts.headers, "idempotency-key"),
        sent: (parts.uri.query().unwrap_or_default().to_owned(), body.clone()),
        ..Api::default()
    });
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    let (parts, body) = response.into_parts();
    // A fault may have asked for an answer that breaks off: it goes on broken.
    let Ok(body) = to_bytes(body, usize::MAX).await else { return no_answer() };
    noting.call.status = Some(parts.status.as_u16());
    if let Some(api) = &mut noting.call.api {
        api.request_id = header(&parts.headers, "request-id").unwrap_or_default();
        api.replayed = parts.headers.contains_key("idempotent-replayed");
        if body.len() <= LARGEST_ANSWER {
            api.answer = body.clone();
        }
    }
    Response::from_parts(parts, Body::from(body))
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segredos_se_mostram_so_no_comeco() {
        let shown = pretty(&json!({
            "object": "list",
            "data": [
                {"object": "checkout.session", "client_secret": "cs_test_abcdefghijkl_secret_xyz", "url": null},
                {"object": "webhook_endpoint", "secret": "whsec_abcdefghijkl", "url": "http://127.0.0.1/webhooks"},
                {"object": "billing_portal.session", "url": "http://127.0.0.1:1/portal/abcdefghijkl"},
            ],
        }));

        for secret in ["secret_xyz", "whsec_abcdefghijkl", "portal/abcdefghijkl"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("\"whsec_abcdef…\"") && shown.contains("http://127.0.0.1/webhooks"));
    }
}
