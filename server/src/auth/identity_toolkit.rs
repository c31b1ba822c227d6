//! Google's Identity Toolkit as identity provider: passwords and tokens there, accounts and
//! sessions here.
//!
//! An account's uid is the provider's id of the identity. An identity that was created elsewhere
//! (by another program of the same project, or an older site) gets its account here at its first
//! sign-in or request for a recovery link.

use std::time::Duration;

use garimpo_domain::{DisplayName, Email, Password, Timestamp, Uid};
use secrecy::{ExposeSecret, SecretString};

use super::adoption;
use super::identity::{
    IdToken, IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideSignIn, PasswordHolder,
    Profile, Recovery, ResetCode, Verified,
};
use crate::causes::Causes;
use crate::clock::system_now;
use crate::context::AppContext;
use crate::crash::{self, CrashPoint};
use crate::providers::identity_toolkit::calls::{SignedIn, ToolkitProfile};
use crate::providers::identity_toolkit::{IdentityToolkit, ToolkitError};
use crate::store::accounts;

/// Retry-After of the provider's rate limit, which names no time.
const RATE_LIMIT_PAUSE: Duration = Duration::from_mins(1);

pub(crate) struct ToolkitIdentity {
    pub toolkit: IdentityToolkit,
    pub context: AppContext,
}

impl ToolkitIdentity {
    /// Signs in at the provider.
    async fn verify_password(&self, email: &str, password: &str) -> Result<SignedIn, IdentityError> {
        // Malformed texts are not sent. A password may have any length, because the minimum may
        // change.
        let email = Email::parse(email).map_err(|_| IdentityError::InvalidCredential)?;
        let password =
            Password::parse_with_minimum(password, 1).map_err(|_| IdentityError::InvalidCredential)?;
        self.toolkit.sign_in(&email, &password).await.map_err(|error| match refusal(error) {
            IdentityError::InvalidEmail | IdentityError::WeakPassword => IdentityError::InvalidCredential,
            error => error,
        })
    }

    /// Creates an identity, or signs in to an existing one with the same password, because a
    /// sign-up may have died before its account was stored.
    async fn create_or_sign_in(&self, email: &Email, password: &Password) -> Result<SignedIn, IdentityError> {
        match self.toolkit.sign_up(email, password).await {
            Err(error) if error.is_code("EMAIL_EXISTS") => {
                self.toolkit.sign_in(email, password).await.map_err(|error| match refusal(error) {
                    IdentityError::InvalidCredential
                    | IdentityError::UserNotFound
                    | IdentityError::WrongPassword => IdentityError::EmailInUse,
                    error => error,
                })
            }
            created => created.map_err(refusal),
        }
    }

    /// Sends the name to the provider, and returns the newest ID token. A failure is only logged.
    async fn send_name(&self, id_token: SecretString, name: &DisplayName) -> String {
        let renamed = self.toolkit.rename(&id_token, name).await;
        if let Err(error) = &renamed {
            tracing::warn!(error = %Causes(error), "a name was not sent to the identity provider");
        }
        renamed.ok().flatten().unwrap_or(id_token).expose_secret().to_owned()
    }
}

#[tonic::async_trait]
impl IdentityProvider for ToolkitIdentity {
    async fn sign_up(
        &self,
        email: &Email,
        password: &Password,
        name: &DisplayName,
        _: &str,
    ) -> Result<NewIdentity, IdentityError> {
        // Checked first, so that no identity remains there for an email that is in use here.
        if accounts::by_email(&self.context.store, email).await?.is_some() {
            return Err(IdentityError::EmailInUse);
        }
        let SignedIn { local_id: uid, id_token, .. } = self.create_or_sign_in(email, password).await?;
        let id_token = Some(self.send_name(id_token, name).await);
        crash::point(CrashPoint::IdentityChanged);
        Ok(NewIdentity { uid, password_hash: None, id_token })
    }

    async fn sign_in(&self, email: &str, password: &str, _: &str) -> Result<Verified, IdentityError> {
        let authenticated_at = whole_second(system_now());
        let signed_in = self.verify_password(email, password).await?;
        let (uid, id_token) = (signed_in.local_id, signed_in.id_token.expose_secret().to_owned());
        let profile = match accounts::by_uid(&self.context.store, &uid).await? {
            Some(_) => None,
            None => self.profile(&id_token).await?.map(|(_, profile)| profile),
        };
        let outside = Some(OutsideSignIn { profile, id_token, authenticated_at });
        Ok(Verified { uid, password_hash: None, outside })
    }

