//! Calls per client and minute, in the memory of one gateway.

use super::client::Client;
use super::share::Exceeded;
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Upper bound of clients in memory.
pub(super) const MAX_CLIENTS: u64 = 100_000;

pub(crate) struct ClientRate(governor::DefaultKeyedRateLimiter<Client>);

impl ClientRate {
    pub fn new(per_minute: u32) -> Self {
        let per_minute = NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN);
        Self(governor::RateLimiter::keyed(governor::Quota::per_minute(per_minute)))
    }

    /// Takes one call of the address's client.
    pub fn take(&self, address: IpAddr) -> Result<(), Exceeded> {
        if self.0.len() as u64 > MAX_CLIENTS {
            self.0.retain_recent();
        }
        self.0.check_key(&Client::from(address)).map_err(|_| Exceeded::Client)
    }
}
