//! Handles objects that are missing at Stripe: returns a retryable error and repairs our rows, so
//! that a retry works.

use std::time::Duration;

use garimpo_domain::{CustomerId, Uid};

use crate::billing::catalog::CatalogPush;
use crate::billing::guards::refusals::no_subscription;
use crate::billing::sync::AccountSync;
use crate::context::AppContext;
use crate::error::{Error, ErrorReason, Result};
use crate::providers::stripe::{Stripe, StripeError, present};
use crate::store::{Checkout, checkouts, customers, provider_losses, subscriptions, transaction};

/// When the caller may retry: the push takes seconds.
const COME_AGAIN: Duration = Duration::from_secs(2);

/// The error for a paying account whose customer is missing at the provider.
fn customer_unknown() -> Error {
    Error::refused(
        ErrorReason::ProviderUnavailable,
        "the payment provider does not know the customer of a paid subscription",
    )
    .retry_after(COME_AGAIN)
}

/// Repairs our rows if their objects are missing at the provider.
#[derive(Clone)]
pub struct Repairs {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) sync: AccountSync,
    pub(crate) catalog_push: CatalogPush,
}

impl Repairs {
    /// Why a subscription of our rows cannot be changed at the provider: it has ended there, or it
    /// is missing.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub(crate) async fn unchangeable_error(&self, uid: &Uid) -> Result<Error> {
        self.sync.refresh(uid).await?;
        let is_lost = provider_losses::is_curable(&self.context.store, uid).await?;
        Ok(if is_lost { customer_unknown() } else { no_subscription() })
    }

    /// Schedules a new push, because a price or coupon that was pushed is missing at the provider.
    /// The given checkout fails. Returns the error for the caller.
    pub(crate) async fn handle_lost_catalog(
        &self,
        checkout: Option<&Checkout>,
        error: &StripeError,
    ) -> Result<Error> {
        let checkout_id = checkout.map(|checkout| checkout.id.clone());
        tracing::error!(
            checkout.id = checkout_id.as_deref(),
            ?error,
            "an object of the catalogue is missing at the provider: it is pushed again"
        );
        transaction!(self.context, (repairs = self.clone(), checkout_id), |tx| {
            if let Some(id) = checkout_id {
                checkouts::mark_refused(tx, id).await?;
            }
            repairs.catalog_push.enqueue_whole(tx).await
        })?;
        let why = "the catalogue is not at the payment provider";
        Ok(Error::refused(ErrorReason::Unavailable, why).retry_after(COME_AGAIN))
    }

    /// Forgets a customer missing at Stripe, so that the next attempt creates one. The checkout
    /// gets another idempotency key, because it will name another customer. While paid time runs
    /// the customer is kept, because the data may return.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE for a customer that is kept.
    pub(crate) async fn handle_lost_customer(
        &self,
        uid: &Uid,
        customer_id: &CustomerId,
        checkout: Option<&Checkout>,
    ) -> Result<()> {
        self.sync.refresh(uid).await?;
        let is_stopped = provider_losses::current_stop(&self.context.store).await?.is_some();
        let was_deleted =
            present(self.stripe.get_customer(customer_id).await)?.is_some_and(|fact| fact.deleted);
        let rows = subscriptions::by_uid(&self.context.store, uid).await?;
        let runs = rows.iter().any(|row| row.is_running_and_kept() && row.first_paid_at.is_some());
        if !was_deleted && (is_stopped || runs) {
            return Err(customer_unknown());
        }
        let attempt = checkout.map(|checkout| (checkout.id.clone(), checkout.attempt));
        transaction!(self.context, (of = uid.clone(), id = customer_id.clone(), attempt), |tx| {
            customers::forget_customer_id(tx, of, id).await?;
            match attempt {
                Some((id, attempt)) => checkouts::next_attempt(tx, id, *attempt).await,
                None => Ok(()),
            }
        })?;
        tracing::error!(user.id = %uid, "the provider lost a customer: the next attempt creates another one");
        Ok(())
    }
}
