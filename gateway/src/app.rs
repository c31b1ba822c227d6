//! What every request of one gateway shares.

use crate::backend::Backend;
use crate::budget::Budgets;
use crate::observe::Meters;
use crate::settings::Settings;

/// State of the router.
pub(crate) struct App {
    pub settings: Settings,
    pub backend: Backend,
    pub budgets: Budgets,
    /// Reflection and health of the public port.
    pub own_services: Backend,
    pub meters: Meters,
}
