//! Identity providers store and check passwords: our database, or an outside provider.

use std::time::Duration;

use garimpo_domain::{DisplayName, Email, Password, Timestamp, Uid};
use secrecy::SecretString;

use crate::causes::Causes;
use crate::error::{Error, ErrorReason};
pub use crate::providers::identity_toolkit::IdToken;
use crate::queue::JobError;
use crate::store::{Account, StoreError, TokenHash, WriteError};

/// Retry-After of an unavailable provider.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Creates and checks identities. Implementations: `local`, and Google's Identity Toolkit.
#[tonic::async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Creates an identity. The caller stores the account, and the email's unique index decides a
    /// race.
    ///
    /// MUST return [`IdentityError::EmailInUse`] for a known email.
    async fn sign_up(
        &self,
        email: &Email,
        password: &Password,
        name: &DisplayName,
        client: &str,
    ) -> Result<NewIdentity, IdentityError>;

    /// Checks an email and password as typed. `client` is the address or network of the caller,
    /// because clients take turns at expensive work.
    ///
    /// MUST take the same time for an unknown email as for a wrong password, unless its errors
    /// differ.
    async fn sign_in(&self, email: &str, password: &str, client: &str) -> Result<Verified, IdentityError>;

    /// The uid of the account that can be recovered with this email; `None` for an unknown email.
    ///
    /// MUST take the same time for known and unknown emails.
    async fn recoverable_account(&self, email: &Email) -> Result<Option<Uid>, IdentityError>;

    /// The code of a recovery link to this email, when its mail is sent.
    async fn reset_code(&self, email: &str) -> Result<ResetCode, IdentityError>;

    /// Checks a recovery code, which stays valid. Returns its holder if an outside provider stores
    /// passwords: the caller ends the sessions of the old password before a new one is set there,
    /// because the process may die between the two. `None` if the caller's one transaction does
    /// both.
    async fn check_reset(&self, code: &str) -> Result<Option<Uid>, IdentityError>;

    /// Checks a recovery code, and hashes the new password or sets it at the outside provider. The
    /// caller stores the result in one transaction.
    async fn confirm_reset(
        &self,
        code: &str,
        holder: Option<Uid>,
        password: &Password,
        client: &str,
    ) -> Result<Recovery, IdentityError>;

    /// Checks the current password as typed, if an outside provider stores passwords: the caller
    /// ends its sessions before a new one is set there, because the process may die between the
    /// two. `None` if the caller's one transaction does both.
    async fn password_holder(
        &self,
        email: &str,
        current: &str,
    ) -> Result<Option<PasswordHolder>, IdentityError>;

    /// Checks the current password as typed, and hashes the new one or sets it at the outside
    /// provider. The caller stores the result in one transaction.
    async fn change_password(
        &self,
        email: &str,
        current: &str,
        holder: Option<PasswordHolder>,
        new: &Password,
        client: &str,
    ) -> Result<NewPassword, IdentityError>;

    /// The uid of the identity with this email at an outside provider; `None` without one.
    async fn holder_of(&self, email: &Email) -> Result<Option<Uid>, IdentityError>;

    /// Changes the email of an identity at an outside provider. Idempotent, because a job calls it.
    async fn set_email(&self, uid: &Uid, email: &Email) -> Result<(), IdentityError>;

    /// Deletes the identity of a deleted account. Idempotent, because a job calls it: a missing
    /// identity is a success.
    async fn delete(&self, uid: &Uid) -> Result<(), IdentityError>;

    /// Checks a bearer token without a prefix of ours; `None` if it is not valid.
    ///
    /// MUST be fast and make no call, except to fetch keys, which change from time to time.
    async fn token(&self, token: &str) -> Result<Option<IdToken>, IdentityError>;

    /// The uid and current profile of a checked token's holder; `None` if they may no longer sign
    /// in.
    async fn profile(&self, token: &str) -> Result<Option<(Uid, Profile)>, IdentityError>;
}

/// The code of a recovery link.
#[derive(Debug, Clone)]
pub enum ResetCode {
    /// Created and stored by us.
    Ours,
    /// Created by the outside provider; `None` if it has no identity to recover.
    Provider(Option<String>),
}

/// An identity's data at an outside provider, from which its account is created at the first
/// sign-in.
#[derive(Debug, Clone)]
pub struct Profile {
    pub email: Email,
    /// Whether the provider has verified that the email is the holder's.
    pub email_verified: bool,
    pub display_name: DisplayName,
}

impl Profile {
    /// A provider's data about a person. Without a valid name, the text before the `@` becomes the
    /// name.
    ///
    /// # Errors
    /// [`IdentityError::Failed`] for an email that is not valid.
    pub(crate) fn of(email: &str, email_verified: bool, name: Option<&str>) -> Result<Self, IdentityError> {
        let email = Email::parse(email).map_err(|error| {
            IdentityError::Failed(anyhow::Error::new(error).context("an identity without a usable email"))
        })?;
        let name = name.and_then(|name| DisplayName::parse(name).ok());
        let local =
            || email.as_str().split('@').next().unwrap_or_default().chars().take(60).collect::<String>();
        let display_name = match name {
            Some(name) => name,
            None => DisplayName::parse(&local()).map_err(|error| IdentityError::Failed(error.into()))?,
        };
        Ok(Self { email, email_verified, display_name })
    }
}

