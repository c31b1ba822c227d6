//! Rights of accounts: replies to our own services, and a feed for services that watch.

mod fast_path;
pub(super) mod feed;
pub(super) mod grpc;
mod requested_uids;

use crate::billing::context::part;

part! {
    /// Returns the rights of accounts.
    pub struct Entitlements {}
}
