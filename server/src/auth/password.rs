//! Change of a password by the holder of the current one.

use garimpo_domain::{Password, PasswordPolicy, SessionId, Uid};
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::form_fields::read_new_password;
use super::limits::Attempt;
use super::recovery::enqueue_password_changed;
use super::{AuthService, FreshSession, IdentityError, NewPassword, PasswordHolder, refused, session_id};
use crate::audit::AuditKind;
use crate::caller::{Caller, Identity};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::{CodeUse, Tx, accounts, mailed_codes, sessions, transaction};
use crate::wire::Reply;

/// A change whose form is read and whose attempt is counted.
struct PasswordChange {
    identity: Identity,
    client: String,
    current: String,
    new: Password,
    attempt: Attempt,
    /// The change in its limit, unless it fails.
    counted: Attempt,
    /// Replaces the session of a cookie, as at sign-in; `None` for an ID token, whose session
    /// stays.
    fresh: Option<FreshSession>,
}

impl AuthService {
    pub(super) async fn change_own_password(
        &self,
        request: Request<pb::ChangePasswordRequest>,
    ) -> Reply<pb::ChangePasswordResponse> {
        let caller = Caller::of(&request);
        let change = self.begin_password_change(&caller, request.into_inner()).await?;
        let counted = change.counted.clone();
        let changed = self.run_password_change(&caller, change).await;
        if changed.is_err() {
            counted.take_back(&self.store).await;
        }
        changed
    }

    async fn run_password_change(
        &self,
        caller: &Caller,
        change: PasswordChange,
    ) -> Reply<pb::ChangePasswordResponse> {
        let uid = &change.identity.uid;
        let holder = self.identity.password_holder(&change.identity.email, &change.current).await;
        let holder = change.attempt.checked(&self.store, holder).await;
        let holder = holder.map_err(|error| refused(error, "new_password"))?;
        let is_rotated = holder.is_some();
        if let Some(holder) = &holder {
            require_holder(&holder.uid, uid)?;
            self.replace_old_sessions(&change).await?;
        }

        if let Err(error) = self.apply_password_change(&change, holder).await {
            if let Some(fresh) = change.fresh.filter(|_| is_rotated) {
                caller.set_session(fresh.change);
            }
            return Err(error.into());
        }

        tracing::info!(user.id = %uid, "a password was changed");
        if let Some(session) = change.fresh {
            caller.set_session(session.change);
        }
        Ok(Response::new(pb::ChangePasswordResponse {}))
    }

    /// Reads the form and counts the attempt.
    async fn begin_password_change(
        &self,
        caller: &Caller,
        form: pb::ChangePasswordRequest,
    ) -> Result<PasswordChange> {
        let identity = caller.identity()?.clone();
        let new = read_change(&form, &self.password_policy)?;
        let client = caller.limit_address();
        let failed = self.audit.event(AuditKind::SignInFailed, &identity.uid, caller);
        let counted = self.limits.count_password_change(&identity.uid).await?;
        let attempt = match self.limits.count_sign_in(&identity.email, &client, failed).await {
            Ok(attempt) => attempt,
            Err(error) => {
                counted.take_back(&self.store).await;
                return Err(error);
            }
        };
        let fresh = session_id(caller).map(|_| self.sessions.fresh(&identity.uid, caller));
        let current = form.current_password;
        Ok(PasswordChange { identity, client, current, new, attempt, counted, fresh })
    }

    /// Ends the sessions of the old password before an outside provider stores the new one. The
    /// fresh session is valid from here on, even if the provider refuses the new password.
    async fn replace_old_sessions(&self, change: &PasswordChange) -> Result<()> {
        let (identity, fresh) = (change.identity.clone(), change.fresh.clone());
        let ended = transaction!(self.store, (identity, fresh), |tx| {
            // Serialises with a concurrent sign-in, so that its session ends too.
            accounts::hold(tx, &identity.uid).await?.ok_or(IdentityError::InvalidCredential)?;
            replace_sessions(tx, identity, fresh.as_ref()).await
        })?;
        self.sessions.invalidate_all(&change.identity.uid, &ended);
        Ok(())
    }

    /// Hashes the new password or sets it at the outside provider, and stores the result.
    async fn apply_password_change(
        &self,
        change: &PasswordChange,
        holder: Option<PasswordHolder>,
    ) -> Result<()> {
        let PasswordChange { identity, client, current, new, attempt, .. } = change;
        let changed = self.identity.change_password(&identity.email, current, holder, new, client).await;
        let changed = attempt.checked(&self.store, changed).await;
        let changed = changed.map_err(|error| refused(error, "new_password"))?;
        require_holder(&changed.uid, &identity.uid)?;
        let ended = self.store_password_change(change, changed).await?;
        crash::point(CrashPoint::PasswordStored);
        self.sessions.invalidate_all(&identity.uid, &ended);
        Ok(())
    }

    /// Stores the password, ends the sessions of the old one and mails the holder, in one
    /// transaction. Returns the ended sessions.
    async fn store_password_change(
        &self,
        change: &PasswordChange,
        changed: NewPassword,
    ) -> Result<Vec<SessionId>> {
        let (key, now) = (self.ids.id("pwd_"), self.clock.now());
        let (identity, attempt, fresh) =
            (change.identity.clone(), change.attempt.clone(), change.fresh.clone());
        transaction!(self.store, (identity, changed, attempt, fresh, key), |tx| {
            let uid = &identity.uid;
            // A password that was replaced since it matched changes nothing.
            accounts::hold(tx, uid)
                .await?
                .filter(|account| account.password_hash == changed.matched)
                .ok_or(IdentityError::InvalidCredential)?;
            if let Some(hash) = &changed.password_hash {
                accounts::set_password(tx, uid, hash).await?;
            }
            mailed_codes::void(tx, CodeUse::PasswordReset, uid).await?;
            let ended = replace_sessions(tx, identity, fresh.as_ref()).await?;
            attempt.reclassify(tx, AuditKind::PasswordChanged, uid).await?;
            enqueue_password_changed(tx, key, uid, now).await?;
            Ok::<_, Error>(ended)
        })
    }
}

/// Ends every session of an account except the one of the caller's ID token, and stores the fresh
/// one. Returns the ended sessions.
async fn replace_sessions(
    tx: &mut Tx,
    identity: &Identity,
    fresh: Option<&FreshSession>,
) -> Result<Vec<SessionId>> {
    let kept = if fresh.is_some() { None } else { Some(&identity.session_id) };
    let ended = sessions::end_all(tx, &identity.uid, kept).await?;
    if let Some(fresh) = fresh {
        fresh.insert(tx).await?;
    }
    Ok(ended)
}

/// Requires that the password that matched is the caller's own.
fn require_holder(holder: &Uid, uid: &Uid) -> Result<()> {
    if holder == uid { Ok(()) } else { Err(IdentityError::InvalidCredential.into()) }
}

fn read_change(form: &pb::ChangePasswordRequest, policy: &PasswordPolicy) -> Result<Password> {
    let mut wrong = Violations::new();
    if form.current_password.is_empty() {
        wrong.add("current_password", ErrorReason::InvalidArgument, "current_password is missing");
    }
    let new = read_new_password(&mut wrong, "new_password", &form.new_password, policy);
    wrong.finish(new)
}
