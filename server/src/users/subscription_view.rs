//! The subscription's fields of the user record.

use garimpo_domain::Timestamp;

use crate::error::Error;
use crate::store::{Account, Store};

/// What the record says about the subscription (specification 3, "User"; design section 3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubscriptionView {
    /// Plan id; `None` without a subscription, also in the trial.
    pub plan: Option<String>,
    /// True while paid access runs, false once it was and ended, `None` before a first payment.
    pub active: Option<bool>,
    /// awaiting_payment, trialing, active, past_due, suspended or canceled.
    pub status: Option<String>,
    /// Start of the paid period.
    pub start: Option<Timestamp>,
    /// End of the paid period.
    pub end: Option<Timestamp>,
}

/// The subscription of an account as of now.
pub(super) async fn of(
    _store: &Store,
    _account: &Account,
    _now: Timestamp,
) -> Result<SubscriptionView, Error> {
    Ok(SubscriptionView::default())
}
