//! AuthService: sign-out and who one is here, and a file for each other thing that is done about an account: `sign_up`,
//! `sign_in`, `set_session`, `recovery`, `password`, `devices`, `email`.

use std::sync::Arc;

use garimpo_domain::person::{Email, PasswordPolicy};
use garimpo_proto::auth::v1 as pb;
use garimpo_proto::auth::v1::auth_service_server::AuthService as Rpc;
use tonic::{Request, Response, Status};

mod adoption;
pub(crate) mod code_mail;
mod devices;
mod email;
pub(crate) mod fair_queue;
mod identity;
mod identity_toolkit;
mod limits;
mod local;
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

pub use devices::account_sessions_end;
pub use identity::{
    IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideSignIn, OutsideToken, PasswordHolder,
    Profile, RecoveredPassword, Recovery, Verified,
};
pub use identity_toolkit::ToolkitIdentity;
pub(crate) use limits::Attempt;
pub use limits::{LimitSettings, Limits};
pub use local::LocalIdentity;
pub use password_hash::{HashSettings, PasswordHashing};
pub use service_tokens::{NewServiceToken, service_token_create, service_token_revoke, service_token_rotate};
pub use sessions::{
    ABSOLUTE_DAYS, ID_TOKEN_PREFIX, SERVICE_PREFIX, SESSION_PREFIX, SLIDING_DAYS, SessionGrant, Sessions,
};
pub(crate) use sessions::{
    FreshSession, Resolved, alive_at, clear_session_metadata, hash as token_hash, set_session_metadata,
};

use crate::audit::{Audit, AuditKind};
use crate::caller::{Caller, Principal, tell_uid};
use crate::clock::Clock;
use crate::error::Error;
use crate::ids::Ids;
use crate::request_id;
use crate::store::Store;
use crate::store::identity::{self as stored, audit_events, ended_tokens};
use crate::wire::timestamp;

/// The service over its parts.
#[derive(Clone)]
pub struct AuthService {
    /// The database.
    pub store: Store,
    /// The product's clock.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: Ids,
    /// Where passwords are.
    pub identity: Arc<dyn IdentityProvider>,
    /// Sessions and tokens.
    pub sessions: Arc<Sessions>,
    /// How often one may try.
    pub limits: Limits,
    /// What is told of it.
    pub(crate) audit: Audit,
    /// What a new password must be.
    pub password_policy: PasswordPolicy,
}

