//! Sessions, ID tokens and service tokens: how long they live and who they are.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_proto::metadata::{SESSION, SESSION_MAX_AGE};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};

use super::identity::{IdentityProvider, OutsideToken};
use super::limits::{LimitSettings, TokenLimits};
use crate::app::Parts;
use crate::caller::{Caller, Identity, Principal, Service, ShownToken, TokenShare};
use crate::causes::Causes;
use crate::clock::{Clock, system_now};
use crate::error::Error;
use crate::ids::Ids;
use crate::recent::Recent;
use crate::store::identity::accounts;
use crate::store::identity::service_tokens::ServiceTokenRow;
use crate::store::identity::sessions::{self, AliveSince, NewSession, SessionRow, TokenHash};
use crate::store::{Store, StoreError, Tx};

mod services;

/// Prefix of a session's token.
pub const SESSION_PREFIX: &str = "gs_";
/// Prefix of an ID token.
pub const ID_TOKEN_PREFIX: &str = "gi_";
/// Prefix of a service token.
pub const SERVICE_PREFIX: &str = "gv_";

/// A session ends this long after its last use.
pub const SLIDING_DAYS: i64 = 14;
/// A session ends this long after it was made.
pub const ABSOLUTE_DAYS: i64 = 90;
/// An ID token ends this long after it was made.
const ID_TOKEN_HOURS: i64 = 1;
/// A use is written at most this often.
const TOUCH_SECONDS: i64 = 3600;
/// A revocation on another node holds here within 5 s: this, and what a look-up on its way may take.
const CACHE: Duration = Duration::from_millis(4500);
const CACHED: u64 = 100_000;
/// What a token used is forgotten when nobody has used it for so long: by then it may use all of its share again.
const SHARE_IDLE: Duration = Duration::from_mins(2);

/// Finds out who a token is and makes new ones.
pub struct Sessions {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    identity: Arc<dyn IdentityProvider>,
    cache: moka::sync::Cache<TokenHash, Holder>,
    /// Ids of sessions and tokens that ended here, kept for longer than the cache keeps a holder: they are read anew.
    ended: Recent,
    /// Accounts whose record or password changed here, kept as long: their holders are read anew.
    renamed: Recent,
    /// How much of this process each service token may use, by its id: it outlives what the cache keeps.
    shares: moka::sync::Cache<String, Arc<TokenShare>>,
    /// How much that is.
    share: TokenLimits,
    /// Live sessions that an account may have.
    most_live: u32,
}

#[derive(Clone)]
enum Holder {
    Session(Life),
    IdToken(Life),
    Outside(Arc<Identity>, ShownToken),
    Service(Arc<Service>),
    /// A service token that was revoked.
    Revoked(Arc<ServiceTokenRow>),
}

/// Somebody's session or ID token.
#[derive(Clone)]
struct Life {
    identity: Arc<Identity>,
    created_at_us: i64,
    /// Last use, to the hour.
    seen_at_us: i64,
}

impl From<SessionRow> for Life {
    fn from(row: SessionRow) -> Self {
        let SessionRow { id: session_id, uid, email, display_name, created_at_us, seen_at_us } = row;
        let identity = Arc::new(Identity { uid, email, display_name, session_id, outside_token: None });
        Self { identity, created_at_us, seen_at_us }
    }
}

impl Holder {
    /// Id of the session or token.
    fn id(&self) -> &str {
        match self {
            Self::Session(life) | Self::IdToken(life) => &life.identity.session_id,
            Self::Outside(_, token) => &token.id,
            Self::Service(service) => &service.token.id,
            Self::Revoked(token) => &token.id,
        }
    }

    /// The account behind it, where there is one.
    fn uid(&self) -> Option<&str> {
        match self {
            Self::Session(life) | Self::IdToken(life) => Some(&life.identity.uid),
            Self::Outside(identity, _) => Some(&identity.uid),
            Self::Service(_) | Self::Revoked(_) => None,
        }
    }
}

/// A session's token on its way to the gateway.
#[derive(Clone)]
pub struct SessionGrant {
    token: String,
    max_age_seconds: i64,
}

/// Who a token is, and what the cookie is made of again when its life has slid.
pub(crate) struct Resolved {
    pub principal: Principal,
    pub renewed: Option<SessionGrant>,
    /// The service token that was shown, where it was revoked.
    pub revoked: Option<Arc<ServiceTokenRow>>,
}

