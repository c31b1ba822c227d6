//! Calls per client address in a time, counted by each process for itself.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::client_network::{SITE_FACTOR, site_of};
use crate::error::{Error, Result};

/// Addresses that are counted at once; beyond it those with all their calls available are dropped.
const MAX_ADDRESSES: usize = 100_000;

pub(crate) struct AddressRateLimiter {
    addresses: DefaultKeyedRateLimiter<String>,
    /// Counts the /48 of IPv6 addresses.
    sites: DefaultKeyedRateLimiter<String>,
}

impl AddressRateLimiter {
    /// Allows `calls` per minute and address, all of which may come at once.
    pub(crate) fn per_minute(calls: u32) -> Self {
        Self::new(calls, Quota::per_minute)
    }

    /// Allows `calls` per second and address.
    pub(crate) fn per_second(calls: u32) -> Self {
        Self::new(calls, Quota::per_second)
    }

    /// Allows `calls` per day and address, all of which may come at once.
    pub(crate) fn per_day(calls: u32) -> Self {
        Self::new(calls, |calls| {
            let spaced = Quota::with_period(Duration::from_hours(24) / calls.get());
            spaced.unwrap_or(Quota::per_hour(NonZeroU32::MIN)).allow_burst(calls)
        })
    }

    fn new(calls: u32, per: fn(NonZeroU32) -> Quota) -> Self {
        let limiter = |calls| RateLimiter::keyed(per(NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN)));
        Self { addresses: limiter(calls), sites: limiter(calls.saturating_mul(SITE_FACTOR)) }
    }

    /// Counts a call of a limit address; TOO_MANY_REQUESTS with the pause beyond the limit.
    pub(crate) fn check(&self, address: &String) -> Result<()> {
        check_of(&self.addresses, address)?;
        site_of(address).map_or(Ok(()), |site| check_of(&self.sites, &site.to_owned()))
    }
}

fn check_of(limiter: &DefaultKeyedRateLimiter<String>, key: &String) -> Result<()> {
    if limiter.len() > MAX_ADDRESSES {
        limiter.retain_recent();
    }
    limiter.check_key(key).map_err(|until| {
        let pause = until.wait_time_from(limiter.clock().now());
        Error::too_many_requests(Duration::from_secs(pause.as_secs() + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_48_bits_has_four_times_the_rate_of_an_address() {
        let limiter = AddressRateLimiter::per_minute(2);
        let check = |network: u16| limiter.check(&format!("2001:db8:7:{network:x}::/64")).is_ok();

        let allowed = (0..40).filter(|turn| check(turn / 2)).count();

        assert_eq!(allowed, 8);
        assert!(limiter.check(&"2001:db8:8:1::/64".to_owned()).is_ok(), "another /48");
    }
}
