//! AuthService: sign-out and the current session here; every other call in a file of its own:
//! `sign_up`, `sign_in`, `set_session`, `recovery`, `password`, `devices`, `email`,
//! `email_correction`.

use std::sync::Arc;

use garimpo_domain::PasswordPolicy;
use garimpo_proto::SessionChange;
use garimpo_proto::auth::v1 as pb;
use garimpo_proto::auth::v1::auth_service_server::AuthService as Rpc;
use tonic::{Request, Response, Status};

pub(crate) mod adoption;
mod challenge;
pub(crate) mod code_mail;
pub mod devices;
mod email;
pub(crate) mod email_correction;
pub(crate) mod form_fields;
mod identity;
pub(crate) mod identity_toolkit;
mod limits;
pub(crate) mod local;
mod new_account;
mod password;
mod password_hash;
mod recovery;
mod service_tokens;
mod sessions;
mod set_session;
mod sign_in;
mod sign_up;
#[cfg(test)]
mod tests;

pub use identity::{
    IdToken, IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideSignIn, PasswordHolder,
    Profile, RecoveredPassword, Recovery, ResetCode, Verified,
};
pub(crate) use limits::Attempt;
pub use limits::{LimitSettings, Limits};
pub use password_hash::{HashSettings, PasswordHashing};
pub use service_tokens::{NewServiceToken, create_service_token, revoke_service_token, rotate_service_token};
pub use sessions::{ABSOLUTE_DAYS, ID_TOKEN_PREFIX, SESSION_PREFIX, SLIDING_DAYS, Sessions};
pub(crate) use sessions::{FreshSession, Resolved, alive_at, hash as token_hash, session_id};

use crate::audit::{Audit, AuditKind};
use crate::caller::Caller;
use crate::clock::Clock;
use crate::error::Error;
use crate::ids::Ids;
use crate::providers::captcha::Captcha;
use crate::request_id;
use crate::store::{Store, audit_events, ended_tokens, identity as stored, transaction};
use crate::wire::{Reply, timestamp};

#[derive(Clone)]
pub struct AuthService {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub identity: Arc<dyn IdentityProvider>,
    pub sessions: Arc<Sessions>,
    pub limits: Limits,
    pub(crate) audit: Audit,
    pub password_policy: PasswordPolicy,
    /// Provider of the challenge of sign-ups; `None` asks for none.
    pub(crate) captcha: Option<Captcha>,
}

impl AuthService {
    async fn sign_out(&self, request: &Request<pb::SignOutRequest>) -> Reply<pb::SignOutResponse, Error> {
        let caller = Caller::of(request);
        if let Some(identity) = caller.known() {
            let (id, token) = (identity.session_id.clone(), identity.outside_token.clone());
            let event = self.audit.event(AuditKind::SignOut, &identity.uid, &caller);
            transaction!(self.store, (id, token, event), |tx| {
                if let Some(token) = token {
                    ended_tokens::end(tx, &token.id, token.ends_at).await?;
                }
                stored::sessions::delete(tx, id).await?;
                Ok::<_, Error>(audit_events::insert(tx, event).await?)
            })?;
            let ended = identity.outside_token.as_ref().map_or(&*identity.session_id, |token| &token.id);
            self.sessions.invalidate(ended);
        }

        caller.set_session(SessionChange::End);
        Ok(Response::new(pb::SignOutResponse {}))
    }

    fn get_session(&self, caller: &Caller) -> pb::GetSessionResponse {
        let user = caller.known().map(|identity| pb::SessionUser {
            uid: identity.uid.to_string(),
            email: identity.email.clone(),
            display_name: identity.display_name.clone(),
        });
        pb::GetSessionResponse {
            authenticated: user.is_some(),
            user,
            server_time: Some(timestamp(self.clock.now())),
        }
    }

    /// Gives the caller a stored session in the place of the one that it replaced.
    fn give_session(&self, caller: &Caller, session: &FreshSession) {
        if let Some(replaced) = &session.replaced {
            self.sessions.invalidate(replaced);
        }
        caller.set_uid(session.uid());
        caller.set_session(session.change.clone());
    }
}

