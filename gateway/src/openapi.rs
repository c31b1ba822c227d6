//! GET /openapi.json: the REST calls as OpenAPI 3.1. Fields come from the types of requests and
//! responses, and refusals from the reasons that each call gives.

use crate::app::App;
use crate::error::http_status;
use crate::{rest, session_cookie, site};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::reason_name;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use utoipa::OpenApi;

const ABOUT: &str = "Sessions, user record, checkout and events. JSON both ways in UTF-8, never cached. A write that \
    is authenticated by the session cookie must not name a foreign `Origin` or a foreign `Sec-Fetch-Site`; if there is \
    both a cookie and `authorization`, the cookie is ignored. Unknown fields of a request are ignored; of a repeated \
    field the last one counts.";

#[derive(OpenApi)]
#[openapi(
    servers((url = "/")),
    paths(
        rest::set_cookie::handle,
        rest::clear_cookie::handle,
        rest::check_cookie::handle,
        rest::get_user::handle,
        rest::save_user::handle,
        rest::create_portal::handle,
        rest::password_reset::handle,
        rest::create_checkout::handle,
        rest::session_status::handle,
        rest::meta_capi::handle,
        rest::count_step::handle,
        rest::page_error::handle,
        rest::webhook::handle,
        site::config::handle,
    ),
    components(schemas(rest::values::CheckoutId))
)]
struct Calls;

/// Reasons that a call gives besides those of every call and of every body.
fn own_reasons(operation_id: &str) -> &'static [ErrorReason] {
    use ErrorReason as R;
    match operation_id {
        "set_cookie" => &[R::Unauthenticated, R::PermissionDenied],
        "clear_cookie" | "count_step" | "report_page_error" => &[R::PermissionDenied],
        "get_user" => &[R::InvalidArgument, R::Unauthenticated, R::PermissionDenied, R::UserNotFound],
        "save_user" => &[R::InvalidEmail, R::InvalidPhone, R::Unauthenticated, R::PermissionDenied],
        "create_portal" => &[
            R::EmailMissing,
            R::Unauthenticated,
            R::PermissionDenied,
            R::NoCustomer,
            R::ProviderUnavailable,
            R::PaymentsDown,
        ],
        "password_reset" => &[R::InvalidEmail, R::PermissionDenied, R::ProviderUnavailable],
        "create_checkout" => &[
            R::UnknownPlan,
            R::PlanNotForSale,
            R::UnknownInterval,
            R::CouponNotApplicable,
            R::Unauthenticated,
            R::PermissionDenied,
            R::AlreadySubscribed,
            R::ProviderUnavailable,
            R::PaymentsDown,
        ],
        "session_status" => &[R::InvalidArgument, R::NotFound, R::ProviderUnavailable, R::PaymentsDown],
        "track_event" => &[R::UnknownEvent, R::PermissionDenied],
        "receive_event" => &[R::InvalidSignature],
        _ => &[],
    }
}

/// Returns the document.
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
    let mut document = serde_json::to_value(Calls::openapi()).expect("an OpenAPI document is JSON");
    document["info"] = json!({"title": "Garimpo", "version": "1", "description": ABOUT});
    document["components"]["securitySchemes"] = json!({
        "session": {"type": "apiKey", "in": "cookie", "name": session_cookie::name(https)},
        "token": {"type": "http", "scheme": "bearer",
            "description": "An ID token, a session token or a service token."},
        "signature": {"type": "apiKey", "in": "header", "name": "stripe-signature"}
    });
    document["components"]["headers"] = json!({
        "RequestId": {"description": "Id of the request, also in the log.", "required": true,
            "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$"}},
        "RetryAfter": {"description": "Seconds until the next try.", "schema": {"type": "integer", "minimum": 1}},
        "SessionCookie": {"description": "The session's cookie, set or expired.", "schema": {"type": "string"}}
    });
    let paths = document["paths"].as_object_mut().expect("paths");
    for operation in paths.values_mut().flat_map(|path| path.as_object_mut().expect("a path").values_mut()) {
        complete(operation);
    }
    document
}

/// Adds what follows from rules of all calls: limits of bodies, headers and refusals.
fn complete(operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    if let Some(body) = operation.get_mut("requestBody") {
        let limit = match id.as_str() {
            "receive_event" => "1 MiB",
            "report_page_error" => "8 KiB",
            _ => "64 KiB",
        };
        body["description"] = format!("At most {limit}.").into();
        body["required"] = (id != "clear_cookie").into();
    }
    for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        // utoipa makes an optional one nullable, but a header cannot be null.
        if parameter["in"] == "header" {
            parameter["schema"] = json!({"type": "string"});
        }
    }
    let refusals = refusals(&id, operation.get("requestBody").is_some());
    let responses = operation["responses"].as_object_mut().expect("responses");
    for success in responses.values_mut() {
        success["description"] = "Done.".into();
        success["headers"] = json!({"x-request-id": {"$ref": "#/components/headers/RequestId"}});
        if !["receive_event", "report_page_error", "site_config"].contains(&id.as_str()) {
            success["headers"]["set-cookie"] = json!({"$ref": "#/components/headers/SessionCookie"});
        }
    }
    responses.extend(refusals);
}

fn refusals(id: &str, has_body: bool) -> Map<String, Value> {
    use ErrorReason as R;
    let of_body: &[R] = match (has_body, id) {
        (false, _) => &[],
        (true, "receive_event") => &[R::InvalidArgument, R::PayloadTooLarge],
        (true, _) => &[R::InvalidArgument, R::PayloadTooLarge, R::UnsupportedMediaType],
    };
    let of_every_call = [R::TooManyRequests, R::Internal, R::Unavailable];
    let mut by_status: BTreeMap<u16, BTreeSet<&str>> = BTreeMap::new();
    for reason in own_reasons(id).iter().chain(of_body).chain(&of_every_call) {
        by_status.entry(http_status(*reason).as_u16()).or_default().insert(reason_name(*reason));
    }
    let refusal = |(status, reasons)| (format!("{status}"), refusal(id, status, &reasons));
    by_status.into_iter().map(refusal).collect()
}

fn refusal(id: &str, status: u16, reasons: &BTreeSet<&str>) -> Value {
    let mut schema = json!({
        "type": "object",
        "required": ["error", "code"],
        "properties": {
            "error": {"type": "string", "minLength": 1, "description": "Text in pt-BR."},
            "code": {"enum": reasons},
        },
        "additionalProperties": false,
    });
    if id == "password_reset" {
        schema["required"] = json!(["ok", "error", "code"]);
        schema["properties"]["ok"] = json!({"const": false});
    }
    let mut headers = json!({"x-request-id": {"$ref": "#/components/headers/RequestId"}});
    if matches!(status, 429 | 502 | 503) {
        headers["retry-after"] = json!({"$ref": "#/components/headers/RetryAfter"});
    }
    json!({
        "description": reasons.iter().copied().collect::<Vec<_>>().join(", "),
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    })
}
