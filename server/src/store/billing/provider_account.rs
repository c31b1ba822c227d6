//! The provider's account that the database belongs to.

use garimpo_domain::Timestamp;

use crate::store::engine::{Result, Store, Tx, ro, tx};

/// Identity of the provider's account. A part is `None` if the key may not read it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ProviderAccount {
    /// The provider's id, `acct_…`.
    pub account_id: Option<String>,
    /// Whether payments are real; false in test mode.
    pub livemode: Option<bool>,
    /// Id of the product that marks the account if its id cannot be read.
    pub marker: Option<String>,
    /// Whether the provider has stored that product.
    pub marked: bool,
}

/// The stored account; `None` before the provider was first reached.
pub async fn stored(store: &Store) -> Result<Option<ProviderAccount>> {
    ro!(store, first "SELECT account_id, livemode, marker, marked FROM provider_account WHERE id = 1")
}

/// Stores the account unless one is stored. Returns the stored one.
pub async fn keep(tx: &mut Tx, account: &ProviderAccount, now: Timestamp) -> Result<ProviderAccount> {
    tx!(tx, execute "INSERT INTO provider_account (id, account_id, livemode, marker, marked, stored_at_us)
         VALUES (1, $1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING",
        &account.account_id, account.livemode, &account.marker, account.marked, now)?;
    tx!(tx, row "SELECT account_id, livemode, marker, marked FROM provider_account WHERE id = 1")
}

/// Replaces the stored account.
pub async fn replace(tx: &mut Tx, account: &ProviderAccount, now: Timestamp) -> Result<()> {
    tx!(tx, execute "INSERT INTO provider_account (id, account_id, livemode, marker, marked, stored_at_us)
         VALUES (1, $1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, livemode = excluded.livemode,
           marker = excluded.marker, marked = excluded.marked, stored_at_us = excluded.stored_at_us",
        &account.account_id, account.livemode, &account.marker, account.marked, now)
}

/// Deletes the stored account, as before the first use.
#[cfg(test)]
pub(crate) async fn forget(store: &Store) -> Result<()> {
    crate::store::engine::transaction!(store, |tx| tx!(tx, execute "DELETE FROM provider_account"))
}
