//! Fields that several forms of an account have.

use garimpo_domain::{Email, EmailError, Password, PasswordError, PasswordPolicy};

use crate::error::{ErrorReason, Violations};

/// Reads an email. A missing one is refused for another reason than a wrong one.
pub(crate) fn read_email(wrong: &mut Violations, field: &'static str, typed: &str) -> Option<Email> {
    let email = Email::parse(typed);
    let reason = match email {
        Err(EmailError::Missing) => ErrorReason::InvalidArgument,
        _ => ErrorReason::InvalidEmail,
    };
    wrong.take(field, reason, email)
}

/// Reads a new password, or records why it is refused, with the minimum if it is too short.
pub(super) fn read_new_password(
    wrong: &mut Violations,
    field: &str,
    typed: &str,
    policy: &PasswordPolicy,
) -> Option<Password> {
    let password = policy.read(typed);
    let reason = match password {
        Err(PasswordError::Missing) => ErrorReason::InvalidArgument,
        _ => ErrorReason::WeakPassword,
    };
    match password {
        Err(PasswordError::TooShort(minimum)) => wrong.add_metadata("minimum", minimum.to_string()),
        Err(PasswordError::Refused) => wrong.add_metadata("refused", "true"),
        _ => {}
    }
    wrong.take(field, reason, password)
}
