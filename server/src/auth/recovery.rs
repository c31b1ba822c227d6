//! Password recovery: a link by mail, a new password by its code.

use garimpo_domain::Timestamp;
use garimpo_domain::person::{Email, Password, PasswordError, PasswordPolicy};
use garimpo_proto::auth::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tonic::{Request, Response};

use super::limits::Attempt;
use super::{AuthService, IdentityError, Limits, Recovery, clear_session_metadata, refused, session_id};
use crate::audit::{AuditEvent, AuditKind};
use crate::caller::Caller;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, Violations};
use crate::mail::{self, Template, Values, mail_enqueue_in_tx};
use crate::store::identity::mailed_codes::{self, CodeUse};
use crate::store::identity::{accounts, audit_events, sessions};

impl AuthService {
    /// Answers alike, whatever the email: nobody learns here who has an account.
    pub(super) async fn request_reset(
        &self,
        request: Request<pb::RequestPasswordResetRequest>,
    ) -> Result<Response<pb::RequestPasswordResetResponse>, Error> {
        let caller = Caller::of(&request);
        let email = Email::parse(&request.into_inner().email).map_err(|why| {
            Error::refused(ErrorReason::InvalidEmail, "the email is missing or malformed")
                .with_field("email", why.to_string())
        })?;

        let asked = self.audit.event_of_email(AuditKind::ResetRequested, email.as_str(), &caller);
        if self.limits.reset_request(&email, &caller.limit_address(), asked).await? {
            self.identity.request_reset(&email).await?;
        }

        Ok(Response::new(pb::RequestPasswordResetResponse {}))
    }

    pub(super) async fn confirm_reset(
        &self,
        request: Request<pb::ConfirmPasswordResetRequest>,
    ) -> Result<Response<pb::ConfirmPasswordResetResponse>, Error> {
        let caller = Caller::of(&request);
        let (code, password) = read_confirmation(&request.into_inner(), &self.password_policy)?;

        let address = caller.limit_address();
        let attempt = self.limits.reset_code(&address).await?;
        let holder = attempt.answered(&self.store, self.identity.reset_holder(&code).await).await;
        let holder = holder.map_err(|error| refused(error, "new_password"))?;
        let mut ended = match &holder {
            Some(uid) => self.old_sessions_end(uid).await?,
            None => Vec::new(),
        };
        let recovery = self.identity.confirm_reset(&code, holder, &password, &address).await;
        let recovery = attempt.answered(&self.store, recovery).await;
        let recovery = recovery.map_err(|error| refused(error, "new_password"))?;
        let uid = recovery.uid.clone();
        let event = self.audit.event(AuditKind::PasswordReset, &uid, &caller);
        let late = self.recovery_store(recovery, attempt, address, event).await?;
        crash::point(CrashPoint::PasswordStored);
        self.sessions.all_ended(&uid, &late);
        ended.extend(late);

        tracing::info!(user.id = %uid, "a password was recovered");
        let mut response = Response::new(pb::ConfirmPasswordResetResponse {});
        // The browser's own session is among them, unless it is another account's.
        if caller.trusted && session_id(&caller).is_some_and(|own| ended.contains(&own)) {
            clear_session_metadata(response.metadata_mut().as_mut());
        }
        Ok(response)
    }

    /// Ends every session and token of an account; answers the sessions.
    async fn old_sessions_end(&self, uid: &str) -> Result<Vec<String>, Error> {
        let of = uid.to_owned();
        let ended = self.store.write((), move |tx, ()| {
            let of = of.clone();
            Box::pin(async move {
                // A sign-in under way ends before: its session is there to be ended.
                accounts::hold(tx, &of).await?;
                sessions::end_all(tx, &of, None).await
            })
        });
        let ended = ended.await?;
        self.sessions.all_ended(uid, &ended);
        Ok(ended)
    }

    /// Uses up the code, stores the password, ends every session and tells the holder, all or nothing. Answers the
    /// sessions that ended.
    async fn recovery_store(
        &self,
        recovery: Recovery,
        attempt: Attempt,
        address: String,
        event: AuditEvent,
    ) -> Result<Vec<String>, Error> {
        let (key, now) = (self.ids.id("pwd_"), self.clock.now());
        self.store
            .write((), move |tx, ()| {
                let (recovery, attempt) = (recovery.clone(), attempt.clone());
                let (address, key, event) = (address.clone(), key.clone(), event.clone());
                Box::pin(async move {
                    let uid = &recovery.uid;
                    let account = accounts::hold(tx, uid).await?.ok_or(IdentityError::ResetCodeInvalid)?;
                    if let Some(kept) = &recovery.kept {
                        // Of two confirmations at once the second finds no code.
                        if !mailed_codes::consume(tx, CodeUse::PasswordReset, &kept.code, uid).await? {
                            return Err(IdentityError::ResetCodeInvalid.into());
                        }
                        accounts::set_password(tx, uid, &kept.password_hash).await?;
                    }
                    // Whoever has the code reads the mails of this address.
                    accounts::mark_email_verified(tx, uid).await?;
                    attempt.succeeded_in_tx(tx).await?;
                    audit_events::insert(tx, &event).await?;
                    Limits::sign_in_forget_in_tx(tx, &account.email, &address).await?;
                    mail_enqueue_in_tx(tx, key, Template::PasswordChanged, uid, changed_at(now), now).await?;
                    Ok::<_, Error>(sessions::end_all(tx, uid, None).await?)
                })
            })
            .await
    }
}

/// The values of the mail that tells of a new password.
pub(super) fn changed_at(now: Timestamp) -> Values {
    Values::from([("changed_at".to_owned(), mail::moment(now))])
}

fn read_confirmation(
    form: &pb::ConfirmPasswordResetRequest,
    policy: &PasswordPolicy,
) -> Result<(String, Password), Error> {
    let mut wrong = Violations::new();
    let code = form.code.trim();
    if code.is_empty() {
        wrong.add("code", ErrorReason::InvalidArgument, "code is missing");
    }
    let password = read_new_password(&mut wrong, "new_password", &form.new_password, policy);
    wrong.refuse()?;
    let password =
        password.ok_or_else(|| Error::refused(ErrorReason::WeakPassword, "the password is refused"))?;
    Ok((code.to_owned(), password))
}

/// Reads a new password; notes why it is refused, and the minimum where it is too short.
pub(super) fn read_new_password(
    wrong: &mut Violations,
    field: &str,
    typed: &str,
    policy: &PasswordPolicy,
) -> Option<Password> {
    let password = policy.read(typed);
    let reason = match password {
        Err(PasswordError::Missing) => ErrorReason::InvalidArgument,
        _ => ErrorReason::WeakPassword,
    };
    match password {
        Err(PasswordError::TooShort(minimum)) => wrong.tell("minimum", minimum.to_string()),
        Err(PasswordError::Refused) => wrong.tell("refused", "true"),
        _ => {}
    }
    wrong.take(field, reason, password)
}
