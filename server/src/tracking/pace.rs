//! How many events one address may post, counted in this process alone: a fleet's nodes each count for themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::error::Error;

/// The counting begins anew so long after an address's first event.
const WINDOW: Duration = Duration::from_mins(1);
/// Addresses that are counted at once; beyond them the ones that were seen least are forgotten.
const COUNTED: u64 = 100_000;

/// The counters of all addresses.
pub(super) struct Pace {
    allowed: u32,
    counts: moka::sync::Cache<String, Arc<AtomicU32>>,
}

impl Pace {
    /// So many events per address in a minute.
    pub(super) fn new(allowed: u32) -> Self {
        let counts = moka::sync::Cache::builder().max_capacity(COUNTED).time_to_live(WINDOW).build();
        Self { allowed, counts }
    }

    /// Counts an event.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS beyond the limit.
    pub(super) fn take(&self, address: String) -> Result<(), Error> {
        let taken = self.counts.get_with(address, Arc::default).fetch_add(1, Ordering::Relaxed);
        if taken < self.allowed { Ok(()) } else { Err(Error::too_many_requests(WINDOW)) }
    }
}
