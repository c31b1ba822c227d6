//! An account is made: by a sign-up here, or for an identity that comes from elsewhere.

use garimpo_domain::Timestamp;
use garimpo_domain::funnel::Step;

use super::IdentityError;
use crate::billing::follow_new;
use crate::error::Error;
use crate::person_memory::trial_give_in_tx;
use crate::store::Tx;
use crate::store::engine::UniqueViolation as _;
use crate::store::identity::accounts::{self, Account, NewAccount};
use crate::store::tracking::funnel_counts;

/// Writes it, knowing whether its person had a trial before.
///
/// # Errors
/// EMAIL_IN_USE; the store's own.
pub(super) async fn account_make_in_tx(tx: &mut Tx, account: NewAccount) -> Result<(), Error> {
    let known = trial_give_in_tx(tx, &account.email, &account.uid, account.created_at).await?;
    accounts::insert(tx, account, known.had_trial, known.person_hash.as_deref())
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
    funnel_counts::count_step(tx, Step::SignedUp, created_at).await?;
    let account = accounts::by_uid(&mut *tx, uid).await?;
    if let Some(account) = &account {
        follow_new(tx, account, created_at).await?;
    }
    Ok(account)
}