impl AuthService {
    async fn sign_out(
        &self,
        request: &Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Error> {
        let caller = Caller::of(request);
        if let Some(identity) = caller.known() {
            let (id, token) = (identity.session_id.clone(), identity.outside_token.clone());
            let event = self.audit.event(AuditKind::SignOut, &identity.uid, &caller);
            self.store
                .write((), move |tx, ()| {
                    let (id, token, event) = (id.clone(), token.clone(), event.clone());
                    Box::pin(async move {
                        if let Some(token) = token {
                            ended_tokens::end(tx, &token.id, token.ends_at.as_micros()).await?;
                        }
                        stored::sessions::delete(tx, &id).await?;
                        Ok::<_, Error>(audit_events::insert(tx, &event).await?)
                    })
                })
                .await?;
            let ended = identity.outside_token.as_ref().map_or(&identity.session_id, |token| &token.id);
            self.sessions.ended(ended);
        }

        let mut response = Response::new(pb::SignOutResponse {});
        if caller.trusted {
            clear_session_metadata(response.metadata_mut().as_mut());
        }
        Ok(response)
    }

    fn get_session(&self, caller: &Caller) -> pb::GetSessionResponse {
        let user = caller.known().map(|identity| pb::SessionUser {
            uid: identity.uid.clone(),
            email: identity.email.clone(),
            display_name: identity.display_name.clone(),
        });
        pb::GetSessionResponse {
            authenticated: user.is_some(),
            user,
            server_time: Some(timestamp(self.clock.now())),
        }
    }
}

/// A refusal of the identity provider, with the field that it is about.
fn refused(error: IdentityError, password: &str) -> Error {
    let field = match error {
        IdentityError::WeakPassword => password,
        IdentityError::InvalidEmail => "email",
        _ => return error.into(),
    };
    Error::from(error).with_field(field, "the identity provider refuses it")
}

/// Runs a call to its end, also when whoever made it has gone: a password that a provider has taken ends here what
/// rested on the one of before.
pub(crate) async fn to_the_end<T: Send + 'static, E: Into<Status> + Send + 'static>(
    call: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, Status> {
    let ended = tokio::spawn(request_id::carried(call)).await;
    ended.map_err(Error::internal)?.map_err(Into::into)
}

fn session_user(uid: &str, email: &Email, display_name: &str) -> pb::SessionUser {
    pb::SessionUser {
        uid: uid.to_owned(),
        email: email.as_str().to_owned(),
        display_name: display_name.to_owned(),
    }
}

/// The session that the call's cookie carries, if it does.
fn session_id(caller: &Caller) -> Option<String> {
    match &caller.principal {
        Principal::Session(identity) => Some(identity.session_id.clone()),
        _ => None,
    }
}

/// The answer to who came in: the account for the gateway's log, the session for its cookie.
fn with_fresh_session<T>(answer: T, caller: &Caller, session: &FreshSession) -> Response<T> {
    let mut response = Response::new(answer);
    tell_uid(response.metadata_mut().as_mut(), session.uid());
    with_session(response, caller, &session.grant)
}

/// Adds the session for the gateway; a caller on the wire has no use for a cookie.
fn with_session<T>(mut response: Response<T>, caller: &Caller, grant: &SessionGrant) -> Response<T> {
    if caller.trusted {
        set_session_metadata(response.metadata_mut().as_mut(), grant);
    }
    response
}

#[tonic::async_trait]
impl Rpc for AuthService {
    async fn sign_up(
        &self,
        request: Request<pb::SignUpRequest>,
    ) -> Result<Response<pb::SignUpResponse>, Status> {
        let service = self.clone();
        to_the_end(async move { Self::sign_up(&service, request).await }).await
    }

    async fn sign_in(
        &self,
        request: Request<pb::SignInRequest>,
    ) -> Result<Response<pb::SignInResponse>, Status> {
        Ok(Self::sign_in(self, request).await?)
    }

    async fn sign_out(
        &self,
        request: Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Status> {
        Ok(Self::sign_out(self, &request).await?)
    }

    async fn get_session(
        &self,
        request: Request<pb::GetSessionRequest>,
    ) -> Result<Response<pb::GetSessionResponse>, Status> {
        Ok(Response::new(Self::get_session(self, &Caller::of(&request))))
    }

    async fn set_session(
        &self,
        request: Request<pb::SetSessionRequest>,
    ) -> Result<Response<pb::SetSessionResponse>, Status> {
        Ok(Self::set_session(self, request).await?)
    }

    async fn request_password_reset(
        &self,
        request: Request<pb::RequestPasswordResetRequest>,
    ) -> Result<Response<pb::RequestPasswordResetResponse>, Status> {
        Ok(self.request_reset(request).await?)
    }

    async fn confirm_password_reset(
        &self,
        request: Request<pb::ConfirmPasswordResetRequest>,
    ) -> Result<Response<pb::ConfirmPasswordResetResponse>, Status> {
        let service = self.clone();
        to_the_end(async move { service.confirm_reset(request).await }).await
    }

    async fn change_password(
        &self,
        request: Request<pb::ChangePasswordRequest>,
    ) -> Result<Response<pb::ChangePasswordResponse>, Status> {
        let service = self.clone();
        to_the_end(async move { service.password_change(request).await }).await
    }

    async fn list_sessions(
        &self,
        request: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        let caller = Caller::of(&request);
        Ok(Response::new(self.sessions_list(&caller, &request.into_inner()).await?))
    }

    async fn revoke_session(
        &self,
        request: Request<pb::RevokeSessionRequest>,
    ) -> Result<Response<pb::RevokeSessionResponse>, Status> {
        Ok(self.session_revoke(request).await?)
    }

    async fn request_email_verification(
        &self,
        request: Request<pb::RequestEmailVerificationRequest>,
    ) -> Result<Response<pb::RequestEmailVerificationResponse>, Status> {
        Ok(Response::new(self.verification_request(&Caller::of(&request)).await?))
    }

    async fn confirm_email(
        &self,
        request: Request<pb::ConfirmEmailRequest>,
    ) -> Result<Response<pb::ConfirmEmailResponse>, Status> {
        Ok(Response::new(self.email_confirm(request).await?))
    }
}
