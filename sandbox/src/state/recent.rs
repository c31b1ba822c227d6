//! The latest things of a kind, kept in memory.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// At most `limit` items, newest first.
pub struct Recent<T> {
    limit: usize,
    numbered: Mutex<(u64, VecDeque<T>)>,
}

impl<T: Clone> Recent<T> {
    pub fn new(limit: usize) -> Self {
        Self { limit, numbered: Mutex::default() }
    }

    /// Adds the item that `make` builds from its number, and drops the oldest one.
    pub fn push(&self, make: impl FnOnce(u64) -> T) {
        let mut numbered = self.numbered.lock();
        numbered.0 += 1;
        let item = make(numbered.0);
        numbered.1.truncate(self.limit - 1);
        numbered.1.push_front(item);
    }

    pub fn latest(&self, count: usize, wanted: impl Fn(&T) -> bool) -> Vec<T> {
        self.numbered.lock().1.iter().filter(|item| wanted(item)).take(count).cloned().collect()
    }
}
