//! Rate, errors and duration per route and rpc, and the answer to a panic.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, refused};
use crate::grpc::{is_grpc, is_rpc};
use crate::{error, session_cookie};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderName;
use http::header::SET_COOKIE;
use std::panic::AssertUnwindSafe;
use std::time::Instant;
use tonic::Code;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Shows from the start what alarms watch, so that its first change is seen.
pub(crate) fn register() {
    metrics::counter!("garimpo_panics_total").increment(0);
}

/// The label of what answered, when it is not a route of the router.
#[derive(Clone)]
pub(crate) struct Answered(pub String);

/// The outermost layer: reads who calls, measures, and puts the session's cookie on the answer.
pub(crate) async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let caller = Caller::read(&app.settings, &mut request);
    request.extensions_mut().insert(caller.clone());
    let grpc = is_grpc(request.headers());
    let rpc = grpc.then(|| rpc_label(request.uri().path()));
    let method = method_label(request.method());

    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = answered.unwrap_or_else(|_| {
        metrics::counter!("garimpo_panics_total").increment(1);
        if grpc {
            refused(Code::Internal, ErrorReason::Internal, "internal error").into_http()
        } else {
            ApiError::new(ErrorReason::Internal).into_response()
        }
    });
    let mut response = error::rendered(response, caller.request_id());

    let https = app.settings.public_url.is_https();
    if let Some(cookie) = caller.take_change().and_then(|change| session_cookie::header(&change, https)) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response.headers_mut().insert(REQUEST_ID, caller.request_id().clone());
    match rpc {
        Some(rpc) => count_rpc(rpc, &response, started),
        None => count_route(method, &response, started),
    }
    response
}

/// Keeps the route's pattern on the answer, where the outermost layer reads it.
pub(crate) async fn label(matched: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

fn count_route(method: &'static str, response: &Response, started: Instant) {
    let extensions = response.extensions();
    let route = match (extensions.get::<MatchedPath>(), extensions.get::<Answered>()) {
        (_, Some(answered)) => answered.0.clone(),
        (Some(matched), None) => matched.as_str().to_owned(),
        (None, None) => "none".to_owned(),
    };
    let status = response.status().as_u16().to_string();
    metrics::counter!("garimpo_gateway_http_requests_total", "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("garimpo_gateway_http_request_duration_seconds", "route" => route, "method" => method)
        .record(started.elapsed());
}

fn count_rpc(rpc: String, response: &Response<Body>, started: Instant) {
    // A unary call that fails is answered by headers alone; a missing grpc-status means that it did not.
    let code = response.headers().get("grpc-status").map_or(Code::Ok, |v| Code::from_bytes(v.as_bytes()));
    metrics::counter!("garimpo_gateway_rpc_requests_total", "rpc" => rpc.clone(), "code" => format!("{code:?}"))
        .increment(1);
    metrics::histogram!("garimpo_gateway_rpc_request_duration_seconds", "rpc" => rpc)
        .record(started.elapsed());
}

/// Only names of the contract become labels: an outsider must not make new series.
fn rpc_label(path: &str) -> String {
    let name = path.trim_start_matches('/');
    if is_rpc(name) { name.to_owned() } else { "other".to_owned() }
}

fn method_label(method: &http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        _ => "other",
    }
}
