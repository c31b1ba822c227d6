//! What an account sees of its own subscription: its state, its invoices, a payment to confirm.

pub(super) mod invoices;
pub(super) mod payment_authentication;
pub(super) mod subscription;

use std::sync::Arc;

use crate::billing::context::Context;
use crate::billing::sync::AccountSync;

/// Shows an account its subscription and its invoices.
#[derive(Clone)]
pub struct AccountView {
    pub(super) context: Arc<Context>,
    pub(super) sync: AccountSync,
}
