//! The local identity provider: passwords in our database.

use garimpo_domain::{DisplayName, Email, Password, Uid};

use super::identity::{
    IdToken, IdentityError, IdentityProvider, NewIdentity, NewPassword, PasswordHolder, Profile,
    RecoveredPassword, Recovery, ResetCode, Verified,
};
use super::password_hash::PasswordHashing;
use super::sessions;
use crate::context::AppContext;
use crate::store::identity::sessions::TokenHash;
use crate::store::{CodeUse, MailedCode, accounts, mailed_codes};

/// Passwords as Argon2id in `accounts`.
pub(crate) struct LocalIdentity {
    pub context: AppContext,
    pub hashing: PasswordHashing,
}

impl LocalIdentity {
    /// The recovery of a code that still counts.
    async fn reset_of(&self, code: &TokenHash) -> Result<MailedCode, IdentityError> {
        let known = mailed_codes::by_hash(&self.context.store, CodeUse::PasswordReset, code).await?;
        let reset = known.ok_or(IdentityError::ResetCodeInvalid)?;
        if self.context.clock.now() >= reset.ends_at {
            return Err(IdentityError::ResetCodeExpired);
        }
        Ok(reset)
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
        // Avoids the hash in the common case; the unique index decides a race.
        if accounts::by_email(&self.context.store, email).await?.is_some() {
            return Err(IdentityError::EmailInUse);
        }
        let password_hash = self.hashing.hash(password.expose(), client).await?;
        Ok(NewIdentity {
            uid: Uid::new(self.context.ids.id("usr_")),
            password_hash: Some(password_hash),
            id_token: None,
        })
    }

    async fn sign_in(&self, email: &str, password: &str, client: &str) -> Result<Verified, IdentityError> {
        let account = match Email::parse(email) {
            Ok(email) => accounts::by_email(&self.context.store, &email).await?,
            Err(_) => None,
        };
        // Any length, so that a minimum that was raised later locks no account out.
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

    async fn recoverable_account(&self, email: &Email) -> Result<Option<Uid>, IdentityError> {
        Ok(accounts::by_email(&self.context.store, email).await?.map(|account| account.uid))
    }

    async fn reset_code(&self, _: &str) -> Result<ResetCode, IdentityError> {
        Ok(ResetCode::Ours)
    }

    async fn check_reset(&self, code: &str) -> Result<Option<Uid>, IdentityError> {
        self.reset_of(&sessions::hash(code)).await.map(|_| None)
    }

    async fn confirm_reset(
        &self,
        code: &str,
        _: Option<Uid>,
        password: &Password,
        client: &str,
    ) -> Result<Recovery, IdentityError> {
        let code = sessions::hash(code);
        let reset = self.reset_of(&code).await?;
        // Expensive work comes last, so that only the holder of a code causes it.
        let password_hash = self.hashing.hash(password.expose(), client).await?;
        let kept = Some(RecoveredPassword { password_hash, code });
        Ok(Recovery { uid: reset.uid, kept, mailed_to: None })
    }

    // This provider issues no tokens of its own.
    async fn token(&self, _: &str) -> Result<Option<IdToken>, IdentityError> {
        Ok(None)
    }

    async fn profile(&self, _: &str) -> Result<Option<(Uid, Profile)>, IdentityError> {
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

    /// The password is deleted with the account's row.
    async fn holder_of(&self, _: &Email) -> Result<Option<Uid>, IdentityError> {
        Ok(None)
    }

    async fn set_email(&self, _: &Uid, _: &Email) -> Result<(), IdentityError> {
        Ok(())
    }

    async fn delete(&self, _: &Uid) -> Result<(), IdentityError> {
        Ok(())
    }
}
