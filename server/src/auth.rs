//! AuthService: sign-up, sign-in, sessions. What an account does about them later has a file each: `recovery`,
//! `password`, `devices`, `email`.

use std::sync::Arc;

use adoption::{adopt, adopt_in_tx};
use garimpo_domain::Timestamp;
use garimpo_domain::person::{DisplayName, Email, EmailError, Password, PasswordPolicy, Phone};
use garimpo_proto::auth::v1 as pb;
use garimpo_proto::auth::v1::auth_service_server::AuthService as Rpc;
use garimpo_proto::errors::v1::ErrorReason;
use tonic::{Request, Response, Status};

mod adoption;
pub(crate) mod code_mail;
mod devices;
mod email;
mod identity;
mod identity_toolkit;
mod limits;
mod local;
mod password;
mod password_hash;
mod recent;
mod recovery;
mod service_tokens;
mod sessions;
#[cfg(test)]
mod tests;

pub use devices::account_sessions_end;
pub use identity::{
    IdentityError, IdentityProvider, NewIdentity, NewPassword, OutsideSignIn, OutsideToken, Profile,
    ProviderFuture, RecoveredPassword, Recovery, Verified,
};
pub use identity_toolkit::ToolkitIdentity;
pub(crate) use limits::Attempt;
pub use limits::{LimitSettings, Limits};
pub use local::LocalIdentity;
pub use password_hash::{HashSettings, PasswordHashing};
pub use service_tokens::{NewServiceToken, service_token_create, service_token_revoke, service_token_rotate};
pub(crate) use sessions::{FreshSession, Resolved, clear_session_metadata, set_session_metadata};
pub use sessions::{ID_TOKEN_PREFIX, SERVICE_PREFIX, SESSION_PREFIX, SessionCookie, Sessions};

use crate::audit::{Audit, AuditEvent, AuditKind};
use crate::caller::{Caller, Identity, Principal, not_yours, tell_uid};
use crate::clock::Clock;
use crate::crash::{self, CrashPoint};
use crate::email_hash::had_account_in_tx;
use crate::error::{Error, Violations};
use crate::ids::Ids;
use crate::request_id;
use crate::store::{
    Account, CodeUse, NewAccount, Store, UniqueViolation as _, account_hold_in_tx, account_insert_in_tx,
    audit_insert_in_tx, session_delete_in_tx, session_exists_in_tx, token_end_in_tx, token_is_ended_in_tx,
};
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

/// The fields of a sign-up, read.
struct SignUp {
    email: Email,
    password: Password,
    display_name: DisplayName,
    phone: Option<Phone>,
}

impl AuthService {
    async fn sign_up(
        &self,
        request: Request<pb::SignUpRequest>,
    ) -> Result<Response<pb::SignUpResponse>, Error> {
        let caller = Caller::of(&request);
        let form = read_sign_up(&request.into_inner(), &self.password_policy)?;

        self.limits.sign_up(&caller.limit_address()).await?;
        let identity = self.identity.sign_up(&form.email, &form.password, &form.display_name).await;
        let identity = identity.map_err(|error| refused(error, "password"))?;
        let session = self.sessions.fresh(&identity.uid, &caller).with_id_token(identity.id_token);
        let user = session_user(&identity.uid, &form.email, form.display_name.as_str());
        let account = NewAccount {
            uid: identity.uid,
            email: form.email,
            password_hash: identity.password_hash,
            display_name: form.display_name,
            phone: form.phone,
            created_at: self.clock.now(),
        };
        let event = self.audit.event(AuditKind::SignUp, &account.uid, &caller);
        self.account_store(account, &session, &caller, event).await?;
        crash::point(CrashPoint::SessionStored);

        let answer = pb::SignUpResponse { user: Some(user), id_token: session.id_token.clone() };
        Ok(with_fresh_session(answer, &caller, &session))
    }

    /// Writes account, record and session in one transaction, and asks for the mail that confirms the email; a session
    /// of the same cookie ends.
    async fn account_store(
        &self,
        account: NewAccount,
        session: &FreshSession,
        caller: &Caller,
        event: AuditEvent,
    ) -> Result<(), Error> {
        let (session, old) = (session.clone(), session_id(caller));
        let confirmation = self.ids.id("emc_");
        self.store
            .write(move |tx| {
                let (account, session, old) = (account.clone(), session.clone(), old.clone());
                let (confirmation, event) = (confirmation.clone(), event.clone());
                Box::pin(async move {
                    let (uid, created_at) = (account.uid.clone(), account.created_at);
                    let in_use = || IdentityError::EmailInUse;
                    let had_trial = had_account_in_tx(tx, &account.email).await?;
                    account_insert_in_tx(tx, account, had_trial)
                        .await
                        .unique_violation_as(Error::from(in_use()))?;
                    session.insert_in_tx(tx).await?;
                    if let Some(old) = old {
                        session_delete_in_tx(tx, &old).await?;
                    }
                    audit_insert_in_tx(tx, &event).await?;
                    let code_use = CodeUse::EmailConfirmation;
                    Ok::<_, Error>(
                        code_mail::enqueue_in_tx(tx, code_use, confirmation, &uid, created_at).await?,
                    )
                })
            })
            .await?;
        if let Some(old) = session_id(caller) {
            self.sessions.ended(&old);
        }
        Ok(())
    }

