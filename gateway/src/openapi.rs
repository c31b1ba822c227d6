//! GET /openapi.json: the REST paths as OpenAPI 3.1, made from what the calls say about themselves.

use crate::error::{http_status, reason_name};
use crate::rest::doc::{Body, CALLS, Doc, Field, Kind, Presence};
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What any call may answer.
const ANY_CALL: [ErrorReason; 3] =
    [ErrorReason::TooManyRequests, ErrorReason::Internal, ErrorReason::Unavailable];
/// What any call with a body may answer besides.
const ANY_BODY: [ErrorReason; 2] = [ErrorReason::InvalidArgument, ErrorReason::PayloadTooLarge];

/// Answers the document.
pub(crate) async fn handle() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, TEXT.as_str()).into_response()
}

fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for call in CALLS {
        let path = paths.entry(call.path).or_insert_with(|| json!({}));
        path[call.method] = operation(call);
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Garimpo", "version": "1", "description": "Sessions, user record, checkout and events."},
        "paths": paths,
        "components": {
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "garimpo_session"},
                "token": {"type": "http", "scheme": "bearer"}
            },
            "schemas": {"Error": {
                "type": "object",
                "required": ["error", "code"],
                "properties": {
                    "ok": {"const": false, "description": "On /api/password-reset alone."},
                    "error": {"type": "string", "description": "Text in pt-BR."},
                    "code": {"enum": all_reasons()}
                }
            }}
        },
        "security": [{}, {"session": []}, {"token": []}]
    })
}

fn operation(call: &Doc) -> Value {
    let mut operation = json!({"summary": call.summary, "responses": responses(call)});
    if !call.parameters.is_empty() {
        let text = json!({"type": "string"});
        let parameters = call.parameters.iter();
        let parameters: Vec<_> = parameters
            .map(|p| json!({"name": p.name, "in": p.place, "required": true, "schema": text}))
            .collect();
        operation["parameters"] = parameters.into();
    }
    let content = match call.body {
        Body::None => return operation,
        Body::Json(fields) => json!({"application/json": {"schema": object(fields)}}),
        Body::Raw => json!({"application/json": {"schema": {"type": "object"}}}),
    };
    operation["requestBody"] = json!({"required": call.body_is_required(), "content": content});
    operation
}

impl Doc {
    /// A body without required fields may be left out.
    fn body_is_required(&self) -> bool {
        match self.body {
            Body::None => false,
            Body::Raw => true,
            Body::Json(fields) => !fields.is_empty(),
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
    let success = json!({
        "description": "Done.",
        "content": {"application/json": {"schema": object(call.answer)}}
    });
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for reason in call.reasons() {
        let names = by_status.entry(http_status(reason).as_u16()).or_default();
        if !names.contains(&reason_name(reason)) {
            names.push(reason_name(reason));
        }
    }
    let mut responses = Map::from_iter([(call.success.to_string(), success)]);
    for (status, reasons) in by_status {
        let schema = json!({"$ref": "#/components/schemas/Error"});
        let refused = json!({
            "description": reasons.join(", "),
            "content": {"application/json": {"schema": schema}}
        });
        responses.insert(status.to_string(), refused);
    }
    responses.into()
}

fn object(fields: &[Field]) -> Value {
    let required = fields.iter().filter(|f| f.presence != Presence::Optional).map(|f| f.name);
    let required: Vec<_> = required.collect();
    let properties: Map<String, Value> = fields.iter().map(|f| (f.name.to_owned(), schema(f))).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn schema(field: &Field) -> Value {
    let kind = match field.kind {
        Kind::Object(fields) => return object(fields),
        Kind::Text => "string",
        Kind::Boolean => "boolean",
        Kind::Integer => "integer",
        Kind::Reais => "number",
    };
    match field.presence {
        Presence::Required => json!({"type": kind}),
        Presence::Optional | Presence::Nullable => json!({"type": [kind, "null"]}),
    }
}

fn all_reasons() -> Vec<&'static str> {
    (1..).map_while(|n| ErrorReason::try_from(n).ok()).map(reason_name).collect()
}
