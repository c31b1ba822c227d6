//! Errors of the platform's API, classified by their codes and never by their texts.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::providers::{CallError, CallOutcome, MAX_RETRY_AFTER, transport_failure};

/// Longest explanation of the platform that is kept, in characters.
const MAX_TEXT_CHARS: usize = 300;
/// The pause after a rate limit that names none.
const RATE_LIMIT_PAUSE: Duration = Duration::from_mins(1);

/// Why events were not accepted.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MetaError {
    /// It is unreachable, late, broken or overloaded: the same events may be sent again.
    #[error("the conversions platform does not take events now: {why}")]
    Unavailable {
        why: String,
        /// The shortest pause before the next call.
        retry_after: Option<Duration>,
        /// Why there is no response.
        source: Option<Arc<reqwest::Error>>,
    },
    /// It refuses our access token, pixel or version, which the operator has to correct.
    #[error("the conversions platform does not take our access token, pixel or version: {0}")]
    CredentialsRefused(String),
    /// It will never accept an event of this call.
    #[error("the conversions platform refused it: {0}")]
    Refused(String),
}

#[derive(Deserialize)]
struct Body {
    error: Detail,
}

#[derive(Deserialize, Default)]
struct Detail {
    #[serde(default)]
    message: String,
    code: Option<i64>,
    error_subcode: Option<i64>,
    #[serde(default)]
    is_transient: bool,
    error_user_title: Option<String>,
    error_user_msg: Option<String>,
}

impl Detail {
    /// `100/2804003 Event Timestamp Too Old: …`, bounded and on one line.
    fn text(&self) -> String {
        let subcode = self.error_subcode.map(|code| format!("/{code}")).unwrap_or_default();
        let title = self.error_user_title.as_deref().unwrap_or(&self.message);
        let text = match self.error_user_msg.as_deref() {
            Some(more) if more != title => format!("{title}: {more}"),
            _ => title.to_owned(),
        };
        let text = format!("{}{subcode} {text}", self.code.unwrap_or_default());
        text.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT_CHARS).collect()
    }

    fn is_rate_limit(&self) -> bool {
        matches!(self.code, Some(4 | 17 | 32 | 613 | 80_000..=80_014))
    }

    /// 190 and 102: token; 10 and 200 to 299: permission; 100/33 and 803: no such pixel for us;
    /// 2500: no such version.
    fn is_about_credentials(&self) -> bool {
        matches!(self.code, Some(10 | 102 | 190 | 200..=299 | 803 | 2500))
            || (self.code, self.error_subcode) == (Some(100), Some(33))
    }
}

impl MetaError {
    /// Reads a response that is not a success.
    pub(super) fn from_response(status: u16, asked: Option<Duration>, body: &[u8]) -> Self {
        let detail = serde_json::from_slice::<Body>(body).map(|body| body.error).unwrap_or_default();
        let asked = asked.map(|pause| pause.min(MAX_RETRY_AFTER));
        let unavailable = |retry_after| {
            let why = if detail.code.is_some() { detail.text() } else { format!("it answered {status}") };
            Self::Unavailable { why, retry_after, source: None }
        };
        let is_temporary = status >= 500 || detail.is_transient || matches!(detail.code, Some(1 | 2));
        if status == 429 || detail.is_rate_limit() {
            unavailable(Some(asked.unwrap_or(RATE_LIMIT_PAUSE)))
        } else if is_temporary {
            unavailable(asked)
        } else if detail.is_about_credentials() || matches!(status, 401 | 403) {
            Self::CredentialsRefused(detail.text())
        } else if detail.code.is_some() {
            Self::Refused(detail.text())
        } else {
            unavailable(asked)
        }
    }

    /// A call without a response.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        let (why, error) = transport_failure(error);
        Self::Unavailable { why: why.to_owned(), retry_after: None, source: Some(error) }
    }

    pub(super) fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable { why: why.into(), retry_after: None, source: None }
    }

    /// Removes our token, in case the platform repeats it.
    pub(super) fn without(mut self, token: &SecretString) -> Self {
        let (Self::Unavailable { why, .. } | Self::CredentialsRefused(why) | Self::Refused(why)) = &mut self;
        *why = why.replace(token.expose_secret(), "***");
        self
    }
}

impl CallError for MetaError {
    fn outcome(&self) -> CallOutcome {
        match self {
            Self::Unavailable { .. } => CallOutcome::Unavailable,
            Self::CredentialsRefused(_) => CallOutcome::CredentialsRefused,
            Self::Refused(_) => CallOutcome::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, error: &str) -> MetaError {
        MetaError::from_response(status, None, format!(r#"{{"error":{error}}}"#).as_bytes())
    }

    #[test]
    fn the_error_code_decides_between_retry_credentials_and_a_bad_event() {
        for (status, error, class) in [
            (500, r#"{"code":2,"message":"Service temporarily unavailable"}"#, CallOutcome::Unavailable),
            (400, r#"{"code":1,"message":"Unknown"}"#, CallOutcome::Unavailable),
            (400, r#"{"code":100,"is_transient":true}"#, CallOutcome::Unavailable),
            (503, "{}", CallOutcome::Unavailable),
            (302, "{}", CallOutcome::Unavailable),
            (400, r#"{"code":4}"#, CallOutcome::Unavailable),
            (400, r#"{"code":80004}"#, CallOutcome::Unavailable),
            (429, "{}", CallOutcome::Unavailable),
            (400, r#"{"code":190,"error_subcode":463}"#, CallOutcome::CredentialsRefused),
            (401, "{}", CallOutcome::CredentialsRefused),
            (403, r#"{"code":200}"#, CallOutcome::CredentialsRefused),
            (400, r#"{"code":10}"#, CallOutcome::CredentialsRefused),
            (400, r#"{"code":100,"error_subcode":33}"#, CallOutcome::CredentialsRefused),
            (400, r#"{"code":2500}"#, CallOutcome::CredentialsRefused),
            (400, r#"{"code":100,"error_subcode":2804003}"#, CallOutcome::Refused),
            (400, r#"{"code":100}"#, CallOutcome::Refused),
        ] {
            assert_eq!(answered(status, error).outcome(), class, "{status} {error}");
        }
    }

    #[test]
    fn a_rate_limited_call_pauses_for_a_minute_or_the_requested_time_up_to_an_hour() {
        for (asked, kept) in [(None, 60), (Some(7), 7), (Some(86_400), 3600)] {
            let read = MetaError::from_response(429, asked.map(Duration::from_secs), b"");
            let MetaError::Unavailable { retry_after, .. } = read else { panic!("{read}") };
            assert_eq!(retry_after, Some(Duration::from_secs(kept)));
        }
    }

    #[test]
    fn the_reason_of_the_platform_is_one_line_without_our_token() {
        let error = r#"{"code":100,"error_subcode":2804003,"message":"Invalid parameter",
            "error_user_title":"Event Timestamp Too Old","error_user_msg":"Sent with\nEAA-segredo"}"#;
        let read = answered(400, error).without(&SecretString::from("EAA-segredo"));
        let text = "the conversions platform refused it: 100/2804003 Event Timestamp Too Old: Sent with***";
        assert_eq!(read.to_string(), text);
    }
}