    async fn sign_in(
        &self,
        request: Request<pb::SignInRequest>,
    ) -> Result<Response<pb::SignInResponse>, Error> {
        let caller = Caller::of(&request);
        let typed = request.into_inner();
        let mut violations = Violations::new();
        let email = Email::parse(&typed.email);
        if email == Err(EmailError::Missing) {
            violations.add("email", ErrorReason::InvalidArgument, "email is missing");
        }
        if typed.password.is_empty() {
            violations.add("password", ErrorReason::InvalidArgument, "password is missing");
        }
        violations.refuse()?;

        // Counted as it is looked up: another way to write an email must not open another counter.
        let subject = email.map_or(typed.email.trim().to_lowercase(), |email| email.as_str().to_owned());
        let failed = self.audit.event_of_email(AuditKind::SignInFailed, &subject, &caller);
        let attempt = self.limits.sign_in(&subject, &caller.limit_address(), failed).await?;
        let verified = self.identity.sign_in(&typed.email, &typed.password).await;
        let verified = attempt.answered(&self.store, verified).await?;
        let issued = verified.outside.as_ref().map(|outside| outside.id_token.clone());
        let session = self.sessions.fresh(&verified.uid, &caller).with_id_token(issued);
        let (stored, old, now) = (session.clone(), session_id(&caller), self.clock.now());
        let account = self
            .store
            .write(move |tx| {
                let (stored, attempt, old) = (stored.clone(), attempt.clone(), old.clone());
                let verified = verified.clone();
                Box::pin(async move {
                    let arrives = verified.outside.as_ref().and_then(|outside| outside.profile.as_ref());
                    let account = match arrives {
                        Some(profile) => adopt_in_tx(tx, &verified.uid, profile, now).await?,
                        None => account_hold_in_tx(tx, &verified.uid).await?,
                    };
                    // A password that was replaced since it matched opens nothing any more.
                    let account = account
                        .filter(|account| verified.holds_for(account))
                        .ok_or(IdentityError::InvalidCredential)?;
                    attempt.became_in_tx(tx, AuditKind::SignIn, &account.uid).await?;
                    stored.insert_in_tx(tx).await?;
                    // Rotated at sign-in: the token of before is worth nothing any more.
                    if let Some(old) = old {
                        session_delete_in_tx(tx, &old).await?;
                    }
                    Ok::<_, Error>(account)
                })
            })
            .await?;
        if let Some(old) = session_id(&caller) {
            self.sessions.ended(&old);
        }
        crash::point(CrashPoint::SessionStored);

        let user =
            pb::SessionUser { uid: account.uid, email: account.email, display_name: account.display_name };
        let answer = pb::SignInResponse { user: Some(user), id_token: session.id_token.clone() };
        Ok(with_fresh_session(answer, &caller, &session))
    }

