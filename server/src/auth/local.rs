//! The identity provider that needs nobody else: passwords in the own database.

use garimpo_domain::person::{Email, Password};

use super::identity::{IdentityError, IdentityProvider, NewIdentity, ProviderFuture};
use super::password_hash::{HashError, PasswordHashing};
use crate::ids::Ids;
use crate::store::Store;

/// Passwords as Argon2id in `accounts`.
pub struct LocalIdentity {
    store: Store,
    ids: Ids,
    hashing: PasswordHashing,
}

impl LocalIdentity {
    /// The provider over a store.
    pub fn new(store: Store, ids: Ids, hashing: PasswordHashing) -> Self {
        Self { store, ids, hashing }
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

    fn sign_in<'a>(&'a self, email: &'a str, password: &'a str) -> ProviderFuture<'a, String> {
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
                Some(account) if matches && password.is_ok() => Ok(account.uid),
                _ => Err(IdentityError::InvalidCredential),
            }
        })
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
