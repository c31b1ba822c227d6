//! Accounts that are created without a password: for an identity that an outside provider has, and
//! for a payer whose account is missing.

use garimpo_domain::{Timestamp, Uid};

use super::identity::{IdentityError, Profile};
use super::new_account::{finish_sign_up, insert_account};
use crate::person_memory;
use crate::store::{Account, NewAccount, Store, Tx, accounts, deletions, transaction};

/// Creates the account of an identity if it has none.
///
/// [`IdentityError::EmailInUse`] if another identity's account has this email: the two are not
/// merged, because either may be the email's owner.
pub(super) async fn adopt(
    store: &Store,
    uid: Uid,
    profile: Profile,
    now: Timestamp,
) -> Result<(), IdentityError> {
    transaction!(store, (uid, profile), |tx| find_or_adopt(tx, uid, profile, now).await.map(drop))
}

/// Like [`adopt`], in a transaction, which locks the account. A deleted account is not created
/// again while its identity still exists at the provider.
pub(super) async fn find_or_adopt(
    tx: &mut Tx,
    uid: &Uid,
    profile: &Profile,
    now: Timestamp,
) -> Result<Option<Account>, IdentityError> {
    if let Some(account) = accounts::hold(tx, uid).await? {
        return Ok(Some(account));
    }
    if deletions::was_account_deleted(tx, uid).await? {
        return Ok(None);
    }
    let adopted = uid.clone();
    tx.after_commit(move || {
        tracing::info!(user.id = %adopted, "an account was created for an identity of the provider");
    });
    create(tx, uid, profile, now).await
}

/// Creates an account without a password. It is the last part of a transaction. EMAIL_IN_USE if an
/// account has the email.
pub(crate) async fn create(
    tx: &mut Tx,
    uid: &Uid,
    profile: &Profile,
    now: Timestamp,
) -> Result<Option<Account>, IdentityError> {
    let account = NewAccount {
        uid: uid.clone(),
        email: profile.email.clone(),
        password_hash: None,
        display_name: profile.display_name.clone(),
        phone: None,
        created_at: now,
        promo_code: None,
    };
    insert_account(tx, account).await?;
    let confirmed = if profile.email_verified { accounts::by_uid(&mut *tx, uid).await? } else { None };
    if let Some(account) = confirmed {
        person_memory::confirm(tx, &account, now).await?;
    }
    Ok(finish_sign_up(tx, uid, now).await?)
}