/// The result of a sign-in at an outside provider.
#[derive(Debug, Clone)]
pub struct OutsideSignIn {
    /// For an identity without an account.
    pub profile: Option<Profile>,
    /// The provider's own ID token.
    pub id_token: String,
    /// When the password was entered, in real time and whole seconds.
    pub authenticated_at: Timestamp,
}

/// An identity whose password matched.
#[derive(Debug, Clone)]
pub struct Verified {
    pub uid: Uid,
    /// The PHC text that the password matched, if we store passwords: a session may be opened only
    /// while it is still the account's.
    pub password_hash: Option<String>,
    /// Of a sign-in at an outside provider.
    pub outside: Option<OutsideSignIn>,
}

impl Verified {
    /// Whether the password that matched is still the account's.
    pub(crate) fn holds_for(&self, account: &Account) -> bool {
        account.password_hash == self.password_hash
            && self.outside.as_ref().is_none_or(|outside| account.takes_tokens_of(outside.authenticated_at))
    }
}

/// A new password, for the holder of a recovery code.
#[derive(Debug, Clone)]
pub struct Recovery {
    pub uid: Uid,
    /// The password to store, if we store passwords.
    pub kept: Option<RecoveredPassword>,
    /// The email to which an outside provider's code was mailed.
    pub mailed_to: Option<String>,
}

/// A password to store in the transaction that uses its code.
#[derive(Debug, Clone)]
pub struct RecoveredPassword {
    pub password_hash: String,
    pub code: TokenHash,
}

/// An identity of an outside provider whose current password matched.
#[derive(Debug, Clone)]
pub struct PasswordHolder {
    pub uid: Uid,
    /// The provider's ID token, which allows to set another password.
    pub id_token: SecretString,
}

/// A new password, for an account whose current password matched.
#[derive(Debug, Clone)]
pub struct NewPassword {
    pub uid: Uid,
    /// The PHC text to store, if we store passwords.
    pub password_hash: Option<String>,
    /// The PHC text that the current password matched: replaced only while it is still the
    /// account's.
    pub matched: Option<String>,
}

#[derive(Debug, Clone)]
pub struct NewIdentity {
    pub uid: Uid,
    /// PHC text, if we store passwords.
    pub password_hash: Option<String>,
    /// The ID token of an outside provider.
    pub id_token: Option<String>,
}

/// Why a provider refuses a call.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("email or password do not match")]
    InvalidCredential,
    /// From an outside provider that distinguishes it from a wrong password.
    #[error("no identity has this email")]
    UserNotFound,
    /// From an outside provider that distinguishes it from an unknown email.
    #[error("the password is wrong")]
    WrongPassword,
    #[error("the identity provider refuses the password")]
    WeakPassword,
    #[error("the identity provider refuses the email")]
    InvalidEmail,
    #[error("an account with this email exists")]
    EmailInUse,
    /// The recovery code is unknown, was used, or was replaced by a newer one.
    #[error("the recovery code is not valid")]
    ResetCodeInvalid,
    #[error("the recovery code has expired")]
    ResetCodeExpired,
    /// Too many checks wait or were made; retry after the pause.
    #[error("too many password checks")]
    Busy(Duration),
    #[error("the identity provider does not answer")]
    Unavailable,
    #[error("the store failed")]
    Store(#[from] StoreError),
    #[error("an unexpected failure")]
    Failed(#[source] anyhow::Error),
}

impl WriteError for IdentityError {
    fn as_store(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<IdentityError> for JobError {
    fn from(error: IdentityError) -> Self {
        let why = Causes(&error).to_string();
        match error {
            // Only the operator can decide which of the two identities is the person's.
            IdentityError::EmailInUse => Self::Park("another identity has the corrected email".to_owned()),
            IdentityError::Busy(pause) => Self::RetryAfter(pause, why),
            _ => Self::Retry(why),
        }
    }
}

impl From<IdentityError> for Error {
    fn from(error: IdentityError) -> Self {
        let reason = match error {
            IdentityError::InvalidCredential => ErrorReason::InvalidCredential,
            IdentityError::UserNotFound => ErrorReason::UserNotFound,
            IdentityError::WrongPassword => ErrorReason::WrongPassword,
            IdentityError::WeakPassword => ErrorReason::WeakPassword,
            IdentityError::InvalidEmail => ErrorReason::InvalidEmail,
            IdentityError::EmailInUse => ErrorReason::EmailInUse,
            IdentityError::ResetCodeInvalid => ErrorReason::ResetCodeInvalid,
            IdentityError::ResetCodeExpired => ErrorReason::ResetCodeExpired,
            IdentityError::Busy(pause) => return Self::too_many_requests(pause),
            IdentityError::Unavailable => ErrorReason::ProviderUnavailable,
            IdentityError::Store(error) => return Self::Store(error),
            IdentityError::Failed(cause) => return Self::Internal(cause),
        };
        let refusal = Self::refused(reason, error.to_string());
        if reason == ErrorReason::ProviderUnavailable { refusal.retry_after(RETRY_AFTER) } else { refusal }
    }
}
