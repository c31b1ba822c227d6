//! Limits how often an open checkout is read at the payment provider.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Uid;
use governor::{Quota, RateLimiter};

use crate::error::Error;

/// How long the result of a read is reused.
pub(crate) const KEPT_FOR: Duration = Duration::from_secs(2);
/// Reads of open checkouts per second and process. Each makes one or two calls, and one more for
/// each open checkout of the account, so they use about half of their class's call budget.
const READS_PER_SECOND: NonZeroU32 = NonZeroU32::new(4).expect("not zero");
/// Accounts whose last read is kept.
const KEPT_ACCOUNTS: u64 = 100_000;

/// Limits the reads of open checkouts for all callers together, because the callers are anonymous.
pub(crate) struct CheckoutReads {
    pub(crate) lately: moka::future::Cache<Uid, Result<(), Arc<Error>>>,
    pub(crate) rate: governor::DefaultDirectRateLimiter,
}

impl CheckoutReads {
    pub(crate) fn new() -> Self {
        let lately =
            moka::future::Cache::builder().max_capacity(KEPT_ACCOUNTS).time_to_live(KEPT_FOR).build();
        Self { lately, rate: RateLimiter::direct(Quota::per_second(READS_PER_SECOND)) }
    }
}
