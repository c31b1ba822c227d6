//! Values of the product as the contract writes them.

use garimpo_domain::Timestamp;

/// An instant as protobuf's Timestamp.
pub(crate) fn timestamp(instant: Timestamp) -> prost_types::Timestamp {
    let micros = instant.as_micros().rem_euclid(1_000_000);
    prost_types::Timestamp { seconds: instant.as_unix_seconds(), nanos: (micros * 1000) as i32 }
}

/// An instant of protobuf's Timestamp; one beyond our range is the nearest within.
pub(crate) fn instant(at: &prost_types::Timestamp) -> Timestamp {
    Timestamp::from_unix_seconds(at.seconds).plus_micros(i64::from(at.nanos) / 1000)
}
