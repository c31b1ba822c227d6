//! Verifies the responses of challenges that visitors solve, by the protocol `siteverify`.
//!
//! Turnstile and hCaptcha share it:
//! <https://developers.cloudflare.com/turnstile/get-started/server-side-validation/>,
//! <https://docs.hcaptcha.com/#verify-the-user-response-server-side>.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{CallError, CallOutcome, client_for, recorded, send, transport_failure};

/// Name of the call in logs and metrics.
const CALL: &str = "challenge_verify";
/// The visitor waits, and the gateway waits at most 20 s for the whole sign-up.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest response that is verified, in bytes. Turnstile's has at most 2,048, and hCaptcha
/// documents no limit.
const MAX_RESPONSE: usize = 8 * 1024;
/// Longest text of the provider's error codes that is kept, in characters.
const MAX_CODES_CHARS: usize = 100;
/// Error codes that blame our secret.
const SECRET_CODES: [&str; 3] = ["missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch"];
/// Error code of a failure at the provider.
const INTERNAL_CODE: &str = "internal-error";

/// Provider of challenges. Its name is that of its API in a page: `window.turnstile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum CaptchaProvider {
    Turnstile,
    Hcaptcha,
}

impl CaptchaProvider {
    /// Where responses are verified.
    pub fn url(self) -> &'static str {
        match self {
            Self::Turnstile => "https://challenges.cloudflare.com/turnstile/v0/siteverify",
            Self::Hcaptcha => "https://api.hcaptcha.com/siteverify",
        }
    }

    /// The script that shows a challenge where the page asks for it.
    pub fn script_url(self) -> &'static str {
        match self {
            Self::Turnstile => "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
            Self::Hcaptcha => "https://js.hcaptcha.com/1/api.js?render=explicit",
        }
    }
}

/// Address and keys of the provider.
#[derive(Debug, Clone)]
pub struct CaptchaSettings {
    pub provider: CaptchaProvider,
    /// Where responses are verified.
    pub url: String,
    /// Script that the page loads.
    pub script_url: String,
    /// Public key, for the page.
    pub site_key: String,
    /// Secret of the site key; never logged.
    pub secret: SecretString,
}

/// Why a response does not count.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaptchaError {
    /// The challenge is not solved, or its response is too old, invented or used.
    #[error("the challenge is not solved ({0})")]
    Unsolved(String),
    /// The provider refuses our secret, which the operator has to correct.
    #[error("the challenge's provider refuses GARIMPO_CAPTCHA_SECRET ({0})")]
    SecretRefused(String),
    /// It is unreachable, late or broken.
    #[error("the challenge's provider does not verify responses now: {why}")]
    Unavailable {
        why: String,
        /// Why there is no reply.
        source: Option<Arc<reqwest::Error>>,
    },
}

impl CaptchaError {
    fn transport(error: reqwest::Error) -> Self {
        let (why, source) = transport_failure(error);
        Self::Unavailable { why: why.to_owned(), source: Some(source) }
    }

    fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable { why: why.into(), source: None }
    }
}

impl CallError for CaptchaError {
    fn outcome(&self) -> CallOutcome {
        match self {
            Self::Unsolved(_) => CallOutcome::Refused,
            Self::SecretRefused(_) => CallOutcome::CredentialsRefused,
            Self::Unavailable { .. } => CallOutcome::Unavailable,
        }
    }
}

/// A client of the provider; clones share connections.
#[derive(Debug, Clone)]
pub(crate) struct Captcha {
    http: reqwest::Client,
    pub settings: Arc<CaptchaSettings>,
}

#[derive(Deserialize)]
struct Reply {
    success: bool,
    #[serde(default, rename = "error-codes")]
    error_codes: Vec<String>,
}

impl Captcha {
    /// Creates a client; sends nothing.
    pub(crate) fn new(settings: CaptchaSettings) -> Result<Self, reqwest::Error> {
        let http = client_for(&settings.url).timeout(REQUEST_TIMEOUT).build()?;
        Ok(Self { http, settings: Arc::new(settings) })
    }

    /// Verifies the response of a challenge, which the provider accepts once. A response that no
    /// provider can have given is refused without a call.
    pub(crate) async fn verify(&self, response: &str, address: Option<IpAddr>) -> Result<(), CaptchaError> {
        if response.is_empty() || response.len() > MAX_RESPONSE {
            return Err(CaptchaError::Unsolved(format!("{} bytes", response.len())));
        }
        recorded(CALL, self.post(response, address)).await
    }

    async fn post(&self, response: &str, address: Option<IpAddr>) -> Result<(), CaptchaError> {
        let address = address.map(|address| address.to_string());
        let mut form = vec![("secret", self.settings.secret.expose_secret()), ("response", response)];
        form.extend(address.as_deref().map(|address| ("remoteip", address)));
        let request = self.http.post(&self.settings.url).form(&form);
        let reply = send(request).await.map_err(CaptchaError::transport)?;
        let status = reply.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(CaptchaError::unavailable(status.as_str()));
        }
        let body = reply.bytes().await.map_err(CaptchaError::transport)?;
        // The parser's error is dropped, because it may quote the reply.
        let reply: Reply = serde_json::from_slice(&body)
            .map_err(|_| CaptchaError::unavailable(format!("{status}, a reply of another shape")))?;
        if reply.success { Ok(()) } else { Err(refusal(&reply.error_codes)) }
    }
}

/// The error of a reply without success.
fn refusal(codes: &[String]) -> CaptchaError {
    let text: String = codes.join(", ").escape_default().take(MAX_CODES_CHARS).collect();
    let has = |known: &[&str]| codes.iter().any(|code| known.contains(&code.as_str()));
    if has(&SECRET_CODES) {
        CaptchaError::SecretRefused(text)
    } else if has(&[INTERNAL_CODE]) {
        CaptchaError::unavailable(text)
    } else {
        CaptchaError::Unsolved(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_refusal_blames_the_visitor_our_secret_or_the_provider() {
        let outcome = |codes: &[&str]| {
            refusal(&codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>()).outcome()
        };
        for codes in [&["invalid-input-response"][..], &["timeout-or-duplicate"], &["other"], &[]] {
            assert_eq!(outcome(codes), CallOutcome::Refused, "{codes:?}");
        }
        for codes in [&["invalid-input-secret"][..], &["bad-request", "missing-input-secret"]] {
            assert_eq!(outcome(codes), CallOutcome::CredentialsRefused, "{codes:?}");
        }
        assert_eq!(outcome(&["internal-error"]), CallOutcome::Unavailable);
    }

    #[test]
    fn error_codes_are_logged_on_one_short_line() {
        let text = refusal(&["x\n".repeat(200)]).to_string();
        assert!(!text.contains('\n') && text.len() < 200, "{text}");
    }
}
