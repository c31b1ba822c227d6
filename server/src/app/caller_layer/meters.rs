//! Rate, errors, duration and span of each rpc.

use garimpo_proto::code_label;
use garimpo_telemetry::{Handles, Series, Span, TraceContext};
use tonic::Code;

use crate::measures::{RPC_REQUESTS, RPC_SECONDS};

/// Label of paths outside of the contract: health, reflection and invented ones.
pub(crate) const OTHER: &str = "other";

/// Calls by rpc and code.
pub(super) static CALLS: Series<Code> = Series::new(handles);

fn handles(rpc: &str, code: Code) -> Handles {
    let rpc = rpc.to_owned();
    Handles {
        count: metrics::counter!(RPC_REQUESTS, "rpc" => rpc.clone(), "code" => code_label(code)),
        seconds: metrics::histogram!(RPC_SECONDS, "rpc" => rpc),
    }
}

/// The span of a call by OpenTelemetry's names; empty outside of the contract: health and
/// reflection.
pub(crate) fn span(rpc: &'static str, request_id: &str, parent: &TraceContext) -> Span {
    if rpc == OTHER {
        return Span::default();
    }
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
