//! Hashes of mailed codes that have not expired.

use garimpo_domain::{Timestamp, Uid};

use crate::store::engine::{Result, Statement, Store, Tx, purge, ro, row, statement, tx};
use crate::store::identity::sessions::TokenHash;

/// Purpose of a code. Each has its own table, so that a code serves one purpose only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeUse {
    /// Setting a new password.
    PasswordReset,
    /// Confirming an email.
    EmailConfirmation,
}

row! {
    "mailed_codes" by uid;

    /// A mailed code.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MailedCode {
        pub uid: Uid,
        /// When the mail was requested.
        pub requested_at: Timestamp as requested_at_us,
        /// When it expires.
        pub ends_at: Timestamp as ends_at_us,
    }
}

/// One SQL text for both tables: the table's name is inserted between the pieces.
macro_rules! sql {
    ($code_use:expr, $first:literal $(, $rest:literal)+) => {
        match $code_use {
            CodeUse::PasswordReset => statement!(concat!($first $(, "password_resets", $rest)+)),
            CodeUse::EmailConfirmation => statement!(concat!($first $(, "email_confirmations", $rest)+)),
        }
    };
}

/// Stores a code and deletes those of the account's earlier requests. Returns false and stores
/// nothing if a later request has its code already. The account is locked, so that two requests are
/// ordered.
pub async fn insert(tx: &mut Tx, code_use: CodeUse, hash: &TokenHash, code: &MailedCode) -> Result<bool> {
    let void_earlier = sql!(code_use, "DELETE FROM ", " WHERE uid = $1 AND requested_at_us < $2");
    tx!(tx, execute registered void_earlier, &code.uid, code.requested_at)?;
    let insert = sql!(
        code_use,
        "INSERT INTO ",
        " (code_hash, uid, requested_at_us, ends_at_us)
         SELECT $1, uid, $3, $4 FROM accounts WHERE uid = $2
           AND NOT EXISTS (SELECT 1 FROM ",
        " WHERE uid = $2 AND requested_at_us > $3)"
    );
    tx!(tx, changed registered insert, hash.as_slice(), &code.uid, code.requested_at, code.ends_at)
}

/// Uses a code and deletes all codes of its account. Returns whether the code was valid.
pub async fn consume(tx: &mut Tx, code_use: CodeUse, hash: &TokenHash, uid: &Uid) -> Result<bool> {
    let delete = sql!(code_use, "DELETE FROM ", " WHERE code_hash = $1 AND uid = $2");
    let rows = tx!(tx, affected registered delete, hash.as_slice(), uid)?;
    if rows == 1 {
        void(tx, code_use, uid).await?;
    }
    Ok(rows == 1)
}

/// Deletes all codes of an account.
pub async fn void(tx: &mut Tx, code_use: CodeUse, uid: &Uid) -> Result<()> {
    let delete = sql!(code_use, "DELETE FROM ", " WHERE uid = $1");
    tx!(tx, execute registered delete, uid)
}

/// Removes codes of a recovery that ended before `$1`.
pub const PURGE_RESETS: Statement = purge!("password_resets", "code_hash", "ends_at_us < $1");

/// Removes codes of a confirmation that ended before `$1`.
pub const PURGE_CONFIRMATIONS: Statement = purge!("email_confirmations", "code_hash", "ends_at_us < $1");

/// The code with this hash, expired or not; `None` if it is unknown, used or deleted.
pub async fn by_hash(store: &Store, code_use: CodeUse, hash: &TokenHash) -> Result<Option<MailedCode>> {
    let select = sql!(code_use, "SELECT uid, requested_at_us, ends_at_us FROM ", " WHERE code_hash = $1");
    ro!(store, first registered select, hash.as_slice())
}
