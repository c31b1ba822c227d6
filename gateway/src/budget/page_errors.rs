//! Reports of broken pages: how many a client may send, and how many are logged and counted.

use super::client_rate::ClientRate;
use super::counted_clients::CountedClients;
use super::share::{Exceeded, count_limited};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Lines of all clients in a second. A line has up to 3 KiB.
const LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

pub(crate) struct PageErrors {
    rate: ClientRate,
    /// By release and route.
    counted: CountedClients<(String, String)>,
    lines: DefaultDirectRateLimiter,
}

impl PageErrors {
    pub fn new(per_minute: u32) -> Self {
        Self {
            rate: ClientRate::per_minute(per_minute),
            counted: CountedClients::new(),
            lines: RateLimiter::direct(Quota::per_second(LINES_PER_SECOND)),
        }
    }

    /// Takes one report of the address's client. A refusal is counted.
    pub fn take(&self, address: IpAddr) -> Result<(), Exceeded> {
        let taken = self.rate.take(address);
        taken.inspect_err(|exceeded| count_limited("page_errors", exceeded.label()))
    }

    /// Whether a report is the address's first of a release and route. Anybody can send reports, so
    /// an alarm needs several clients.
    pub fn is_first(&self, address: IpAddr, release: &str, route: &str) -> bool {
        self.counted.is_first(address, (release.to_owned(), route.to_owned()))
    }

    /// Whether another report may be logged now.
    pub fn may_log(&self) -> bool {
        self.lines.check().is_ok()
    }
}
