//! Clients whose events are refused because too many signatures were wrong.

use super::client::{Client, Prefix};
use super::client_rate::{ClientRate, MAX_CLIENTS};
use super::share::{Exceeded, count_limited};
use std::net::IpAddr;
use std::time::Duration;

/// Pause after too many wrong signatures.
pub(crate) const BLOCKED_FOR: Duration = Duration::from_mins(1);

pub(crate) struct RefusedEvents {
    rate: ClientRate,
    /// Addresses, /64s and /48s.
    blocked: moka::sync::Cache<Prefix, ()>,
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
        let Client { own, network } = Client::from(address);
        let is_blocked =
            [Some(own), network].iter().flatten().any(|prefix| self.blocked.contains_key(prefix));
        if is_blocked {
            count_limited("refused_events", Exceeded::Client.label());
        }
        !is_blocked
    }

    /// Records an event with a wrong signature.
    pub fn record(&self, address: IpAddr) {
        let client = Client::from(address);
        let blocked = match self.rate.take(address) {
            Ok(()) => return,
            Err(Exceeded::Network) => client.network,
            Err(_) => Some(client.own),
        };
        if let Some(prefix) = blocked {
            self.blocked.insert(prefix, ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    #[test]
    fn a_network_of_48_bits_that_exceeds_its_rate_is_blocked_with_every_64_of_it() {
        let events = RefusedEvents::new(3);
        let at =
            |site: u16, network: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, site, network, 0, 0, 0, 9));

        for network in 0..13 {
            assert!(events.allows(at(7, network)), "{network}");
            events.record(at(7, network));
        }

        assert!(!events.allows(at(7, 99)), "a /64 that sent nothing yet");
        assert!(events.allows(at(8, 0)), "another /48");
    }
}
