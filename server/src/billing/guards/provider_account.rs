//! The provider's account and mode of this database. The first use stores it; another one is
//! refused.
//!
//! With the key of another account every customer is unknown, and a test key on live data takes no
//! real money. The check runs before the first call of a process, so that nothing is read or
//! written at another account.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tokio::sync::OnceCell;

use crate::context::AppContext;
use crate::error::Result;
use crate::providers::stripe::{AccountGuard, AccountMark, Stripe, StripeError};
use crate::store::{ProviderAccount, StoreError, provider_account, transaction};

/// Compares the key's account with the stored one.
pub(crate) struct StoredAccount {
    context: AppContext,
    /// Read once, because the account of a key cannot change while the process runs.
    found: OnceCell<AccountMark>,
    is_same: AtomicBool,
    is_logged: AtomicBool,
}

impl std::fmt::Debug for StoredAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredAccount").field("found", &self.found).finish_non_exhaustive()
    }
}

#[tonic::async_trait]
impl AccountGuard for StoredAccount {
    async fn check(&self, stripe: &Stripe) -> Result<(), StripeError> {
        if self.is_same.load(Ordering::Acquire) {
            return Ok(());
        }
        let found = self.found.get_or_try_init(|| stripe.read_account_mark()).await?;
        let stored = self.stored(found).await.map_err(|error| unstored(&error))?;
        if !is_same(&stored, found) || !self.is_marked(stripe, &stored, found).await? {
            let error = StripeError::OtherAccount { found: named(found), stored: named(&mark_of(&stored)) };
            if !self.is_logged.swap(true, Ordering::AcqRel) {
                tracing::error!(%error, "nothing is read or written at the payment provider: see docs/operation.md");
            }
            return Err(error);
        }
        self.is_same.store(true, Ordering::Release);
        Ok(())
    }
}

impl StoredAccount {
    pub(crate) fn new(context: AppContext) -> Self {
        let (is_same, is_logged) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { context, found: OnceCell::new(), is_same, is_logged }
    }

    /// Returns the stored account, and stores that of the key first if none is stored.
    async fn stored(&self, found: &AccountMark) -> Result<ProviderAccount, StoreError> {
        if let Some(stored) = provider_account::stored(&self.context.store).await? {
            return Ok(stored);
        }
        let account = self.account_of(found);
        if self.context.store.is_read_only() {
            return Ok(account);
        }
        let now = self.context.now();
        transaction!(self.context.store, (account), |tx| provider_account::keep(tx, account, now).await)
    }

    /// A row for an account. If its id cannot be read, the row gets a marker.
    fn account_of(&self, found: &AccountMark) -> ProviderAccount {
        let marker = found.account_id.is_none().then(|| self.context.ids.id("garimpo_"));
        ProviderAccount {
            account_id: found.account_id.clone(),
            livemode: found.livemode,
            marker,
            marked: false,
        }
    }

    /// Whether the marker of an account without a readable id exists. If it was never created, it
    /// is created.
    async fn is_marked(
        &self,
        stripe: &Stripe,
        stored: &ProviderAccount,
        found: &AccountMark,
    ) -> Result<bool, StripeError> {
        let Some(marker) = &stored.marker else {
            if found.account_id.is_none() {
                warn_unreadable();
            }
            return Ok(true);
        };
        if stored.marked {
            return match stripe.has_marker(marker).await {
                Err(error) if error.refuses_key() => {
                    warn_unreadable();
                    Ok(true)
                }
                answer => answer,
            };
        }
        if self.context.store.is_read_only() {
            return Ok(true);
        }
        // The row is stored first, so that a retry creates the same product.
        let created = match stripe.has_marker(marker).await {
            Ok(true) => Ok(()),
            Ok(false) => stripe.create_marker(marker).await,
            Err(error) => Err(error),
        };
        match created {
            Ok(()) => {}
            Err(StripeError::Refused { .. }) => {
                warn_unreadable();
                return Ok(true);
            }
            Err(error) => return Err(error),
        }
        let (account, now) = (ProviderAccount { marked: true, ..stored.clone() }, self.context.now());
        let kept: Result<(), StoreError> =
            transaction!(self.context.store, (account), |tx| provider_account::replace(tx, account, now)
                .await);
        kept.map_err(|error| unstored(&error))?;
        Ok(true)
    }

    /// Replaces the stored account by the key's and returns both.
    async fn adopt(&self, stripe: &Stripe) -> Result<(Option<ProviderAccount>, ProviderAccount)> {
        let found = stripe.read_account_mark().await?;
        let before = provider_account::stored(&self.context.store).await?;
        let after = self.account_of(&found);
        let now = self.context.now();
        transaction!(self.context.store, (after = after.clone()), |tx| provider_account::replace(
            tx, after, now
        )
        .await)?;
        self.check(stripe).await?;
        Ok((before, after))
    }
}

fn unstored(error: &StoreError) -> StripeError {
    StripeError::unavailable(format!("the account of the key cannot be compared: {error}"))
}

/// Logs that the account's id cannot be read. It runs once per process, because the account is
/// checked once.
fn warn_unreadable() {
    tracing::warn!(
        "the key may not read which account it belongs to: a key of another account would not be noticed; \
         allow it to read Balance and Products"
    );
}

fn mark_of(stored: &ProviderAccount) -> AccountMark {
    AccountMark { account_id: stored.account_id.clone(), livemode: stored.livemode }
}

/// Compares two accounts. Parts that cannot be read on one side are ignored.
fn is_same(stored: &ProviderAccount, found: &AccountMark) -> bool {
    let agree = |ours: Option<&str>, theirs: Option<&str>| ours.zip(theirs).is_none_or(|(a, b)| a == b);
    let same_mode = stored.livemode.zip(found.livemode).is_none_or(|(ours, theirs)| ours == theirs);
    same_mode && agree(stored.account_id.as_deref(), found.account_id.as_deref())
}

/// An account as text for the operator.
fn named(mark: &AccountMark) -> String {
    let id = mark.account_id.as_deref().unwrap_or("an account whose id cannot be read");
    match mark.livemode {
        Some(true) => format!("{id} (live mode)"),
        Some(false) => format!("{id} (test mode)"),
        None => format!("{id} (unknown mode)"),
    }
}

/// The stored account before and after an adoption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdoptedAccount {
    /// The account that was stored before; `None` without one.
    pub before: Option<String>,
    /// The account that is stored now.
    pub after: String,
}

/// Checks and replaces the provider's account of this database.
#[derive(Clone)]
pub struct ProviderAccounts {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
}

impl ProviderAccounts {
    /// Checks that the key belongs to the stored account, and stores the account at first use.
    ///
    /// # Errors
    /// [`StripeError::OtherAccount`] for another account; the provider's error if the account
    /// cannot be read.
    pub async fn check(&self) -> Result<(), StripeError> {
        self.stripe.check_account().await
    }

    /// The stored account as text for the operator; `None` before the provider was first reached.
    pub async fn read(&self) -> Result<Option<String>> {
        Ok(provider_account::stored(&self.context.store).await?.map(|stored| named(&mark_of(&stored))))
    }

    /// Replaces the stored account by the key's.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the account cannot be read, UNAVAILABLE if the database fails.
    pub async fn adopt(&self) -> Result<AdoptedAccount> {
        let (before, after) = StoredAccount::new(self.context.clone()).adopt(&self.stripe).await?;
        let before = before.map(|stored| named(&mark_of(&stored)));
        Ok(AdoptedAccount { before, after: named(&mark_of(&after)) })
    }
}
