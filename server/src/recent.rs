//! Ids of sessions, tokens or accounts with an event within the last seconds.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use parking_lot::RwLock;

/// A set whose ids expire. Beyond `most` ids every id counts as recent: a cache would forget some
/// instead, and a forgotten id is a session that continues after its end.
pub(crate) struct Recent {
    ids: RwLock<Ids>,
    most: usize,
    kept: Duration,
}

/// Two generations, so that old ids are dropped without a look at each.
#[derive(Default)]
struct Ids {
    young: HashSet<String>,
    old: HashSet<String>,
    young_since: Option<Instant>,
    last_added: Option<Instant>,
    /// Time of the last id that did not fit.
    overflowed: Option<Instant>,
}

impl Recent {
    /// Keeps `most` ids, each for `kept` or up to twice as long.
    pub fn new(most: usize, kept: Duration) -> Self {
        Self { ids: RwLock::default(), most, kept }
    }

    pub fn add(&self, id: &str) {
        let now = Instant::now();
        let mut ids = self.ids.write();
        if !is_kept(ids.young_since, self.kept, now) {
            ids.old = std::mem::take(&mut ids.young);
            ids.young_since = Some(now);
        }
        if ids.young.len() + ids.old.len() < self.most {
            ids.young.insert(id.to_owned());
        } else {
            ids.overflowed = Some(now);
        }
        ids.last_added = Some(now);
    }

    pub fn contains(&self, id: &str) -> bool {
        let ids = self.ids.read();
        let is_member = ids.young.contains(id) || ids.old.contains(id);
        // For nearly every id the clock is not read.
        (is_member || ids.overflowed.is_some()) && {
            let now = Instant::now();
            let is_kept = |since| is_kept(since, self.kept, now);
            is_kept(ids.last_added) && (is_member || is_kept(ids.overflowed))
        }
    }
}

fn is_kept(since: Option<Instant>, kept: Duration, now: Instant) -> bool {
    since.is_some_and(|since| now <= since + kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recent_changes_are_remembered() {
        let recent = Recent::new(10, Duration::from_mins(1));
        assert!(!recent.contains("ses_a"));

        recent.add("ses_a");

        assert!(recent.contains("ses_a") && !recent.contains("ses_b"));
    }

    #[test]
    fn no_recent_change_is_forgotten_above_the_expected_number() {
        let recent = Recent::new(1_000, Duration::from_mins(1));
        let ids: Vec<_> = (0..2_000).map(|number| format!("ses_{number}")).collect();

        for id in &ids {
            recent.add(id);
        }

        assert!(ids.iter().all(|id| recent.contains(id)));
    }

    #[test]
    fn an_expired_change_is_forgotten() {
        let recent = Recent::new(1, Duration::ZERO);

        for id in ["ses_a", "ses_b", "ses_c"] {
            recent.add(id);
        }
        let added = Instant::now();
        while added.elapsed().is_zero() {
            std::hint::spin_loop();
        }

        assert!(["ses_a", "ses_b", "ses_c"].iter().all(|id| !recent.contains(id)));
    }
}
