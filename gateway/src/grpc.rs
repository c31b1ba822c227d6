//! gRPC and gRPC-Web on the public port. Calls of public services are forwarded unchanged.
//!
//! tonic-web's layer translates gRPC-Web to gRPC and back. Reflection and health are served here,
//! for the public services alone. Every request with a gRPC content type gets a gRPC response.

use crate::app::App;
use crate::backend::Backend;
use crate::body::{self, Bounds, MAX_TIME};
use crate::budget::{Exceeded, LineClass, count_limited};
use crate::error::refused;
use crate::health::{PublicHealth, Ready};
use crate::observe::DENIALS;
use crate::request_context::{RequestContext, drop_hop_headers};
use crate::rpc::{OTHER, PUBLIC, rpc_name};
use crate::security::OriginRule;
use crate::stream;
use axum::extract::Request as AxumRequest;
use axum::response::Response as AxumResponse;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::is_read;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::Limited;
use std::convert::Infallible;
use std::sync::LazyLock;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_web::GrpcWebLayer;
use tower::{Layer, ServiceExt, service_fn};

/// Services of the gateway itself.
const HEALTH: &str = "grpc.health.v1.Health";
const REFLECTIONS: [&str; 2] =
    ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];

/// Largest request body, in bytes: the same bound as REST.
const MAX_BODY: usize = 64 * 1024;

/// Largest message to health or reflection, in bytes: the default of tonic is 4 MiB.
const MAX_OWN_MESSAGE: usize = 4 * 1024;

/// Health of the public port.
pub(crate) fn health(ready: Ready) -> Backend {
    let health = HealthServer::new(PublicHealth(ready)).max_decoding_message_size(MAX_OWN_MESSAGE);
    Backend::new(Routes::new(health))
}

