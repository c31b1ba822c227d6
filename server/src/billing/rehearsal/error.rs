//! Errors that end a rehearsal.

use crate::providers::stripe::StripeError;

/// Why a rehearsal does not start, or ends early.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RehearsalError {
    /// The key works with real money.
    #[error("the key is a live key: a rehearsal takes a test mode key alone")]
    LiveKey,
    /// The provider does not accept the key.
    #[error("the provider refused the key: use a test mode key of the account")]
    KeyRefused,
    /// The key cannot read the balance, which shows whether it is a live key.
    #[error(
        "the key cannot read the balance, which shows whether it is a live key: allow it to read Balance"
    )]
    UnknownMode,
    /// The operator interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// Another failure of the first calls.
    #[error(transparent)]
    Provider(StripeError),
}

impl From<StripeError> for RehearsalError {
    fn from(error: StripeError) -> Self {
        match error {
            StripeError::Refused { status: 401, .. } => Self::KeyRefused,
            error => Self::Provider(error),
        }
    }
}
