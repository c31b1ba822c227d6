//! What happened to a session, a token or an account within the last seconds.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Ids to which something happened lately. Nearly always there are none, and a look costs next to
/// nothing then. Beyond `most` ids every id counts as recent: a cache would forget some instead, and
/// a forgotten one is a session that goes on after its end.
pub(crate) struct Recent {
    ids: RwLock<Ids>,
    most: usize,
    kept: Duration,
    began: Instant,
    /// When the last one came, in microseconds since `began`; 0 before the first.
    last_us: AtomicU64,
    /// Until when every id counts, in microseconds since `began`.
    all_until_us: AtomicU64,
}

/// Ids in two generations, so that old ones are dropped without a look at each.
#[derive(Default)]
struct Ids {
    young: HashSet<String>,
    old: HashSet<String>,
    /// When the young generation began, in microseconds since `began`.
    turned_us: u64,
}

impl Recent {
    /// Keeps `most` ids at once, each for `kept` or up to twice as long.
    pub fn new(most: usize, kept: Duration) -> Self {
        let (last_us, all_until_us) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { ids: RwLock::default(), most, kept, began: Instant::now(), last_us, all_until_us }
    }

    /// Records an id.
    pub fn add(&self, id: &str) {
        let now_us = self.now_us().max(1);
        let mut ids = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        if now_us > ids.turned_us.saturating_add(micros(self.kept)) {
            ids.old = std::mem::take(&mut ids.young);
            ids.turned_us = now_us;
        }
        if ids.young.len() + ids.old.len() < self.most {
            ids.young.insert(id.to_owned());
        } else {
            self.all_until_us.fetch_max(now_us.saturating_add(micros(self.kept)), Ordering::AcqRel);
        }
        self.last_us.fetch_max(now_us, Ordering::Release);
    }

    /// Whether it was recorded and is still kept, or too many were.
    pub fn contains(&self, id: &str) -> bool {
        self.any() && (self.is_full() || self.has(id))
    }

    /// Whether any is kept.
    pub fn any(&self) -> bool {
        let last = self.last_us.load(Ordering::Acquire);
        last > 0 && self.now_us() <= last.saturating_add(micros(self.kept))
    }

    fn is_full(&self) -> bool {
        self.now_us() <= self.all_until_us.load(Ordering::Acquire)
    }

    fn has(&self, id: &str) -> bool {
        let ids = self.ids.read().unwrap_or_else(PoisonError::into_inner);
        ids.young.contains(id) || ids.old.contains(id)
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

    #[test]
    fn nenhum_dos_que_mudaram_e_esquecido_quando_sao_demais() {
        let recent = Recent::new(1_000, Duration::from_mins(1));
        let ids: Vec<_> = (0..2_000).map(|number| format!("ses_{number}")).collect();

        for id in &ids {
            recent.add(id);
        }

        assert!(ids.iter().all(|id| recent.contains(id)));
    }

    #[test]
    fn o_que_passou_do_prazo_e_esquecido() {
        let recent = Recent::new(1, Duration::ZERO);

        for id in ["ses_a", "ses_b", "ses_c"] {
            recent.add(id);
        }
        let passed = recent.now_us();
        while recent.now_us() == passed {
            std::hint::spin_loop();
        }

        assert!(["ses_a", "ses_b", "ses_c"].iter().all(|id| !recent.contains(id)));
    }
}
