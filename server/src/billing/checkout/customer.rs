//! Creates the provider's customer at the first purchase, and forgives an old debt at each.

use garimpo_domain::Centavos;

use crate::billing::checkout::Checkouts;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, Result};
use crate::providers::stripe::{CustomerOrder, StripeError, present};
use crate::store::{Account, Customer, customers, transaction};

impl Checkouts {
    /// The provider's customer of an account, made at the first purchase.
    pub(crate) async fn customer_id(&self, customer: &Customer, account: &Account) -> Result<String> {
        if let Some(id) = &customer.customer_id {
            return Ok(id.clone());
        }
        let order = CustomerOrder { uid: &account.uid, email: &account.email, name: &account.display_name };
        let answer = self.context.stripe.customer_create(&order, &customer.idempotency_key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        let (uid, attempt) = (customer.uid.clone(), customer.attempt);
        match answer {
            Ok(made) => {
                transaction!(self.context, (uid, id = made.id), |tx| {
                    customers::set_customer_id(tx, uid, id).await
                })?;
            }
            Err(error) => {
                // A refusal includes "another request had this key": name or email changed since
                // that one.
                if error.is_kept_under_its_key() || matches!(error, StripeError::Refused { .. }) {
                    transaction!(self.context, (uid), |tx| customers::next_attempt(tx, uid, attempt).await)?;
                }
                return Err(error.into());
            }
        }
        // Another call may have stored its answer first; that one stands.
        let stored = customers::by_uid(&self.context.store, &account.uid).await?;
        stored
            .and_then(|row| row.customer_id)
            .ok_or_else(|| Error::internal(anyhow::anyhow!("customer not stored")))
    }

    /// What an earlier subscription left to an invoice that never came would be charged beside the
    /// price that is shown.
    pub(crate) async fn rest_forgive(&self, customer: &Customer, customer_id: &str) -> Result<()> {
        if customer.balance_centavos <= Centavos::ZERO {
            return Ok(());
        }
        // Ours may be older than credit that came since.
        let there = present(self.context.stripe.customer_get(customer_id).await)?;
        if there.is_some_and(|there| there.balance > 0) {
            self.context.stripe.customer_balance_clear(customer_id).await?;
        }
        Ok(())
    }
}
