//! Where passwords are kept and checked: here, or at an outside provider.

use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::person::{DisplayName, Email, Password};
use garimpo_proto::errors::v1::ErrorReason;
use secrecy::SecretString;

use crate::error::Error;
use crate::store::StoreError;
use crate::store::identity::accounts::Account;
use crate::store::identity::sessions::TokenHash;

/// When to ask a provider again that does not answer.
const COME_AGAIN: Duration = Duration::from_secs(2);

/// Makes and checks identities. Two implementations: `local`, and Google's Identity Toolkit.
#[tonic::async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Makes an identity; the account is stored by the caller, where the email's unique index decides.
    ///
    /// # Errors
    /// MUST answer [`IdentityError::EmailInUse`] for a known email.
    async fn sign_up(
        &self,
        email: &Email,
        password: &Password,
        name: &DisplayName,
        client: &str,
    ) -> Result<NewIdentity, IdentityError>;

    /// Checks an email and password as typed. `client` is the address or network of the caller: clients
    /// take turns where the work is dear.
    ///
    /// # Errors
    /// MUST take the same time for an unknown email as for a wrong password, unless it tells them apart.
    async fn sign_in(&self, email: &str, password: &str, client: &str) -> Result<Verified, IdentityError>;

    /// Sees to it that whoever reads the mails of this address gets a recovery link, if it is an account's.
    ///
    /// MUST answer alike for known and unknown emails, and take the same time.
    async fn request_reset(&self, email: &Email) -> Result<(), IdentityError>;

    /// Makes the code of a recovery link, at the moment at which its mail leaves; `None` where a later request has its
    /// code already, or there is nothing to recover.
    async fn reset_code(
        &self,
        account: &Account,
        requested_at: Timestamp,
    ) -> Result<Option<String>, IdentityError>;

    /// The holder of a recovery code, where the provider keeps passwords: the caller ends what
    /// rests on the old password before a new one is set there, because the process may die between
    /// the two. `None` where the caller's one transaction does both.
    ///
    /// # Errors
    /// As [`IdentityProvider::confirm_reset`].
    async fn reset_holder(&self, code: &str) -> Result<Option<String>, IdentityError>;

    /// Checks a recovery code and readies the new password, or sets it for its holder where the
    /// provider keeps passwords; the caller stores what is to be kept in one transaction.
    ///
    /// # Errors
    /// [`IdentityError::ResetCodeInvalid`] for a code that never was, was used or is void,
    /// [`IdentityError::ResetCodeExpired`] for one that came too late.
    async fn confirm_reset(
        &self,
        code: &str,
        holder: Option<String>,
        password: &Password,
        client: &str,
    ) -> Result<Recovery, IdentityError>;

    /// Checks the current password as typed, where the provider keeps passwords: the caller ends what
    /// rests on it before a new one is set there, because the process may die between the two.
    /// `None` where the caller's one transaction does both.
    ///
    /// # Errors
    /// As [`IdentityProvider::sign_in`] for a current password that does not match.
    async fn password_holder(
        &self,
        email: &str,
        current: &str,
    ) -> Result<Option<PasswordHolder>, IdentityError>;

    /// Checks the current password as typed and readies the new one, or sets it for its holder where the
    /// provider keeps passwords; the caller stores what is to be kept in one transaction.
    ///
    /// # Errors
    /// As [`IdentityProvider::sign_in`] for a current password that does not match.
    async fn change_password(
        &self,
        email: &str,
        current: &str,
        holder: Option<PasswordHolder>,
        new: &Password,
        client: &str,
    ) -> Result<NewPassword, IdentityError>;

    /// Removes an identity whose account was deleted here. A job calls it, and may call it again: an identity that is
    /// gone is a success.
    async fn delete(&self, uid: &str) -> Result<(), IdentityError>;

    /// Checks a bearer token that is none of ours; `None` where it proves nothing.
    ///
    /// MUST be fast and ask nobody, but for keys that change from time to time.
    async fn token(&self, token: &str) -> Result<Option<OutsideToken>, IdentityError>;

    /// The uid of a checked token's holder and what the provider knows of them now; `None` for one who may come in no
    /// more.
    async fn profile(&self, token: &str) -> Result<Option<(String, Profile)>, IdentityError>;
}

/// What an outside provider knows of an identity: an account is made of it the first time that it comes here.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Email, not necessarily its holder's.
    pub email: Email,
    /// Whether the provider knows that it is its holder's.
    pub email_verified: bool,
    /// Name to greet with.
    pub display_name: DisplayName,
}

/// An ID token that an outside provider issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideToken {
    /// Opaque id.
    pub uid: String,
    /// When its holder showed the password: one from before its last change opens nothing.
    pub authenticated_at: Timestamp,
    /// When it ends, in real time.
    pub ends_at: Timestamp,
}

