//! The latest calls that the sandbox answered, kept in memory for the page at `/`.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::moment::Moment;

const KEPT: usize = 300;

/// One answered call.
#[derive(Clone, Debug)]
pub struct Call {
    /// When it came.
    pub at: Moment,
    /// Method.
    pub method: String,
    /// Path without its query.
    pub path: String,
    /// Status of the answer.
    pub status: u16,
    /// How long the answer took, in milliseconds.
    pub took_ms: u128,
}

/// The latest calls.
#[derive(Default)]
pub struct CallLog {
    calls: Mutex<VecDeque<Call>>,
}

impl CallLog {
    /// Notes a call, forgetting the oldest.
    pub fn note(&self, call: Call) {
        let mut calls = self.calls.lock().expect("no holder of the log's lock panics");
        calls.truncate(KEPT - 1);
        calls.push_front(call);
    }

    /// The latest calls, newest first.
    pub fn latest(&self, count: usize) -> Vec<Call> {
        let calls = self.calls.lock().expect("no holder of the log's lock panics");
        calls.iter().take(count).cloned().collect()
    }
}
