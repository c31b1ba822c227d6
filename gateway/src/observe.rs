//! Metrics, span and log line of each request, and the response to a panic.

use crate::budget::{LINES_LEFT_OUT, LineClass, LogLines};
use crate::error::{ApiError, refused};
use crate::request_context::RequestContext;
use crate::rpc::{OTHER, is_grpc, rpc_name};
use axum::extract::{MatchedPath, Request};
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{code_label, is_read};
use garimpo_telemetry::{Handles, Series, Span, TraceContext};
use http::{HeaderValue, StatusCode};
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tonic::Code;

const HTTP_REQUESTS: &str = "garimpo_gateway_http_requests_total";
const HTTP_SECONDS: &str = "garimpo_gateway_http_request_duration_seconds";
const RPC_REQUESTS: &str = "garimpo_gateway_rpc_requests_total";
const RPC_SECONDS: &str = "garimpo_gateway_rpc_request_duration_seconds";
pub(crate) const NOT_FOUND: &str = "garimpo_gateway_not_found_total";
pub(crate) const PAGE_BREAKS: &str = "garimpo_gateway_page_errors_total";
/// The route of reports of broken pages.
pub(crate) const PAGE_ERRORS: &str = "/api/client-errors";
/// The route of the payment provider's events.
const WEBHOOK: &str = "/webhooks/stripe";
/// Also counted by the server, for other reasons.
pub(crate) const DENIALS: &str = "garimpo_denials_total";

/// By route, method and status.
static ROUTES: Series<(&'static str, u16)> = Series::new(route_handles);
/// By rpc and code.
static RPCS: Series<Code> = Series::new(rpc_handles);

fn route_handles(route: &str, (method, status): (&'static str, u16)) -> Handles {
    let (route, status) = (route.to_owned(), status.to_string());
    Handles {
        count: metrics::counter!(HTTP_REQUESTS, "route" => route.clone(), "method" => method, "status" => status),
        seconds: metrics::histogram!(HTTP_SECONDS, "route" => route, "method" => method),
    }
}

fn rpc_handles(rpc: &str, code: Code) -> Handles {
    let rpc = rpc.to_owned();
    Handles {
        count: metrics::counter!(RPC_REQUESTS, "rpc" => rpc.clone(), "code" => code_label(code)),
        seconds: metrics::histogram!(RPC_SECONDS, "rpc" => rpc),
    }
}

/// Describes the metrics. Those with an alarm on their first change start at zero.
pub(crate) fn describe() {
    metrics::describe_counter!(HTTP_REQUESTS, "Answered HTTP requests by route, method and status.");
    metrics::describe_histogram!(
        HTTP_SECONDS,
        "Time from the body's arrival to the answer's head of an HTTP request."
    );
    metrics::describe_counter!(RPC_REQUESTS, "Answered gRPC and gRPC-Web calls by rpc and code.");
    metrics::describe_histogram!(
        RPC_SECONDS,
        "Time from the body's arrival to the answer's head of a gRPC or gRPC-Web call."
    );
    metrics::describe_counter!(
        NOT_FOUND,
        "Clients that followed a dead link of this site. Each counts once an hour."
    );
    metrics::counter!(NOT_FOUND).increment(0);
    metrics::describe_counter!(
        PAGE_BREAKS,
        "Clients whose pages broke, once an hour each, by release and route."
    );
    metrics::counter!(PAGE_BREAKS, "release" => OTHER, "route" => OTHER).increment(0);
    metrics::describe_counter!(DENIALS, "Calls of services that were not let in, by reason and port.");
    metrics::counter!(DENIALS, "reason" => "not_public", "port" => "public").increment(0);
    metrics::describe_counter!(
        LINES_LEFT_OUT,
        "Log lines that were left out, because one client caused too many."
    );
    for class in LineClass::ALL {
        metrics::counter!(LINES_LEFT_OUT, "class" => class.label()).increment(0);
    }
}

/// Release and route of a broken page, if this build has them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageLabels {
    pub release: String,
    pub route: String,
}

/// Label of the route in metrics, if the router has none.
#[derive(Clone)]
pub(crate) struct RouteLabel(pub String);

/// The response; INTERNAL if the handler panics.
pub(crate) async fn catch_panic(responding: impl Future<Output = Response>, is_grpc: bool) -> Response {
    let response = AssertUnwindSafe(responding).catch_unwind().await;
    // The process's hook has counted and logged the panic.
    response.unwrap_or_else(|_| {
        if is_grpc {
            refused(Code::Internal, ErrorReason::Internal, "internal error").into_http()
        } else {
            ApiError::new(ErrorReason::Internal).into_response()
        }
    })
}

/// Writes the log line: a warning for failures, `debug` for successful reads, which are many.
macro_rules! line {
    ($log:expr, $class:expr, $quiet:expr, $($what:tt)+) => {
        if $quiet {
            tracing::debug!(target: "garimpo::request", $($what)+);
        } else if !$log.lines.may_log($class, $log.address) {
            // The lines of others must not be lost among them.
        } else if $class == LineClass::Failed {
            tracing::warn!(target: "garimpo::request", $($what)+);
        } else {
            tracing::info!(target: "garimpo::request", $($what)+);
        }
    };
}

/// A request under way.
pub(crate) struct Observed {
    began: Instant,
    method: &'static str,
    route: Option<MatchedPath>,
    rpc: Option<&'static str>,
    span: Span,
}

impl Observed {
    /// Begins the request's span in the trace that its client names.
    pub fn begin(request: &mut Request) -> Self {
        let rpc = is_grpc(request.headers()).then(|| rpc_name(request.uri().path()));
        let method = method_label(request.method());
        let trace = TraceContext::take_from_client(request.headers_mut());
        // Health and reflection are not part of the contract.
        let span =
            if rpc == Some(OTHER) { Span::default() } else { Span::server(rpc.unwrap_or(method), &trace) };
        Self { began: Instant::now(), method, route: request.extensions().get().cloned(), rpc, span }
    }

    pub fn is_grpc(&self) -> bool {
        self.rpc.is_some()
    }

    /// The request's span, for the services.
    pub fn trace(&self) -> TraceContext {
        self.span.context().clone()
    }

    /// Counts the response and writes its log line.
    pub fn end(
        mut self,
        lines: &LogLines,
        context: &RequestContext,
        response: &Response,
        failure: Option<&ApiError>,
    ) {
        let uid = context.caller.uid();
        let log = RequestLog {
            id: &context.caller.request_id,
            uid: uid.as_deref(),
            took: context.state().body_ended.unwrap_or(self.began).elapsed(),
            address: context.address,
            lines,
        };
        let route = match (response.extensions().get::<RouteLabel>(), &self.route) {
            (Some(label), _) => label.0.as_str(),
            (None, Some(matched)) => matched.as_str(),
            (None, None) => "none",
        };
        if let Some(rpc) = self.rpc {
            let code = log.log_rpc(rpc, response);
            end_rpc_span(&mut self.span, rpc, code);
        } else {
            log.log_route(route, self.method, response.status(), failure);
            end_http_span(&mut self.span, self.method, route, response.status());
        }
        if self.span.is_recorded() {
            self.span.set("request.id", log.id.to_owned());
        }
    }
}

/// Completes the span of a call by OpenTelemetry's names.
fn end_rpc_span(span: &mut Span, rpc: &'static str, code: Code) {
    span.set("rpc.system.name", "grpc");
    span.set("rpc.method", rpc);
    span.set("rpc.response.status_code", i64::from(i32::from(code)));
    if is_fault(code) {
        span.fail(format!("{code:?}"));
    }
}

/// Completes the span of a route by OpenTelemetry's names.
fn end_http_span(span: &mut Span, method: &'static str, route: &str, status: StatusCode) {
    if !span.is_recorded() {
        return;
    }
    span.rename(|| format!("{method} {route}"));
    span.set("http.request.method", method);
    span.set("http.route", route.to_owned());
    span.set("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.fail(status.as_u16().to_string());
    }
}

/// Fields of every request's log line.
struct RequestLog<'a> {
    id: &'a str,
    uid: Option<&'a str>,
    took: Duration,
    address: IpAddr,
    lines: &'a LogLines,
}

