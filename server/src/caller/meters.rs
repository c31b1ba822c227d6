//! Rate, errors and duration of each rpc; handles are made once, since naming a series anew at each call costs more
//! than counting.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use metrics::{Counter, Histogram};
use tonic::Code;

const REQUESTS: &str = "garimpo_rpc_requests_total";
const SECONDS: &str = "garimpo_rpc_request_duration_seconds";
/// Label of what is not of the contract: health, reflection, and whatever a caller makes up.
const OTHER: &str = "other";
/// gRPC's codes are numbered from 0 without a gap.
const CODES: usize = 17;

/// The metrics of every rpc of the contract.
pub(crate) struct Meters {
    /// By `/service/Method`.
    rpcs: HashMap<String, Meter>,
    other: Meter,
}

struct Meter {
    seconds: Histogram,
    /// By code.
    counts: [OnceLock<Counter>; CODES],
}

impl Meter {
    fn new(rpc: &str) -> Self {
        Self { seconds: metrics::histogram!(SECONDS, "rpc" => rpc.to_owned()), counts: Default::default() }
    }

    fn record(&self, rpc: &str, code: Code, took: Duration) {
        let count = self.counts[code as usize].get_or_init(
            || metrics::counter!(REQUESTS, "rpc" => rpc.to_owned(), "code" => format!("{code:?}")),
        );
        count.increment(1);
        self.seconds.record(took);
    }
}

impl Meters {
    /// Makes the handles of the contract's rpcs.
    pub fn new() -> Self {
        metrics::describe_counter!(REQUESTS, "Answered calls by rpc and code.");
        metrics::describe_histogram!(SECONDS, "Time to the answer's head of a call.");
        let meter = |rpc: String| (format!("/{rpc}"), Meter::new(&rpc));
        let rpcs = garimpo_proto::rpcs(garimpo_proto::ALL_DESCRIPTORS).map(meter).collect();
        Self { rpcs, other: Meter::new(OTHER) }
    }

    /// Counts a call and answers its label.
    pub fn record<'p>(&self, path: &'p str, code: Code, took: Duration) -> &'p str {
        let (rpc, meter) = match self.rpcs.get(path) {
            Some(meter) => (&path[1..], meter),
            None => (OTHER, &self.other),
        };
        meter.record(rpc, code, took);
        rpc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_o_contrato_vira_rotulo() {
        let meters = Meters::new();
        let label = |path| meters.record(path, Code::Ok, Duration::ZERO);

        assert_eq!(label("/garimpo.auth.v1.AuthService/SignIn"), "garimpo.auth.v1.AuthService/SignIn");
        for path in ["/garimpo.auth.v1.AuthService/Inventado", "/grpc.health.v1.Health/Check", "/", "x"] {
            assert_eq!(label(path), "other", "{path}");
        }
    }
}