/// Reflection of the public port. The decoded descriptors take megabytes, so they are made at the
/// first call.
static REFLECTION: LazyLock<Backend> = LazyLock::new(|| {
    const OURS: &str = "the descriptors are made by our own build";
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(garimpo_proto::PUBLIC_DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = reflection().build_v1().expect(OURS).max_decoding_message_size(MAX_OWN_MESSAGE);
    let v1alpha = reflection().build_v1alpha().expect(OURS).max_decoding_message_size(MAX_OWN_MESSAGE);
    Backend::new(Routes::new(v1).add_service(v1alpha))
});

/// Responds to one gRPC or gRPC-Web request.
pub(crate) async fn respond(app: &App, context: &RequestContext, mut request: AxumRequest) -> AxumResponse {
    let Some(content_type) = content_type(request.headers()) else {
        let status = refused(Code::Unimplemented, ErrorReason::Unimplemented, "content type not supported");
        return status.into_http::<Body>().map(axum::body::Body::new);
    };
    request.headers_mut().insert(CONTENT_TYPE, content_type);
    let inner = service_fn(|request: Request<Body>| async {
        let response = route(app, context, request).await;
        Ok::<_, Infallible>(response.unwrap_or_else(Status::into_http))
    });
    match GrpcWebLayer::new().layer(inner).oneshot(request).await {
        Ok(response) => response.map(axum::body::Body::new),
        Err(never) => match never {},
    }
}

async fn route(
    app: &App,
    context: &RequestContext,
    request: Request<Body>,
) -> Result<Response<Body>, Status> {
    let (service, method) = service_and_method(request.uri().path());
    if service == HEALTH {
        return own_response(app, context, &app.health, request).await;
    }
    if REFLECTIONS.contains(&service) {
        return own_response(app, context, &REFLECTION, request).await;
    }
    if !PUBLIC.contains(&service) {
        log_denied(rpc_name(request.uri().path()), context, app);
        return Err(refused(Code::Unimplemented, ErrorReason::Unimplemented, "no such public service"));
    }
    if !origin_rule(method).allows(request.headers(), &context.caller) {
        return Err(refused(Code::PermissionDenied, ErrorReason::PermissionDenied, "the origin is not ours"));
    }
    let request = bounded(app, context, request).await?;
    context.forward(&app.backend, request).await
}

/// Calls of health and reflection. Their callers are anonymous, so requests are small, few at once
/// and no stream is endless.
async fn own_response(
    app: &App,
    context: &RequestContext,
    backend: &Backend,
    request: Request<Body>,
) -> Result<Response<Body>, Status> {
    let limits = &app.settings.limits;
    let share = app.budgets.streams.claim_evictable(context.address, 1)?;
    let request = request.map(|body| Body::new(Limited::new(body, MAX_BODY)));
    let responding = timeout(limits.first_byte, backend.respond(request));
    let response = tokio::select! {
        response = responding => response.map_err(|_| too_slow())?,
        () = share.evicted() => return Err(Exceeded::Evicted.into()),
    };
    if is_unreadable_request(&response) {
        let message = "the request message cannot be read";
        return Err(refused(Code::InvalidArgument, ErrorReason::InvalidArgument, message));
    }
    Ok(response.map(|body| stream::limited(body, share, limits.stream_life)))
}

fn too_slow() -> Status {
    count_limited("streams", "slow");
    refused(Code::InvalidArgument, ErrorReason::InvalidArgument, "the request message is late")
}

/// Whether tonic could not read the message of a request: it returns INTERNAL then, or UNKNOWN if
/// the body ended early. Health and reflection use neither.
fn is_unreadable_request(response: &Response<Body>) -> bool {
    let code = response.headers().get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
    matches!(code, Some(Code::Internal | Code::Unknown))
}

/// Service and method of a path, each empty if it is missing.
fn service_and_method(path: &str) -> (&str, &str) {
    path.trim_start_matches('/').split_once('/').unwrap_or_default()
}

/// Counts and logs a call of an internal service on the public port.
fn log_denied(rpc: &'static str, context: &RequestContext, app: &App) {
    if rpc == OTHER {
        return;
    }
    metrics::counter!(DENIALS, "reason" => "not_public", "port" => "public").increment(1);
    if app.budgets.log_lines.may_log(LineClass::Refused, context.address) {
        tracing::warn!(
            target: "garimpo::request",
            rpc,
            denied = "not_public",
            client.address = %context.address,
            "{rpc} denied: it is not on the public port"
        );
    }
}

/// Every method that is not a read counts as a write.
fn origin_rule(method: &str) -> OriginRule {
    match method {
        "SignUp" | "SignIn" | "SetSession" | "SignOut" => OriginRule::Always,
        "TrackEvent" => OriginRule::OwnOrToken,
        "CountStep" => OriginRule::Own,
        _ if is_read(method) => OriginRule::Any,
        _ => OriginRule::WithCookie,
    }
}

/// The request with its body in memory: every public call is unary and small.
async fn bounded(
    app: &App,
    context: &RequestContext,
    request: Request<Body>,
) -> Result<Request<Body>, Status> {
    let (mut parts, body) = request.into_parts();
    drop_hop_headers(&mut parts.headers);
    let bounds = Bounds { limit: MAX_BODY, bytes: &app.budgets.body_bytes, time: MAX_TIME };
    let bytes = body::read(body, bounds, app, context).await?;
    Ok(Request::from_parts(parts, Body::new(http_body_util::Full::new(bytes))))
}

/// The supported content types: protobuf over gRPC or gRPC-Web.
const CONTENT_TYPES: [&str; 6] = [
    "application/grpc",
    "application/grpc+proto",
    "application/grpc-web",
    "application/grpc-web+proto",
    "application/grpc-web-text",
    "application/grpc-web-text+proto",
];

/// The supported content type of a request, as tonic-web compares it: in lower case and without
/// parameters.
fn content_type(headers: &HeaderMap) -> Option<HeaderValue> {
    let kind = headers.get(CONTENT_TYPE)?.as_bytes().split(|byte| *byte == b';').next()?.trim_ascii();
    let named = CONTENT_TYPES.into_iter().find(|name| kind.eq_ignore_ascii_case(name.as_bytes()));
    named.map(HeaderValue::from_static)
}
