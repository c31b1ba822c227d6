//! Errors of the catalogue's files.

use crate::plans::PlanId;

/// An error in the catalogue's files.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// A file is not what its shape says.
    #[error("catalog/{0} cannot be read")]
    File(&'static str, #[source] toml::de::Error),
    /// A plan's row contradicts itself or another.
    #[error("plan {0} {1}")]
    Plan(PlanId, &'static str),
    /// A coupon or promotion contradicts itself or another.
    #[error("coupon or promotion '{0}' {1}")]
    Coupon(String, &'static str),
    /// The campaign's days or coupon do not exist.
    #[error("the campaign {0}")]
    Campaign(&'static str),
    /// The upsell offers are not one per longer period.
    #[error("the upsell offers {0}")]
    Offers(&'static str),
}
