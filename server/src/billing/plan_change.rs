//! Changes of plan: the preview and the change itself.

pub(super) mod change;
pub(super) mod confirmation;
pub(super) mod preview;

use crate::billing::account::AccountView;
use crate::billing::catalog::CatalogPush;
use crate::billing::context::part;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;

part! {
    /// Previews and applies plan changes.
    pub struct PlanChanges {
        pub(super) sync: AccountSync,
        pub(super) catalog_push: CatalogPush,
        pub(super) repairs: Repairs,
        pub(super) account: AccountView,
    }
}