    async fn sign_out(
        &self,
        request: &Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Error> {
        let caller = Caller::of(request);
        if let Some(identity) = caller.known() {
            let (id, token) = (identity.session_id.clone(), identity.outside_token.clone());
            let event = self.audit.event(AuditKind::SignOut, &identity.uid, &caller);
            self.store
                .write(move |tx| {
                    let (id, token, event) = (id.clone(), token.clone(), event.clone());
                    Box::pin(async move {
                        if let Some(token) = token {
                            token_end_in_tx(tx, &token.id, token.ends_at.as_micros()).await?;
                        }
                        session_delete_in_tx(tx, &id).await?;
                        Ok::<_, Error>(audit_insert_in_tx(tx, &event).await?)
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

    async fn set_session(
        &self,
        request: Request<pb::SetSessionRequest>,
    ) -> Result<Response<pb::SetSessionResponse>, Error> {
        let caller = Caller::of(&request);
        let bearer = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        let token = bearer.and_then(|value| value.split_once(' ')).map(|(_, token)| token.trim().to_owned());
        let asked = request.into_inner();
        let identity = match (&caller.principal, &token) {
            (Principal::Anonymous, Some(token)) => self.arrived(token).await?,
            _ => caller.identity()?.clone(),
        };
        let mut violations = Violations::new();
        for (field, value) in [("uid", &asked.uid), ("email", &asked.email)] {
            if value.trim().is_empty() {
                violations.add(field, ErrorReason::InvalidArgument, format!("{field} is missing"));
            }
        }
        violations.refuse()?;
        if asked.uid != identity.uid || asked.email.trim().to_lowercase() != identity.email {
            return Err(not_yours());
        }

        let cookie = match token {
            Some(token) if token.starts_with(SESSION_PREFIX) => self.sessions.renew(&token).await?,
            _ => Some(self.session_open(&identity, &caller).await?),
        };
        let cookie =
            cookie.ok_or_else(|| Error::refused(ErrorReason::Unauthenticated, "the session ended"))?;
        Ok(with_session(Response::new(pb::SetSessionResponse {}), &caller, &cookie))
    }

    /// The holder of an outside provider's token who is here for the first time: an account is made of what the provider
    /// knows of them now, so that a token which outlived its identity makes none.
    async fn arrived(&self, token: &str) -> Result<Identity, Error> {
        let nobody = || Error::refused(ErrorReason::Unauthenticated, "no live session or token");
        if self.identity.token(token).await?.is_none() {
            return Err(nobody());
        }
        let (uid, profile) = self.identity.profile(token).await?.ok_or_else(nobody)?;
        adopt(&self.store, uid, profile, self.clock.now()).await?;
        match self.sessions.resolve(token).await?.principal {
            Principal::IdToken(identity) => Ok(Identity::clone(&identity)),
            _ => Err(nobody()),
        }
    }

    /// Makes a session for the holder of an ID token, unless it or the session beside it has ended meanwhile: a token that
    /// is remembered for some seconds must not outlive a recovery by a session of its own.
    async fn session_open(&self, holder: &Identity, caller: &Caller) -> Result<SessionCookie, Error> {
        let session = self.sessions.fresh(&holder.uid, caller);
        let event = self.audit.event(AuditKind::SignIn, &holder.uid, caller);
        let (stored, holder) = (session.clone(), holder.clone());
        self.store
            .write(move |tx| {
                let (stored, holder, event) = (stored.clone(), holder.clone(), event.clone());
                Box::pin(async move {
                    let account = account_hold_in_tx(tx, &holder.uid).await?;
                    let lives = match &holder.outside_token {
                        None => session_exists_in_tx(tx, &holder.session_id).await?,
                        Some(token) => {
                            let since =
                                |account: &Account| Timestamp::from_micros(account.tokens_valid_since_us);
                            account.is_some_and(|account| since(&account) <= token.authenticated_at)
                                && !token_is_ended_in_tx(tx, &token.id).await?
                        }
                    };
                    if !lives {
                        return Err(Error::refused(ErrorReason::Unauthenticated, "the session ended"));
                    }
                    audit_insert_in_tx(tx, &event).await?;
                    Ok::<_, Error>(stored.insert_in_tx(tx).await?)
                })
            })
            .await?;
        crash::point(CrashPoint::SessionStored);
        Ok(session.cookie)
    }
}

/// Reads every field, so that all refusals are told at once.
fn read_sign_up(form: &pb::SignUpRequest, policy: &PasswordPolicy) -> Result<SignUp, Error> {
    let mut wrong = Violations::new();
    let email = Email::parse(&form.email);
    let reason = match email {
        Err(EmailError::Missing) => ErrorReason::InvalidArgument,
        _ => ErrorReason::InvalidEmail,
    };
    let email = wrong.take("email", reason, email);
    let password = recovery::read_new_password(&mut wrong, "password", &form.password, policy);
    let display_name =
        wrong.take("display_name", ErrorReason::InvalidArgument, DisplayName::parse(&form.display_name));
    let phone =
        wrong.take("phone_number", ErrorReason::InvalidPhone, Phone::parse_optional(&form.phone_number));
    wrong.refuse()?;
    match (email, password, display_name, phone) {
        (Some(email), Some(password), Some(display_name), Some(phone)) => {
            Ok(SignUp { email, password, display_name, phone })
        }
        _ => Err(Error::refused(ErrorReason::InvalidArgument, "a field is missing or malformed")),
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
pub(crate) async fn to_the_end<T: Send + 'static>(
    call: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    let ended = tokio::spawn(request_id::carried(call)).await;
    Ok(ended.map_err(Error::internal)??)
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
    with_session(response, caller, &session.cookie)
}

/// Adds the session for the gateway; a caller on the wire has no use for a cookie.
fn with_session<T>(mut response: Response<T>, caller: &Caller, cookie: &SessionCookie) -> Response<T> {
    if caller.trusted {
        set_session_metadata(response.metadata_mut().as_mut(), cookie);
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
