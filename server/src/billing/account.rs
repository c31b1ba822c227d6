//! An account's view of its subscription: state, invoices, and a payment to authenticate.

pub(super) mod invoices;
pub(super) mod payment_authentication;
pub(super) mod subscription;

use crate::billing::context::part;
use crate::billing::sync::AccountSync;

part! {
    /// Returns an account's subscription and invoices.
    pub struct AccountView {
        pub(super) sync: AccountSync,
    }
}
