//! Where a watcher goes on: a place in the feed, and when it was there.

use garimpo_domain::Timestamp;
use garimpo_proto::errors::v1::ErrorReason;

use crate::error::Error;

/// A cursor holds this many days: what came after it is kept as long.
pub(crate) const CURSOR_DAYS: i64 = 7;

/// A place in the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::billing) struct Cursor {
    /// The last change seen.
    pub seq: i64,
    /// When nothing after it was known.
    pub at: Timestamp,
}

impl Cursor {
    /// As it is sent; for callers it is opaque.
    pub(super) fn written(self) -> String {
        format!("{:x}.{:x}", self.seq, self.at.as_micros())
    }

    /// Reads a cursor.
    ///
    /// # Errors
    /// What never was one.
    pub(in crate::billing) fn parse(text: &str) -> Result<Self, &'static str> {
        let parsed = text.split_once('.').and_then(|(seq, at)| {
            let seq = i64::from_str_radix(seq, 16).ok().filter(|seq| *seq >= 0)?;
            Some(Self { seq, at: Timestamp::from_micros(i64::from_str_radix(at, 16).ok()?) })
        });
        parsed.ok_or("malformed: none of ours")
    }

    /// The cursor, while it holds.
    ///
    /// # Errors
    /// CURSOR_EXPIRED when it is older than [`CURSOR_DAYS`].
    pub(in crate::billing) fn alive(self, now: Timestamp) -> Result<Self, Error> {
        if self.at >= now.plus_days(-CURSOR_DAYS) {
            return Ok(self);
        }
        let why = "the cursor is older than 7 days: watch again without one";
        Err(Error::refused(ErrorReason::CursorExpired, why))
    }
}
