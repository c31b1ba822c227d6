//! The position from which a watcher continues, and its time.

use garimpo_domain::Timestamp;

use crate::error::{Error, ErrorReason, Result};
use crate::store::FeedPosition;

/// A cursor expires after this. Later changes are kept as long.
pub(crate) const CURSOR_DAYS: i64 = 7;
/// The clocks of two servers differ by less. A cursor from further ahead comes from another feed.
const MAX_AHEAD_HOURS: i64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The last change seen.
    pub seen: FeedPosition,
    /// The time at which no later change was known.
    pub at: Timestamp,
}

impl Cursor {
    /// The cursor after a change, if no later change is known at `now`.
    pub(super) fn behind(seen: FeedPosition, now: Timestamp) -> Self {
        Self { seen, at: now.max(seen.at) }
    }

    /// Opaque to clients.
    pub(super) fn to_text(self) -> String {
        let (seq, at_us, at) = (self.seen.seq, self.seen.at.as_micros(), self.at.as_micros());
        if at == at_us { format!("{seq:x}.{at_us:x}") } else { format!("{seq:x}.{at_us:x}.{at:x}") }
    }

    /// Accepts exactly what [`Self::to_text`] returns.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let number = |text: &str| i64::from_str_radix(text, 16).ok().filter(|number| *number >= 0);
        let numbers: Option<Vec<i64>> = text.split('.').map(number).collect();
        let parsed = match numbers.as_deref() {
            Some(&[seq, seen_at]) => Some((seq, seen_at, seen_at)),
            Some(&[seq, seen_at, at]) => Some((seq, seen_at, at)),
            _ => None,
        };
        let parsed = parsed.map(|(seq, seen_at, at)| Self {
            seen: FeedPosition { seq, at: Timestamp::from_micros(seen_at) },
            at: Timestamp::from_micros(at),
        });
        parsed.filter(|cursor| cursor.to_text() == text).ok_or("malformed: none of ours")
    }

    /// # Errors
    /// CURSOR_EXPIRED if the cursor is older than [`CURSOR_DAYS`] or from the future.
    pub(crate) fn unexpired(self, now: Timestamp) -> Result<Self> {
        if self.at < now.plus_days(-CURSOR_DAYS) {
            return Err(expired("the cursor is older than 7 days: watch again without one"));
        }
        if self.at > now.plus_hours(MAX_AHEAD_HOURS) {
            return Err(lost());
        }
        Ok(self)
    }
}

/// The error for a cursor of another feed.
pub(super) fn lost() -> Error {
    expired("the cursor is of a feed that was lost, as by a restore from a backup: watch again without one")
}

fn expired(why: &'static str) -> Error {
    Error::refused(ErrorReason::CursorExpired, why)
}
