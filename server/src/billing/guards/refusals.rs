//! Errors that several calls return.

use std::time::Duration;

use crate::error::{Error, ErrorReason, Result};

/// Longest request id, in bytes.
const MAX_REQUEST_ID_BYTES: usize = 64;

/// How long a caller waits before it repeats a call that another change of the subscription
/// blocked.
const REPEAT_AFTER: Duration = Duration::from_secs(2);

/// The error while another change of the subscription is unfinished at the provider.
pub(crate) fn change_in_progress(why: &str) -> Error {
    Error::refused(ErrorReason::ChangeInProgress, why).retry_after(REPEAT_AFTER)
}

/// The error of an account without a subscription that can be changed.
pub(crate) fn no_subscription() -> Error {
    Error::refused(ErrorReason::NoSubscription, "the account has no running subscription")
}

/// Validates the caller's request id; empty means absent.
pub(crate) fn request_id(given: Option<&str>) -> Result<Option<&str>> {
    match given.filter(|id| !id.is_empty()) {
        Some(id) if id.len() > MAX_REQUEST_ID_BYTES || id.contains('\0') => {
            let refused = Error::refused(
                ErrorReason::InvalidArgument,
                "request_id: at most 64 bytes, none of them NUL",
            );
            Err(refused.with_field("request_id", "at most 64 bytes, none of them NUL"))
        }
        id => Ok(id),
    }
}

/// The error for a request id that belongs to `another` call: one id identifies one purchase or
/// change.
pub(crate) fn request_id_used(another: &str) -> Error {
    let why = format!("was used for another {another}");
    Error::refused(ErrorReason::InvalidArgument, format!("request_id {why}")).with_field("request_id", why)
}
