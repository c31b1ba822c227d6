//! What ends a subscription: cancellation, refund, deletion of the account, and its retirement at the provider.

pub(super) mod account_deletion;
pub(super) mod cancellation;
pub(super) mod guarantee;
pub(super) mod payments_after_end;
pub(super) mod refund;
pub(super) mod retire;
