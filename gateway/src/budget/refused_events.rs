//! Clients whose events are refused because too many signatures were wrong.

use super::client::Client;
use super::client_rate::{ClientRate, MAX_CLIENTS};
use super::share::{Exceeded, count_limited};
use std::net::IpAddr;
use std::time::Duration;

/// Pause after too many wrong signatures.
pub(crate) const BLOCKED_FOR: Duration = Duration::from_mins(1);

pub(crate) struct RefusedEvents {
    rate: ClientRate,
    blocked: moka::sync::Cache<Client, ()>,
}

impl RefusedEvents {
    pub fn new(per_minute: u32) -> Self {
        Self {
            rate: ClientRate::per_minute(per_minute),
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
        if self.rate.take(address).is_err() {
            self.blocked.insert(Client::from(address), ());
        }
    }
}
