//! Clients whose payment events are not read for a while.

use super::client::Client;
use super::share::{Exceeded, count_limited};
use std::net::IpAddr;
use std::time::Duration;

/// Clients whose events had wrong signatures too often.
pub(crate) struct RefusedEvents {
    rate: governor::DefaultKeyedRateLimiter<Client>,
    barred: moka::sync::Cache<Client, ()>,
}

/// How long a client's events are not read.
const BARRED_FOR: Duration = Duration::from_mins(1);
/// Clients that are remembered.
const CLIENTS_KEPT: u64 = 100_000;

impl RefusedEvents {
    pub fn new(per_minute: u32) -> Self {
        let per_minute = std::num::NonZeroU32::new(per_minute).unwrap_or(std::num::NonZeroU32::MIN);
        Self {
            rate: governor::RateLimiter::keyed(governor::Quota::per_minute(per_minute)),
            barred: moka::sync::Cache::builder().max_capacity(CLIENTS_KEPT).time_to_live(BARRED_FOR).build(),
        }
    }

    /// Whether events of this address are read; a refusal is counted.
    pub fn allows(&self, address: IpAddr) -> bool {
        let is_barred = self.barred.contains_key(&Client::from(address));
        if is_barred {
            count_limited("refused_events", Exceeded::Client.label());
        }
        !is_barred
    }

    /// Records an event with a wrong signature.
    pub fn record(&self, address: IpAddr) {
        if self.rate.len() as u64 > CLIENTS_KEPT {
            self.rate.retain_recent();
        }
        let client = Client::from(address);
        if self.rate.check_key(&client).is_err() {
            self.barred.insert(client, ());
        }
    }
}
