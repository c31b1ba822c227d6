//! The identity provider that needs nobody else: passwords in the own database.

use garimpo_domain::Timestamp;
use garimpo_domain::person::{DisplayName, Email, Password};

use super::identity::{
    IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideToken, Profile, ProviderFuture,
    RecoveredPassword, Recovery, Verified,
};
use super::password_hash::{HashError, PasswordHashing};
use super::{code_mail, sessions};
use crate::app::Parts;
use crate::store::{Account, CodeUse};

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

impl IdentityProvider for LocalIdentity {
    fn sign_up<'a>(
        &'a self,
        email: &'a Email,
        password: &'a Password,
        _: &'a DisplayName,
    ) -> ProviderFuture<'a, NewIdentity> {
        Box::pin(async move {
            // Saves the hash in the common case; the unique index decides the race.
            if self.parts.store.account_by_email(email).await?.is_some() {
                return Err(IdentityError::EmailInUse);
            }
            let password_hash = self.hashing.hash(password.expose()).await?;
            Ok(NewIdentity {
                uid: self.parts.ids.id("usr_"),
                password_hash: Some(password_hash),
                id_token: None,
            })
        })
    }

    fn sign_in<'a>(&'a self, email: &'a str, password: &'a str) -> ProviderFuture<'a, Verified> {
        Box::pin(async move {
            let account = match Email::parse(email) {
                Ok(email) => self.parts.store.account_by_email(&email).await?,
                Err(_) => None,
            };
            // Any length: a minimum that was raised later locks nobody out.
            let password = Password::parse_with_minimum(password, 1);
            let typed = password.as_ref().map_or("", Password::expose);
            let stored = account.as_ref().and_then(|account| account.password_hash.as_deref());
            let matches = self.hashing.verify(typed, stored).await?;
            match account {
                Some(account) if matches && password.is_ok() => {
                    Ok(Verified { uid: account.uid, password_hash: account.password_hash, outside: None })
                }
                _ => Err(IdentityError::InvalidCredential),
            }
        })
    }

    fn request_reset<'a>(&'a self, email: &'a Email) -> ProviderFuture<'a, ()> {
        Box::pin(async move {
            let account = self.parts.store.account_by_email(email).await?;
            // One look-up and one write for everybody: an unknown email leaves the same job, with a uid of nobody's.
            let (key, nobody) = (self.parts.ids.id("pwr_"), self.parts.ids.id("usr_"));
            let uid = account.map_or(nobody, |account| account.uid);
            let now = self.parts.clock.now();
            Ok(code_mail::enqueue(&self.parts.store, CodeUse::PasswordReset, key, uid, now).await?)
        })
    }

    fn reset_code<'a>(
        &'a self,
        account: &'a Account,
        requested_at: Timestamp,
    ) -> ProviderFuture<'a, Option<String>> {
        Box::pin(async move {
            Ok(code_mail::make(&self.parts, CodeUse::PasswordReset, &account.uid, requested_at).await?)
        })
    }

    fn confirm_reset<'a>(&'a self, code: &'a str, password: &'a Password) -> ProviderFuture<'a, Recovery> {
        Box::pin(async move {
            let code = sessions::hash(code);
            let reset = self
                .parts
                .store
                .mailed_code(CodeUse::PasswordReset, &code)
                .await?
                .ok_or(IdentityError::ResetCodeInvalid)?;
            if self.parts.clock.now() >= Timestamp::from_micros(reset.ends_at_us) {
                return Err(IdentityError::ResetCodeExpired);
            }
            // The dear work comes last: only the holder of a code makes the server do it.
            let password_hash = self.hashing.hash(password.expose()).await?;
            Ok(Recovery { uid: reset.uid, kept: Some(RecoveredPassword { password_hash, code }) })
        })
    }

    // Every token of this provider is one of ours.
    fn token<'a>(&'a self, _: &'a str) -> ProviderFuture<'a, Option<OutsideToken>> {
        Box::pin(async { Ok(None) })
    }

    fn profile<'a>(&'a self, _: &'a str) -> ProviderFuture<'a, Option<(String, Profile)>> {
        Box::pin(async { Ok(None) })
    }

    fn change_password<'a>(
        &'a self,
        email: &'a str,
        current: &'a str,
        new: &'a Password,
    ) -> ProviderFuture<'a, NewPassword> {
        Box::pin(async move {
            let Verified { uid, password_hash: matched, .. } = self.sign_in(email, current).await?;
            let password_hash = Some(self.hashing.hash(new.expose()).await?);
            Ok(NewPassword { uid, password_hash, matched })
        })
    }

    /// The password goes with the account's row.
    fn delete<'a>(&'a self, _: &'a str) -> ProviderFuture<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
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
