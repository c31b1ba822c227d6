//! Events per minute and client address, counted by each process for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

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

    /// Counts an event; TOO_MANY_REQUESTS beyond the limit.
    pub(super) fn check(&self, address: &str) -> Result<()> {
        let count = self.counts.get_with_by_ref(address, Arc::default).fetch_add(1, Ordering::Relaxed);
        if count < self.allowed { Ok(()) } else { Err(Error::too_many_requests(WINDOW)) }
    }
}
