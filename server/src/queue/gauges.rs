//! What the queue shows to the operator.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::queue::JobKind;
use crate::store::Store;

const EVERY: Duration = Duration::from_secs(5);
const STATES: [&str; 2] = ["waiting", "parked"];

/// Keeps `garimpo_jobs` and `garimpo_oldest_job_seconds` true, until the task is ended.
pub(super) async fn keep(store: Store, clock: Arc<dyn Clock>) {
    let mut every = tokio::time::interval(EVERY);
    loop {
        every.tick().await;
        let Ok(counts) = store.jobs_count().await else { continue };
        let now = clock.now();
        for kind in JobKind::ALL {
            let mut oldest_seconds = 0;
            for state in STATES {
                let count = counts.iter().find(|count| count.kind == kind.name() && count.state == state);
                metrics::gauge!("garimpo_jobs", "kind" => kind.name(), "state" => state)
                    .set(count.map_or(0.0, |count| whole(count.jobs)));
                if let Some(count) = count.filter(|_| state == "waiting") {
                    oldest_seconds = ((now.as_micros() - count.oldest_due_at_us) / 1_000_000).max(0);
                }
            }
            metrics::gauge!("garimpo_oldest_job_seconds", "kind" => kind.name()).set(whole(oldest_seconds));
        }
    }
}

/// A count as a gauge takes it.
fn whole(count: i64) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}
