//! The audit trail.

use garimpo_domain::{Timestamp, Uid};

use crate::store::engine::{Result, Statement, Store, Tx, purge, ro, row, tx};
use crate::store::identity::audit_event::{AuditEvent, AuditKind, Subject};

row! {
    "audit_events" by id, select, printed;

    /// An event as the operator and the account's export see it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AuditRow {
        /// Our id, `aud_…`.
        pub id: String,
        pub at: Timestamp as at_us,
        /// As stored, because a newer version may store a kind that this version does not know.
        pub kind: String,
        /// Account, if known.
        pub uid: Option<Uid>,
        /// Hash of the email, if no account has it.
        pub email_hash: Option<String>,
        /// Address of the visitor, as reported by the gateway.
        pub client_address: Option<String>,
        /// Description of the device.
        pub device: String,
        /// Request id, as in the log.
        pub request_id: String,
    }
}

/// Which events to list. An absent field matches all.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only of this account.
    pub uid: Option<Uid>,
    /// Only of this email, by its hash, or of the account that has it.
    pub email_hash: Option<String>,
    /// Only from this address of a visitor.
    pub client_address: Option<String>,
    /// Only of this kind.
    pub kind: Option<AuditKind>,
    /// Only from this instant on.
    pub since: Option<Timestamp>,
}

/// Stores an event.
pub(crate) async fn insert(tx: &mut Tx, event: &AuditEvent) -> Result<()> {
    let (uid, email, hash) = match &event.subject {
        Subject::Account(uid) => (&**uid, "", ""),
        Subject::Email { email, hash } => ("", email.as_str(), hash.as_str()),
    };
    // PostgreSQL accepts no NUL in a text, and no account's email contains one.
    let email = if email.contains('\0') { "" } else { email };
    tx!(tx, execute
        "INSERT INTO audit_events (id, at_us, kind, uid, email_hash, client_address, device, request_id)
         VALUES ($1, $2, $3, COALESCE(NULLIF($4, ''), (SELECT uid FROM accounts WHERE email = $5)),
           CASE WHEN $4 = '' AND NOT EXISTS (SELECT 1 FROM accounts WHERE email = $5) THEN $6 END, $7, $8, $9)",
        &event.id, event.at, event.kind.name(), uid, email, hash, &event.client_address, &event.device,
        &event.request_id)
}

/// Changes the kind of an attempt that was first stored as failed.
pub(crate) async fn reclassify(tx: &mut Tx, id: &str, kind: AuditKind, uid: &Uid) -> Result<()> {
    tx!(tx, execute "UPDATE audit_events SET kind = $2, uid = $3, email_hash = NULL WHERE id = $1",
        id, kind.name(), uid)
}

/// Deletes an attempt that failed without the caller's fault.
pub(crate) async fn delete(tx: &mut Tx, id: &str) -> Result<()> {
    tx!(tx, execute "DELETE FROM audit_events WHERE id = $1", id)
}

/// Removes events from before `$1`; at most `$2`.
pub const PURGE: Statement = purge!("audit_events", "id", "at_us < $1");

/// Events for the operator, newest first, at most `limit`.
pub async fn list(store: &Store, filter: &AuditFilter, limit: i64) -> Result<Vec<AuditRow>> {
    ro!(store, rows select!("WHERE at_us >= $1 AND ($2 = '' OR kind = $2)
           AND ((CAST($3 AS TEXT) IS NULL AND CAST($4 AS TEXT) IS NULL) OR uid = $3 OR email_hash = $4)
           AND (CAST($5 AS TEXT) IS NULL OR client_address = $5)
         ORDER BY at_us DESC, id DESC LIMIT $6"),
        filter.since.unwrap_or(Timestamp::MIN), filter.kind.map_or("", AuditKind::name), &filter.uid,
        &filter.email_hash, &filter.client_address, limit)
}

/// All events of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<AuditRow>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY at_us, id"), uid)
}
