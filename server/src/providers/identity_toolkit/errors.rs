//! What can go wrong on the identity provider's wire.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::providers::{Outcome, wire_failure};

/// Why a call to the identity provider gave no answer that we can use. None of it holds what a body or address held.
#[derive(Debug, thiserror::Error)]
pub enum ToolkitError {
    /// It could not be reached, did not answer in time, is overloaded or broken.
    #[error("identity provider unavailable: {0}")]
    Unavailable(String),
    /// It understood and refused.
    #[error("identity provider refused ({status} {code})")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's code, for instance `EMAIL_EXISTS`.
        code: String,
    },
    /// It answered something that is not the documented shape.
    #[error("identity provider answered an unknown shape: {0}")]
    Unreadable(&'static str),
    /// The client cannot be made, or a call not be written, with these settings.
    #[error("{0}")]
    Unusable(&'static str),
}

/// The documented shape of a refusal; OAuth's token endpoint has `error` as a word.
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
    pub fn is_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == wanted)
    }

    /// Whether it is our key or service account that is refused, and not what somebody typed.
    pub fn refuses_us(&self) -> bool {
        matches!(self, Self::Refused { status, code } if matches!(status, 401 | 403) || code.starts_with("API_KEY"))
    }

    pub(super) fn transport(error: reqwest::Error) -> Self {
        Self::Unavailable(wire_failure(error))
    }

    /// Reads an answer that is not a success.
    pub(super) fn from_answer(status: u16, body: &[u8]) -> Self {
        let code = code_of(body);
        if matches!(status, 429 | 500..) || code == "QUOTA_EXCEEDED" {
            return Self::Unavailable(format!("{status} {code}"));
        }
        Self::Refused { status, code }
    }

    /// How the call ended.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Unavailable(_) => Outcome::Unavailable,
            Self::Refused { .. } => Outcome::Refused,
            Self::Unreadable(_) | Self::Unusable(_) => Outcome::Unreadable,
        }
    }
}

/// The code of a refusal: what stands before ` : ` in the message, else the reason or status beside it.
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
    // It goes into logs: a word, whatever was sent.
    if is_code(&code) { code } else { String::new() }
}

fn is_code(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=80).contains(&text.len()) && text.bytes().all(is_letter)
}

/// Sends a request and reads its JSON.
pub(super) async fn read<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T, ToolkitError> {
    let answer = request.send().await.map_err(ToolkitError::transport)?;
    let status = answer.status();
    let body = answer.bytes().await.map_err(ToolkitError::transport)?;
    if !status.is_success() {
        return Err(ToolkitError::from_answer(status.as_u16(), &body));
    }
    // What serde says may quote the answer.
    serde_json::from_slice(&body).map_err(|_| ToolkitError::Unreadable("a success"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> String {
        code_of(body.as_bytes())
    }

    #[test]
    fn codigo_e_o_que_vem_antes_da_explicacao() {
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
    fn so_o_que_pode_passar_e_indisponibilidade() {
        let read = |status, message: &str| {
            ToolkitError::from_answer(status, format!(r#"{{"error":{{"message":"{message}"}}}}"#).as_bytes())
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
            assert_eq!(matches!(read, ToolkitError::Unavailable(_)), passes, "{status} {message}: {read}");
        }
        assert!(read(403, "x").refuses_us() && read(400, "API_KEY_INVALID").refuses_us());
        assert!(!read(400, "INVALID_PASSWORD").refuses_us());
    }
}
