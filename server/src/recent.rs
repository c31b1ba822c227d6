//! What happened to a session, a token or an account within the last seconds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Ids to which something happened lately. Nearly always there are none, and asking then costs next to nothing.
pub(crate) struct Recent {
    ids: moka::sync::Cache<String, ()>,
    kept: Duration,
    began: Instant,
    /// When the last one came, in microseconds since `began`; 0 before the first.
    last_us: AtomicU64,
}

impl Recent {
    /// Keeps so many ids at most, each for so long.
    pub fn new(most: u64, kept: Duration) -> Self {
        let ids = moka::sync::Cache::builder().max_capacity(most).time_to_live(kept).build();
        Self { ids, kept, began: Instant::now(), last_us: AtomicU64::new(0) }
    }

    /// Notes an id.
    pub fn add(&self, id: &str) {
        self.ids.insert(id.to_owned(), ());
        self.last_us.fetch_max(self.now_us().max(1), Ordering::Release);
    }

    /// Whether it was noted and is still kept.
    pub fn contains(&self, id: &str) -> bool {
        self.any() && self.ids.contains_key(id)
    }

    /// Whether any is kept.
    pub fn any(&self) -> bool {
        let last = self.last_us.load(Ordering::Acquire);
        last > 0 && self.now_us() <= last.saturating_add(micros(self.kept))
    }

    fn now_us(&self) -> u64 {
        micros(self.began.elapsed())
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_o_que_mudou_ha_pouco_e_lembrado() {
        let recent = Recent::new(10, Duration::from_mins(1));
        assert!(!recent.contains("ses_a"));

        recent.add("ses_a");

        assert!(recent.contains("ses_a") && !recent.contains("ses_b"));
    }
}
