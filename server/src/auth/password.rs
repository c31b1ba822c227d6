//! A new password for who knows the one of now.

use garimpo_domain::person::{Password, PasswordPolicy};
use garimpo_proto::auth::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tonic::{Request, Response};

use super::limits::Attempt;
use super::recovery::{changed_at, read_new_password};
use super::{AuthService, FreshSession, IdentityError, NewPassword, refused, session_id, with_session};
use crate::audit::AuditKind;
use crate::caller::{Caller, Identity};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, Violations};
use crate::mail::{Template, mail_enqueue_in_tx};
use crate::store::{
    CodeUse, account_hold_in_tx, account_password_set_in_tx, mailed_codes_void_in_tx, sessions_end_in_tx,
};

impl AuthService {
    pub(super) async fn password_change(
        &self,
        request: Request<pb::ChangePasswordRequest>,
    ) -> Result<Response<pb::ChangePasswordResponse>, Error> {
        let caller = Caller::of(&request);
        let identity = caller.identity()?;
        let form = request.into_inner();
        let new = read_change(&form, &self.password_policy)?;

        let failed = self.audit.event(AuditKind::SignInFailed, &identity.uid, &caller);
        let attempt = self.limits.sign_in(&identity.email, &caller.limit_address(), failed).await?;
        let changed = self
            .identity
            .change_password(&identity.email, &form.current_password, &new, &caller.limit_address())
            .await;
        let changed = attempt.answered(&self.store, changed).await;
        let changed = changed.map_err(|error| refused(error, "new_password"))?;
        if changed.uid != identity.uid {
            return Err(IdentityError::InvalidCredential.into());
        }
        // A cookie is rotated, as at sign-in; an ID token stands beside a session, which stays with it.
        let fresh = session_id(&caller).map(|_| self.sessions.fresh(&identity.uid, &caller));
        let ended = self.change_store(identity, changed, attempt, fresh.clone()).await?;
        crash::point(CrashPoint::PasswordStored);
        self.sessions.all_ended(&identity.uid, &ended);

        tracing::info!(user.id = %identity.uid, "a password was changed");
        let response = Response::new(pb::ChangePasswordResponse {});
        Ok(match fresh {
            Some(session) => with_session(response, &caller, &session.grant),
            None => response,
        })
    }

    /// Stores the password, ends what rested on the old one and tells the holder, all or nothing. Answers the sessions
    /// that ended.
    async fn change_store(
        &self,
        identity: &Identity,
        changed: NewPassword,
        attempt: Attempt,
        fresh: Option<FreshSession>,
    ) -> Result<Vec<String>, Error> {
        let (identity, key, now) = (identity.clone(), self.ids.id("pwd_"), self.clock.now());
        self.store
            .write(move |tx| {
                let (identity, changed, attempt) = (identity.clone(), changed.clone(), attempt.clone());
                let (fresh, key) = (fresh.clone(), key.clone());
                Box::pin(async move {
                    let uid = &identity.uid;
                    // A password that was replaced since it matched changes nothing any more.
                    account_hold_in_tx(tx, uid)
                        .await?
                        .filter(|account| account.password_hash == changed.matched)
                        .ok_or(IdentityError::InvalidCredential)?;
                    if let Some(hash) = &changed.password_hash {
                        account_password_set_in_tx(tx, uid, hash).await?;
                    }
                    mailed_codes_void_in_tx(tx, CodeUse::PasswordReset, uid).await?;
                    let kept = if fresh.is_some() { None } else { Some(identity.session_id.as_str()) };
                    let ended = sessions_end_in_tx(tx, uid, kept).await?;
                    if let Some(fresh) = &fresh {
                        fresh.insert_in_tx(tx).await?;
                    }
                    attempt.became_in_tx(tx, AuditKind::PasswordChanged, uid).await?;
                    mail_enqueue_in_tx(tx, key, Template::PasswordChanged, uid, changed_at(now), now).await?;
                    Ok::<_, Error>(ended)
                })
            })
            .await
    }
}

fn read_change(form: &pb::ChangePasswordRequest, policy: &PasswordPolicy) -> Result<Password, Error> {
    let mut wrong = Violations::new();
    if form.current_password.is_empty() {
        wrong.add("current_password", ErrorReason::InvalidArgument, "current_password is missing");
    }
    let new = read_new_password(&mut wrong, "new_password", &form.new_password, policy);
    wrong.refuse()?;
    new.ok_or_else(|| Error::refused(ErrorReason::WeakPassword, "the password is refused"))
}
