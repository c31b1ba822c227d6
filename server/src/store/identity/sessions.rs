//! Sessions and the ID tokens made beside them. Times are those by which their lives are measured
//! ([`crate::clock::Clock::session_now`]).

use garimpo_domain::Timestamp;

use crate::clock::system_now;
use crate::store::engine::{Result, Store, Tx, purge, ro, row, tx};
use crate::store::identity::accounts;

/// SHA-256 of a token: what is stored of it.
pub type TokenHash = [u8; 32];

/// A session to be stored.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Id to revoke it by.
    pub id: String,
    /// Hash of its token.
    pub token_hash: TokenHash,
    /// Account.
    pub uid: String,
    /// As the gateway told it.
    pub user_agent: Option<String>,
    /// As the gateway told it.
    pub client_address: Option<String>,
    pub created_at: Timestamp,
}

row! {
    "sessions" by id;

    /// A session with the identity that it carries.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SessionRow {
        /// Id of the session.
        pub id: String,
        /// Account.
        pub uid: String,
        /// Email of the account.
        pub email: String,
        /// Name of the account.
        pub display_name: String,
        /// Creation of the session, or of the ID token where it is one.
        pub created_at: Timestamp as created_at_us,
        /// Last use of the session, to the hour.
        pub seen_at: Timestamp as seen_at_us,
    }
}

row! {
    "sessions" by id;

    /// A session as the list of devices shows it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Device {
        /// Id of the session.
        pub id: String,
        /// As the gateway told it.
        pub user_agent: Option<String>,
        /// As the gateway told it.
        pub client_address: Option<String>,
        pub created_at: Timestamp as created_at_us,
        /// Last use, to the hour.
        pub seen_at: Timestamp as seen_at_us,
    }
}

/// Since when a session was made and used that is alive.
#[derive(Debug, Clone, Copy)]
pub struct AliveSince {
    pub created: Timestamp,
    pub seen: Timestamp,
}

/// Stores a session.
pub async fn insert(tx: &mut Tx, session: &NewSession) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO sessions (id, token_hash, uid, user_agent, client_address, created_at_us, seen_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $6)")
        .bind(&session.id).bind(session.token_hash.as_slice()).bind(&session.uid).bind(&session.user_agent)
        .bind(&session.client_address).bind(session.created_at).execute(c).await.map(drop))
}

/// Stores an ID token of a session.
pub async fn insert_id_token(
    tx: &mut Tx,
    token_hash: &TokenHash,
    session_id: &str,
    created_at: Timestamp,
) -> Result<()> {
    tx!(tx, c => sqlx::query("INSERT INTO id_tokens (token_hash, session_id, created_at_us) VALUES ($1, $2, $3)")
        .bind(token_hash.as_slice()).bind(session_id).bind(created_at).execute(c).await.map(drop))
}

/// Notes the use of a session.
pub async fn extend(tx: &mut Tx, id: &str, seen_at: Timestamp) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE sessions SET seen_at_us = $1 WHERE id = $2 AND seen_at_us < $1")
        .bind(seen_at).bind(id).execute(c).await.map(drop))
}

/// Ends a session and its ID tokens.
pub async fn delete(tx: &mut Tx, id: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("DELETE FROM sessions WHERE id = $1").bind(id).execute(c).await.map(drop))
}

/// Ends a session of an account with its ID tokens; answers whether there was one.
pub async fn end(tx: &mut Tx, id: &str, uid: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query("DELETE FROM sessions WHERE id = $1 AND uid = $2")
        .bind(id).bind(uid).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Ends every session of an account with its ID tokens, but for the one to keep; answers the ids of
/// those that ended. With them go the tokens that an outside provider issued for it before this
/// second, which is as exact as they are.
pub async fn end_all(tx: &mut Tx, uid: &str, kept: Option<&str>) -> Result<Vec<String>> {
    let now = Timestamp::from_unix_seconds(system_now().as_unix_seconds());
    accounts::end_tokens(tx, uid, now).await?;
    tx!(tx, c => sqlx::query_scalar("DELETE FROM sessions WHERE uid = $1 AND id <> $2 RETURNING id")
        .bind(uid).bind(kept.unwrap_or_default()).fetch_all(c).await)
}

/// Ends the sessions of an account that were not used for longest, but for the new one and as many
/// as may live beside it.
pub async fn trim(tx: &mut Tx, uid: &str, new: &str, beside_it: i64) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "DELETE FROM sessions WHERE uid = $1 AND id <> $2 AND id NOT IN (
           SELECT id FROM sessions WHERE uid = $1 AND id <> $2
           ORDER BY seen_at_us DESC, created_at_us DESC, id LIMIT $3)")
        .bind(uid).bind(new).bind(beside_it).execute(c).await.map(drop))
}

/// Whether a session is stored still.
pub async fn exists(tx: &mut Tx, id: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query_scalar::<_, String>("SELECT id FROM sessions WHERE id = $1")
        .bind(id).fetch_optional(c).await.map(|found| found.is_some()))
}

/// Removes sessions that nobody used since `$1`; at most `$2`.
pub const PURGE: &str = purge!("sessions", "id", "seen_at_us < $1");

/// Removes ID tokens of such sessions; at most `$2`.
pub const PURGE_ID_TOKENS: &str =
    purge!("id_tokens", "token_hash", "session_id IN (SELECT id FROM sessions WHERE seen_at_us < $1)");

/// Live sessions of an account, newest first, after a place in that order; at most `limit`.
pub async fn devices_page(
    store: &Store,
    uid: &str,
    alive: AliveSince,
    after: &(i64, String),
    limit: i64,
) -> Result<Vec<Device>> {
    ro!(store, c => sqlx::query_as(
        "SELECT id, user_agent, client_address, created_at_us, seen_at_us FROM sessions
         WHERE uid = $1 AND created_at_us > $2 AND seen_at_us > $3
           AND (created_at_us < $4 OR (created_at_us = $4 AND id < $5))
         ORDER BY created_at_us DESC, id DESC LIMIT $6")
        .bind(uid).bind(alive.created).bind(alive.seen).bind(after.0).bind(&after.1).bind(limit)
        .fetch_all(c).await)
}

/// The session of a token.
pub async fn by_token(store: &Store, hash: &TokenHash) -> Result<Option<SessionRow>> {
    ro!(store, c => sqlx::query_as(
        "SELECT s.id, s.uid, a.email, a.display_name, s.created_at_us, s.seen_at_us
         FROM sessions s JOIN accounts a ON a.uid = s.uid WHERE s.token_hash = $1")
        .bind(hash.as_slice()).fetch_optional(c).await)
}

/// The session beside which an ID token was made; `created_at_us` is the token's.
pub async fn by_id_token(store: &Store, hash: &TokenHash) -> Result<Option<SessionRow>> {
    ro!(store, c => sqlx::query_as(
        "SELECT s.id, s.uid, a.email, a.display_name, t.created_at_us, s.seen_at_us
         FROM id_tokens t JOIN sessions s ON s.id = t.session_id JOIN accounts a ON a.uid = s.uid
         WHERE t.token_hash = $1")
        .bind(hash.as_slice()).fetch_optional(c).await)
}
