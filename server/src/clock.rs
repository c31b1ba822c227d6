//! The product's clock: the system's, or the sandbox's that this process follows.
//!
//! Nothing else in the product reads the system's time, but for time-outs and leases, which are real.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use garimpo_domain::Timestamp;

mod follower;
#[cfg(test)]
mod tests;

pub use follower::FollowError;
pub(crate) use follower::Follower;

/// What the product takes for now.
pub trait Clock: Send + Sync {
    /// The instant at which the product is.
    fn now(&self) -> Timestamp;

    /// The instant by which the lives of sessions and ID tokens are measured: now less the time that
    /// a sandbox walked with `keep_sessions`.
    fn session_now(&self) -> Timestamp {
        self.now()
    }

    /// Whether the clock knows the time: a follower does after its first answer.
    fn is_known(&self) -> bool {
        true
    }
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        system_now()
    }
}

/// Real time, for leases and for measuring the offset of a sandbox.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system for the time")]
pub(crate) fn system_now() -> Timestamp {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Timestamp::from_micros(since_epoch.unwrap_or(Duration::ZERO).as_micros() as i64)
}

/// A sandbox's clock, as the last answer told it.
#[derive(Debug, Default)]
pub struct SandboxClock {
    offset_us: AtomicI64,
    spared_us: AtomicI64,
    known: AtomicBool,
}

impl SandboxClock {
    fn set(&self, offset_us: i64, spared_us: i64) {
        self.offset_us.store(offset_us, Ordering::Release);
        self.spared_us.store(spared_us, Ordering::Release);
        self.known.store(true, Ordering::Release);
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
        self.known.load(Ordering::Acquire)
    }
}
