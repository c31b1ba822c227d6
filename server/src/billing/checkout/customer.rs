//! Creates the provider's customer at the first purchase, and clears an old debt before each.

use garimpo_domain::{Centavos, CustomerId, Email, Uid};

use crate::auth::email_correction::email_correction_job;
use crate::billing::checkout::Checkouts;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, Result};
use crate::providers::stripe::{CustomerOrder, StripeError, present};
use crate::store::{Account, Customer, StoreError, accounts, customers, jobs, transaction};

impl Checkouts {
    /// Returns the provider's customer of an account, which the first purchase creates.
    pub(crate) async fn customer_id(&self, customer: &Customer, account: &Account) -> Result<CustomerId> {
        if let Some(id) = &customer.customer_id {
            return Ok(id.clone());
        }
        let order =
            CustomerOrder { uid: &account.uid, email: account.email.as_str(), name: &account.display_name };
        let answer = self.stripe.create_customer(&order, &customer.idempotency_key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        let (uid, attempt) = (customer.uid.clone(), customer.attempt);
        let (email, now) = (account.email.clone(), self.context.now());
        match answer {
            Ok(made) => {
                transaction!(self.context, (uid, id = made.id, email), |tx| {
                    let account = accounts::hold(tx, uid).await?;
                    customers::set_customer_id(tx, uid, id).await?;
                    // The email was corrected since it was read.
                    if account.is_some_and(|account| account.email != *email) {
                        jobs::reschedule(tx, email_correction_job(uid, now)).await?;
                    }
                    Ok::<_, StoreError>(())
                })?;
            }
            Err(error) => {
                // A refusal may mean that the key was used with other parameters, because name or
                // email has changed since.
                if error.is_kept_under_its_key() || matches!(error, StripeError::Refused { .. }) {
                    transaction!(self.context, (uid), |tx| customers::next_attempt(tx, uid, attempt).await)?;
                }
                return Err(error.into());
            }
        }
        // Another call may have stored its customer first. Use the stored one.
        let stored = customers::id_of(&self.context.store, &account.uid).await?;
        stored.ok_or_else(|| Error::internal(anyhow::anyhow!("customer not stored")))
    }

    /// Sends a corrected email to the provider's customer of an account, if there is one.
    pub(crate) async fn update_customer_email(&self, uid: &Uid, email: &Email) -> Result<()> {
        if let Some(id) = customers::id_of(&self.context.store, uid).await? {
            present(self.stripe.set_customer_email(&id, email.as_str()).await)?;
        }
        Ok(())
    }

    /// Clears a positive balance, the rest of an earlier subscription's last invoice. The next
    /// invoice would charge it in addition to the price shown.
    pub(crate) async fn clear_balance(&self, customer: &Customer, customer_id: &CustomerId) -> Result<()> {
        if customer.balance_centavos <= Centavos::ZERO {
            return Ok(());
        }
        // Our balance may be older than credit that was added since.
        let there = present(self.stripe.get_customer(customer_id).await)?;
        if there.is_some_and(|there| there.balance > 0) {
            self.stripe.clear_customer_balance(customer_id).await?;
        }
        Ok(())
    }
}
