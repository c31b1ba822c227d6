//! Rate, errors and duration of each rpc.

use std::time::Duration;

use tonic::Code;

const REQUESTS: &str = "garimpo_rpc_requests_total";
const SECONDS: &str = "garimpo_rpc_request_duration_seconds";
/// Label of paths outside of the contract: health, reflection and invented ones.
const OTHER: &str = "other";

/// Describes the metrics. The duration of every rpc exists from the start.
pub(crate) fn describe() {
    metrics::describe_counter!(REQUESTS, "Answered calls by rpc and code.");
    metrics::describe_histogram!(SECONDS, "Time to the answer's head of a call.");
    for rpc in garimpo_proto::rpcs(garimpo_proto::ALL_DESCRIPTORS).chain([OTHER.to_owned()]) {
        drop(metrics::histogram!(SECONDS, "rpc" => rpc));
    }
}

/// Records a call and returns its label.
pub(crate) fn record(path: &str, code: Code, took: Duration) -> &'static str {
    let rpc = garimpo_proto::rpc_name(path).unwrap_or(OTHER);
    metrics::counter!(REQUESTS, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
    metrics::histogram!(SECONDS, "rpc" => rpc).record(took);
    rpc
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
