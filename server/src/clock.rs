//! The product's clock: the system's, or the sandbox's.
//!
//! No other file reads the system's time, except for timeouts and leases, which use real time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use garimpo_domain::Timestamp;
use tokio::sync::SetOnce;

pub trait Clock: Send + Sync {
    /// The product's current time.
    fn now(&self) -> Timestamp;

    /// The time by which sessions and ID tokens age: [`Clock::now`] less the time by which a
    /// sandbox was fast-forwarded with `keep_sessions`.
    fn session_now(&self) -> Timestamp {
        self.now()
    }

    /// Whether the time is known: a follower knows it after its first response.
    fn is_known(&self) -> bool {
        true
    }

    /// Waits until the time is known.
    fn known(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        system_now()
    }
}

/// Real time, for leases and for measuring the offset of a sandbox.
#[expect(clippy::disallowed_methods, reason = "the only reader of the system's time")]
pub(crate) fn system_now() -> Timestamp {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Timestamp::from_micros(since_epoch.unwrap_or(Duration::ZERO).as_micros() as i64)
}

/// A sandbox's clock, as of its last response.
#[derive(Debug, Default)]
pub struct SandboxClock {
    offset_us: AtomicI64,
    spared_us: AtomicI64,
    known: SetOnce<()>,
}

impl SandboxClock {
    pub(crate) fn set(&self, offset_us: i64, spared_us: i64) {
        self.offset_us.store(offset_us, Ordering::Release);
        self.spared_us.store(spared_us, Ordering::Release);
        // It fails if the time is known already.
        let _ = self.known.set(());
    }
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        system_now().plus_micros(self.offset_us.load(Ordering::Acquire))
    }

    fn session_now(&self) -> Timestamp {
        self.now().plus_micros(-self.spared_us.load(Ordering::Acquire))
    }

    fn is_known(&self) -> bool {
        self.known.initialized()
    }

    fn known(&self) -> BoxFuture<'_, ()> {
        self.known.wait().map(drop).boxed()
    }
}
