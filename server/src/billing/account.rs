//! What an account sees of its own subscription: its state, its invoices, a payment to confirm.

pub(super) mod invoices;
pub(super) mod payment_authentication;
pub(super) mod subscription;

use crate::billing::context::part;
use crate::billing::sync::AccountSync;

part! {
    /// Shows an account its subscription and its invoices.
    pub struct AccountView {
        pub(super) sync: AccountSync,
    }
}
