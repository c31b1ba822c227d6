//! Calls per minute and client address, counted by each process for itself.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::{Error, Result};

/// Addresses that are counted at once; beyond it those with all their calls available are dropped.
const MAX_ADDRESSES: usize = 100_000;

pub(crate) struct AddressRateLimiter(DefaultKeyedRateLimiter<String>);

impl AddressRateLimiter {
    /// Allows `calls` per minute and address, all of which may come at once.
    pub(crate) fn per_minute(calls: u32) -> Self {
        let calls = NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN);
        Self(RateLimiter::keyed(Quota::per_minute(calls)))
    }

    /// Counts a call; TOO_MANY_REQUESTS with the pause beyond the limit.
    pub(crate) fn check(&self, address: &String) -> Result<()> {
        if self.0.len() > MAX_ADDRESSES {
            self.0.retain_recent();
        }
        self.0.check_key(address).map_err(|until| {
            let pause = until.wait_time_from(self.0.clock().now());
            Error::too_many_requests(Duration::from_secs(pause.as_secs() + 1))
        })
    }
}
