//! An account is made: by a sign-up here, or for an identity that comes from elsewhere.

use garimpo_domain::Timestamp;
use garimpo_domain::funnel::Step;

use super::IdentityError;
use crate::billing::follow_new;
use crate::error::Error;
use crate::person_memory::trial_give_in_tx;
use crate::store::tracking::funnel_counts::step_count_in_tx;
use crate::store::{
    Tx,
    engine::UniqueViolation as _,
    identity::accounts::{Account, NewAccount, account_by_uid_in_tx, account_insert_in_tx},
};

/// Writes it, knowing whether its person had a trial before.
///
/// # Errors
/// EMAIL_IN_USE; the store's own.
pub(super) async fn account_make_in_tx(tx: &mut Tx, account: NewAccount) -> Result<(), Error> {
    let known = trial_give_in_tx(tx, &account.email, &account.uid, account.created_at).await?;
    account_insert_in_tx(tx, account, known.had_trial, known.person_hash.as_deref())
        .await
        .unique_violation_as(Error::from(IdentityError::EmailInUse))
}

/// Counts the sign-up and writes the account's first entitlements. These are the last things of the
/// transaction, because everybody counts on one row.
pub(super) async fn sign_up_finish_in_tx(
    tx: &mut Tx,
    uid: &str,
    created_at: Timestamp,
) -> Result<Option<Account>, Error> {
    step_count_in_tx(tx, Step::SignedUp, created_at).await?;
    let account = account_by_uid_in_tx(tx, uid).await?;
    if let Some(account) = &account {
        follow_new(tx, account, created_at).await?;
    }
    Ok(account)
}
