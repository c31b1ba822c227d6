//! GET /openapi.json: the REST paths as OpenAPI 3.1, made from what the calls say about themselves.

mod schema;

use crate::app::App;
use crate::error::http_status;
use crate::rest::doc::{Body, CALLS, Caller, Doc, Kind, Parameter, Presence};
use crate::session_cookie;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::reason_name;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What any call may answer.
const ANY_CALL: [ErrorReason; 3] =
    [ErrorReason::TooManyRequests, ErrorReason::Internal, ErrorReason::Unavailable];
/// What any call with a body may answer besides.
const ANY_BODY: [ErrorReason; 2] = [ErrorReason::InvalidArgument, ErrorReason::PayloadTooLarge];
const ABOUT: &str = "Sessions, user record, checkout and events. JSON both ways in UTF-8, never cached. A write that \
    the session's cookie speaks for must not name a foreign `Origin` or a foreign `Sec-Fetch-Site`; where both a \
    cookie and `authorization` come, the cookie is ignored. Unknown fields of a request are ignored; of a field \
    given twice the last one counts.";

/// Answers the document.
pub(crate) async fn handle(State(app): State<Arc<App>>) -> Response {
    static OVER_HTTP: LazyLock<String> = LazyLock::new(|| document(false).to_string());
    static OVER_HTTPS: LazyLock<String> = LazyLock::new(|| document(true).to_string());
    let text = if app.settings.public_url.is_https() { &OVER_HTTPS } else { &OVER_HTTP };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, text.as_str()).into_response()
}

fn document(https: bool) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for call in CALLS {
        let path = paths.entry(call.path).or_insert_with(|| json!({}));
        path[call.method] = operation(call);
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Garimpo", "version": "1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": session_cookie::name(https)},
                "token": {"type": "http", "scheme": "bearer", "description": "An ID token, a session token or a \
                    service token."},
                "signature": {"type": "apiKey", "in": "header", "name": "stripe-signature"}
            },
            "headers": {
                "RequestId": {"description": "Id of the request, also in the log.", "required": true,
                    "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$"}},
                "RetryAfter": {"description": "Seconds after which to come back.",
                    "schema": {"type": "integer", "minimum": 1}},
                "SessionCookie": {"description": "The session's cookie, set or expired.",
                    "schema": {"type": "string"}}
            }
        }
    })
}

fn operation(call: &Doc) -> Value {
    let mut operation = json!({
        "summary": call.summary,
        "operationId": operation_id(call),
        "security": security(call.caller),
        "responses": responses(call),
    });
    if !call.parameters.is_empty() {
        operation["parameters"] = call.parameters.iter().map(parameter).collect();
    }
    let (limit, schema) = match call.body {
        Body::None => return operation,
        Body::Json(fields) => ("64 KiB", schema::object(fields)),
        Body::Signed(fields) => ("1 MiB", schema::object(fields)),
    };
    operation["requestBody"] = json!({
        "description": format!("At most {limit}."),
        "required": call.body_is_required(),
        "content": {"application/json": {"schema": schema}},
    });
    operation
}

/// `post /api/auth/set-cookie` is `post_api_auth_set_cookie`.
fn operation_id(call: &Doc) -> String {
    let words = call.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(call.method.to_owned(), |id, word| id + "_" + word)
}

fn security(caller: Caller) -> Value {
    match caller {
        Caller::Anyone => json!([{}, {"session": []}, {"token": []}]),
        Caller::Known => json!([{"session": []}, {"token": []}]),
        Caller::OwnPageOrToken => json!([{"token": []}, {}]),
        Caller::OwnPage => json!([{}]),
        Caller::Signed => json!([{"signature": []}]),
    }
}

fn parameter(parameter: &Parameter) -> Value {
    let field = &parameter.field;
    json!({
        "name": field.name,
        "in": parameter.place,
        "required": field.presence == Presence::Required,
        "description": field.meaning,
        "schema": schema::of_kind(field),
    })
}

impl Doc {
    /// A body without required fields may be left out.
    fn body_is_required(&self) -> bool {
        match self.body {
            Body::None => false,
            Body::Json(fields) | Body::Signed(fields) => !fields.is_empty(),
        }
    }

    /// Every reason that the call may answer.
    fn reasons(&self) -> Vec<ErrorReason> {
        let mut reasons = self.failures.to_vec();
        reasons.extend(ANY_CALL);
        if !matches!(self.body, Body::None) {
            reasons.extend(ANY_BODY);
        }
        if matches!(self.body, Body::Json(_)) {
            reasons.push(ErrorReason::UnsupportedMediaType);
        }
        reasons
    }
}

fn responses(call: &Doc) -> Value {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for reason in call.reasons() {
        let names = by_status.entry(http_status(reason).as_u16()).or_default();
        if !names.contains(&reason_name(reason)) {
            names.push(reason_name(reason));
        }
    }
    let refusals =
        by_status.iter().map(|(status, reasons)| (status.to_string(), refusal(call, *status, reasons)));
    std::iter::once((call.success.to_string(), success(call))).chain(refusals).collect::<Map<_, _>>().into()
}

fn success(call: &Doc) -> Value {
    let mut success = json!({
        "description": "Done.",
        "headers": {"x-request-id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/json": {"schema": schema::answer(call.answer)}},
    });
    if call.sets_cookie {
        success["headers"]["set-cookie"] = json!({"$ref": "#/components/headers/SessionCookie"});
    }
    success
}

fn refusal(call: &Doc, status: u16, reasons: &[&str]) -> Value {
    let mut schema = json!({
        "type": "object",
        "required": ["error", "code"],
        "properties": {
            "error": {"type": "string", "minLength": 1, "description": "Text in pt-BR."},
            "code": {"enum": reasons},
        },
        "additionalProperties": false,
    });
    if call.says_ok {
        schema["required"] = json!(["ok", "error", "code"]);
        schema["properties"]["ok"] = json!({"const": false});
    }
    let mut headers = json!({"x-request-id": {"$ref": "#/components/headers/RequestId"}});
    if matches!(status, 429 | 502 | 503) {
        headers["retry-after"] = json!({"$ref": "#/components/headers/RetryAfter"});
    }
    json!({
        "description": reasons.join(", "),
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    })
}
