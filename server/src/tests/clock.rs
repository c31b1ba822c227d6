//! A clock that only tests advance.

use std::sync::atomic::{AtomicI64, Ordering};

use garimpo_domain::Timestamp;

use crate::clock::Clock;

/// A clock set by the test.
pub struct TestClock {
    now_us: AtomicI64,
    spared_us: AtomicI64,
}

impl TestClock {
    /// A clock at an RFC 3339 instant.
    pub fn at(text: &str) -> Self {
        let now = Timestamp::parse_rfc3339(text).expect("an RFC 3339 instant");
        Self { now_us: AtomicI64::new(now.as_micros()), spared_us: AtomicI64::new(0) }
    }

    /// Moves forward.
    pub fn advance_seconds(&self, seconds: i64) {
        self.now_us.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Moves forward by days of 24 hours.
    pub fn advance_days(&self, days: i64) {
        self.advance_seconds(days * 86_400);
    }

    /// Moves forward and spares the sessions.
    pub fn advance_days_keeping_sessions(&self, days: i64) {
        self.spared_us.fetch_add(days * 86_400 * 1_000_000, Ordering::SeqCst);
        self.advance_days(days);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.now_us.load(Ordering::SeqCst))
    }

    fn session_now(&self) -> Timestamp {
        self.now().plus_micros(-self.spared_us.load(Ordering::SeqCst))
    }
}
