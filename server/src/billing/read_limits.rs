//! How often an open checkout is read at the payment provider.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{Quota, RateLimiter};

use crate::error::Error;

/// How long what was read for an open checkout is kept.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(2);
/// Readings of the provider for open checkouts that a process makes in a second. Each takes two
/// calls, and one more for each open checkout of the account, so they stay about the half of the
/// budget that their class may take.
const READS_PER_SECOND: NonZeroU32 = NonZeroU32::new(4).expect("not zero");
/// Accounts whose reading is kept.
const KEPT_ACCOUNTS: u64 = 100_000;

/// Readings of the provider for open checkouts: their callers are anonymous, so they are few
/// whoever calls.
pub(crate) struct CheckoutReads {
    pub(super) lately: moka::future::Cache<String, Result<(), Arc<Error>>>,
    pub(super) rate: governor::DefaultDirectRateLimiter,
}

impl CheckoutReads {
    pub(crate) fn new() -> Self {
        let lately =
            moka::future::Cache::builder().max_capacity(KEPT_ACCOUNTS).time_to_live(KEPT_FOR).build();
        Self { lately, rate: RateLimiter::direct(Quota::per_second(READS_PER_SECOND)) }
    }
}
