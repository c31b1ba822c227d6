//! The log of calls: the latest that the sandbox answered, kept in memory. Calls of the payments
//! API keep their parameters and answer for the pages at `/log`, also when the caller went away.

use bytes::Bytes;

use crate::state::moment::Moment;

/// Number of calls that the log keeps.
pub const MAX_CALLS: usize = 200;
/// Size in bytes up to which the log keeps an answer.
pub const MAX_ANSWER_BYTES: usize = 48 * 1024;

#[derive(Clone, Debug)]
pub struct Call {
    /// Position in the log: later calls have greater numbers.
    pub seq: u64,
    pub at: Moment,
    pub method: String,
    /// Path without its query.
    pub path: String,
    /// Absent when the caller got no answer.
    pub status: Option<u16>,
    pub took_ms: u128,
    /// Present for calls of the payments API.
    pub api: Option<Api>,
}

/// Parameters and answer of a call of the payments API.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// `req_…`; empty when the call was refused before it got an id.
    pub request_id: String,
    pub idempotency_key: Option<String>,
    /// Whether the answer was that of an earlier call with the same key.
    pub replayed: bool,
    pub query: String,
    pub body: Bytes,
    /// Empty when it was larger than [`MAX_ANSWER_BYTES`].
    pub answer: Bytes,
}
