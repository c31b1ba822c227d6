//! Sessions, ID tokens and service tokens: their holders and how long they are valid.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::{SessionId, Timestamp, Uid};
use garimpo_proto::SessionChange;
use sha2::{Digest as _, Sha256};

use super::identity::{IdToken, IdentityProvider};
use super::limits::LimitSettings;
use crate::caller::{Caller, Identity, Principal, SERVICE_PREFIX, Service, ShownToken, TokenShare};
use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::context::AppContext;
use crate::error::Error;
use crate::ids::Ids;
use crate::recent::Recent;
use crate::store::{
    AliveSince, NewSession, Result, ServiceTokenRow, SessionRow, Store, TokenHash, Tx, accounts, sessions,
    transaction,
};

mod services;

/// Prefix of a session's token.
pub const SESSION_PREFIX: &str = "gs_";
/// Prefix of an ID token.
pub const ID_TOKEN_PREFIX: &str = "gi_";

/// A session ends this long after its last use.
pub const SLIDING_DAYS: i64 = 14;
const SLIDING_SECONDS: u64 = SLIDING_DAYS as u64 * 86_400;
/// A session ends this long after its creation.
pub const ABSOLUTE_DAYS: i64 = 90;
/// An ID token ends this long after its creation.
const ID_TOKEN_HOURS: i64 = 1;
/// The use of a session is stored at most this often.
const EXTEND_SECONDS: i64 = 3600;
/// How long a holder is cached. A revocation on another node takes effect within 5 s: this time,
/// and the duration of a query on its way.
const CACHE_TTL: Duration = Duration::from_millis(4500);
const MAX_CACHED: u64 = 100_000;
/// A token's share is dropped after this time without use: by then all of it is available again.
const SHARE_IDLE: Duration = Duration::from_mins(2);

/// Resolves tokens, and creates sessions.
pub struct Sessions {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    identity: Arc<dyn IdentityProvider>,
    cache: moka::sync::Cache<TokenHash, Holder>,
    /// Ids of sessions and tokens that ended in this process, kept for longer than the cache keeps
    /// a holder.
    ended: Recent,
    /// Accounts whose record or password changed in this process, kept as long.
    stale_accounts: Recent,
    /// The share of each service token, by its id, kept for longer than a cached holder.
    shares: moka::sync::Cache<String, Arc<TokenShare>>,
    limits: LimitSettings,
}

#[derive(Clone)]
enum Holder {
    Session(CachedSession),
    IdToken(CachedSession),
    Outside(Arc<Identity>, ShownToken),
    Service(Arc<Service>),
    /// A service token that was revoked.
    Revoked(Arc<ServiceTokenRow>),
}

/// A person's session or ID token.
#[derive(Clone)]
struct CachedSession {
    identity: Arc<Identity>,
    created_at: Timestamp,
    /// Last use, to the hour.
    seen_at: Timestamp,
}

impl From<SessionRow> for CachedSession {
    fn from(row: SessionRow) -> Self {
        let SessionRow { id: session_id, uid, email, display_name, created_at, seen_at } = row;
        let identity = Arc::new(Identity { uid, email, display_name, session_id, outside_token: None });
        Self { identity, created_at, seen_at }
    }
}

impl Holder {
    /// Id of the session or token.
    fn id(&self) -> &str {
        match self {
            Self::Session(session) | Self::IdToken(session) => &session.identity.session_id,
            Self::Outside(_, token) => &token.id,
            Self::Service(service) => &service.token.id,
            Self::Revoked(token) => &token.id,
        }
    }

    fn uid(&self) -> Option<&Uid> {
        match self {
            Self::Session(session) | Self::IdToken(session) => Some(&session.identity.uid),
            Self::Outside(identity, _) => Some(&identity.uid),
            Self::Service(_) | Self::Revoked(_) => None,
        }
    }
}

/// A token's holder.
pub(crate) struct Resolved {
    pub principal: Principal,
    /// For the cookie, if the session was extended.
    pub renewed: Option<SessionChange>,
    /// The service token, if it was revoked.
    pub revoked: Option<Arc<ServiceTokenRow>>,
}

/// A new session with its ID token, not stored yet.
#[derive(Clone)]
pub(crate) struct FreshSession {
    session: NewSession,
    /// `None` for an ID token of an outside provider.
    id_token_hash: Option<TokenHash>,
    /// Live sessions that its account may have.
    max_live: u32,
    /// The session of the call's cookie, which a sign-in rotates: it ends with the transaction.
    pub replaced: Option<SessionId>,
    pub id_token: String,
    /// For the cookie.
    pub change: SessionChange,
}

impl Resolved {
    pub(crate) fn anonymous() -> Self {
        Self::known(Principal::Anonymous)
    }

    fn known(principal: Principal) -> Self {
        Self { principal, renewed: None, revoked: None }
    }
}

