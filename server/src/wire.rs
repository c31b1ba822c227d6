//! Conversions between our values and protobuf's, and what a method of a service returns.

use garimpo_domain::Timestamp;
use tonic::{Response, Status};

/// The response of a method, or why there is none.
pub(crate) type Reply<T, E = Status> = Result<Response<T>, E>;

pub(crate) fn timestamp(instant: Timestamp) -> prost_types::Timestamp {
    let micros = instant.as_micros().rem_euclid(1_000_000);
    prost_types::Timestamp { seconds: instant.as_unix_seconds(), nanos: (micros * 1000) as i32 }
}

/// Values beyond our range become the nearest value in it.
pub(crate) fn instant(at: &prost_types::Timestamp) -> Timestamp {
    Timestamp::from_unix_seconds(at.seconds).plus_micros(i64::from(at.nanos) / 1000)
}
