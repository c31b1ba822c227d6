//! Sign-in: opens a session for an email and password.

use std::sync::Arc;

use garimpo_domain::person::email_as_compared;
use garimpo_domain::{Email, EmailError};
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::adoption::find_or_adopt;
use super::limits::count_refusal;
use super::{Attempt, AuthService, FreshSession, IdentityError, Verified};
use crate::audit::AuditKind;
use crate::caller::Caller;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::{Account, accounts, transaction};
use crate::wire::{Reply, timestamp};

impl AuthService {
    pub(super) async fn sign_in(
        &self,
        request: Request<pb::SignInRequest>,
    ) -> Reply<pb::SignInResponse, Error> {
        let caller = Caller::of(&request);
        let typed = request.into_inner();
        let (account, session) = self.open_session_by_password(&typed, &caller).await?;

        let kept_at = Some(timestamp(account.created_at));
        let promotion = account.promo_code.clone().map(|code| pb::KeptPromotion { code, kept_at });
        let user = Some(session_user(account));
        let answer = pb::SignInResponse { user, id_token: session.id_token.clone(), promotion };
        self.give_session(&caller, &session);
        Ok(Response::new(answer))
    }

    /// Checks the password within the limits, and opens a session.
    pub(super) async fn open_session_by_password(
        &self,
        typed: &pb::SignInRequest,
        caller: &Arc<Caller>,
    ) -> Result<(Account, FreshSession)> {
        let subject = read_sign_in(typed)?;
        self.limits.check_session_limit(&subject).await?;
        let failed = self.audit.event_of_email(AuditKind::SignInFailed, &subject, caller);
        let client = caller.limit_address();
        let attempt = self.limits.count_sign_in(&subject, &client, failed).await?;
        let verified = self.identity.sign_in(&typed.email, &typed.password, &client).await;
        let verified = attempt.checked(&self.store, verified).await?;
        let issued = verified.outside.as_ref().map(|outside| outside.id_token.clone());
        let session = self.sessions.fresh(&verified.uid, caller).with_id_token(issued);
        let account = self.store_session(verified, (attempt, subject), &session).await?;
        crash::point(CrashPoint::SessionStored);
        Ok((account, session))
    }

    /// Stores the session and the attempt's outcome in one transaction; a session of the same
    /// cookie ends.
    async fn store_session(
        &self,
        verified: Verified,
        (attempt, email): (Attempt, String),
        session: &FreshSession,
    ) -> Result<Account> {
        let (stored, now) = (session.clone(), self.clock.now());
        let limits = self.limits.clone();
        let account = transaction!(self.store, (stored, attempt, limits, email, verified), |tx| {
            let profile = verified.outside.as_ref().and_then(|outside| outside.profile.as_ref());
            let account = match profile {
                Some(profile) => find_or_adopt(tx, &verified.uid, profile, now).await?,
                None => accounts::hold(tx, &verified.uid).await?,
            };
            // A password that was replaced since it matched opens no session.
            let account = account
                .filter(|account| verified.holds_for(account))
                .ok_or(IdentityError::InvalidCredential)?;
            limits.count_session(tx, email).await?;
            attempt.reclassify(tx, AuditKind::SignIn, &account.uid).await?;
            stored.insert(tx).await?;
            Ok::<_, Error>(account)
        })
        .inspect_err(count_refusal)?;
        Ok(account)
    }
}

/// The account as the holder of its session sees it.
pub(super) fn session_user(account: Account) -> pb::SessionUser {
    pb::SessionUser {
        uid: account.uid.into_string(),
        email: account.email.into(),
        display_name: account.display_name,
    }
}

/// Reads the form; returns the email as it is compared, because another spelling of it must not get
/// another counter.
fn read_sign_in(typed: &pb::SignInRequest) -> Result<String> {
    let mut violations = Violations::new();
    if Email::parse(&typed.email) == Err(EmailError::Missing) {
        violations.add("email", ErrorReason::InvalidArgument, "email is missing");
    }
    if typed.password.is_empty() {
        violations.add("password", ErrorReason::InvalidArgument, "password is missing");
    }
    violations.refuse()?;
    Ok(email_as_compared(&typed.email))
}
