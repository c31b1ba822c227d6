//! Rights of accounts: replies to our own services, and a feed for services that watch.

pub(super) mod feed;
pub(super) mod grpc;
mod reply;
mod reply_cache;
mod requested_uids;

use crate::billing::context::part;

part! {
    /// Returns the rights of accounts.
    pub struct Entitlements {}
}
