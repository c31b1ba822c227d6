//! The position from which a watcher continues, and its time.

use garimpo_domain::Timestamp;
use garimpo_proto::errors::v1::ErrorReason;

use crate::error::Error;
use crate::store::billing::entitlement_changes::Place;

/// A cursor holds this many days: what came after it is kept as long.
pub(crate) const CURSOR_DAYS: i64 = 7;
/// No clock of ours is further ahead of another: a cursor from beyond it is of another feed.
const AHEAD_HOURS: i64 = 1;

/// A place in the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The last change seen.
    pub seen: Place,
    /// When nothing after it was known.
    pub at: Timestamp,
}

impl Cursor {
    /// Behind a change, when nothing after it is known.
    pub(super) fn behind(seen: Place, now: Timestamp) -> Self {
        Self { seen, at: now.max(Timestamp::from_micros(seen.at_us)) }
    }

    /// As it is sent; for callers it is opaque.
    pub(super) fn written(self) -> String {
        let (Place { seq, at_us }, at) = (self.seen, self.at.as_micros());
        if at == at_us { format!("{seq:x}.{at_us:x}") } else { format!("{seq:x}.{at_us:x}.{at:x}") }
    }

    /// Reads a cursor, as it was written to the letter.
    ///
    /// # Errors
    /// What never was one.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let number = |text: &str| i64::from_str_radix(text, 16).ok().filter(|number| *number >= 0);
        let numbers: Option<Vec<i64>> = text.split('.').map(number).collect();
        let parsed = match numbers.as_deref() {
            Some(&[seq, at_us]) => Some((Place { seq, at_us }, at_us)),
            Some(&[seq, at_us, at]) => Some((Place { seq, at_us }, at)),
            _ => None,
        };
        let parsed = parsed.map(|(seen, at)| Self { seen, at: Timestamp::from_micros(at) });
        parsed.filter(|cursor| cursor.written() == text).ok_or("malformed: none of ours")
    }

    /// The cursor, while it holds.
    ///
    /// # Errors
    /// CURSOR_EXPIRED when it is older than [`CURSOR_DAYS`], or from a time that has not come.
    pub(crate) fn alive(self, now: Timestamp) -> Result<Self, Error> {
        if self.at < now.plus_days(-CURSOR_DAYS) {
            return Err(expired("the cursor is older than 7 days: watch again without one"));
        }
        if self.at > now.plus_hours(AHEAD_HOURS) {
            return Err(lost());
        }
        Ok(self)
    }
}

/// The refusal of a cursor that this feed never gave.
pub(super) fn lost() -> Error {
    expired("the cursor is of a feed that was lost, as by a restore from a backup: watch again without one")
}

fn expired(why: &'static str) -> Error {
    Error::refused(ErrorReason::CursorExpired, why)
}
