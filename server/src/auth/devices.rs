//! The caller's sessions as a list of devices, and their revocation.

use garimpo_domain::device::device_label;
use garimpo_domain::{SessionId, Timestamp, Uid};
use garimpo_proto::SessionChange;
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::{AuthService, session_id};
use crate::audit::{AuditEvent, AuditKind, Subject};
use crate::caller::Caller;
use crate::error::{Error, ErrorReason};
use crate::ids::Ids;
use crate::page::Page;
use crate::store::{Device, Result, Store, accounts, audit_events, sessions, transaction};
use crate::wire::{Reply, timestamp};

/// Our ids are shorter.
const MAX_ID: usize = 64;
/// Device in the audit event of an operator's command.
const OPERATOR: &str = "operador";

#[derive(Clone)]
enum RevokeScope {
    One(SessionId),
    Others,
    All,
}

impl AuthService {
    pub(super) async fn list_devices(
        &self,
        caller: &Caller,
        request: &pb::ListSessionsRequest,
    ) -> Result<pb::ListSessionsResponse, Error> {
        let identity = caller.identity()?;
        let page = Page::read(request.page_size, &request.page_token)?;

        let alive = self.sessions.alive_since();
        let mut rows =
            sessions::devices_page(&self.store, &identity.uid, alive, &page.after, page.size + 1).await?;
        let next_page_token = page.cut(&mut rows, |row| (row.created_at.as_micros(), &row.id));
        let sessions = rows.into_iter().map(|row| session(row, &identity.session_id)).collect();
        Ok(pb::ListSessionsResponse { sessions, next_page_token })
    }

    pub(super) async fn revoke_devices(
        &self,
        request: Request<pb::RevokeSessionRequest>,
    ) -> Reply<pb::RevokeSessionResponse, Error> {
        let caller = Caller::of(&request);
        let identity = caller.identity()?;
        let request = request.into_inner();
        let scope = match (request.id.as_str(), request.include_current) {
            ("", true) => RevokeScope::All,
            ("", false) => RevokeScope::Others,
            (id, _) if id.len() > MAX_ID || id.contains('\0') => return Err(no_such_session()),
            (id, _) => RevokeScope::One(SessionId::new(id)),
        };

        let ended = self.end_sessions(&caller, scope).await?;
        self.sessions.invalidate_all(&identity.uid, &ended);

        tracing::info!(user.id = %identity.uid, sessions = ended.len(), "an account's owner revoked sessions");
        if session_id(&caller).is_some_and(|own| ended.contains(&own)) {
            caller.set_session(SessionChange::End);
        }
        Ok(Response::new(pb::RevokeSessionResponse {}))
    }

    async fn end_sessions(&self, caller: &Caller, scope: RevokeScope) -> Result<Vec<SessionId>, Error> {
        let identity = caller.identity()?.clone();
        let event = self.audit.event(AuditKind::SessionRevoked, &identity.uid, caller);
        transaction!(self.store, (identity, scope, event), |tx| {
            let uid = &identity.uid;
            // Serialises with a sign-in, so that its session is revoked or begins later.
            accounts::hold(tx, uid).await?;
            let ended = match scope {
                RevokeScope::One(id) if sessions::end(tx, id, uid).await? => vec![id.clone()],
                RevokeScope::One(_) => return Err(no_such_session()),
                RevokeScope::Others => sessions::end_all(tx, uid, Some(&identity.session_id)).await?,
                RevokeScope::All => sessions::end_all(tx, uid, None).await?,
            };
            audit_events::insert(tx, event).await?;
            Ok::<_, Error>(ended)
        })
    }
}

/// Ends every session and token of an account for the operator. Returns the number of sessions, or
/// `None` without an account and without a session left by one.
pub async fn end_account_sessions(
    store: &Store,
    ids: &Ids,
    uid: &Uid,
    now: Timestamp,
) -> Result<Option<usize>> {
    let event = operator_event(ids, AuditKind::SessionRevoked, uid, now);
    transaction!(store, (uid = uid.clone(), event), |tx| {
        let is_known = accounts::hold(tx, uid).await?.is_some();
        let ended = sessions::end_all(tx, uid, None).await?.len();
        if !is_known && ended == 0 {
            return Ok(None);
        }
        audit_events::insert(tx, event).await?;
        Ok(Some(ended))
    })
}

/// An event that the operator caused.
pub(crate) fn operator_event(ids: &Ids, kind: AuditKind, uid: &Uid, now: Timestamp) -> AuditEvent {
    AuditEvent {
        id: ids.id("aud_"),
        at: now,
        kind,
        subject: Subject::Account(uid.clone()),
        client_address: None,
        device: OPERATOR.to_owned(),
        request_id: String::new(),
    }
}

/// The same for another account's session, so that nobody learns that it exists.
fn no_such_session() -> Error {
    Error::refused(ErrorReason::NotFound, "no live session of the caller has this id")
}

fn session(row: Device, current: &SessionId) -> pb::Session {
    pb::Session {
        device: device_label(row.user_agent.as_deref()),
        created_at: Some(timestamp(row.created_at)),
        last_seen_at: Some(timestamp(row.seen_at)),
        current: row.id == *current,
        id: row.id.into_string(),
    }
}
