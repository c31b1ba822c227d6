//! How an [`ErrorReason`] is written in `google.rpc.ErrorInfo`.

use crate::errors::v1::ErrorReason;

/// Domain of every reason.
pub const DOMAIN: &str = "garimpo";

const PREFIX: &str = "ERROR_REASON_";

/// Name of a reason, without the prefix of the enum.
pub fn reason_name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// The reason with this name; `None` if it is unknown.
pub fn reason_of(name: &str) -> Option<ErrorReason> {
    ErrorReason::from_str_name(&format!("{PREFIX}{name}"))
}
