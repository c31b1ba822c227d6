//! State that all requests of one gateway share.

use crate::backend::{Backend, Servers};
use crate::budget::Budgets;
use crate::settings::Settings;
use crate::site::Site;
use std::sync::Arc;

pub(crate) struct App {
    pub settings: Settings,
    pub servers: Servers,
    pub budgets: Budgets,
    pub site: Arc<Site>,
    /// Health of the public port.
    pub health: Backend,
}
