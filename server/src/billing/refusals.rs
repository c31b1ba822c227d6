//! What several calls refuse in the same words.

use garimpo_proto::errors::v1::ErrorReason;

use crate::error::Error;

/// Longest id that a request may give itself, in bytes.
const LONGEST_REQUEST_ID: usize = 64;

/// Nothing runs that could be changed.
pub(super) fn no_subscription() -> Error {
    Error::refused(ErrorReason::NoSubscription, "the account has no subscription that runs")
}

/// The caller's own id of a call, where it gives one; an empty one is none.
pub(super) fn request_id(given: Option<&str>) -> Result<Option<&str>, Error> {
    match given.filter(|id| !id.is_empty()) {
        Some(id) if id.len() > LONGEST_REQUEST_ID || id.contains('\0') => {
            let refused =
                Error::refused(ErrorReason::InvalidArgument, "request_id has more than 64 bytes, or a NUL");
            Err(refused.with_field("request_id", "at most 64 bytes, none of them NUL"))
        }
        id => Ok(id),
    }
}

/// The id belongs to `another` call: one id names one purchase, or one change.
pub(super) fn request_id_used(another: &str) -> Error {
    let why = format!("was used for another {another}");
    Error::refused(ErrorReason::InvalidArgument, format!("request_id {why}")).with_field("request_id", why)
}
