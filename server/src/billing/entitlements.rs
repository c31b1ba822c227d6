//! What accounts may use: replies to our own services, and a feed for those that watch.

mod fast_path;
pub(super) mod feed;
pub(super) mod grpc;
mod requested_uids;

use std::sync::Arc;

use crate::billing::context::Context;

/// Answers what accounts may use.
#[derive(Clone)]
pub struct Entitlements {
    pub(super) context: Arc<Context>,
}
