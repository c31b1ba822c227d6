//! Accounts with their user record.

use garimpo_domain::{Consent, DisplayName, Email, Phone, PhotoUrl, PromoCode, Timestamp, Uid};

use crate::store::engine::{Connection, Read, Result, Store, Tx, only, ro, row, tx};

row! {
    "accounts" by uid;

    /// An account as stored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Account {
        /// Opaque id, from the identity provider.
        pub uid: Uid,
        pub email: Email,
        /// Argon2 hash as a PHC string; `None` if an external provider stores the password.
        pub password_hash: Option<String>,
        /// Full name, as typed.
        pub display_name: String,
        /// First word of the name, or the value that SaveUser stored.
        pub first_name: Option<String>,
        /// Rest of the name.
        pub last_name: Option<String>,
        pub phone: Option<Phone>,
        pub photo_url: Option<PhotoUrl>,
        /// Whether the email was confirmed by a mailed link.
        pub email_verified: bool,
        pub created_at: Timestamp as created_at_us,
        /// Number of changes of the account and its subscription. Such a change locks this row
        /// first.
        pub revision: i64,
        /// Whether a deleted account with this email had a trial.
        pub trial_used_before: bool,
        /// Keyed hash of the canonical email, which identifies the person.
        pub person_hash: String,
        /// Whether another account of the same person had a paid subscription first.
        pub subscribed_before: bool,
        /// The person's last answer about advertising; `None` without one. [`Account::ads_allowed`]
        /// says whether it is still valid.
        pub consent_given: Option<bool>,
        /// Outside ID tokens are valid only if the password was entered after this.
        pub tokens_valid_since: Timestamp as tokens_valid_since_us,
        /// When the answer about advertising was given.
        pub consent_at: Option<Timestamp> as consent_at_us,
        /// Version of the text that was answered.
        pub consent_text_version: Option<String>,
        /// Code of the promotion of the sign-up, until its owner removes it.
        pub promo_code: Option<String>,
        /// When its owner last removed a promotion.
        pub promo_removed_at: Option<Timestamp> as promo_removed_at_us,
        /// When the unconfirmed email was last corrected.
        pub email_corrected_at: Option<Timestamp> as email_corrected_at_us,
    }
}

impl Account {
    /// The owner's last answer about advertising.
    pub fn answer(&self) -> Option<Consent> {
        Some(Consent {
            ads_allowed: self.consent_given?,
            text_version: self.consent_text_version.clone()?,
            at: self.consent_at?,
        })
    }

    /// Whether the owner allows advertising; `None` without a valid answer.
    pub fn ads_allowed(&self, now: Timestamp) -> Option<bool> {
        self.answer().filter(|answer| answer.holds(now)).map(|answer| answer.ads_allowed)
    }

    /// Whether an outside ID token is valid whose password was entered at this time.
    pub fn takes_tokens_of(&self, authenticated_at: Timestamp) -> bool {
        self.tokens_valid_since <= authenticated_at
    }
}

/// An account to insert.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Opaque id, from the identity provider.
    pub uid: Uid,
    /// Unique among accounts.
    pub email: Email,
    /// Argon2 hash as a PHC string; `None` if an external provider stores the password.
    pub password_hash: Option<String>,
    pub display_name: DisplayName,
    /// WhatsApp number.
    pub phone: Option<Phone>,
    pub created_at: Timestamp,
    /// Promotion code.
    pub promo_code: Option<PromoCode>,
}

/// The fields that SaveUser writes.
#[derive(Debug, Clone)]
pub struct AccountRecord {
    pub display_name: DisplayName,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// WhatsApp number.
    pub phone: Option<Phone>,
    /// URL of a photo.
    pub photo_url: Option<PhotoUrl>,
}

/// All columns of an account.
macro_rules! columns {
    () => {
        "uid, email, password_hash, display_name, first_name, last_name, phone, photo_url, email_verified, created_at_us,
         revision, trial_used_before, consent_given, consent_at_us, consent_text_version, tokens_valid_since_us,
         person_hash, promo_code, promo_removed_at_us, email_corrected_at_us,
         EXISTS (SELECT 1 FROM person_benefits given WHERE given.person_hash = accounts.person_hash
           AND given.benefit = 'first_subscription' AND given.uid <> accounts.uid) AS subscribed_before"
    };
}

pub(crate) use columns;

/// A constant query of all columns, with a condition.
macro_rules! select {
    ($condition:literal) => {
        concat!("SELECT ", columns!(), " FROM accounts WHERE ", $condition)
    };
}

/// Inserts an account.
///
/// # Errors
/// [`StoreError::Unique`] if the email or uid is in use.
pub async fn insert(
    tx: &mut Tx,
    account: NewAccount,
    trial_used_before: bool,
    person_hash: &str,
) -> Result<()> {
    let (first_name, last_name) = (account.display_name.first_name(), account.display_name.last_name());
    tx!(tx, execute
        "INSERT INTO accounts (uid, email, password_hash, display_name, first_name, last_name, phone,
           email_verified, created_at_us, revision, trial_used_before, person_hash, promo_code)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $12)",
        &account.uid, account.email.as_str(), &account.password_hash, account.display_name.as_str(),
        first_name, last_name, account.phone.as_ref().map(Phone::as_str), false, account.created_at,
        trial_used_before, person_hash, account.promo_code.as_ref().map(PromoCode::folded))
}

