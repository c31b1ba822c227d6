//! Deleted accounts, and the data deleted with them.

use garimpo_domain::{Timestamp, Uid};

use crate::store::engine::{Result, Tx, tx};

/// A deletion of an account.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// Protocol number, unlike that of any refund.
    pub protocol: String,
    pub uid: Uid,
    /// Keyed hash of the email, by which the adoption of payers and the operator find the deletion.
    pub email_hash: String,
    pub deleted_at: Timestamp,
}

/// What is known about the owner of a deleted account's address.
#[derive(Debug, Clone, Copy)]
pub struct OwnerEvidence {
    /// Whether the account had confirmed its address.
    pub confirmed: bool,
    /// Whether it had confirmed its address or paid.
    pub proven: bool,
}

/// Deletes an account with its sessions, tokens and codes, removes personal data from its
/// purchases, and records the deletion. Subscriptions, invoices and refunds stay, because the law
/// requires them; their uid no longer identifies a person.
pub async fn delete_account(tx: &mut Tx, deletion: &Deletion, evidence: OwnerEvidence) -> Result<()> {
    let uid = &deletion.uid;
    tx!(tx, execute "DELETE FROM accounts WHERE uid = $1", uid)?;
    tx!(tx, execute "UPDATE checkouts SET client_secret = NULL WHERE uid = $1", uid)?;
    tx!(tx, execute "UPDATE checkouts SET email = '' WHERE uid = $1 AND settled", uid)?;
    tx!(tx, execute "DELETE FROM checkout_requests WHERE uid = $1", uid)?;
    tx!(tx, execute
        "INSERT INTO deletions (protocol, uid, email_hash, deleted_at_us, proven, confirmed)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &deletion.protocol, uid, &deletion.email_hash, deletion.deleted_at, evidence.proven, evidence.confirmed)
}

/// The email kept for a deleted account while a payment or refund may follow; it is the Pix key of
/// a refund.
pub async fn kept_email(tx: &mut Tx, uid: &Uid) -> Result<Option<String>> {
    tx!(tx, first_value
        "SELECT email FROM checkouts WHERE uid = $1 AND email <> '' ORDER BY created_at_us DESC LIMIT 1", uid)
}

/// Deletes that email when nothing can follow.
pub async fn forget_email(tx: &mut Tx, uid: &Uid) -> Result<()> {
    tx!(tx, execute "UPDATE checkouts SET email = '' WHERE uid = $1", uid)
}

/// Whether this account was deleted.
pub async fn was_account_deleted(tx: &mut Tx, uid: &Uid) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM deletions WHERE uid = $1", uid)
}

/// Whether this account was deleted without ever having confirmed its address.
pub async fn was_unconfirmed_deleted(tx: &mut Tx, uid: &Uid) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM deletions WHERE uid = $1 AND NOT confirmed", uid)
}

/// Whether an account of this email's owner was deleted.
pub async fn was_email_deleted(tx: &mut Tx, email_hash: &str) -> Result<bool> {
    tx!(tx, exists "SELECT COUNT(*) FROM deletions WHERE email_hash = $1 AND proven", email_hash)
}
