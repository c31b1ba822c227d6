//! Metrics that exist before anything is counted.

use garimpo_proto::RPCS;
use strum::IntoEnumIterator as _;

use super::caller_layer::meters::OTHER;
use crate::caller::denial::Denial;
use crate::measures::{
    self, CALLS_WAITING, CLOCK_SKEW, DENIALS, DOCTOR_RAN, JOBS_UNREADABLE, LIMITED, LINES_LEFT_OUT,
    MAILS_LIMITED, MAILS_UNDELIVERABLE, PASSWORD_HASHES, PRICE_DIFFERENCES, PROVIDER_BUDGET_WAITING,
    PROVIDER_CIRCUIT_OPEN, RPC_SECONDS, STORE_COMMITS, STORE_CONFLICTS, STORE_JOBS,
};
use crate::providers::CallClass;
use crate::store::jobs::claims::JobColumn;

/// Describes the metrics, and creates those that alarms watch, so that their first change is seen.
pub(crate) fn describe() {
    measures::describe();
    for class in CallClass::ALL {
        metrics::gauge!(PROVIDER_BUDGET_WAITING, "class" => class.name()).increment(0.0);
    }
    for direction in ["higher", "lower"] {
        metrics::counter!(PRICE_DIFFERENCES, "provider" => direction).increment(0);
    }
    metrics::counter!(MAILS_UNDELIVERABLE).increment(0);
    metrics::counter!(MAILS_LIMITED).increment(0);
    metrics::counter!(LIMITED, "limit" => "hashes_waiting", "scope" => "client").increment(0);
    metrics::counter!(LIMITED, "limit" => "attempts", "scope" => "client").increment(0);
    for denial in Denial::iter() {
        for port in Denial::PORTS {
            metrics::counter!(DENIALS, "reason" => denial.name(), "port" => port).increment(0);
        }
    }
    metrics::counter!(LINES_LEFT_OUT, "class" => "denied").increment(0);
    for column in JobColumn::ALL {
        metrics::counter!(JOBS_UNREADABLE, "column" => column.name()).increment(0);
    }
    for rpc in RPCS.iter().chain([&OTHER]) {
        drop(metrics::histogram!(RPC_SECONDS, "rpc" => *rpc));
    }
    for name in [STORE_COMMITS, STORE_JOBS, STORE_CONFLICTS] {
        metrics::counter!(name).increment(0);
    }
    for name in [PROVIDER_CIRCUIT_OPEN, PASSWORD_HASHES, CLOCK_SKEW, CALLS_WAITING, DOCTOR_RAN] {
        metrics::gauge!(name).increment(0.0);
    }
}
