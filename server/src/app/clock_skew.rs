//! How far this machine's clock is from the database's, measured at each heartbeat.

use std::time::Duration;

use crate::measures::CLOCK_SKEW;
use crate::store::Store;
use crate::store::operator::invariants;

/// Leases of jobs are real time: beyond this a server takes over jobs that another one still runs.
pub(crate) const MAX_CLOCK_SKEW_US: i64 = 2_000_000;
/// A slower database tells nothing about the clock.
const MEASURE_WAITS: Duration = Duration::from_secs(2);

/// Microseconds as seconds.
pub(crate) fn seconds(skew_us: i64) -> f64 {
    let size = Duration::from_micros(skew_us.unsigned_abs()).as_secs_f64();
    if skew_us < 0 { -size } else { size }
}

/// Logs each change between clocks that agree and clocks that do not.
#[derive(Default)]
pub(super) struct SkewWatch {
    is_beyond: bool,
}

impl SkewWatch {
    /// Measures once. An embedded database has the clock of this machine, so its skew stays 0.
    pub(super) async fn measure(&mut self, store: &Store) {
        let measured = tokio::time::timeout(MEASURE_WAITS, invariants::clock_skew_us(store)).await;
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
