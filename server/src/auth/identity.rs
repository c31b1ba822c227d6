//! Where passwords are kept and checked: here, or at an outside provider.

use std::pin::Pin;
use std::time::Duration;

use garimpo_domain::person::{Email, Password};
use garimpo_proto::errors::v1::ErrorReason;

use crate::error::Error;
use crate::store::StoreError;

/// The future of a provider's call.
pub type ProviderFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, IdentityError>> + Send + 'a>>;

/// Makes and checks identities. Two implementations: `local`, and Google's Identity Toolkit.
pub trait IdentityProvider: Send + Sync {
    /// Makes an identity; the account is stored by the caller, where the email's unique index decides.
    ///
    /// # Errors
    /// MUST answer [`IdentityError::EmailInUse`] for a known email.
    fn sign_up<'a>(&'a self, email: &'a Email, password: &'a Password) -> ProviderFuture<'a, NewIdentity>;

    /// Checks an email and password as typed and answers the uid.
    ///
    /// # Errors
    /// MUST take the same time for an unknown email as for a wrong password, unless it tells them apart.
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a str) -> ProviderFuture<'a, String>;
}

/// A new identity.
#[derive(Debug, Clone)]
pub struct NewIdentity {
    /// Opaque id.
    pub uid: String,
    /// PHC text, where this product keeps the password.
    pub password_hash: Option<String>,
}

/// Why a provider says no.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// Email or password do not match.
    #[error("email or password do not match")]
    InvalidCredential,
    /// An account has this email.
    #[error("the email is in use")]
    EmailInUse,
    /// Too many checks wait; come back after this.
    #[error("too many password checks wait")]
    Busy(Duration),
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// Any other failure.
    #[error("an unexpected failure")]
    Failed(#[source] anyhow::Error),
}

impl From<IdentityError> for Error {
    fn from(error: IdentityError) -> Self {
        match error {
            IdentityError::InvalidCredential => {
                Self::refused(ErrorReason::InvalidCredential, "email or password do not match")
            }
            IdentityError::EmailInUse => {
                Self::refused(ErrorReason::EmailInUse, "an account with this email exists")
            }
            IdentityError::Busy(pause) => Self::too_many_requests(pause),
            IdentityError::Store(error) => Self::Store(error),
            IdentityError::Failed(cause) => Self::Internal(cause),
        }
    }
}
