//! Clients whose events are refused because too many signatures were wrong.

use super::client::Client;
use super::share::{Exceeded, count_limited};
use std::net::IpAddr;
use std::time::Duration;

/// Pause after too many wrong signatures.
pub(crate) const BLOCKED_FOR: Duration = Duration::from_mins(1);
/// Upper bound of blocked clients in memory.
const MAX_CLIENTS: u64 = 100_000;

pub(crate) struct RefusedEvents {
    rate: governor::DefaultKeyedRateLimiter<Client>,
    blocked: moka::sync::Cache<Client, ()>,
}

impl RefusedEvents {
    pub fn new(per_minute: u32) -> Self {
        let per_minute = std::num::NonZeroU32::new(per_minute).unwrap_or(std::num::NonZeroU32::MIN);
        Self {
            rate: governor::RateLimiter::keyed(governor::Quota::per_minute(per_minute)),
            blocked: moka::sync::Cache::builder().max_capacity(MAX_CLIENTS).time_to_live(BLOCKED_FOR).build(),
        }
    }

    /// Whether events of this address are read. A refusal is counted.
    pub fn allows(&self, address: IpAddr) -> bool {
        let is_blocked = self.blocked.contains_key(&Client::from(address));
        if is_blocked {
            count_limited("refused_events", Exceeded::Client.label());
        }
        !is_blocked
    }

    /// Records an event with a wrong signature.
    pub fn record(&self, address: IpAddr) {
        if self.rate.len() as u64 > MAX_CLIENTS {
            self.rate.retain_recent();
        }
        let client = Client::from(address);
        if self.rate.check_key(&client).is_err() {
            self.blocked.insert(client, ());
        }
    }
}