/// Writes the record and returns the account; `None` if it does not exist.
pub async fn save(tx: &mut Tx, uid: &Uid, record: &AccountRecord) -> Result<Option<Account>> {
    tx!(tx, execute
        "UPDATE accounts SET display_name = $1, first_name = $2, last_name = $3, phone = $4, photo_url = $5
         WHERE uid = $6",
        record.display_name.as_str(), &record.first_name, &record.last_name,
        record.phone.as_ref().map(Phone::as_str), record.photo_url.as_ref().map(PhotoUrl::as_str), uid)?;
    by_uid(&mut *tx, uid).await
}

/// Locks the account and raises its revision for a change of its subscription; `None` if it does
/// not exist.
pub async fn lock(tx: &mut Tx, uid: &Uid) -> Result<Option<Account>> {
    tx!(tx, execute "UPDATE accounts SET revision = revision + 1 WHERE uid = $1", uid)?;
    by_uid(&mut *tx, uid).await
}

/// Locks and reads the account until the transaction ends; `None` if it does not exist. It writes
/// nothing: the embedded database has one writer at a time, and PostgreSQL locks the row.
///
/// Lock the account before creating a session or setting a password, so that no session of the old
/// password is created meanwhile.
pub async fn hold(tx: &mut Tx, uid: &Uid) -> Result<Option<Account>> {
    match &mut tx.connection {
        Connection::Sqlite(_) => by_uid(&mut *tx, uid).await,
        Connection::Pg(session) => {
            Ok(only!(Postgres, &mut session.executor(), first select!("uid = $1 FOR UPDATE"), uid)?)
        }
    }
}

/// Stores the password hash of an account.
pub async fn set_password(tx: &mut Tx, uid: &Uid, password_hash: &str) -> Result<()> {
    tx!(tx, execute "UPDATE accounts SET password_hash = $1 WHERE uid = $2", password_hash, uid)
}

/// Invalidates outside ID tokens whose password was entered before an instant.
pub async fn end_tokens(tx: &mut Tx, uid: &Uid, before: Timestamp) -> Result<()> {
    tx!(tx, execute
        "UPDATE accounts SET tokens_valid_since_us = $1 WHERE uid = $2 AND tokens_valid_since_us < $1",
        before, uid)
}

/// Removes the promotion of an account, on every device that kept one until now.
pub async fn remove_promotion(tx: &mut Tx, uid: &Uid, now: Timestamp) -> Result<()> {
    tx!(tx, execute "UPDATE accounts SET promo_code = NULL, promo_removed_at_us = $1 WHERE uid = $2",
        now, uid)
}

/// Notes that the email of an account is its holder's.
pub async fn mark_email_verified(tx: &mut Tx, uid: &Uid) -> Result<()> {
    tx!(tx, execute "UPDATE accounts SET email_verified = $1 WHERE uid = $2", true, uid)
}

/// Whether the person of an account had the trial under another one.
pub async fn set_trial_used_before(tx: &mut Tx, uid: &Uid, used_before: bool) -> Result<()> {
    tx!(tx, execute
        "UPDATE accounts SET trial_used_before = $1, revision = revision + 1 WHERE uid = $2", used_before, uid)
}

/// Changes the email of an account to another address, and records when.
pub async fn correct_email(tx: &mut Tx, uid: &Uid, email: &Email, now: Timestamp) -> Result<()> {
    tx!(tx, execute
        "UPDATE accounts SET email = $1, email_corrected_at_us = $2, revision = revision + 1 WHERE uid = $3",
        email.as_str(), now, uid)
}

/// The account with this email.
pub async fn by_email(db: impl Read<'_>, email: &Email) -> Result<Option<Account>> {
    ro!(db, first select!("email = $1"), email.as_str())
}

/// The accounts with these uids. Unknown uids are left out.
pub async fn by_uids(store: &Store, uids: &[Uid]) -> Result<Vec<Account>> {
    ro!(store, rows in uids => concat!(select!("uid IN "), "{}"))
}

/// The account with this uid.
pub async fn by_uid(db: impl Read<'_>, uid: &Uid) -> Result<Option<Account>> {
    ro!(db, first select!("uid = $1"), uid)
}

/// The account of an outside ID token, if the token is recent enough and was not signed out.
pub async fn by_outside_token(
    store: &Store,
    uid: &Uid,
    authenticated_at: Timestamp,
    token_id: &str,
) -> Result<Option<Account>> {
    ro!(store, first select!("uid = $1 AND tokens_valid_since_us <= $2
           AND NOT EXISTS (SELECT 1 FROM ended_tokens WHERE id = $3)"), uid, authenticated_at, token_id)
}
