//! Creation of an account, by a sign-up or for an identity that was created elsewhere.

use garimpo_domain::{Policy, Step, Timestamp, Uid};

use super::identity::IdentityError;
use crate::person_memory::give_trial;
use crate::rights::append_rights;
use crate::store::{Account, NewAccount, Result, Tx, accounts, funnel_counts};

/// Stores an account, with a trial unless its person had one. EMAIL_IN_USE if an account has the
/// email.
pub(super) async fn insert_account(tx: &mut Tx, account: NewAccount) -> Result<(), IdentityError> {
    let known = give_trial(tx, &account.email, &account.uid, account.created_at).await?;
    match accounts::insert(tx, account, known.had_trial, &known.person_hash).await {
        // SQLite does not report the index, so the statement names the violation.
        Err(error) if error.is_unique_violation() => Err(IdentityError::EmailInUse),
        inserted => Ok(inserted?),
    }
}

/// Counts the sign-up and stores the account's first entitlements. It is the last part of the
/// transaction, because every sign-up locks the same counter row.
pub(super) async fn finish_sign_up(tx: &mut Tx, uid: &Uid, created_at: Timestamp) -> Result<Option<Account>> {
    funnel_counts::count_step(tx, Step::SignedUp, created_at).await?;
    let account = accounts::by_uid(&mut *tx, uid).await?;
    if let Some(account) = &account {
        // The rights of a new account depend on its trial alone.
        append_rights(tx, account, &[], created_at, &Policy::default()).await?;
    }
    Ok(account)
}
