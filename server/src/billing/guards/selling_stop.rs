//! Stops selling while the database has no account and the payment provider has subscriptions of
//! ours.
//!
//! Such a database was made by mistake, for instance by a start in the middle of a restore. People
//! who pay already would sign up and pay again. The check runs once for a new database and again at
//! each start without an account. Its result is stored, so that a checkout reads one row.

use std::collections::BTreeSet;

use garimpo_domain::Uid;

use crate::context::AppContext;
use crate::error::{Error, ErrorReason, Result};
use crate::providers::stripe::{Stripe, StripeError, Subscription};
use crate::store::payers_check::{self, PayersCheck, PayersState};
use crate::store::transaction;

/// Pages of the provider's list that a check reads, newest first. In an account that other products
/// share, older subscriptions of ours may go unnoticed.
const MAX_PAGES: usize = 10;

/// Finds payers of another database, and refuses to sell beside them.
#[derive(Clone)]
pub struct SellingStop {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
}

impl SellingStop {
    /// Checks a database that has no account or was never checked. It calls the provider at no
    /// other time.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub(crate) async fn check_if_empty(&self) -> Result<()> {
        let store = &self.context.store;
        let is_settled = match payers_check::current(store).await?.map(|check| check.state) {
            None | Some(PayersState::Found) => false,
            Some(PayersState::Clear) => payers_check::has_accounts(store).await?,
            Some(PayersState::Accepted) => true,
        };
        if !is_settled && !store.is_read_only() {
            self.check().await?;
        }
        Ok(())
    }

    /// Refuses a new purchase while selling is stopped.
    ///
    /// # Errors
    /// UNAVAILABLE while it is stopped. PROVIDER_UNAVAILABLE if a database that was never checked
    /// cannot be checked now.
    pub(crate) async fn refuse_while_stopped(&self) -> Result<()> {
        let state = match payers_check::current(&self.context.store).await? {
            Some(known) => known.state,
            None => self.check().await?,
        };
        if state == PayersState::Found {
            return Err(Error::refused(ErrorReason::Unavailable, "nothing is sold for now"));
        }
        Ok(())
    }

    /// Sells nevertheless. Returns the check; `None` if it found nothing to accept.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn accept_empty(&self) -> Result<Option<PayersCheck>> {
        let is_accepted = transaction!(self.context, |tx| payers_check::accept(tx).await)?;
        Ok(if is_accepted { payers_check::current(&self.context.store).await? } else { None })
    }

    async fn check(&self) -> Result<PayersState> {
        let subscriptions = self.payers_of_others().await?;
        let state = if subscriptions == 0 { PayersState::Clear } else { PayersState::Found };
        let check = PayersCheck { state, subscriptions, checked_at: self.context.now() };
        transaction!(self.context, (check), |tx| payers_check::save(tx, check).await)?;
        if state == PayersState::Found {
            tracing::error!(
                subscriptions,
                "the payment provider has subscriptions of ours, and this database has no account: nothing is sold; \
                 see \"An empty database beside payers\" in docs/operation.md"
            );
        }
        Ok(state)
    }

    /// Running subscriptions of the first page that has some with our metadata and without an
    /// account here.
    async fn payers_of_others(&self) -> Result<i64> {
        let mut after = String::new();
        for _ in 0..MAX_PAGES {
            let page = match self.stripe.list_running_subscriptions_page(&after).await {
                // The last object of the page before was deleted meanwhile: what was read has none.
                Err(StripeError::Refused { status: 400 | 404, .. }) if !after.is_empty() => break,
                page => page?,
            };
            let uids: BTreeSet<_> = page.data.iter().filter_map(uid_of).collect();
            let uids: Vec<Uid> = uids.into_iter().collect();
            if !uids.is_empty() {
                let known = payers_check::known_uids(&self.context.store, &uids).await?;
                let unknown = page.data.iter().filter_map(uid_of).filter(|uid| !known.contains(uid));
                let count = unknown.count();
                if count > 0 {
                    return Ok(count as i64);
                }
            }
            match page.data.last() {
                Some(last) if page.has_more => after = last.id.to_string(),
                _ => break,
            }
        }
        Ok(0)
    }
}

/// The account in a running subscription's metadata.
fn uid_of(fact: &Subscription) -> Option<Uid> {
    if fact.is_over() { None } else { fact.uid() }
}
