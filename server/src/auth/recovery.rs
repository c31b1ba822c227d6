//! Password recovery: a link by mail, and a new password with its code.

use garimpo_domain::person::email_as_compared;
use garimpo_domain::{Email, Password, PasswordPolicy, SessionId, Timestamp, Uid};
use garimpo_proto::SessionChange;
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::form_fields::read_new_password;
use super::limits::Attempt;
use super::{AuthService, IdentityError, Limits, Recovery, code_mail, refused, session_id};
use crate::audit::{AuditEvent, AuditKind};
use crate::caller::Caller;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Violations};
use crate::mail::{self, Mail, enqueue_mail};
use crate::person_memory;
use crate::store::{CodeUse, Result, Tx, accounts, audit_events, mailed_codes, sessions, transaction};
use crate::wire::Reply;

impl AuthService {
    /// Returns the same for every email, so that nobody learns who has an account.
    pub(super) async fn request_reset(
        &self,
        request: Request<pb::RequestPasswordResetRequest>,
    ) -> Reply<pb::RequestPasswordResetResponse, Error> {
        let caller = Caller::of(&request);
        let email = Email::parse(&request.into_inner().email).map_err(|why| {
            Error::refused(ErrorReason::InvalidEmail, "the email is missing or malformed")
                .with_field("email", why.to_string())
        })?;

        let asked = self.audit.event_of_email(AuditKind::ResetRequested, email.as_str(), &caller);
        if self.limits.count_reset_request(&email, &caller.limit_address(), asked).await? {
            // An unknown email enqueues the same job for an unknown uid, so that both take the same
            // time.
            let uid = self.identity.recoverable_account(&email).await?;
            let uid = uid.unwrap_or_else(|| Uid::new(self.ids.id("usr_")));
            let (key, now) = (self.ids.id("pwr_"), self.clock.now());
            transaction!(self.store, (key, uid), |tx| {
                code_mail::enqueue_reset(tx, key.clone(), uid, now).await
            })?;
        }

        Ok(Response::new(pb::RequestPasswordResetResponse {}))
    }

    /// Whether a code still counts, so that a page can say so before a new password is typed.
    pub(super) async fn check_reset(
        &self,
        request: Request<pb::CheckPasswordResetRequest>,
    ) -> Result<pb::CheckPasswordResetResponse, Error> {
        let caller = Caller::of(&request);
        let code = request.into_inner().code.trim().to_owned();
        if code.is_empty() {
            let missing = Error::refused(ErrorReason::InvalidArgument, "code is missing");
            return Err(missing.with_field("code", "code is missing"));
        }
        let attempt = self.limits.count_reset_code(&caller.limit_address()).await?;
        attempt.checked(&self.store, self.identity.check_reset(&code).await).await?;
        attempt.take_back(&self.store).await;
        Ok(pb::CheckPasswordResetResponse {})
    }

    pub(super) async fn confirm_reset(
        &self,
        request: Request<pb::ConfirmPasswordResetRequest>,
    ) -> Reply<pb::ConfirmPasswordResetResponse, Error> {
        let caller = Caller::of(&request);
        let (code, password) = read_confirmation(&request.into_inner(), &self.password_policy)?;

        let address = caller.limit_address();
        let attempt = self.limits.count_reset_code(&address).await?;
        let holder = attempt.checked(&self.store, self.identity.check_reset(&code).await).await;
        let holder = holder.map_err(|error| refused(error, "new_password"))?;
        let mut ended = match &holder {
            Some(uid) => self.end_old_sessions(uid).await?,
            None => Vec::new(),
        };
        let recovery = self.identity.confirm_reset(&code, holder, &password, &address).await;
        let recovery = attempt.checked(&self.store, recovery).await;
        let recovery = recovery.map_err(|error| refused(error, "new_password"))?;
        let uid = recovery.uid.clone();
        let event = self.audit.event(AuditKind::PasswordReset, &uid, &caller);
        let (late, email) = self.store_recovery(recovery, attempt, address, event).await?;
        crash::point(CrashPoint::PasswordStored);
        self.sessions.invalidate_all(&uid, &late);
        ended.extend(late);

        tracing::info!(user.id = %uid, "a password was recovered");
        // The browser's own session has ended too, unless it is another account's.
        if session_id(&caller).is_some_and(|own| ended.contains(&own)) {
            caller.set_session(SessionChange::End);
        }
        Ok(Response::new(pb::ConfirmPasswordResetResponse { email: email.to_string() }))
    }

    /// Ends every session and token of an account; returns the sessions.
    async fn end_old_sessions(&self, uid: &Uid) -> Result<Vec<SessionId>, Error> {
        let ended = transaction!(self.store, (uid = uid.clone()), |tx| {
            // Serialises with a concurrent sign-in, so that its session ends too.
            accounts::hold(tx, uid).await?;
            sessions::end_all(tx, uid, None).await
        })?;
        self.sessions.invalidate_all(uid, &ended);
        Ok(ended)
    }

    /// Uses the code, stores the password, ends every session and mails the holder, in one
    /// transaction. Returns the ended sessions and the account's email.
    async fn store_recovery(
        &self,
        recovery: Recovery,
        attempt: Attempt,
        address: String,
        event: AuditEvent,
    ) -> Result<(Vec<SessionId>, Email), Error> {
        let (key, now) = (self.ids.id("pwd_"), self.clock.now());
        transaction!(self.store, (recovery, attempt, address, key, event), |tx| {
            let uid = &recovery.uid;
            let account = accounts::hold(tx, uid).await?.ok_or(IdentityError::ResetCodeInvalid)?;
            if let Some(kept) = &recovery.kept {
                // Of two confirmations at once the second finds no code.
                if !mailed_codes::consume(tx, CodeUse::PasswordReset, &kept.code, uid).await? {
                    return Err(IdentityError::ResetCodeInvalid.into());
                }
                accounts::set_password(tx, uid, &kept.password_hash).await?;
            }
            // The code proves that its holder reads the mails of this address, unless the address
            // was corrected since.
            if recovery
                .mailed_to
                .as_deref()
                .is_none_or(|email| email_as_compared(email) == account.email.as_str())
            {
                person_memory::confirm(tx, &account, now).await?;
            }
            attempt.uncount(tx).await?;
            audit_events::insert(tx, event).await?;
            Limits::forget_sign_ins(tx, account.email.as_str(), address).await?;
            enqueue_password_changed(tx, key, uid, now).await?;
            Ok::<_, Error>((sessions::end_all(tx, uid, None).await?, account.email))
        })
    }
}

/// Enqueues the mail about a changed password, at most one an hour.
pub(super) async fn enqueue_password_changed(
    tx: &mut Tx,
    key: &str,
    uid: &Uid,
    now: Timestamp,
) -> Result<()> {
    if !Limits::count_password_mail(tx, uid, now).await? {
        return Ok(());
    }
    let mail = Mail::PasswordChanged { changed_at: mail::moment(now) };
    enqueue_mail(tx, key.to_owned(), mail, uid, now).await
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
    Ok((code.to_owned(), wrong.finish(password)?))
}
