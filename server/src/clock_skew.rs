//! Difference between this machine's clock and the database's, measured at each heartbeat.

use std::time::Duration;

use crate::measures::CLOCK_SKEW;
use crate::store::{Store, invariants};

/// Leases use real time: beyond this skew a server claims jobs that another one still runs.
pub(crate) const MAX_CLOCK_SKEW_US: i64 = 2_000_000;
/// A slower response proves nothing about the clock.
const MEASURE_TIMEOUT: Duration = Duration::from_secs(2);

/// Microseconds as seconds.
pub(crate) fn seconds(skew_us: i64) -> f64 {
    let size = Duration::from_micros(skew_us.unsigned_abs()).as_secs_f64();
    if skew_us < 0 { -size } else { size }
}

/// Logs when the clocks begin and cease to differ.
#[derive(Default)]
pub(crate) struct SkewWatch {
    is_beyond: bool,
}

impl SkewWatch {
    /// Measures once. The skew of an embedded database stays 0, because it uses this machine's
    /// clock.
    pub(crate) async fn measure(&mut self, store: &Store) {
        let measured = tokio::time::timeout(MEASURE_TIMEOUT, invariants::clock_skew_us(store)).await;
        let Ok(Ok(Some(skew_us))) = measured else { return };
        let skew_seconds = seconds(skew_us);
        metrics::gauge!(CLOCK_SKEW).set(skew_seconds);
        let is_beyond = skew_us.abs() > MAX_CLOCK_SKEW_US;
        if is_beyond && !self.is_beyond {
            tracing::warn!(skew_seconds, "the database's clock and this machine's differ: check NTP on both");
        } else if !is_beyond && self.is_beyond {
            tracing::info!(skew_seconds, "the database's clock and this machine's agree again");
        }
        self.is_beyond = is_beyond;
    }
}
