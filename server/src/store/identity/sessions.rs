//! Sessions, and the ID tokens issued for them. Times are of [`crate::clock::Clock::session_now`],
//! because it measures the sessions' age.

use garimpo_domain::{SessionId, Timestamp, Uid};

use crate::clock::system_now;
use crate::store::engine::{Result, Statement, Store, Tx, purge, ro, row, tx};
use crate::store::identity::accounts;

/// SHA-256 of a token. The token itself is not stored.
pub type TokenHash = [u8; 32];

/// A session to store.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub id: SessionId,
    /// Hash of its token.
    pub token_hash: TokenHash,
    pub uid: Uid,
    /// As reported by the gateway.
    pub user_agent: Option<String>,
    /// As reported by the gateway.
    pub client_address: Option<String>,
    pub created_at: Timestamp,
}

row! {
    "sessions" by id;

    /// A session with its account's identity.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SessionRow {
        pub id: SessionId,
        pub uid: Uid,
        pub email: String,
        pub display_name: String,
        /// Creation of the session, or of the ID token if it was read by one.
        pub created_at: Timestamp as created_at_us,
        /// Last use of the session, rounded to the hour.
        pub seen_at: Timestamp as seen_at_us,
    }
}

row! {
    "sessions" by id;

    /// A session as listed among the account's devices.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Device {
        pub id: SessionId,
        /// As reported by the gateway.
        pub user_agent: Option<String>,
        /// As reported by the gateway.
        pub client_address: Option<String>,
        pub created_at: Timestamp as created_at_us,
        /// Last use, rounded to the hour.
        pub seen_at: Timestamp as seen_at_us,
    }
}

/// Earliest creation and last use of a valid session.
#[derive(Debug, Clone, Copy)]
pub struct AliveSince {
    pub created: Timestamp,
    pub seen: Timestamp,
}

/// Stores a session.
pub async fn insert(tx: &mut Tx, session: &NewSession) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO sessions (id, token_hash, uid, user_agent, client_address, created_at_us, seen_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        &session.id, session.token_hash.as_slice(), &session.uid, &session.user_agent,
        &session.client_address, session.created_at)
}

/// Stores an ID token of a session.
pub async fn insert_id_token(
    tx: &mut Tx,
    token_hash: &TokenHash,
    session_id: &SessionId,
    created_at: Timestamp,
) -> Result<()> {
    tx!(tx, execute "INSERT INTO id_tokens (token_hash, session_id, created_at_us) VALUES ($1, $2, $3)",
        token_hash.as_slice(), session_id, created_at)
}

/// Records a use of a session.
pub async fn extend(tx: &mut Tx, id: &SessionId, seen_at: Timestamp) -> Result<()> {
    tx!(tx, execute "UPDATE sessions SET seen_at_us = $1 WHERE id = $2 AND seen_at_us < $1", seen_at, id)
}

/// Deletes a session and its ID tokens.
pub async fn delete(tx: &mut Tx, id: &SessionId) -> Result<()> {
    tx!(tx, execute "DELETE FROM sessions WHERE id = $1", id)
}

/// Deletes a session of an account and its ID tokens. Returns whether there was one.
pub async fn end(tx: &mut Tx, id: &SessionId, uid: &Uid) -> Result<bool> {
    tx!(tx, changed "DELETE FROM sessions WHERE id = $1 AND uid = $2", id, uid)
}

/// Deletes all sessions of an account and their ID tokens, except `kept`. Returns their ids. It
/// also invalidates outside ID tokens issued before this second; their times have no smaller unit.
pub async fn end_all(tx: &mut Tx, uid: &Uid, kept: Option<&SessionId>) -> Result<Vec<SessionId>> {
    let now = Timestamp::from_unix_seconds(system_now().as_unix_seconds());
    accounts::end_tokens(tx, uid, now).await?;
    tx!(tx, values "DELETE FROM sessions WHERE uid = $1 AND id <> $2 RETURNING id",
        uid, kept.map_or("", |id| id))
}

/// Deletes the least recently used sessions of an account, except the new one and the `beside_it`
/// most recent others.
pub async fn trim(tx: &mut Tx, uid: &Uid, new: &SessionId, beside_it: i64) -> Result<()> {
    tx!(tx, execute "DELETE FROM sessions WHERE uid = $1 AND id <> $2 AND id NOT IN (
           SELECT id FROM sessions WHERE uid = $1 AND id <> $2
           ORDER BY seen_at_us DESC, created_at_us DESC, id LIMIT $3)", uid, new, beside_it)
}

/// Whether a session exists.
pub async fn exists(tx: &mut Tx, id: &SessionId) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM sessions WHERE id = $1", id)
}

/// Removes sessions that nobody used since `$1`; at most `$2`.
pub const PURGE: Statement = purge!("sessions", "id", "seen_at_us < $1");

/// Removes ID tokens of such sessions; at most `$2`.
pub const PURGE_ID_TOKENS: Statement =
    purge!("id_tokens", "token_hash", "session_id IN (SELECT id FROM sessions WHERE seen_at_us < $1)");

/// Valid sessions of an account, newest first, after a position, at most `limit`.
pub async fn devices_page(
    store: &Store,
    uid: &Uid,
    alive: AliveSince,
    after: &(i64, String),
    limit: i64,
) -> Result<Vec<Device>> {
    ro!(store, rows "SELECT id, user_agent, client_address, created_at_us, seen_at_us FROM sessions
         WHERE uid = $1 AND created_at_us > $2 AND seen_at_us > $3
           AND (created_at_us < $4 OR (created_at_us = $4 AND id < $5))
         ORDER BY created_at_us DESC, id DESC LIMIT $6",
        uid, alive.created, alive.seen, after.0, &after.1, limit)
}

/// The session with this token.
pub async fn by_token(store: &Store, hash: &TokenHash) -> Result<Option<SessionRow>> {
    ro!(store, first "SELECT s.id, s.uid, a.email, a.display_name, s.created_at_us, s.seen_at_us
         FROM sessions s JOIN accounts a ON a.uid = s.uid WHERE s.token_hash = $1", hash.as_slice())
}

/// The session of an ID token; `created_at` is the token's.
pub async fn by_id_token(store: &Store, hash: &TokenHash) -> Result<Option<SessionRow>> {
    ro!(store, first "SELECT s.id, s.uid, a.email, a.display_name, t.created_at_us, s.seen_at_us
         FROM id_tokens t JOIN sessions s ON s.id = t.session_id JOIN accounts a ON a.uid = s.uid
         WHERE t.token_hash = $1", hash.as_slice())
}
