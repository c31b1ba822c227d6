//! Values of the product as the contract writes them.

use garimpo_domain::Timestamp;

/// An instant as protobuf's Timestamp.
pub(crate) fn timestamp(instant: Timestamp) -> prost_types::Timestamp {
    let micros = instant.as_micros().rem_euclid(1_000_000);
    prost_types::Timestamp { seconds: instant.as_unix_seconds(), nanos: (micros * 1000) as i32 }
}
