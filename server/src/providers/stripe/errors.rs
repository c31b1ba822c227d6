//! Errors of the provider's API.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::providers::circuit::Health;
use crate::providers::{CallError, CallOutcome, MAX_RETRY_AFTER, transport_failure};

/// Why a call to the payment provider failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StripeError {
    /// It is unreachable, late, overloaded or broken; the call may be repeated.
    #[error("payment provider unavailable: {why}")]
    Unavailable {
        /// The failure, for the log.
        why: String,
        /// HTTP status of a response. The provider may repeat that response to the same key.
        status: Option<u16>,
        /// The pause that it asks for, an hour at most.
        retry_after: Option<Duration>,
        /// Why there is no response.
        source: Option<Arc<reqwest::Error>>,
    },
    /// It refused the call; the same call will be refused again.
    #[error("payment provider refused ({status} {code}{})", suffix(param))]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's code, for instance `resource_missing`; its type if it gives no code.
        code: String,
        /// The refused parameter, for instance `discounts[0][coupon]`, or empty.
        param: String,
        /// Why a bank declined.
        decline_code: Option<String>,
        /// The provider's explanation, for logs alone.
        message: String,
    },
    /// The response does not have the documented shape.
    #[error("payment provider answered an unknown shape to {call}")]
    Unreadable {
        /// Name of the call.
        call: &'static str,
        /// The error of the parser.
        source: Arc<serde_json::Error>,
    },
    /// Not sent: the key is of another account or mode than the database.
    #[error("the payment provider's key is of {found}, and the database belongs to {stored}")]
    OtherAccount {
        /// Account and mode of the key.
        found: String,
        /// Account and mode in the database.
        stored: String,
    },
    /// Not sent: too many calls of the same client wait.
    #[error("too many calls of one client wait for the payment provider")]
    TooManyOfClient,
    /// The client cannot be created from the settings.
    #[error("{why}")]
    Unusable {
        /// The problem.
        why: &'static str,
        /// The cause.
        source: Arc<dyn Error + Send + Sync>,
    },
}

/// The result of a call.
pub type Result<T, E = StripeError> = std::result::Result<T, E>;

/// The pause before a call is repeated that found no budget.
const OVER_BUDGET_PAUSE: Duration = Duration::from_secs(5);

/// Whether the code of a failed payment asks for the payer's authentication.
pub(super) fn is_authentication_code(code: &str) -> bool {
    matches!(code, "authentication_required" | "payment_intent_authentication_failure")
}

/// Reads "no such object" as `None`.
pub fn present<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if error.is_missing() => Ok(None),
        result => result.map(Some),
    }
}

/// Ignores a refusal that the object is in another state or does not exist.
pub(super) fn unless_settled<T>(result: Result<T>) -> Result<()> {
    match result {
        Err(StripeError::Refused { status: 400 | 404, .. }) => Ok(()),
        result => result.map(drop),
    }
}

fn suffix(param: &str) -> String {
    if param.is_empty() { String::new() } else { format!(": {param}") }
}

#[derive(Deserialize)]
struct Body {
    error: Detail,
}

#[derive(Deserialize, Default)]
struct Detail {
    #[serde(default, rename = "type")]
    kind: String,
    code: Option<String>,
    param: Option<String>,
    decline_code: Option<String>,
    #[serde(default)]
    message: String,
}

impl StripeError {
    /// Reads a response that is not a success.
    pub(super) fn from_response(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let detail = serde_json::from_slice::<Body>(body).map(|body| body.error).unwrap_or_default();
        let code = detail.code.unwrap_or(detail.kind);
        // 409: a concurrent call uses the same key or object. 424: a dependency of the provider
        // failed. Neither is about the call itself.
        let is_temporary = matches!(status, 409 | 424 | 429 | 500..)
            || matches!(code.as_str(), "lock_timeout" | "rate_limit");
        if is_temporary {
            let retry_after = retry_after.map(|asked| asked.min(MAX_RETRY_AFTER));
            let why = format!("{status} {code}");
            return Self::Unavailable { why, status: Some(status), retry_after, source: None };
        }
        let param = detail.param.unwrap_or_default();
        Self::Refused { status, code, param, decline_code: detail.decline_code, message: detail.message }
    }

