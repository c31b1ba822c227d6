//! Errors of the identity provider's API.

use std::error::Error;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::providers::{CallError, CallOutcome, send, transport_failure};

/// Why a call to the identity provider failed. It never holds parts of a body or URL.
#[derive(Debug, thiserror::Error)]
pub enum ToolkitError {
    /// It is unreachable, late, overloaded or broken.
    #[error("identity provider unavailable: {why}")]
    Unavailable {
        /// The failure, for the log.
        why: String,
        /// Why there is no response.
        source: Option<Arc<reqwest::Error>>,
    },
    /// It refused the call.
    #[error("identity provider refused ({status} {code})")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's code, for instance `EMAIL_EXISTS`.
        code: String,
    },
    /// The response does not have the documented shape.
    #[error("identity provider answered an unknown shape: {0}")]
    Unreadable(&'static str),
    /// The client cannot be created, or a call not be written, with these settings.
    #[error("{why}")]
    Unusable {
        /// The problem.
        why: &'static str,
        /// The cause, unless it may quote a secret.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

/// The result of a call.
pub(crate) type Result<T, E = ToolkitError> = std::result::Result<T, E>;

/// The documented shape of a refusal; in OAuth's token endpoint `error` is a string.
#[derive(Deserialize)]
struct Body {
    error: Detail,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Detail {
    Api {
        #[serde(default)]
        message: String,
        #[serde(default)]
        status: String,
        #[serde(default)]
        details: Vec<Info>,
    },
    OAuth(String),
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    reason: String,
}

impl ToolkitError {
    /// Whether the provider refused with this code.
    pub(crate) fn is_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == wanted)
    }

    /// Whether the provider refuses our key or service account, and not the user's input.
    pub(crate) fn refuses_credentials(&self) -> bool {
        matches!(self, Self::Refused { status, code }
            if matches!(status, 401 | 403) || code.starts_with("API_KEY") || code == "INVALID_GRANT")
    }

    pub(super) fn transport(error: reqwest::Error) -> Self {
        let (why, error) = transport_failure(error);
        Self::Unavailable { why: why.to_owned(), source: Some(error) }
    }

    pub(super) fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable { why: why.into(), source: None }
    }

    pub(super) fn unusable(why: &'static str, source: impl Error + Send + Sync + 'static) -> Self {
        Self::Unusable { why, source: Some(Box::new(source)) }
    }

    /// Reads a response that is not a success.
    pub(super) fn from_response(status: u16, body: &[u8]) -> Self {
        let code = code_of(body);
        if matches!(status, 429 | 500..) || code == "QUOTA_EXCEEDED" {
            return Self::unavailable(format!("{status} {code}"));
        }
        Self::Refused { status, code }
    }
}

impl CallError for ToolkitError {
    fn outcome(&self) -> CallOutcome {
        match self {
            Self::Unavailable { .. } => CallOutcome::Unavailable,
            Self::Refused { .. } if self.refuses_credentials() => CallOutcome::CredentialsRefused,
            Self::Refused { .. } => CallOutcome::Refused,
            Self::Unreadable(_) | Self::Unusable { .. } => CallOutcome::Unreadable,
        }
    }
}

/// The code of a refusal: the part of the message before ` : `, else the reason or the status.
fn code_of(body: &[u8]) -> String {
    let code = match serde_json::from_slice::<Body>(body).map(|body| body.error) {
        Ok(Detail::Api { message, status, details }) => {
            let first = message.split(" : ").next().unwrap_or_default().trim().to_owned();
            let reason = details.into_iter().map(|info| info.reason).find(|reason| !reason.is_empty());
            if is_code(&first) { first } else { reason.unwrap_or(status) }
        }
        Ok(Detail::OAuth(word)) => word.to_uppercase(),
        Err(_) => String::new(),
    };
    // Logs show it, so anything but a code becomes empty.
    if is_code(&code) { code } else { String::new() }
}

fn is_code(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=80).contains(&text.len()) && text.bytes().all(is_letter)
}

/// Sends a request and reads its JSON.
pub(super) async fn read<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T> {
    let response = send(request).await.map_err(ToolkitError::transport)?;
    let status = response.status();
    let body = response.bytes().await.map_err(ToolkitError::transport)?;
    if !status.is_success() {
        return Err(ToolkitError::from_response(status.as_u16(), &body));
    }
    // The parser's error is dropped, because it may quote the response.
    serde_json::from_slice(&body).map_err(|_| ToolkitError::Unreadable("a success"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> String {
        code_of(body.as_bytes())
    }

    #[test]
    fn the_error_code_is_the_part_before_the_explanation() {
        for (body, expected) in [
            (r#"{"error":{"code":400,"message":"EMAIL_EXISTS","errors":[]}}"#, "EMAIL_EXISTS"),
            (
                r#"{"error":{"message":"WEAK_PASSWORD : Password should be at least 6 characters"}}"#,
                "WEAK_PASSWORD",
            ),
            (
                r#"{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT",
                   "details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#,
                "API_KEY_INVALID",
            ),
            (
                r#"{"error":{"message":"The request is missing a key.","status":"PERMISSION_DENIED"}}"#,
                "PERMISSION_DENIED",
            ),
            (r#"{"error":"invalid_grant","error_description":"Invalid JWT"}"#, "INVALID_GRANT"),
            (r#"{"error":{"message":"ana@exemplo.com.br"}}"#, ""),
            ("<html>", ""),
        ] {
            assert_eq!(code(body), expected, "{body}");
        }
    }

    #[test]
    fn only_temporary_identity_provider_errors_count_as_unavailable() {
        let read = |status, message: &str| {
            ToolkitError::from_response(
                status,
                format!(r#"{{"error":{{"message":"{message}"}}}}"#).as_bytes(),
            )
        };
        for (status, message, passes) in [
            (400, "INVALID_PASSWORD", false),
            (400, "TOO_MANY_ATTEMPTS_TRY_LATER : Access was disabled", false),
            (400, "QUOTA_EXCEEDED : Exceeded quota", true),
            (403, "PERMISSION_DENIED", false),
            (429, "RESOURCE_EXHAUSTED", true),
            (500, "INTERNAL", true),
            (503, "x", true),
        ] {
            let read = read(status, message);
            assert_eq!(
                matches!(read, ToolkitError::Unavailable { .. }),
                passes,
                "{status} {message}: {read}"
            );
        }
    }

    #[test]
    fn a_refused_key_or_service_account_does_not_count_as_a_wrong_password() {
        let outcome = |status, body: &str| ToolkitError::from_response(status, body.as_bytes()).outcome();
        for (status, body) in [
            (401, "{}"),
            (403, r#"{"error":{"message":"x","status":"PERMISSION_DENIED"}}"#),
            (400, r#"{"error":{"message":"API_KEY_INVALID"}}"#),
            (400, r#"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#),
        ] {
            assert_eq!(outcome(status, body), CallOutcome::CredentialsRefused, "{status} {body}");
        }
        assert_eq!(outcome(400, r#"{"error":{"message":"INVALID_PASSWORD"}}"#), CallOutcome::Refused);
    }
}
