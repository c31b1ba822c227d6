//! An account is made: by a sign-up here, or for an identity that comes from elsewhere.

use garimpo_domain::funnel::Step;

use super::IdentityError;
use crate::error::Error;
use crate::person_memory::trial_give_in_tx;
use crate::store::funnel_counts::step_count_in_tx;
use crate::store::{NewAccount, Tx, UniqueViolation as _, account_insert_in_tx};

/// Writes it, knowing whether its person had a trial before, and counts the sign-up. What it may use is told by
/// `follow_new`, as the last thing of the transaction.
///
/// # Errors
/// EMAIL_IN_USE; the store's own.
pub(super) async fn account_make_in_tx(tx: &mut Tx, account: NewAccount) -> Result<(), Error> {
    let created_at = account.created_at;
    let known = trial_give_in_tx(tx, &account.email, &account.uid, created_at).await?;
    account_insert_in_tx(tx, account, known.had_trial, known.person_hash.as_deref())
        .await
        .unique_violation_as(Error::from(IdentityError::EmailInUse))?;
    Ok(step_count_in_tx(tx, Step::SignedUp, created_at).await?)
}
