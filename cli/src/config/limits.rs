//! How often one may try, and what a new password must be (design section 5).

use std::fs;

use garimpo_domain::person::{PASSWORD_MAX, PASSWORD_MIN, PasswordPolicy};
use garimpo_server::auth::LimitSettings;

use super::reader::{ConfigError, Reader};

/// Sign-ups of one network address in an hour while the public URL is loopback, where all come from one.
const SIGN_UPS_ON_LOOPBACK: u32 = 200;

pub(super) fn limits(from: &mut Reader<'_>, is_loopback: bool) -> Result<LimitSettings, ConfigError> {
    let usual = LimitSettings::default();
    let sign_ups = if is_loopback { SIGN_UPS_ON_LOOPBACK } else { usual.sign_up_per_address };
    let mut limit = |name, usual: u32| {
        from.value(name, &usual.to_string(), "a whole number from 1", |t| t.parse().ok().filter(|&n| n > 0))
    };
    Ok(LimitSettings {
        sign_in_per_account_and_address: limit(
            "GARIMPO_LIMIT_SIGN_IN",
            usual.sign_in_per_account_and_address,
        )?,
        sign_in_per_account: limit("GARIMPO_LIMIT_SIGN_IN_ACCOUNT", usual.sign_in_per_account)?,
        sign_in_per_address: limit("GARIMPO_LIMIT_SIGN_IN_ADDRESS", usual.sign_in_per_address)?,
        sign_in_window: usual.sign_in_window,
        sign_up_per_address: limit("GARIMPO_LIMIT_SIGN_UP_ADDRESS", sign_ups)?,
        events_per_address: limit("GARIMPO_LIMIT_EVENTS_ADDRESS", usual.events_per_address)?,
        reset_per_email: limit("GARIMPO_LIMIT_RECOVERY_EMAIL", usual.reset_per_email)?,
        reset_per_address: limit("GARIMPO_LIMIT_RECOVERY_ADDRESS", usual.reset_per_address)?,
        reset_codes_per_address: limit("GARIMPO_LIMIT_CODES_ADDRESS", usual.reset_codes_per_address)?,
        verification_per_account: limit(
            "GARIMPO_LIMIT_VERIFICATION_ACCOUNT",
            usual.verification_per_account,
        )?,
        exports_per_account: limit("GARIMPO_LIMIT_EXPORT_ACCOUNT", usual.exports_per_account)?,
        provider_calls_per_account: limit(
            "GARIMPO_LIMIT_CHECKOUT_ACCOUNT",
            usual.provider_calls_per_account,
        )?,
        calls_per_token: limit("GARIMPO_LIMIT_CALLS_TOKEN", usual.calls_per_token)?,
        watches_per_token: limit("GARIMPO_LIMIT_WATCHES_TOKEN", usual.watches_per_token)?,
    })
}

/// GARIMPO_PASSWORD_MINIMUM, and GARIMPO_PASSWORD_REFUSED: a file with a password a line.
pub(super) fn password_policy(from: &mut Reader<'_>) -> Result<PasswordPolicy, ConfigError> {
    let minimum = from.value(
        "GARIMPO_PASSWORD_MINIMUM",
        &PASSWORD_MIN.to_string(),
        "a whole number from 6 to 128",
        |t| t.parse().ok().filter(|n| (PASSWORD_MIN..=PASSWORD_MAX).contains(n)),
    )?;
    let lines = |path: &str| {
        let text = fs::read_to_string(path).ok()?;
        Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>())
    };
    let file = "a file with a password a line, in UTF-8";
    let refused = from.optional("GARIMPO_PASSWORD_REFUSED", "none", file, lines)?;
    Ok(PasswordPolicy::new(minimum, refused.unwrap_or_default()))
}
