//! The challenge that a client has to solve once it has used up its sign-ups without one.

use std::time::Duration;

use super::AuthService;
use crate::caller::Caller;
use crate::error::{Error, ErrorReason, Result};
use crate::measures::count_limited;
use crate::providers::captcha::{Captcha, CaptchaError};

/// Retry-After while the provider does not verify responses.
const RETRY_AFTER: Duration = Duration::from_secs(2);

impl AuthService {
    /// Refuses a sign-up without a solved challenge. Without a provider of challenges it refuses
    /// none.
    pub(super) async fn require_challenge(&self, response: &str, caller: &Caller) -> Result<()> {
        let Some(captcha) = &self.captcha else { return Ok(()) };
        match captcha.verify(response, caller.client_address()).await {
            Ok(()) => Ok(()),
            Err(CaptchaError::Unsolved(_)) => {
                count_limited("challenge", "client");
                Err(required(captcha))
            }
            // Its text names a setting, and the call itself has logged it.
            Err(CaptchaError::SecretRefused(_) | CaptchaError::Unavailable { .. }) => {
                let message = "the challenge's provider does not verify responses now";
                Err(Error::refused(ErrorReason::ProviderUnavailable, message).retry_after(RETRY_AFTER))
            }
        }
    }
}

fn required(captcha: &Captcha) -> Error {
    let settings = &captcha.settings;
    let provider: &'static str = settings.provider.into();
    Error::refused(ErrorReason::ChallengeRequired, "solve a challenge and send its response")
        .with_metadata("provider", provider)
        .with_metadata("site_key", &settings.site_key)
        .with_metadata("script_url", &settings.script_url)
}
