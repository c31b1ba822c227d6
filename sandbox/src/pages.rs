//! What people see: the frame, the voucher, the portal, the invoice, the mailbox and the front page.

pub mod mailbox;

use std::sync::Arc;

use axum::Router;

use crate::world::World;

/// Every page.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
}
