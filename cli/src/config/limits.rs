//! How often one may try, and what a new password must be.

use garimpo_domain::person::PasswordPolicy;
use garimpo_server::auth::LimitSettings;
use garimpo_server::mail::MailLimits;

use super::variables::LimitVariables;

/// Sign-ups of one network address in an hour while the public URL is loopback, where all come from one.
const SIGN_UPS_ON_LOOPBACK: u32 = 200;
/// Readings of checkouts of one network address in a minute while the public URL is loopback.
const CHECKOUT_READS_ON_LOOPBACK: u32 = 12_000;

pub(super) fn limits(given: &LimitVariables, is_loopback: bool) -> LimitSettings {
    let usual = LimitSettings::default();
    let sign_ups = if is_loopback { SIGN_UPS_ON_LOOPBACK } else { usual.sign_up_per_address };
    let checkout_reads =
        if is_loopback { CHECKOUT_READS_ON_LOOPBACK } else { usual.checkout_reads_per_address };
    LimitSettings {
        sign_in_per_account_and_address: given.limit_sign_in.unwrap_or(usual.sign_in_per_account_and_address),
        sign_in_per_account: given.limit_sign_in_account.unwrap_or(usual.sign_in_per_account),
        sign_in_per_address: given.limit_sign_in_address.unwrap_or(usual.sign_in_per_address),
        sign_in_window: usual.sign_in_window,
        sign_up_per_address: given.limit_sign_up_address.unwrap_or(sign_ups),
        events_per_address: given.limit_events_address.unwrap_or(usual.events_per_address),
        reset_per_email: given.limit_recovery_email.unwrap_or(usual.reset_per_email),
        reset_per_address: given.limit_recovery_address.unwrap_or(usual.reset_per_address),
        reset_codes_per_address: given.limit_codes_address.unwrap_or(usual.reset_codes_per_address),
        verification_per_account: given.limit_verification_account.unwrap_or(usual.verification_per_account),
        exports_per_account: given.limit_export_account.unwrap_or(usual.exports_per_account),
        provider_calls_per_account: given.limit_checkout_account.unwrap_or(usual.provider_calls_per_account),
        checkout_reads_per_address: given.limit_checkout_reads_address.unwrap_or(checkout_reads),
        calls_per_token: given.limit_calls_token.unwrap_or(usual.calls_per_token),
        watches_per_token: given.limit_watches_token.unwrap_or(usual.watches_per_token),
    }
}

/// Mails to an address that nobody has confirmed.
pub(super) fn mail_limits(given: &LimitVariables) -> MailLimits {
    MailLimits { per_hour: given.limit_mails_hour, per_day: given.limit_mails_day }
}

/// The effective number of a limit, by the name of its setting.
pub(super) fn effective(limits: &LimitSettings, name: &str) -> Option<String> {
    let number = match name {
        "GARIMPO_LIMIT_SIGN_IN" => limits.sign_in_per_account_and_address,
        "GARIMPO_LIMIT_SIGN_IN_ACCOUNT" => limits.sign_in_per_account,
        "GARIMPO_LIMIT_SIGN_IN_ADDRESS" => limits.sign_in_per_address,
        "GARIMPO_LIMIT_SIGN_UP_ADDRESS" => limits.sign_up_per_address,
        "GARIMPO_LIMIT_EVENTS_ADDRESS" => limits.events_per_address,
        "GARIMPO_LIMIT_RECOVERY_EMAIL" => limits.reset_per_email,
        "GARIMPO_LIMIT_RECOVERY_ADDRESS" => limits.reset_per_address,
        "GARIMPO_LIMIT_CODES_ADDRESS" => limits.reset_codes_per_address,
        "GARIMPO_LIMIT_VERIFICATION_ACCOUNT" => limits.verification_per_account,
        "GARIMPO_LIMIT_EXPORT_ACCOUNT" => limits.exports_per_account,
        "GARIMPO_LIMIT_CHECKOUT_ACCOUNT" => limits.provider_calls_per_account,
        "GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS" => limits.checkout_reads_per_address,
        "GARIMPO_LIMIT_CALLS_TOKEN" => limits.calls_per_token,
        "GARIMPO_LIMIT_WATCHES_TOKEN" => limits.watches_per_token,
        _ => return None,
    };
    Some(number.to_string())
}

/// GARIMPO_PASSWORD_MINIMUM, and GARIMPO_PASSWORD_REFUSED: a file with a password a line.
pub(super) fn password_policy(given: &LimitVariables) -> PasswordPolicy {
    let refused = given.password_refused.as_ref().map(|file| file.0.clone()).unwrap_or_default();
    PasswordPolicy::new(given.password_minimum.into(), refused)
}
