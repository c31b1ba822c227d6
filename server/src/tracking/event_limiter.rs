//! Events per minute and client address, counted by each process for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::client_network::{SITE_FACTOR, site_of};
use crate::error::{Error, Result};

/// A window begins with an address's first event. A refusal names it whole as the pause.
const WINDOW: Duration = Duration::from_mins(1);
/// Addresses that are counted at once; beyond it those with the fewest events are dropped.
const MAX_ADDRESSES: u64 = 100_000;

pub(super) struct EventLimiter {
    allowed: u32,
    counts: moka::sync::Cache<String, Arc<AtomicU32>>,
}

impl EventLimiter {
    /// Allows `events` per minute and address.
    pub(super) fn per_minute(events: u32) -> Self {
        let counts = moka::sync::Cache::builder().max_capacity(MAX_ADDRESSES).time_to_live(WINDOW).build();
        Self { allowed: events, counts }
    }

    /// Counts an event of a limit address, also for its /48; TOO_MANY_REQUESTS beyond the limit.
    pub(super) fn check(&self, address: &str) -> Result<()> {
        let is_within = |key: &str, allowed: u32| {
            self.counts.get_with_by_ref(key, Arc::default).fetch_add(1, Ordering::Relaxed) < allowed
        };
        let of_site = self.allowed.saturating_mul(SITE_FACTOR);
        if is_within(address, self.allowed) && site_of(address).is_none_or(|site| is_within(site, of_site)) {
            Ok(())
        } else {
            Err(Error::too_many_requests(WINDOW))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_48_bits_may_send_four_times_the_events_of_an_address() {
        let limiter = EventLimiter::per_minute(3);
        let check = |network: u16| limiter.check(&format!("2001:db8:7:{network:x}::/64")).is_ok();

        let allowed = (0..60).filter(|turn| check(turn / 3)).count();

        assert_eq!(allowed, 12);
        assert!(limiter.check("2001:db8:8:1::/64").is_ok(), "another /48");
        assert!(limiter.check("192.0.2.7").is_ok());
    }
}