    async fn recoverable_account(&self, email: &Email) -> Result<Option<Uid>, IdentityError> {
        let known = self.toolkit.profile_by_email(email).await.map_err(refusal)?.map(read_profile);
        let Some((uid, profile)) = known.transpose()? else {
            // Takes as long as the query for a known email.
            accounts::by_uid(&self.context.store, &Uid::new("")).await?;
            return Ok(None);
        };
        if accounts::by_uid(&self.context.store, &uid).await?.is_some() {
            return Ok(Some(uid));
        }
        match adoption::adopt(&self.context.store, uid.clone(), profile, self.context.clock.now()).await {
            Ok(()) => Ok(Some(uid)),
            Err(IdentityError::EmailInUse) => {
                tracing::warn!(user.id = %uid, "an account of another identity has this identity's email");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn reset_code(&self, email: &str) -> Result<ResetCode, IdentityError> {
        let code = self.toolkit.reset_code(email).await.map_err(refusal)?;
        Ok(ResetCode::Provider(code.map(|code| code.expose_secret().to_owned())))
    }

    async fn check_reset(&self, code: &str) -> Result<Option<Uid>, IdentityError> {
        let email = self.toolkit.reset_check(code).await.map_err(refusal)?;
        let email = Email::parse(&email).map_err(|_| IdentityError::ResetCodeInvalid)?;
        let known = self.toolkit.profile_by_email(&email).await.map_err(refusal)?;
        Ok(Some(known.ok_or(IdentityError::ResetCodeInvalid)?.local_id))
    }

    async fn confirm_reset(
        &self,
        code: &str,
        holder: Option<Uid>,
        password: &Password,
        _: &str,
    ) -> Result<Recovery, IdentityError> {
        let uid = holder.ok_or(IdentityError::ResetCodeInvalid)?;
        let mailed_to = Some(self.toolkit.reset(code, password).await.map_err(refusal)?);
        crash::point(CrashPoint::IdentityChanged);
        next_second().await;
        Ok(Recovery { uid, kept: None, mailed_to })
    }

    async fn password_holder(
        &self,
        email: &str,
        current: &str,
    ) -> Result<Option<PasswordHolder>, IdentityError> {
        let SignedIn { local_id: uid, id_token, .. } = self.verify_password(email, current).await?;
        Ok(Some(PasswordHolder { uid, id_token }))
    }

    async fn change_password(
        &self,
        _: &str,
        _: &str,
        holder: Option<PasswordHolder>,
        new: &Password,
        _: &str,
    ) -> Result<NewPassword, IdentityError> {
        let PasswordHolder { uid, id_token } = holder.ok_or(IdentityError::InvalidCredential)?;
        self.toolkit.set_password(&id_token, new).await.map_err(refusal)?;
        crash::point(CrashPoint::IdentityChanged);
        next_second().await;
        Ok(NewPassword { uid, matched: None, password_hash: None })
    }

    async fn holder_of(&self, email: &Email) -> Result<Option<Uid>, IdentityError> {
        Ok(self.toolkit.profile_by_email(email).await.map_err(refusal)?.map(|known| known.local_id))
    }

    async fn set_email(&self, uid: &Uid, email: &Email) -> Result<(), IdentityError> {
        self.toolkit.set_email(uid, email).await.map_err(refusal)
    }

    async fn delete(&self, uid: &Uid) -> Result<(), IdentityError> {
        self.toolkit.delete(uid).await.map_err(refusal)
    }

    async fn token(&self, token: &str) -> Result<Option<IdToken>, IdentityError> {
        self.toolkit.id_token(token).await.map_err(refusal)
    }

    async fn profile(&self, token: &str) -> Result<Option<(Uid, Profile)>, IdentityError> {
        match self.toolkit.profile_by_token(token).await {
            // An identity without an email (a guest, a phone number) has no account here.
            Ok(known) => Ok(known.and_then(|known| read_profile(known).ok())),
            Err(error) if ENDED.iter().any(|code| error.is_code(code)) => Ok(None),
            Err(error) => Err(refusal(error)),
        }
    }
}

/// The provider's codes for a token whose holder may no longer sign in.
const ENDED: [&str; 5] = [
    "INVALID_ID_TOKEN",
    "TOKEN_EXPIRED",
    "USER_NOT_FOUND",
    "USER_DISABLED",
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
];

fn refusal(error: ToolkitError) -> IdentityError {
    let ToolkitError::Refused { code, .. } = &error else {
        // The call itself has logged it.
        return match error {
            ToolkitError::Unavailable { .. } => IdentityError::Unavailable,
            error => IdentityError::Failed(error.into()),
        };
    };
    match code.as_str() {
        // Not distinguished, because the provider reports USER_DISABLED before it checks the
        // password.
        "INVALID_LOGIN_CREDENTIALS" | "USER_DISABLED" => IdentityError::InvalidCredential,
        "EMAIL_NOT_FOUND" | "USER_NOT_FOUND" => IdentityError::UserNotFound,
        "INVALID_PASSWORD" => IdentityError::WrongPassword,
        "EMAIL_EXISTS" => IdentityError::EmailInUse,
        "WEAK_PASSWORD" | "PASSWORD_DOES_NOT_MEET_REQUIREMENTS" | "MISSING_PASSWORD" => {
            IdentityError::WeakPassword
        }
        "INVALID_EMAIL" | "MISSING_EMAIL" => IdentityError::InvalidEmail,
        "TOO_MANY_ATTEMPTS_TRY_LATER" | "RESET_PASSWORD_EXCEED_LIMIT" => {
            IdentityError::Busy(RATE_LIMIT_PAUSE)
        }
        "INVALID_OOB_CODE" => IdentityError::ResetCodeInvalid,
        "EXPIRED_OOB_CODE" => IdentityError::ResetCodeExpired,
        _ if error.refuses_credentials() => {
            tracing::error!(
                %error,
                "the identity provider refuses us: see GARIMPO_IDENTITY_API_KEY and GARIMPO_IDENTITY_CREDENTIALS"
            );
            IdentityError::Unavailable
        }
        // A project that is set up otherwise than we need it (OPERATION_NOT_ALLOWED), or a defect
        // of ours.
        _ => IdentityError::Failed(error.into()),
    }
}

fn read_profile(known: ToolkitProfile) -> Result<(Uid, Profile), IdentityError> {
    let email = known.email.unwrap_or_default();
    let profile = Profile::of(&email, known.email_verified, known.display_name.as_deref())?;
    Ok((known.local_id, profile))
}

/// Waits until the next second. The times in tokens are whole seconds, so tokens of the new
/// password must be of a later second than those of the old one.
async fn next_second() {
    const SECOND: i64 = 1_000_000;
    let left = SECOND - system_now().as_micros().rem_euclid(SECOND);
    tokio::time::sleep(Duration::from_micros(left as u64)).await;
}

/// Rounds down, as times in tokens are.
fn whole_second(at: Timestamp) -> Timestamp {
    Timestamp::from_unix_seconds(at.as_unix_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: &str, status: u16) -> IdentityError {
        refusal(ToolkitError::Refused { status, code: code.to_owned() })
    }

    #[test]
    fn each_provider_error_code_maps_to_its_reason() {
        use garimpo_proto::errors::v1::ErrorReason as R;
        for (code, reason) in [
            ("INVALID_LOGIN_CREDENTIALS", R::InvalidCredential),
            ("USER_DISABLED", R::InvalidCredential),
            ("EMAIL_NOT_FOUND", R::UserNotFound),
            ("INVALID_PASSWORD", R::WrongPassword),
            ("EMAIL_EXISTS", R::EmailInUse),
            ("WEAK_PASSWORD", R::WeakPassword),
            ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", R::WeakPassword),
            ("INVALID_EMAIL", R::InvalidEmail),
            ("TOO_MANY_ATTEMPTS_TRY_LATER", R::TooManyRequests),
            ("INVALID_OOB_CODE", R::ResetCodeInvalid),
            ("EXPIRED_OOB_CODE", R::ResetCodeExpired),
            ("OPERATION_NOT_ALLOWED", R::Internal),
            ("PASSWORD_LOGIN_DISABLED", R::Internal),
            ("CONFIGURATION_NOT_FOUND", R::Internal),
            ("", R::Internal),
            ("API_KEY_INVALID", R::ProviderUnavailable),
        ] {
            assert_eq!(crate::error::Error::from(read(code, 400)).reason(), reason, "{code}");
        }
        let ours = crate::error::Error::from(read("PERMISSION_DENIED", 403));
        assert_eq!(ours.reason(), R::ProviderUnavailable);
        assert!(crate::error::Error::from(read("TOO_MANY_ATTEMPTS_TRY_LATER", 400)).pause().is_some());
    }

    #[test]
    fn a_profile_without_a_name_gets_the_local_part_of_its_email() {
        let named = |name| Profile::of("Ana@Exemplo.com.br", false, name).expect("a profile").display_name;

        assert_eq!(named(Some(" Ana Souza ")).as_str(), "Ana Souza");
        for name in [None, Some(""), Some("  ")] {
            assert_eq!(named(name).as_str(), "ana");
        }
        assert!(Profile::of("", false, None).is_err());
    }

    #[test]
    fn an_identity_whose_email_no_mail_can_reach_gets_no_account() {
        for unreachable in ["josé@exemplo.com.br", "a..b@exemplo.com.br", "ana@-x.com"] {
            assert!(Profile::of(unreachable, true, Some("Ana")).is_err(), "{unreachable}");
        }
    }
}