/// What comes with a sign-in at an outside provider.
#[derive(Debug, Clone)]
pub struct OutsideSignIn {
    /// What an account is made of, where there is none yet.
    pub profile: Option<Profile>,
    /// The provider's own ID token.
    pub id_token: String,
    /// When the password was asked for, in real time and whole seconds.
    pub authenticated_at: Timestamp,
}

/// An identity whose password matched.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Opaque id.
    pub uid: String,
    /// The PHC text that it matched, where this product keeps the password: while it is still the account's, a
    /// session may rest on it.
    pub password_hash: Option<String>,
    /// What came along, where an outside provider keeps the password.
    pub outside: Option<OutsideSignIn>,
}

impl Verified {
    /// Whether the password that matched is the account's still.
    pub(crate) fn holds_for(&self, account: &Account) -> bool {
        account.password_hash == self.password_hash
            && self.outside.as_ref().is_none_or(|outside| account.takes_tokens_of(outside.authenticated_at))
    }
}

/// A new password for an account whose holder has shown a recovery code.
#[derive(Debug, Clone)]
pub struct Recovery {
    /// Opaque id.
    pub uid: String,
    /// What is to be stored, where this product keeps the password.
    pub kept: Option<RecoveredPassword>,
}

/// A password to be stored in the transaction that uses up its code.
#[derive(Debug, Clone)]
pub struct RecoveredPassword {
    /// PHC text.
    pub password_hash: String,
    /// Hash of the code.
    pub code: TokenHash,
}

/// Whose current password matched, at a provider that keeps passwords.
#[derive(Debug, Clone)]
pub struct PasswordHolder {
    /// Opaque id.
    pub uid: String,
    /// The provider's own ID token, which lets the holder set another password.
    pub id_token: SecretString,
}

/// A new password for an account whose holder has typed the current one.
#[derive(Debug, Clone)]
pub struct NewPassword {
    /// Opaque id.
    pub uid: String,
    /// The PHC text to be stored, where this product keeps the password.
    pub password_hash: Option<String>,
    /// The PHC text that the current password matched: it is replaced only while it is still the account's.
    pub matched: Option<String>,
}

/// A new identity.
#[derive(Debug, Clone)]
pub struct NewIdentity {
    /// Opaque id.
    pub uid: String,
    /// PHC text, where this product keeps the password.
    pub password_hash: Option<String>,
    /// The provider's own ID token, where an outside one issues them.
    pub id_token: Option<String>,
}

/// Why a provider says no.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// Email or password do not match.
    #[error("email or password do not match")]
    InvalidCredential,
    /// No identity has this email, from a provider that tells.
    #[error("no identity has this email")]
    UserNotFound,
    /// The password is wrong, from a provider that tells.
    #[error("the password is wrong")]
    WrongPassword,
    /// The provider refuses the new password.
    #[error("the password is refused")]
    WeakPassword,
    /// The provider refuses the email.
    #[error("the email is refused")]
    InvalidEmail,
    /// An account has this email.
    #[error("the email is in use")]
    EmailInUse,
    /// The recovery code never was, was used, or a newer one took its place.
    #[error("the recovery code is not valid")]
    ResetCodeInvalid,
    /// The recovery code came too late.
    #[error("the recovery code has expired")]
    ResetCodeExpired,
    /// Too many checks wait, or were made; come back after this.
    #[error("too many password checks")]
    Busy(Duration),
    /// The provider does not answer.
    #[error("the identity provider does not answer")]
    Unavailable,
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
            IdentityError::UserNotFound => {
                Self::refused(ErrorReason::UserNotFound, "no identity has this email")
            }
            IdentityError::WrongPassword => {
                Self::refused(ErrorReason::WrongPassword, "the password is wrong")
            }
            IdentityError::WeakPassword => {
                Self::refused(ErrorReason::WeakPassword, "the identity provider refuses the password")
            }
            IdentityError::InvalidEmail => {
                Self::refused(ErrorReason::InvalidEmail, "the identity provider refuses the email")
            }
            IdentityError::EmailInUse => {
                Self::refused(ErrorReason::EmailInUse, "an account with this email exists")
            }
            IdentityError::ResetCodeInvalid => {
                Self::refused(ErrorReason::ResetCodeInvalid, "the recovery code is not valid")
            }
            IdentityError::ResetCodeExpired => {
                Self::refused(ErrorReason::ResetCodeExpired, "the recovery code has expired")
            }
            IdentityError::Busy(pause) => Self::too_many_requests(pause),
            IdentityError::Unavailable => {
                let unavailable = "the identity provider does not answer";
                Self::refused(ErrorReason::ProviderUnavailable, unavailable).retry_after(COME_AGAIN)
            }
            IdentityError::Store(error) => Self::Store(error),
            IdentityError::Failed(cause) => Self::Internal(cause),
        }
    }
}
