//! Calls per client in a time, in the memory of one gateway.

use super::client::{Client, Prefix};
use super::share::Exceeded;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Upper bound of clients in memory.
pub(super) const MAX_CLIENTS: u64 = 100_000;
/// An IPv6 /48 has this multiple of the rate of a /64, as in the database.
const NETWORK_FACTOR: u32 = 4;

pub(crate) struct ClientRate {
    clients: DefaultKeyedRateLimiter<Prefix>,
    networks: DefaultKeyedRateLimiter<Prefix>,
}

impl ClientRate {
    pub fn per_minute(calls: u32) -> Self {
        Self::new(calls, Quota::per_minute)
    }

    pub fn per_second(calls: u32) -> Self {
        Self::new(calls, Quota::per_second)
    }

    fn new(calls: u32, per: fn(NonZeroU32) -> Quota) -> Self {
        let limiter = |calls| RateLimiter::keyed(per(NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN)));
        Self { clients: limiter(calls), networks: limiter(calls.saturating_mul(NETWORK_FACTOR)) }
    }

    /// Takes one call of the address's client.
    pub fn take(&self, address: IpAddr) -> Result<(), Exceeded> {
        let client = Client::from(address);
        take_of(&self.clients, client.own).ok_or(Exceeded::Client)?;
        client.network.map_or(Some(()), |network| take_of(&self.networks, network)).ok_or(Exceeded::Network)
    }
}

fn take_of(limiter: &DefaultKeyedRateLimiter<Prefix>, prefix: Prefix) -> Option<()> {
    if limiter.len() as u64 > MAX_CLIENTS {
        limiter.retain_recent();
    }
    limiter.check_key(&prefix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    #[test]
    fn a_network_of_48_bits_has_four_times_the_rate_of_a_client() {
        let rate = ClientRate::per_minute(3);
        let take = |site: u16, network: u16| {
            rate.take(IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, site, network, 0, 0, 0, 9)))
        };

        for network in 0..4 {
            for _ in 0..3 {
                assert_eq!(take(7, network), Ok(()));
            }
        }

        assert_eq!(take(7, 3), Err(Exceeded::Client));
        assert_eq!(take(7, 4), Err(Exceeded::Network));
        assert_eq!(take(8, 4), Ok(()), "another /48");
        assert_eq!(rate.take("192.0.2.7".parse().unwrap()), Ok(()));
    }
}
