//! SetSession: opens a session for the holder of a token, or extends the caller's own.

use garimpo_domain::person::email_as_compared;
use garimpo_proto::SessionChange;
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::adoption::adopt;
use super::limits::count_refusal;
use super::{AuthService, SESSION_PREFIX};
use crate::audit::AuditKind;
use crate::caller::{Caller, Identity, Principal, not_yours};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::{accounts, audit_events, ended_tokens, sessions, transaction};
use crate::wire::Reply;

impl AuthService {
    pub(super) async fn set_session(
        &self,
        request: Request<pb::SetSessionRequest>,
    ) -> Reply<pb::SetSessionResponse, Error> {
        let caller = Caller::of(&request);
        let token = caller.token();
        let asked = request.into_inner();
        let identity = match (&caller.principal, token) {
            (Principal::Anonymous, Some(token)) => self.adopt_arrival(token).await?,
            _ => caller.identity()?.clone(),
        };
        let mut violations = Violations::new();
        for (field, value) in [("uid", &asked.uid), ("email", &asked.email)] {
            if value.trim().is_empty() {
                violations.add(field, ErrorReason::InvalidArgument, format!("{field} is missing"));
            }
        }
        violations.refuse()?;
        if asked.uid != *identity.uid || email_as_compared(&asked.email) != identity.email {
            return Err(not_yours());
        }

        let change = match token {
            Some(token) if token.starts_with(SESSION_PREFIX) => self.sessions.renew(token).await?,
            _ => Some(self.open_session(&identity, &caller).await?),
        };
        let change =
            change.ok_or_else(|| Error::refused(ErrorReason::Unauthenticated, "the session ended"))?;
        caller.set_session(change);
        Ok(Response::new(pb::SetSessionResponse {}))
    }

    /// Creates the account for a token of an outside provider whose holder has none. The provider's
    /// current profile is read, so that the token of a deleted identity creates no account.
    async fn adopt_arrival(&self, token: &str) -> Result<Identity> {
        let unauthenticated = || Error::refused(ErrorReason::Unauthenticated, "no live session or token");
        if self.identity.token(token).await?.is_none() {
            return Err(unauthenticated());
        }
        let (uid, profile) = self.identity.profile(token).await?.ok_or_else(unauthenticated)?;
        adopt(&self.store, uid, profile, self.clock.now()).await?;
        match self.sessions.resolve(token).await?.principal {
            Principal::IdToken(identity) => Ok(Identity::clone(&identity)),
            _ => Err(unauthenticated()),
        }
    }

    /// Opens a session for the holder of an ID token, unless the token or its session has ended
    /// meanwhile, because a cached token must not survive a recovery through a new session.
    async fn open_session(&self, holder: &Identity, caller: &Caller) -> Result<SessionChange> {
        let session = self.sessions.fresh(&holder.uid, caller);
        let event = self.audit.event(AuditKind::SignIn, &holder.uid, caller);
        let (stored, holder, limits) = (session.clone(), holder.clone(), self.limits.clone());
        transaction!(self.store, (stored, holder, event, limits), |tx| {
            let account = accounts::hold(tx, &holder.uid).await?;
            let is_live = match &holder.outside_token {
                None => sessions::exists(tx, &holder.session_id).await?,
                Some(token) => {
                    account.is_some_and(|account| account.takes_tokens_of(token.authenticated_at))
                        && !ended_tokens::is_ended(tx, &token.id).await?
                }
            };
            if !is_live {
                return Err(Error::refused(ErrorReason::Unauthenticated, "the session ended"));
            }
            limits.count_session(tx, &holder.email).await?;
            audit_events::insert(tx, event).await?;
            Ok::<_, Error>(stored.insert(tx).await?)
        })
        .inspect_err(count_refusal)?;
        crash::point(CrashPoint::SessionStored);
        Ok(session.change)
    }
}