/// A session and ID token made and not yet stored.
#[derive(Clone)]
pub(crate) struct FreshSession {
    session: NewSession,
    /// Of the ID token, where it is ours.
    id_token_hash: Option<TokenHash>,
    /// Live sessions that its account may have.
    most_live: u32,
    pub id_token: String,
    pub grant: SessionGrant,
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
    /// Whose it is.
    pub(crate) fn uid(&self) -> &str {
        &self.session.uid
    }

    /// Stores both.
    pub(crate) async fn insert_in_tx(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let session = &self.session;
        sessions::insert(tx, session).await?;
        let beside_it = i64::from(self.most_live) - 1;
        sessions::trim(tx, &session.uid, &session.id, beside_it).await?;
        let Some(id_token_hash) = &self.id_token_hash else { return Ok(()) };
        sessions::insert_id_token(tx, id_token_hash, &session.id, session.created_at_us).await
    }

    /// With the ID token that the identity provider itself issued, if it did, in the place of one of ours.
    pub(crate) fn with_id_token(self, issued: Option<String>) -> Self {
        match issued {
            Some(id_token) => Self { id_token, id_token_hash: None, ..self },
            None => self,
        }
    }
}

/// Since when a session must have been made and used to be alive at an instant by which lives are measured.
pub(crate) fn alive_at(session_now: Timestamp) -> AliveSince {
    AliveSince {
        created_us: session_now.plus_days(-ABSOLUTE_DAYS).as_micros(),
        seen_us: session_now.plus_days(-SLIDING_DAYS).as_micros(),
    }
}

impl Sessions {
    /// Sessions of a store, on the product's clock; what is no token of ours is the identity provider's. A service token
    /// may make so many calls a second, and keep so many watches open.
    pub(crate) fn new(parts: Parts, identity: Arc<dyn IdentityProvider>, limits: &LimitSettings) -> Self {
        let Parts { store, clock, ids } = parts;
        let cache = moka::sync::Cache::builder().max_capacity(CACHED).time_to_live(CACHE).build();
        let longer = || Recent::new(CACHED as usize, CACHE * 2);
        let shares = moka::sync::Cache::builder().max_capacity(CACHED).time_to_idle(SHARE_IDLE).build();
        let (ended, renamed) = (longer(), longer());
        let (share, most_live) = (limits.per_token(), limits.live_sessions_per_account);
        Self { store, clock, ids, identity, cache, ended, renamed, shares, share, most_live }
    }

    /// Makes a session with an ID token beside it, for an account.
    pub(crate) fn fresh(&self, uid: &str, caller: &Caller) -> FreshSession {
        let token = self.ids.secret(SESSION_PREFIX);
        let id_token = self.ids.secret(ID_TOKEN_PREFIX);
        let session = NewSession {
            id: self.ids.id("ses_"),
            token_hash: hash(&token),
            uid: uid.to_owned(),
            user_agent: caller.user_agent.clone(),
            client_address: caller.client_address.clone(),
            created_at_us: self.clock.session_now().as_micros(),
        };
        let grant = SessionGrant { token, max_age_seconds: SLIDING_DAYS * 86_400 };
        FreshSession {
            session,
            id_token_hash: Some(hash(&id_token)),
            most_live: self.most_live,
            id_token,
            grant,
        }
    }

    /// Since when a session must have been made and used to be alive now.
    pub(crate) fn alive_since(&self) -> AliveSince {
        alive_at(self.clock.session_now())
    }

