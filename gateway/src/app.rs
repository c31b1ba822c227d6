//! State that all requests of one gateway share.

use crate::backend::Backend;
use crate::budget::Budgets;
use crate::settings::Settings;
use crate::site::Site;
use garimpo_proto::Services;
use std::sync::Arc;

pub(crate) struct App {
    pub settings: Settings,
    /// Receives the calls of REST paths and pages, without encoding: encoding would be most of the
    /// cost of a cheap call.
    pub services: Services,
    /// Receives gRPC and gRPC-Web calls, which come encoded.
    pub backend: Backend,
    pub budgets: Budgets,
    pub site: Arc<Site>,
    /// Health of the public port.
    pub health: Backend,
}
