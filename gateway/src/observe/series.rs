//! Handles of metrics, made once per series: finding a series by its labels anew at each request costs more than
//! counting.

use metrics::{Counter, Histogram};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Where one kind of answer of one route or rpc is counted.
#[derive(Clone)]
pub(super) struct Handles {
    pub count: Counter,
    pub seconds: Histogram,
}

/// The series of a metric, by name of a route or rpc and by kind of answer. Both come from bounded sets.
pub(super) struct Series<K> {
    make: fn(&str, K) -> Handles,
    known: RwLock<HashMap<String, Vec<(K, Handles)>>>,
}

impl<K: Copy + PartialEq> Series<K> {
    pub fn new(make: fn(&str, K) -> Handles) -> Self {
        Self { make, known: RwLock::default() }
    }

    /// Counts one answer and its time.
    pub fn record(&self, name: &str, kind: K, took: Duration) {
        let handles = self.find(name, kind).unwrap_or_else(|| self.add(name, kind));
        handles.count.increment(1);
        handles.seconds.record(took);
    }

    fn find(&self, name: &str, kind: K) -> Option<Handles> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let (_, handles) = known.get(name)?.iter().find(|(of, _)| *of == kind)?;
        Some(handles.clone())
    }

    /// Two requests may come here at once; both handles are of the same series.
    fn add(&self, name: &str, kind: K) -> Handles {
        let handles = (self.make)(name, kind);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(name.to_owned()).or_default().push((kind, handles.clone()));
        handles
    }
}
