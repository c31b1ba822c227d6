//! State that all requests of one gateway share.

use crate::backend::Backend;
use crate::budget::Budgets;
use crate::settings::Settings;

pub(crate) struct App {
    pub settings: Settings,
    pub backend: Backend,
    pub budgets: Budgets,
    /// Reflection and health of the public port.
    pub own_services: Backend,
}
