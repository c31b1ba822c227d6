//! Rate, errors, duration and span of each rpc.

use std::time::Duration;

use garimpo_telemetry::{Span, TraceContext};
use tonic::Code;

const REQUESTS: &str = "garimpo_rpc_requests_total";
const SECONDS: &str = "garimpo_rpc_request_duration_seconds";
/// Label of paths outside of the contract: health, reflection and invented ones.
const OTHER: &str = "other";

/// Describes the metrics. The duration of every rpc exists from the start.
pub(crate) fn describe() {
    metrics::describe_counter!(REQUESTS, "Answered calls by rpc and code.");
    metrics::describe_histogram!(SECONDS, "Time to the answer's head of a call.");
    for rpc in garimpo_proto::RPCS.iter().chain([&OTHER]) {
        drop(metrics::histogram!(SECONDS, "rpc" => *rpc));
    }
}

/// Records a call and returns its label.
pub(crate) fn record(path: &str, code: Code, took: Duration) -> &'static str {
    let rpc = garimpo_proto::rpc_name(path).unwrap_or(OTHER);
    metrics::counter!(REQUESTS, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
    metrics::histogram!(SECONDS, "rpc" => rpc).record(took);
    rpc
}

/// The span of a call by OpenTelemetry's names; empty outside of the contract, since gateways check
/// the health of servers twice a second.
pub(crate) fn span(path: &str, request_id: &str, parent: &TraceContext) -> Span {
    let Some(rpc) = garimpo_telemetry::is_on().then(|| garimpo_proto::rpc_name(path)).flatten() else {
        return Span::default();
    };
    let mut span = Span::server(rpc, parent);
    if !span.is_recorded() {
        return span;
    }
    span.set("rpc.system.name", "grpc");
    span.set("rpc.method", rpc);
    span.set("request.id", request_id.to_owned());
    span
}

/// Adds the code of a call to its span.
pub(crate) fn end_span(span: &mut Span, code: Code) {
    use Code::{DataLoss, DeadlineExceeded, Internal, Unavailable, Unimplemented, Unknown};
    span.set("rpc.response.status_code", i64::from(i32::from(code)));
    if matches!(code, Unknown | DeadlineExceeded | Unimplemented | Internal | Unavailable | DataLoss) {
        span.fail(format!("{code:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_o_contrato_vira_rotulo() {
        let label = |path| record(path, Code::Ok, Duration::ZERO);

        assert_eq!(label("/garimpo.auth.v1.AuthService/SignIn"), "garimpo.auth.v1.AuthService/SignIn");
        for path in ["/garimpo.auth.v1.AuthService/Inventado", "/grpc.health.v1.Health/Check", "/", "x"] {
            assert_eq!(label(path), "other", "{path}");
        }
    }
}
