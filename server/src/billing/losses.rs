//! What the provider lost, or holds otherwise than we pushed it: said as a pause, and mended for the next try.

use std::time::Duration;

use garimpo_proto::errors::v1::ErrorReason;

use super::Billing;
use crate::error::Error;
use crate::providers::stripe::{CheckoutSession, StripeError};
use crate::store::StoreError;
use crate::store::checkouts::{Checkout, checkout_attempt_failed_in_tx, checkout_refused_in_tx};
use crate::store::customers::customer_lost_in_tx;

/// When a caller may come again: the push takes seconds.
const COME_AGAIN: Duration = Duration::from_secs(2);

/// What is asked for cannot be sold before the catalogue is pushed again.
fn catalog_missing() -> Error {
    Error::refused(ErrorReason::Unavailable, "the catalogue is not at the payment provider")
        .retry_after(COME_AGAIN)
}

impl Billing {
    /// A session that asks for another amount than was shown is closed unseen; the catalogue is pushed again.
    pub(super) async fn wrongly_priced(&self, checkout: &Checkout, session: &CheckoutSession) -> Error {
        tracing::error!(
            checkout.id,
            shown = checkout.first_payment_centavos,
            asked = session.amount_total,
            "the provider asks for another amount than was shown"
        );
        // Nobody has its secret: where it cannot be closed now, its own time closes it.
        if let Err(error) = self.stripe.checkout_expire(&session.id).await {
            tracing::warn!(checkout.id, %error, "a session with another amount stays open at the provider");
        }
        match self.intent_end_and_push(checkout).await {
            Ok(()) => Error::refused(
                ErrorReason::ProviderUnavailable,
                "the payment provider asks for another amount than was shown",
            )
            .retry_after(COME_AGAIN),
            Err(unstored) => unstored.into(),
        }
    }

    /// A price or coupon that the provider does not know, although it was pushed: pushed again. The checkout that asked
    /// for it, where one did, comes to nothing.
    pub(super) async fn catalog_lost(&self, checkout: Option<&Checkout>, error: &StripeError) -> Error {
        let checkout_id = checkout.map(|checkout| checkout.id.as_str());
        tracing::error!(checkout.id = checkout_id, ?error, "the provider lacks what the catalogue names");
        let pushed = match checkout {
            Some(checkout) => self.intent_end_and_push(checkout).await,
            None => self.catalog_push_again().await,
        };
        match pushed {
            Ok(()) => catalog_missing(),
            Err(unstored) => unstored.into(),
        }
    }

    async fn catalog_push_again(&self) -> Result<(), StoreError> {
        let billing = self.clone();
        self.in_tx(move |tx| {
            let billing = billing.clone();
            Box::pin(async move { billing.catalog_push_again_in_tx(tx).await })
        })
        .await
    }

    async fn intent_end_and_push(&self, checkout: &Checkout) -> Result<(), StoreError> {
        let (billing, id) = (self.clone(), checkout.id.clone());
        self.in_tx(move |tx| {
            let (billing, id) = (billing.clone(), id.clone());
            Box::pin(async move {
                checkout_refused_in_tx(tx, &id).await?;
                billing.catalog_push_again_in_tx(tx).await
            })
        })
        .await
    }

    /// A customer that the provider has no more is made anew by the next try; its checkout gets another key, since it
    /// will name another customer.
    pub(super) async fn customer_lost(
        &self,
        uid: &str,
        customer_id: &str,
        checkout: Option<&Checkout>,
    ) -> Result<(), StoreError> {
        tracing::error!(user.id = uid, "the provider lost a customer; it is made anew");
        let (uid, customer_id) = (uid.to_owned(), customer_id.to_owned());
        let attempt = checkout.map(|checkout| (checkout.id.clone(), checkout.attempt));
        self.in_tx(move |tx| {
            let (uid, customer_id, attempt) = (uid.clone(), customer_id.clone(), attempt.clone());
            Box::pin(async move {
                customer_lost_in_tx(tx, &uid, &customer_id).await?;
                match attempt {
                    Some((id, attempt)) => checkout_attempt_failed_in_tx(tx, &id, attempt).await,
                    None => Ok(()),
                }
            })
        })
        .await
    }
}
