//! How an [`ErrorReason`] is written in `google.rpc.ErrorInfo`.

use crate::errors::v1::ErrorReason;

/// Domain of every reason.
pub const DOMAIN: &str = "garimpo";

const PREFIX: &str = "ERROR_REASON_";

/// A reason as it is written: without the enum's prefix.
pub fn reason_name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// The reason of a written name; `None` for one that this program does not know.
pub fn reason_of(name: &str) -> Option<ErrorReason> {
    ErrorReason::from_str_name(&format!("{PREFIX}{name}"))
}