    /// A call without a response.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        let (why, error) = transport_failure(error);
        Self::Unavailable { why: why.to_owned(), status: None, retry_after: None, source: Some(error) }
    }

    /// A temporary failure of another kind.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable { why: why.into(), status: None, retry_after: None, source: None }
    }

    pub(super) fn over_budget() -> Self {
        let (why, retry_after) = ("the budget of calls is used up".to_owned(), Some(OVER_BUDGET_PAUSE));
        Self::Unavailable { why, status: None, retry_after, source: None }
    }

    pub(super) fn unusable(why: &'static str, source: impl Error + Send + Sync + 'static) -> Self {
        Self::Unusable { why, source: Arc::new(source) }
    }

    /// The refusal of a text that cannot be an id.
    pub(super) fn no_such_object() -> Self {
        Self::from_response(404, None, br#"{"error":{"code":"resource_missing","param":"id"}}"#)
    }

    /// Whether the object of the call does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// Whether another call uses the same idempotency key.
    pub(super) fn is_conflict(&self) -> bool {
        matches!(self, Self::Unavailable { status: Some(409), .. })
    }

    /// Whether the provider refused with this code.
    pub fn is_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == wanted)
    }

    /// Whether the payer must authenticate the payment. The provider uses either code.
    pub fn needs_authentication(&self) -> bool {
        let Self::Refused { code, decline_code, .. } = self else { return false };
        code == "invoice_payment_intent_requires_action"
            || is_authentication_code(code)
            || decline_code.as_deref().is_some_and(is_authentication_code)
    }

    /// Whether the customer that the call names does not exist.
    pub fn misses_customer(&self) -> bool {
        self.is_code("resource_missing") && self.param() == "customer"
    }

    /// Whether a price or coupon that the call names is unknown or no longer usable.
    pub fn misses_catalog(&self) -> bool {
        let param = self.param();
        let names_it = ["line_items", "discounts", "price", "coupon"].iter().any(|p| param.starts_with(p));
        names_it || self.is_code("resource_missing") && !self.misses_customer()
    }

    fn param(&self) -> &str {
        if let Self::Refused { param, .. } = self { param } else { "" }
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        if let Self::Unavailable { retry_after, .. } = self { *retry_after } else { None }
    }

    /// Whether the provider may return this failure to the same idempotency key for ever, because
    /// it keeps the first result of a key even if that is a fault of its own.
    pub fn is_kept_under_its_key(&self) -> bool {
        matches!(self, Self::Unavailable { status: Some(500..), .. })
    }

    /// Whether the provider refuses the key itself, or the key lacks a permission.
    pub fn refuses_key(&self) -> bool {
        matches!(self, Self::Refused { status: 401 | 403, .. })
    }

    /// A conflict, a failed dependency and a rate limit are about one call, not about the provider.
    pub(super) fn health(&self) -> Health {
        match self {
            Self::Unavailable { status: None | Some(500..), .. } => Health::Down,
            _ => Health::Up,
        }
    }
}

impl CallError for StripeError {
    fn outcome(&self) -> CallOutcome {
        match self {
            Self::Unavailable { .. } => CallOutcome::Unavailable,
            Self::Refused { status: 401, .. } => CallOutcome::Unauthorized,
            Self::Refused { status: 403, .. } => CallOutcome::Forbidden,
            Self::Refused { .. } => CallOutcome::Refused,
            Self::OtherAccount { .. } => CallOutcome::CredentialsRefused,
            Self::TooManyOfClient => CallOutcome::ClientOverBudget,
            Self::Unreadable { .. } | Self::Unusable { .. } => CallOutcome::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, error: &str) -> StripeError {
        StripeError::from_response(status, None, format!(r#"{{"error":{error}}}"#).as_bytes())
    }

    #[test]
    fn only_temporary_payment_provider_errors_count_as_unavailable() {
        for (status, error, passes) in [
            (400, r#"{"type":"invalid_request_error","code":"parameter_unknown","param":"ui_mode"}"#, false),
            (400, r#"{"type":"idempotency_error"}"#, false),
            (401, r#"{"type":"invalid_request_error","code":"api_key_expired"}"#, false),
            (402, r#"{"type":"card_error","code":"card_declined"}"#, false),
            (403, "{}", false),
            (404, r#"{"code":"resource_missing","param":"id"}"#, false),
            (400, r#"{"code":"rate_limit"}"#, true),
            (409, r#"{"code":"idempotency_key_in_use"}"#, true),
            (409, "{}", true),
            (424, "{}", true),
            (429, r#"{"code":"lock_timeout"}"#, true),
            (500, "{}", true),
            (503, "{}", true),
        ] {
            let read = answered(status, error);
            assert_eq!(matches!(read, StripeError::Unavailable { .. }), passes, "{status} {error}: {read}");
        }
        assert!(matches!(StripeError::from_response(502, None, b"<html>"), StripeError::Unavailable { .. }));
    }

    #[test]
    fn a_refused_key_and_a_missing_permission_are_outcomes_of_their_own() {
        for (status, outcome) in [
            (400, CallOutcome::Refused),
            (401, CallOutcome::Unauthorized),
            (403, CallOutcome::Forbidden),
            (404, CallOutcome::Refused),
            (503, CallOutcome::Unavailable),
        ] {
            assert_eq!(answered(status, "{}").outcome(), outcome, "{status}");
        }
    }

    #[test]
    fn a_refusal_has_the_code_and_the_parameter_and_no_message_text() {
        let read = answered(
            400,
            r#"{"type":"invalid_request_error","code":"parameter_unknown","param":"ui_mode","message":"ana@example.com"}"#,
        );
        assert_eq!(read.to_string(), "payment provider refused (400 parameter_unknown: ui_mode)");
        assert_eq!(
            answered(404, r#"{"code":"resource_missing"}"#).to_string(),
            "payment provider refused (404 resource_missing)"
        );
    }

    #[test]
    fn a_pause_requested_by_the_payment_provider_is_at_most_one_hour() {
        for (asked, kept) in [(None, None), (Some(7), Some(7)), (Some(86_400), Some(3600))] {
            let read = StripeError::from_response(429, asked.map(Duration::from_secs), b"");
            let StripeError::Unavailable { retry_after, .. } = read else { panic!("{read}") };
            assert_eq!(retry_after, kept.map(Duration::from_secs));
        }
    }
}
