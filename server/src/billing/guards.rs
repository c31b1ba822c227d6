//! Reasons to refuse a call: another account, another database, a coupon that was used.

pub(super) mod coupon_once_per_person;
pub(super) mod provider_account;
pub(super) mod refusals;
pub(super) mod selling_stop;
