//! gRPC and gRPC-Web on the public port: public services only, forwarded as they are.
//!
//! tonic-web's layer turns gRPC-Web into gRPC and back; behind it there is one path for both. Reflection and health
//! are answered here, for the public services alone. Whatever comes with a gRPC content type is answered in gRPC.

use crate::app::App;
use crate::backend::{self, Backend};
use crate::body::{self, Bounds, MAX_TIME};
use crate::budget::{Exceeded, count_limited};
use crate::caller::{Caller, drop_hop_headers};
use crate::error::refused;
use crate::health::{PublicHealth, Ready};
use crate::observe::count_not_public;
use crate::rpc::{OTHER, PUBLIC, rpc_name};
use crate::security::OriginRule;
use crate::stream::BoundedStream;
use axum::extract::Request as AxumRequest;
use axum::response::Response as AxumResponse;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::is_read;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response};
use http_body_util::Limited;
use std::convert::Infallible;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_web::GrpcWebLayer;
use tower::{Layer, ServiceExt, service_fn};

/// Services that the gateway answers itself.
const OWN: [&str; 3] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// Largest request body, in bytes: the same bound as REST.
const MAX_BODY: usize = 64 * 1024;

/// Largest message to health or reflection, in bytes: tonic holds up to 4 MiB of one otherwise.
const MAX_OWN_MESSAGE: usize = 4 * 1024;

/// Reflection and health of the public port.
///
/// # Errors
/// The embedded descriptors cannot be read.
pub(crate) fn own_services(ready: Ready) -> Result<Backend, tonic_reflection::server::Error> {
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(garimpo_proto::PUBLIC_DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let health = HealthServer::new(PublicHealth::new(ready));
    let routes = Routes::new(health.max_decoding_message_size(MAX_OWN_MESSAGE))
        .add_service(reflection().build_v1()?.max_decoding_message_size(MAX_OWN_MESSAGE))
        .add_service(reflection().build_v1alpha()?.max_decoding_message_size(MAX_OWN_MESSAGE));
    Ok(backend::in_process(routes))
}

/// Answers one gRPC or gRPC-Web request.
pub(crate) async fn answer(app: &App, caller: &Caller, request: AxumRequest) -> AxumResponse {
    if !is_spoken(request.headers()) {
        let status = refused(Code::Unimplemented, ErrorReason::Unimplemented, "content type not supported");
        return status.into_http::<Body>().map(axum::body::Body::new);
    }
    let inner = service_fn(|request: Request<Body>| async {
        let answered = route(app, caller, request).await;
        Ok::<_, Infallible>(answered.unwrap_or_else(Status::into_http))
    });
    match GrpcWebLayer::new().layer(inner).oneshot(request).await {
        Ok(response) => response.map(axum::body::Body::new),
        Err(never) => match never {},
    }
}

async fn route(app: &App, caller: &Caller, request: Request<Body>) -> Result<Response<Body>, Status> {
    let (service, method) = service_and_method(request.uri().path());
    if OWN.contains(&service) {
        return answer_own(app, caller, request).await;
    }
    if !PUBLIC.contains(&service) {
        tell_denied(rpc_name(request.uri().path()), caller);
        return Err(refused(Code::Unimplemented, ErrorReason::Unimplemented, "no such public service"));
    }
    if !origin_rule(method).allows(request.headers(), caller) {
        return Err(refused(Code::PermissionDenied, ErrorReason::PermissionDenied, "the origin is not ours"));
    }
    let request = bounded(app, caller, request).await?;
    caller.call(&app.backend, request).await
}

/// Health and reflection: few at once for one client, small requests, and no stream for ever,
/// because their callers are anonymous.
async fn answer_own(app: &App, caller: &Caller, request: Request<Body>) -> Result<Response<Body>, Status> {
    let limits = &app.settings.limits;
    let share = app.budgets.streams.claim_evictable(caller.address(), 1)?;
    let request = request.map(|body| Body::new(Limited::new(body, MAX_BODY)));
    let answering = timeout(limits.first_byte, app.own_services.answer(request));
    let response = tokio::select! {
        answered = answering => answered.unwrap_or_else(|_| Err(too_slow()))?,
        () = share.evicted() => return Err(Exceeded::Evicted.into()),
    };
    if is_unreadable_request(&response) {
        let message = "the request message cannot be read";
        return Err(refused(Code::InvalidArgument, ErrorReason::InvalidArgument, message));
    }
    Ok(response.map(|body| Body::new(BoundedStream::new(body, share, limits.stream_life))))
}

fn too_slow() -> Status {
    count_limited("streams", "slow");
    refused(Code::InvalidArgument, ErrorReason::InvalidArgument, "the request message is late")
}

/// Whether tonic could not read the message of a request: it answers INTERNAL then, or UNKNOWN where
/// the body broke off. Health and reflection use neither.
fn is_unreadable_request(response: &Response<Body>) -> bool {
    let code = response.headers().get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
    matches!(code, Some(Code::Internal | Code::Unknown))
}

/// Name of the service and method of a path; empty where there is none.
fn service_and_method(path: &str) -> (&str, &str) {
    path.trim_start_matches('/').split_once('/').unwrap_or_default()
}

/// Counts and tells that a service of ours was asked for where only the public ones are.
fn tell_denied(rpc: &'static str, caller: &Caller) {
    if rpc != OTHER {
        count_not_public();
        tracing::warn!(
            target: "garimpo::request",
            rpc,
            denied = "not_public",
            client.address = %caller.address(),
            "{rpc} denied: it is not on the public port"
        );
    }
}

/// Whatever is not a read counts as a write.
fn origin_rule(method: &str) -> OriginRule {
    match method {
        "SignUp" | "SignIn" | "SetSession" | "SignOut" => OriginRule::Always,
        "TrackEvent" => OriginRule::OwnOrToken,
        "CountStep" => OriginRule::Own,
        _ if is_read(method) => OriginRule::Any,
        _ => OriginRule::WithCookie,
    }
}

/// The request with its whole body in memory: every public call is unary and small.
async fn bounded(app: &App, caller: &Caller, request: Request<Body>) -> Result<Request<Body>, Status> {
    let (mut parts, body) = request.into_parts();
    drop_hop_headers(&mut parts.headers);
    let bounds = Bounds { limit: MAX_BODY, bytes: &app.budgets.body_bytes, time: MAX_TIME };
    let bytes = body::read(body, bounds, app, caller).await?;
    Ok(Request::from_parts(parts, Body::new(http_body_util::Full::new(bytes))))
}

/// Whether it is a form of gRPC that we speak: protobuf, plain or as gRPC-Web.
fn is_spoken(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    matches!(
        kind,
        "application/grpc"
            | "application/grpc+proto"
            | "application/grpc-web"
            | "application/grpc-web+proto"
            | "application/grpc-web-text"
            | "application/grpc-web-text+proto"
    )
}
