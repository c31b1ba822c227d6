//! What the provider's state means as rows, and what follows from rows. Calls no provider.

pub(super) mod account_credit;
pub(super) mod current_subscription;
pub(super) mod deletion_impact;
pub(super) mod guarantee;
pub(super) mod money_owed;
pub(super) mod projection;
pub(super) mod refund_request;