    /// Says who holds a token; a token that is not alive is nobody's.
    pub(crate) async fn resolve(&self, token: &str) -> Result<Resolved, Error> {
        let hash = hash(token);
        let Some(holder) = self.holder(token, &hash).await? else { return Ok(Resolved::anonymous()) };
        let now = self.clock.session_now();
        match holder {
            Holder::Session(life) if session_lives(&life, now) => {
                let renewed = self.touch(token, hash, &life, now).await;
                Ok(Resolved { renewed, ..Resolved::known(Principal::Session(life.identity)) })
            }
            Holder::IdToken(life) if id_token_lives(&life, now) => {
                Ok(Resolved::known(Principal::IdToken(life.identity)))
            }
            // Its time is real, as its issuer's.
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

    /// Slides the session of this token to now, whenever it was used last, and gives it for a cookie again.
    pub(crate) async fn renew(&self, token: &str) -> Result<Option<SessionGrant>, StoreError> {
        let Some(row) = sessions::by_token(&self.store, &hash(token)).await? else { return Ok(None) };
        let now = self.clock.session_now();
        self.write_touch(&row.id, now).await?;
        self.cache.invalidate(&hash(token));
        Ok(Some(grant(token, &row.into(), now)))
    }

    /// Makes the end of a session or service token hold at once on this node; its row is gone already.
    pub(crate) fn ended(&self, id: &str) {
        self.ended.add(id);
    }

    /// Makes the end of these sessions of an account, and of its tokens of an outside provider,
    /// hold at once on this node; it is stored already.
    pub(crate) fn all_ended(&self, uid: &str, ids: &[String]) {
        for id in ids {
            self.ended(id);
        }
        self.renamed(uid);
    }

    /// Makes the new name of an account, or the end of an outside provider's tokens for it, hold at once on this node;
    /// it is stored already.
    pub(crate) fn renamed(&self, uid: &str) {
        self.renamed.add(uid);
    }

    async fn holder(&self, token: &str, hash: &TokenHash) -> Result<Option<Holder>, Error> {
        let is_current = |holder: &Holder| {
            !self.ended.contains(holder.id()) && holder.uid().is_none_or(|uid| !self.renamed.contains(uid))
        };
        match self.cache.get(hash).filter(is_current) {
            Some(holder) => Ok(Some(holder)),
            // What happens seldom is not a part of every call's future.
            None => Box::pin(self.look_up(token, hash)).await,
        }
    }

    async fn look_up(&self, token: &str, hash: &TokenHash) -> Result<Option<Holder>, Error> {
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

    /// The holder of an outside provider's token that was checked. Who has no account is nobody: SetSession makes one.
    async fn outside(&self, issued: OutsideToken, hash: &TokenHash) -> Result<Option<Holder>, StoreError> {
        let OutsideToken { uid, authenticated_at, ends_at } = issued;
        let token = ShownToken { id: hex::encode(hash), authenticated_at, ends_at };
        let account = accounts::by_outside_token(&self.store, &uid, authenticated_at, &token.id).await?;
        Ok(account.map(|account| {
            let identity = Identity {
                uid: account.uid,
                email: account.email,
                display_name: account.display_name,
                session_id: String::new(),
                outside_token: Some(token.clone()),
            };
            Holder::Outside(Arc::new(identity), token)
        }))
    }

    /// Writes the use of a session, at most hourly; a failure only shortens its life.
    async fn touch(&self, token: &str, hash: TokenHash, life: &Life, now: Timestamp) -> Option<SessionGrant> {
        if now < Timestamp::from_micros(life.seen_at_us).plus_seconds(TOUCH_SECONDS) {
            return None;
        }
        if let Err(error) = Box::pin(self.write_touch(&life.identity.session_id, now)).await {
            tracing::warn!(error = %Causes(&error), "the use of a session was not stored");
            return None;
        }
        self.cache.invalidate(&hash);
        Some(grant(token, life, now))
    }

    async fn write_touch(&self, id: &str, now: Timestamp) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.store
            .write((), move |tx, ()| {
                let id = id.clone();
                Box::pin(async move { sessions::extend(tx, &id, now.as_micros()).await })
            })
            .await
    }
}

/// SHA-256 of a token.
pub(crate) fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

fn session_lives(life: &Life, now: Timestamp) -> bool {
    now < Timestamp::from_micros(life.seen_at_us).plus_days(SLIDING_DAYS) && now < absolute_end(life)
}

fn id_token_lives(life: &Life, now: Timestamp) -> bool {
    now < Timestamp::from_micros(life.created_at_us).plus_hours(ID_TOKEN_HOURS)
}

fn absolute_end(life: &Life) -> Timestamp {
    Timestamp::from_micros(life.created_at_us).plus_days(ABSOLUTE_DAYS)
}

fn grant(token: &str, life: &Life, now: Timestamp) -> SessionGrant {
    let left_seconds = absolute_end(life).micros_since(now) / 1_000_000;
    SessionGrant { token: token.to_owned(), max_age_seconds: left_seconds.clamp(0, SLIDING_DAYS * 86_400) }
}

/// Hands a session to the gateway, which makes the cookie.
pub(crate) fn set_session_metadata(headers: &mut HeaderMap, grant: &SessionGrant) {
    if let Ok(token) = HeaderValue::from_str(&grant.token) {
        headers.insert(SESSION, token);
        headers.insert(SESSION_MAX_AGE, HeaderValue::from(grant.max_age_seconds));
    }
}

/// Tells the gateway to expire the cookie.
pub(crate) fn clear_session_metadata(headers: &mut HeaderMap) {
    headers.insert(SESSION, HeaderValue::from_static(""));
    headers.insert(SESSION_MAX_AGE, HeaderValue::from_static("0"));
}
