//! What an account sees of its own subscription: its state, its invoices, a payment to confirm.

pub(super) mod invoices;
pub(super) mod payment_authentication;
pub(super) mod subscription;
