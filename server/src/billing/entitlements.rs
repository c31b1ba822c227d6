//! Rights of accounts: replies to our own services, and a feed for services that watch.

pub(super) mod feed;
pub(super) mod grpc;
mod reply;
mod reply_cache;
mod requested_uids;

use garimpo_domain::Policy;

use crate::context::AppContext;

/// Returns the rights of accounts.
#[derive(Clone)]
pub struct Entitlements {
    pub(crate) context: AppContext,
    pub(crate) policy: Policy,
}