impl FreshSession {
    pub(crate) fn uid(&self) -> &Uid {
        &self.session.uid
    }

    pub(crate) async fn insert(&self, tx: &mut Tx) -> Result<()> {
        let session = &self.session;
        sessions::insert(tx, session).await?;
        let beside_it = i64::from(self.max_live) - 1;
        sessions::trim(tx, &session.uid, &session.id, beside_it).await?;
        if let Some(replaced) = &self.replaced {
            sessions::delete(tx, replaced).await?;
        }
        let Some(id_token_hash) = &self.id_token_hash else { return Ok(()) };
        sessions::insert_id_token(tx, id_token_hash, &session.id, session.created_at).await
    }

    /// Replaces the ID token by one that the identity provider issued.
    pub(crate) fn with_id_token(self, issued: Option<String>) -> Self {
        match issued {
            Some(id_token) => Self { id_token, id_token_hash: None, ..self },
            None => self,
        }
    }
}

/// The earliest creation and last use of a session that is live at an instant of
/// [`Clock::session_now`].
pub(crate) fn alive_at(session_now: Timestamp) -> AliveSince {
    AliveSince { created: session_now.plus_days(-ABSOLUTE_DAYS), seen: session_now.plus_days(-SLIDING_DAYS) }
}

impl Sessions {
    pub(crate) fn new(
        context: AppContext,
        identity: Arc<dyn IdentityProvider>,
        limits: LimitSettings,
    ) -> Self {
        let AppContext { store, clock, ids } = context;
        let cache = moka::sync::Cache::builder().max_capacity(MAX_CACHED).time_to_live(CACHE_TTL).build();
        let longer = || Recent::new(MAX_CACHED as usize, CACHE_TTL * 2);
        let shares = moka::sync::Cache::builder().max_capacity(MAX_CACHED).time_to_idle(SHARE_IDLE).build();
        let (ended, stale_accounts) = (longer(), longer());
        Self { store, clock, ids, identity, cache, ended, stale_accounts, shares, limits }
    }

    /// Creates a session with an ID token.
    pub(crate) fn fresh(&self, uid: &Uid, caller: &Caller) -> FreshSession {
        let token = self.ids.secret(SESSION_PREFIX);
        let id_token = self.ids.secret(ID_TOKEN_PREFIX);
        let session = NewSession {
            id: SessionId::new(self.ids.id("ses_")),
            token_hash: hash(&token),
            uid: uid.clone(),
            user_agent: caller.user_agent().map(str::to_owned),
            client_address: caller.client_address().map(|address| address.to_string()),
            created_at: self.clock.session_now(),
        };
        let change = SessionChange::Set { token, max_age_seconds: SLIDING_SECONDS };
        FreshSession {
            session,
            id_token_hash: Some(hash(&id_token)),
            max_live: self.limits.live_sessions_per_account,
            replaced: session_id(caller),
            id_token,
            change,
        }
    }

    /// The earliest creation and last use of a session that is live now.
    pub(crate) fn alive_since(&self) -> AliveSince {
        alive_at(self.clock.session_now())
    }

    /// Finds a token's holder; the principal of an ended or unknown token is anonymous.
    pub(crate) async fn resolve(&self, token: &str) -> Result<Resolved, Error> {
        let hash = hash(token);
        let Some(holder) = self.holder(token, &hash).await? else { return Ok(Resolved::anonymous()) };
        let now = self.clock.session_now();
        match holder {
            Holder::Session(session) if is_session_live(&session, now) => {
                let renewed = self.extend_if_due(token, hash, &session, now).await;
                Ok(Resolved { renewed, ..Resolved::known(Principal::Session(session.identity)) })
            }
            Holder::IdToken(session) if is_id_token_live(&session, now) => {
                Ok(Resolved::known(Principal::IdToken(session.identity)))
            }
            // The issuer's clock is real time.
            Holder::Outside(identity, token) if token.ends_at > system_now() => {
                Ok(Resolved::known(Principal::IdToken(identity)))
            }
            Holder::Service(service) => {
                self.touch_service(&service).await;
                Ok(Resolved::known(Principal::Service(service)))
            }
            Holder::Revoked(token) => Ok(Resolved { revoked: Some(token), ..Resolved::anonymous() }),
            Holder::Session(_) | Holder::IdToken(_) | Holder::Outside(..) => Ok(Resolved::anonymous()),
        }
    }

    /// Extends the session of this token, and returns it for the cookie.
    pub(crate) async fn renew(&self, token: &str) -> Result<Option<SessionChange>> {
        let Some(row) = sessions::by_token(&self.store, &hash(token)).await? else { return Ok(None) };
        let now = self.clock.session_now();
        self.extend(&row.id, now).await?;
        self.cache.invalidate(&hash(token));
        Ok(Some(cookie(token, &row.into(), now)))
    }

