//! The way to the provider's subscription management.

use garimpo_proto::errors::v1::ErrorReason;

use super::Billing;
use crate::error::Error;

impl Billing {
    /// Opens the portal for an account and answers its address; it leads back to /area-usuario.
    ///
    /// # Errors
    /// NO_CUSTOMER when the account never reached the provider; PROVIDER_UNAVAILABLE.
    pub(super) async fn portal_open(&self, uid: &str) -> Result<String, Error> {
        let customer = self.store.customer_by_uid(uid).await?.and_then(|row| row.customer_id);
        let customer = customer
            .ok_or_else(|| Error::refused(ErrorReason::NoCustomer, "the account never began a purchase"))?;
        let return_url = format!("{}/area-usuario", self.settings.public_url);
        Ok(self.stripe.portal_create(&customer, &return_url).await?)
    }
}
