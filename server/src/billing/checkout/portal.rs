//! Opens the provider's customer portal.

use garimpo_domain::Uid;

use crate::billing::checkout::Checkouts;
use crate::error::{Error, ErrorReason, Result};
use crate::store::{Account, Customer, customers};

impl Checkouts {
    /// Creates a portal session for an account and returns its URL. It leads back to /area-usuario.
    ///
    /// # Errors
    /// NO_CUSTOMER if the account has no customer at the provider; PROVIDER_UNAVAILABLE.
    pub(crate) async fn open_portal(&self, account: &Account) -> Result<String> {
        let customer = self.require_customer(&account.uid).await?;
        let Some(customer_id) = &customer.customer_id else {
            return Err(never_began());
        };
        let return_url = format!("{}/area-usuario", self.public_url);
        match self.stripe.create_portal(customer_id, &return_url).await {
            Err(error) if error.misses_customer() => {
                self.repairs.handle_lost_customer(&account.uid, customer_id, None).await?;
                let made = self.customer_id(&self.require_customer(&account.uid).await?, account).await?;
                Ok(self.stripe.create_portal(&made, &return_url).await?)
            }
            answer => Ok(answer?),
        }
    }

    async fn require_customer(&self, uid: &Uid) -> Result<Customer> {
        customers::by_uid(&self.context.store, uid).await?.ok_or_else(never_began)
    }
}

fn never_began() -> Error {
    Error::refused(ErrorReason::NoCustomer, "the account has no customer at the payment provider")
}
