//! Kept handles of metrics. To find a series by its labels at each request costs more than to
//! count: without kept handles a page takes 18% more instructions, and check-cookie 11%.

use std::collections::BTreeMap;
use std::time::Duration;

use metrics::{Counter, Histogram};
use parking_lot::RwLock;

/// Counter and durations of one kind of response.
pub struct Handles {
    pub count: Counter,
    pub seconds: Histogram,
}

impl Handles {
    fn record(&self, took: Duration) {
        self.count.increment(1);
        self.seconds.record(took);
    }
}

/// The series of a metric by the name of a route or rpc, and by the kind of response. Both come
/// from bounded sets.
pub struct Series<K> {
    make: fn(&str, K) -> Handles,
    known: RwLock<BTreeMap<String, Vec<(K, Handles)>>>,
}

impl<K: Copy + PartialEq> Series<K> {
    pub const fn new(make: fn(&str, K) -> Handles) -> Self {
        Self { make, known: RwLock::new(BTreeMap::new()) }
    }

    /// Counts a response and its duration.
    pub fn record(&self, name: &str, kind: K, took: Duration) {
        if !self.record_known(name, kind, took) {
            let handles = (self.make)(name, kind);
            handles.record(took);
            // Two requests may add a series at once: both handles count in it.
            self.known.write().entry(name.to_owned()).or_default().push((kind, handles));
        }
    }

    fn record_known(&self, name: &str, kind: K, took: Duration) -> bool {
        let known = self.known.read();
        let kinds = known.get(name).map(Vec::as_slice).unwrap_or_default();
        let found = kinds.iter().find(|(of, _)| *of == kind);
        found.inspect(|(_, handles)| handles.record(took)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static MADE: AtomicUsize = AtomicUsize::new(0);

    fn make(_: &str, _: u16) -> Handles {
        MADE.fetch_add(1, Ordering::Relaxed);
        Handles { count: Counter::noop(), seconds: Histogram::noop() }
    }

    #[test]
    fn a_known_series_is_not_looked_up_again() {
        let series = Series::new(make);
        for _ in 0..100 {
            series.record("/planos", 200, Duration::ZERO);
            series.record("/planos", 404, Duration::ZERO);
            series.record("/", 200, Duration::ZERO);
        }

        assert_eq!(MADE.load(Ordering::Relaxed), 3);
    }
}