impl RequestLog<'_> {
    fn log_route(&self, route: &str, method: &'static str, status: StatusCode, failure: Option<&ApiError>) {
        let code = status.as_u16();
        ROUTES.record(route, (method, code), self.took);
        let went_well = status.is_success() || status.is_redirection();
        // The job of an event logs its result. A report of a broken page is logged with its stack.
        let is_logged = matches!(route, WEBHOOK | PAGE_ERRORS);
        let is_routine = went_well && (matches!(method, "GET" | "HEAD") || is_logged);
        let class = match code {
            ..400 => LineClass::Done,
            400..500 => LineClass::Refused,
            500.. => LineClass::Failed,
        };
        line!(
            self,
            class,
            // Anyone can request any path, and the metrics count it.
            is_routine || status == StatusCode::NOT_FOUND,
            {
                request.id = self.id,
                route,
                method,
                status = code,
                reason = failure.map(ApiError::reason_name),
                cause = failure.and_then(|failure| failure.cause.as_deref()).filter(|_| status.is_server_error()),
                duration_ms = self.milliseconds(),
                user.id = self.uid
            },
            "{method} {route} {code}"
        );
    }

    /// Counts and logs a call; returns its code.
    fn log_rpc(&self, rpc: &'static str, response: &Response) -> Code {
        // A failed unary call has headers alone. A missing grpc-status means success.
        let headers = response.headers();
        let code = headers.get("grpc-status").map_or(Code::Ok, |v| Code::from_bytes(v.as_bytes()));
        RPCS.record(rpc, code, self.took);
        let failed = is_fault(code);
        let class = match code {
            Code::Ok => LineClass::Done,
            _ if failed => LineClass::Failed,
            _ => LineClass::Refused,
        };
        line!(
            self,
            class,
            (code == Code::Ok && is_read(rpc)) || (code == Code::Unimplemented && rpc == OTHER),
            {
                request.id = self.id,
                rpc,
                code = ?code,
                cause = text(headers.get("grpc-message")).filter(|_| failed),
                duration_ms = self.milliseconds(),
                user.id = self.uid
            },
            "{rpc} {code:?}"
        );
        code
    }

    /// Milliseconds with one decimal.
    fn milliseconds(&self) -> f64 {
        (self.took.as_secs_f64() * 10_000.0).round() / 10.0
    }
}

/// Whether a code means that the fault is ours.
fn is_fault(code: Code) -> bool {
    use Code::{DataLoss, DeadlineExceeded, Internal, Unavailable, Unknown};
    matches!(code, Unknown | DeadlineExceeded | Internal | Unavailable | DataLoss)
}

fn text(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok())
}

fn method_label(method: &http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        _ => "other",
    }
}
