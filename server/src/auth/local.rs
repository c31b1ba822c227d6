//! The identity provider that needs nobody else: passwords in the own database.

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::person::{Email, Password};

use super::identity::{
    IdentityError, IdentityProvider, NewIdentity, NewPassword, ProviderFuture, RecoveredPassword, Recovery,
    Verified,
};
use super::password_hash::{HashError, PasswordHashing};
use super::{code_mail, sessions};
use crate::app::Parts;
use crate::clock::Clock;
use crate::ids::Ids;
use crate::store::{CodeUse, Store};

/// Passwords as Argon2id in `accounts`.
pub struct LocalIdentity {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    hashing: PasswordHashing,
}

impl LocalIdentity {
    /// The provider over the server's parts.
    pub(crate) fn new(parts: Parts, hashing: PasswordHashing) -> Self {
        let Parts { store, clock, ids } = parts;
        Self { store, clock, ids, hashing }
    }
}

impl IdentityProvider for LocalIdentity {
    fn sign_up<'a>(&'a self, email: &'a Email, password: &'a Password) -> ProviderFuture<'a, NewIdentity> {
        Box::pin(async move {
            // Saves the hash in the common case; the unique index decides the race.
            if self.store.account_by_email(email).await?.is_some() {
                return Err(IdentityError::EmailInUse);
            }
            let password_hash = self.hashing.hash(password.expose()).await?;
            Ok(NewIdentity { uid: self.ids.id("usr_"), password_hash: Some(password_hash) })
        })
    }

    fn sign_in<'a>(&'a self, email: &'a str, password: &'a str) -> ProviderFuture<'a, Verified> {
        Box::pin(async move {
            let account = match Email::parse(email) {
                Ok(email) => self.store.account_by_email(&email).await?,
                Err(_) => None,
            };
            // Any length: a minimum that was raised later locks nobody out.
            let password = Password::parse_with_minimum(password, 1);
            let typed = password.as_ref().map_or("", Password::expose);
            let stored = account.as_ref().and_then(|account| account.password_hash.as_deref());
            let matches = self.hashing.verify(typed, stored).await?;
            match account {
                Some(account) if matches && password.is_ok() => {
                    Ok(Verified { uid: account.uid, password_hash: account.password_hash })
                }
                _ => Err(IdentityError::InvalidCredential),
            }
        })
    }

    fn request_reset<'a>(&'a self, email: &'a Email) -> ProviderFuture<'a, ()> {
        Box::pin(async move {
            let account = self.store.account_by_email(email).await?;
            // One look-up and one write for everybody: an unknown email leaves the same job, with a uid of nobody's.
            let (key, nobody) = (self.ids.id("pwr_"), self.ids.id("usr_"));
            let uid = account.map_or(nobody, |account| account.uid);
            let now = self.clock.now();
            Ok(code_mail::enqueue(&self.store, CodeUse::PasswordReset, key, uid, now).await?)
        })
    }

    fn confirm_reset<'a>(&'a self, code: &'a str, password: &'a Password) -> ProviderFuture<'a, Recovery> {
        Box::pin(async move {
            let code = sessions::hash(code);
            let reset = self
                .store
                .mailed_code(CodeUse::PasswordReset, &code)
                .await?
                .ok_or(IdentityError::ResetCodeInvalid)?;
            if self.clock.now() >= Timestamp::from_micros(reset.ends_at_us) {
                return Err(IdentityError::ResetCodeExpired);
            }
            // The dear work comes last: only the holder of a code makes the server do it.
            let password_hash = self.hashing.hash(password.expose()).await?;
            Ok(Recovery { uid: reset.uid, kept: Some(RecoveredPassword { password_hash, code }) })
        })
    }

    fn change_password<'a>(
        &'a self,
        email: &'a str,
        current: &'a str,
        new: &'a Password,
    ) -> ProviderFuture<'a, NewPassword> {
        Box::pin(async move {
            let Verified { uid, password_hash: matched } = self.sign_in(email, current).await?;
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