    /// Makes the stored end of a session or service token effective at once in this process.
    pub(crate) fn invalidate(&self, id: &str) {
        self.ended.add(id);
    }

    /// Makes the stored end of these sessions of an account, and of its tokens of an outside
    /// provider, effective at once in this process.
    pub(crate) fn invalidate_all(&self, uid: &Uid, ids: &[SessionId]) {
        for id in ids {
            self.invalidate(id);
        }
        self.invalidate_account(uid);
    }

    /// Makes a stored change of an account, or the end of its tokens of an outside provider,
    /// effective at once in this process.
    pub(crate) fn invalidate_account(&self, uid: &Uid) {
        self.stale_accounts.add(uid);
    }

    async fn holder(&self, token: &str, hash: &TokenHash) -> Result<Option<Holder>, Error> {
        let is_current = |holder: &Holder| {
            !self.ended.contains(holder.id())
                && holder.uid().is_none_or(|uid| !self.stale_accounts.contains(uid))
        };
        match self.cache.get(hash).filter(is_current) {
            Some(holder) => Ok(Some(holder)),
            // Boxed, so that this rare future does not enlarge that of every call.
            None => Box::pin(self.read_holder(token, hash)).await,
        }
    }

    async fn read_holder(&self, token: &str, hash: &TokenHash) -> Result<Option<Holder>, Error> {
        let holder = if token.starts_with(SESSION_PREFIX) {
            sessions::by_token(&self.store, hash).await?.map(|row| Holder::Session(row.into()))
        } else if token.starts_with(ID_TOKEN_PREFIX) {
            sessions::by_id_token(&self.store, hash).await?.map(|row| Holder::IdToken(row.into()))
        } else if token.starts_with(SERVICE_PREFIX) {
            self.service(hash).await?
        } else if let Some(issued) = self.identity.token(token).await? {
            self.outside(issued, hash).await?
        } else {
            None
        };
        if let Some(holder) = &holder {
            self.cache.insert(*hash, holder.clone());
        }
        Ok(holder)
    }

    /// The holder of a valid token of an outside provider; `None` without an account: SetSession
    /// creates it.
    async fn outside(&self, issued: IdToken, hash: &TokenHash) -> Result<Option<Holder>> {
        let IdToken { local_id: uid, authenticated_at, ends_at } = issued;
        let token = ShownToken { id: hex::encode(hash), authenticated_at, ends_at };
        let account = accounts::by_outside_token(&self.store, &uid, authenticated_at, &token.id).await?;
        Ok(account.map(|account| {
            let identity = Identity {
                uid: account.uid,
                email: account.email.into(),
                display_name: account.display_name,
                session_id: SessionId::new(""),
                outside_token: Some(token.clone()),
            };
            Holder::Outside(Arc::new(identity), token)
        }))
    }

    /// Stores the use of a session, at most hourly. A failure is only logged: the session ends
    /// earlier.
    async fn extend_if_due(
        &self,
        token: &str,
        hash: TokenHash,
        session: &CachedSession,
        now: Timestamp,
    ) -> Option<SessionChange> {
        if now < session.seen_at.plus_seconds(EXTEND_SECONDS) {
            return None;
        }
        if let Err(error) = Box::pin(self.extend(&session.identity.session_id, now)).await {
            tracing::warn!(error = %Causes(&error), "the use of a session was not stored");
            return None;
        }
        self.cache.invalidate(&hash);
        Some(cookie(token, session, now))
    }

    async fn extend(&self, id: &SessionId, now: Timestamp) -> Result<()> {
        transaction!(self.store, (id = id.clone()), |tx| sessions::extend(tx, id, now).await)
    }
}

/// SHA-256 of a token.
pub(crate) fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

fn is_session_live(session: &CachedSession, now: Timestamp) -> bool {
    now < session.seen_at.plus_days(SLIDING_DAYS) && now < absolute_end(session)
}

fn is_id_token_live(session: &CachedSession, now: Timestamp) -> bool {
    now < session.created_at.plus_hours(ID_TOKEN_HOURS)
}

fn absolute_end(session: &CachedSession) -> Timestamp {
    session.created_at.plus_days(ABSOLUTE_DAYS)
}

/// The cookie of an extended session.
fn cookie(token: &str, session: &CachedSession, now: Timestamp) -> SessionChange {
    let left_seconds = u64::try_from(absolute_end(session).micros_since(now) / 1_000_000).unwrap_or(0);
    SessionChange::Set { token: token.to_owned(), max_age_seconds: left_seconds.min(SLIDING_SECONDS) }
}

/// The id of the session in the call's cookie.
pub(crate) fn session_id(caller: &Caller) -> Option<SessionId> {
    match &caller.principal {
        Principal::Session(identity) => Some(identity.session_id.clone()),
        _ => None,
    }
}
