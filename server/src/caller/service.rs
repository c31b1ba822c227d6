//! A calling service: what its token allows, and how often.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use strum::{EnumString, IntoStaticStr, VariantArray};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::store::{ServiceTokenRow, TokenHash};

/// Permissions of a service token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
pub enum Scope {
    /// Read entitlements and subscriptions.
    #[strum(serialize = "billing.read")]
    BillingRead,
    /// Read user records.
    #[strum(serialize = "users.read")]
    UsersRead,
    /// Write conversion events.
    #[strum(serialize = "tracking.write")]
    TrackingWrite,
}

garimpo_domain::named!(Scope, parse, all);

/// A live service token, with its state in this process.
#[derive(Debug)]
pub struct Service {
    pub token: ServiceTokenRow,
    /// Hash of the token, by which it is read again.
    pub(crate) hash: TokenHash,
    pub(crate) share: Arc<TokenShare>,
    /// Set by the call that writes the token's use, so that no other call does.
    pub(crate) is_use_written: AtomicBool,
}

impl Service {
    pub fn has(&self, scope: Scope) -> bool {
        self.token.scopes.has(scope.name())
    }
}

/// How much of this process one token may use.
#[derive(Debug)]
pub(crate) struct TokenShare {
    pub limiter: TokenRateLimiter,
    watches: Arc<Semaphore>,
}

impl TokenShare {
    /// Allows `calls` per second and `watches` open at once.
    pub(crate) fn new(calls: u32, watches: u32) -> Self {
        let watches = Arc::new(Semaphore::new(watches as usize));
        Self { limiter: TokenRateLimiter::new(calls), watches }
    }

    /// A permit for one more watch; `None` if all are open.
    pub(crate) fn watch(&self) -> Option<OwnedSemaphorePermit> {
        self.watches.clone().try_acquire_owned().ok()
    }
}

/// Rate limit of one token: evenly spaced calls, of which one second's worth may come at once.
///
/// It stores the instant up to which calls are used up, so a call costs one atomic operation.
#[derive(Debug)]
pub(crate) struct TokenRateLimiter {
    began: Instant,
    per_call_ns: u64,
    used_until_ns: AtomicU64,
}

const SECOND_NS: u64 = 1_000_000_000;

impl TokenRateLimiter {
    fn new(calls_per_second: u32) -> Self {
        let per_call_ns = SECOND_NS / u64::from(calls_per_second.max(1));
        Self { began: Instant::now(), per_call_ns, used_until_ns: AtomicU64::new(0) }
    }

    /// Counts a call that weighs as much as `calls`; the error is the pause after which it would
    /// pass.
    ///
    /// A call that weighs more than one second passes once that second is unused, and the calls
    /// after it wait for its whole weight.
    pub(crate) fn take(&self, calls: u32) -> Result<(), Duration> {
        let now_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.take_at(now_ns, calls)
    }

    fn take_at(&self, now_ns: u64, calls: u32) -> Result<(), Duration> {
        let weight_ns = self.per_call_ns.saturating_mul(calls.into());
        let last_ns = now_ns.saturating_add(SECOND_NS).saturating_sub(weight_ns.min(SECOND_NS));
        let begin_ns = |used_until: u64| used_until.max(now_ns);
        let fits = |used_until| {
            (begin_ns(used_until) <= last_ns).then(|| begin_ns(used_until).saturating_add(weight_ns))
        };
        let taken = self.used_until_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.map(drop).map_err(|used_until| Duration::from_nanos(begin_ns(used_until) - last_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_rate_limiter_allows_one_second_of_calls_at_once_and_then_one_at_a_time() {
        let limiter = TokenRateLimiter::new(10);
        assert!((0..10).all(|_| limiter.take_at(0, 1).is_ok()));

        assert_eq!(limiter.take_at(0, 1), Err(Duration::from_millis(100)));
        assert_eq!(limiter.take_at(40 * MS, 1), Err(Duration::from_millis(60)));
        assert_eq!(limiter.take_at(100 * MS, 1), Ok(()));
        assert!(limiter.take_at(100 * MS, 1).is_err(), "a refused call is not counted, a taken one is");
        assert!((0..10).all(|_| limiter.take_at(5_000 * MS, 1).is_ok()), "what was not used does not add up");
        assert!(limiter.take_at(5_000 * MS, 1).is_err());
    }

    #[test]
    fn a_large_call_counts_as_many_and_one_above_the_rate_is_paid_back_later() {
        let limiter = TokenRateLimiter::new(10);
        assert_eq!(limiter.take_at(0, 8), Ok(()));
        assert_eq!(limiter.take_at(0, 5), Err(Duration::from_millis(300)));
        assert_eq!(limiter.take_at(300 * MS, 5), Ok(()));

        assert_eq!(limiter.take_at(10_000 * MS, 50), Ok(()));
        assert_eq!(limiter.take_at(10_000 * MS, 50), Err(Duration::from_secs(5)));
        assert_eq!(limiter.take_at(13_000 * MS, 1), Err(Duration::from_millis(1_100)));
        assert_eq!(limiter.take_at(15_000 * MS, 50), Ok(()));
    }

    #[test]
    fn a_token_has_a_limit_of_watches_and_an_ended_watch_frees_its_slot() {
        let share = TokenShare::new(10, 2);
        let (first, _second) = (share.watch().expect("one"), share.watch().expect("two"));
        assert!(share.watch().is_none());

        drop(first);
        assert!(share.watch().is_some());
    }
}
