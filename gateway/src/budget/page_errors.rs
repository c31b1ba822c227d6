//! Reports of broken pages: how many a client may send, and how many are logged.

use super::client_rate::ClientRate;
use super::share::{Exceeded, count_limited};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Lines of all clients in a second. A line has up to 3 KiB.
const LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

pub(crate) struct PageErrors {
    rate: ClientRate,
    lines: DefaultDirectRateLimiter,
}

impl PageErrors {
    pub fn new(per_minute: u32) -> Self {
        Self {
            rate: ClientRate::per_minute(per_minute),
            lines: RateLimiter::direct(Quota::per_second(LINES_PER_SECOND)),
        }
    }

    /// Takes one report of the address's client. A refusal is counted.
    pub fn take(&self, address: IpAddr) -> Result<(), Exceeded> {
        let taken = self.rate.take(address);
        taken.inspect_err(|exceeded| count_limited("page_errors", exceeded.label()))
    }

    /// Whether another report may be logged now.
    pub fn may_log(&self) -> bool {
        self.lines.check().is_ok()
    }
}