/// Converts a refusal of the identity provider, and names the field.
fn refused(error: IdentityError, password: &str) -> Error {
    let field = match error {
        IdentityError::WeakPassword => password,
        IdentityError::InvalidEmail => "email",
        _ => return error.into(),
    };
    Error::from(error).with_field(field, "the identity provider refuses it")
}

/// Completes a call even if its client disconnects: once a provider has stored a new password, the
/// sessions of the old one must end here.
pub(crate) async fn run_to_completion<T: Send + 'static, E: Into<Status> + Send + 'static>(
    call: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, Status> {
    let ended = tokio::spawn(request_id::carried(call)).await;
    ended.map_err(Error::internal)?.map_err(Into::into)
}

#[tonic::async_trait]
impl Rpc for AuthService {
    async fn sign_up(&self, request: Request<pb::SignUpRequest>) -> Reply<pb::SignUpResponse> {
        let service = self.clone();
        run_to_completion(async move { Self::sign_up(&service, request).await }).await
    }

    async fn sign_in(&self, request: Request<pb::SignInRequest>) -> Reply<pb::SignInResponse> {
        Ok(Self::sign_in(self, request).await?)
    }

    async fn sign_out(&self, request: Request<pb::SignOutRequest>) -> Reply<pb::SignOutResponse> {
        Ok(Self::sign_out(self, &request).await?)
    }

    async fn get_session(&self, request: Request<pb::GetSessionRequest>) -> Reply<pb::GetSessionResponse> {
        Ok(Response::new(Self::get_session(self, &Caller::of(&request))))
    }

    async fn set_session(&self, request: Request<pb::SetSessionRequest>) -> Reply<pb::SetSessionResponse> {
        Ok(Self::set_session(self, request).await?)
    }

    async fn request_password_reset(
        &self,
        request: Request<pb::RequestPasswordResetRequest>,
    ) -> Reply<pb::RequestPasswordResetResponse> {
        Ok(self.request_reset(request).await?)
    }

    async fn check_password_reset(
        &self,
        request: Request<pb::CheckPasswordResetRequest>,
    ) -> Reply<pb::CheckPasswordResetResponse> {
        Ok(Response::new(self.check_reset(request).await?))
    }

    async fn confirm_password_reset(
        &self,
        request: Request<pb::ConfirmPasswordResetRequest>,
    ) -> Reply<pb::ConfirmPasswordResetResponse> {
        let service = self.clone();
        run_to_completion(async move { service.confirm_reset(request).await }).await
    }

    async fn change_password(
        &self,
        request: Request<pb::ChangePasswordRequest>,
    ) -> Reply<pb::ChangePasswordResponse> {
        let service = self.clone();
        run_to_completion(async move { service.change_own_password(request).await }).await
    }

    async fn list_sessions(
        &self,
        request: Request<pb::ListSessionsRequest>,
    ) -> Reply<pb::ListSessionsResponse> {
        let caller = Caller::of(&request);
        Ok(Response::new(self.list_devices(&caller, &request.into_inner()).await?))
    }

    async fn revoke_session(
        &self,
        request: Request<pb::RevokeSessionRequest>,
    ) -> Reply<pb::RevokeSessionResponse> {
        Ok(self.revoke_devices(request).await?)
    }

    async fn request_email_verification(
        &self,
        request: Request<pb::RequestEmailVerificationRequest>,
    ) -> Reply<pb::RequestEmailVerificationResponse> {
        Ok(Response::new(self.request_verification(&Caller::of(&request)).await?))
    }

    async fn confirm_email(
        &self,
        request: Request<pb::ConfirmEmailRequest>,
    ) -> Reply<pb::ConfirmEmailResponse> {
        Ok(Response::new(self.confirm_address(request).await?))
    }

    async fn correct_email(
        &self,
        request: Request<pb::CorrectEmailRequest>,
    ) -> Reply<pb::CorrectEmailResponse> {
        let service = self.clone();
        run_to_completion(async move { service.correct_address(request).await.map(Response::new) }).await
    }
}
