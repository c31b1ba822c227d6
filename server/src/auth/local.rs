//! The identity provider that needs nobody else: passwords in the own database.

use garimpo_domain::Timestamp;
use garimpo_domain::person::{DisplayName, Email, Password};

use super::identity::{
    IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideToken, PasswordHolder, Profile,
    RecoveredPassword, Recovery, Verified,
};
use super::password_hash::{HashError, PasswordHashing};
use super::{code_mail, sessions};
use crate::app::Parts;
use crate::store::identity::accounts::{self, Account};
use crate::store::identity::mailed_codes::{self, CodeUse};

/// Passwords as Argon2id in `accounts`.
pub struct LocalIdentity {
    parts: Parts,
    hashing: PasswordHashing,
}

impl LocalIdentity {
    /// The provider over the server's parts.
    pub(crate) fn new(parts: Parts, hashing: PasswordHashing) -> Self {
        Self { parts, hashing }
    }
}

#[tonic::async_trait]
impl IdentityProvider for LocalIdentity {
    async fn sign_up(
        &self,
        email: &Email,
        password: &Password,
        _: &DisplayName,
        client: &str,
    ) -> Result<NewIdentity, IdentityError> {
        // Saves the hash in the common case; the unique index decides the race.
        if accounts::by_email(&self.parts.store, email).await?.is_some() {
            return Err(IdentityError::EmailInUse);
        }
        let password_hash = self.hashing.hash(password.expose(), client).await?;
        Ok(NewIdentity { uid: self.parts.ids.id("usr_"), password_hash: Some(password_hash), id_token: None })
    }

    async fn sign_in(&self, email: &str, password: &str, client: &str) -> Result<Verified, IdentityError> {
        let account = match Email::parse(email) {
            Ok(email) => accounts::by_email(&self.parts.store, &email).await?,
            Err(_) => None,
        };
        // Any length: a minimum that was raised later locks nobody out.
        let password = Password::parse_with_minimum(password, 1);
        let typed = password.as_ref().map_or("", Password::expose);
        let stored = account.as_ref().and_then(|account| account.password_hash.as_deref());
        let matches = self.hashing.verify(typed, stored, client).await?;
        match account {
            Some(account) if matches && password.is_ok() => {
                Ok(Verified { uid: account.uid, password_hash: account.password_hash, outside: None })
            }
            _ => Err(IdentityError::InvalidCredential),
        }
    }

    async fn request_reset(&self, email: &Email) -> Result<(), IdentityError> {
        let account = accounts::by_email(&self.parts.store, email).await?;
        // One look-up and one write for everybody: an unknown email leaves the same job, with a uid of nobody's.
        let (key, nobody) = (self.parts.ids.id("pwr_"), self.parts.ids.id("usr_"));
        let uid = account.map_or(nobody, |account| account.uid);
        let now = self.parts.clock.now();
        Ok(code_mail::enqueue(&self.parts.store, CodeUse::PasswordReset, key, uid, now).await?)
    }

    async fn reset_code(
        &self,
        account: &Account,
        requested_at: Timestamp,
    ) -> Result<Option<String>, IdentityError> {
        Ok(code_mail::make(&self.parts, CodeUse::PasswordReset, &account.uid, requested_at).await?)
    }

    async fn reset_holder(&self, _: &str) -> Result<Option<String>, IdentityError> {
        Ok(None)
    }

    async fn confirm_reset(
        &self,
        code: &str,
        _: Option<String>,
        password: &Password,
        client: &str,
    ) -> Result<Recovery, IdentityError> {
        let code = sessions::hash(code);
        let reset = mailed_codes::by_hash(&self.parts.store, CodeUse::PasswordReset, &code)
            .await?
            .ok_or(IdentityError::ResetCodeInvalid)?;
        if self.parts.clock.now() >= Timestamp::from_micros(reset.ends_at_us) {
            return Err(IdentityError::ResetCodeExpired);
        }
        // The dear work comes last: only the holder of a code makes the server do it.
        let password_hash = self.hashing.hash(password.expose(), client).await?;
        Ok(Recovery { uid: reset.uid, kept: Some(RecoveredPassword { password_hash, code }) })
    }

    // Every token of this provider is one of ours.
    async fn token(&self, _: &str) -> Result<Option<OutsideToken>, IdentityError> {
        Ok(None)
    }

    async fn profile(&self, _: &str) -> Result<Option<(String, Profile)>, IdentityError> {
        Ok(None)
    }

    async fn password_holder(&self, _: &str, _: &str) -> Result<Option<PasswordHolder>, IdentityError> {
        Ok(None)
    }

    async fn change_password(
        &self,
        email: &str,
        current: &str,
        _: Option<PasswordHolder>,
        new: &Password,
        client: &str,
    ) -> Result<NewPassword, IdentityError> {
        let Verified { uid, password_hash: matched, .. } = self.sign_in(email, current, client).await?;
        let password_hash = Some(self.hashing.hash(new.expose(), client).await?);
        Ok(NewPassword { uid, password_hash, matched })
    }

    /// The password goes with the account's row.
    async fn delete(&self, _: &str) -> Result<(), IdentityError> {
        Ok(())
    }
}

impl From<HashError> for IdentityError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy(pause) => Self::Busy(pause),
            HashError::Failed(cause) => Self::Failed(cause),
        }
    }
}
