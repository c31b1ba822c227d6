//! Instants as the sandbox keeps them, and the one place that reads the machine's clock.

use serde::{Serialize, Serializer};
use time::format_description::well_known::Rfc3339;
use time::macros::{format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// UTC-3 all year since 2019.
const SAO_PAULO: UtcOffset = offset!(-3);

/// One second, in microseconds.
pub const SECOND: i64 = 1_000_000;
/// One day, in microseconds.
pub const DAY: i64 = 86_400 * SECOND;

/// An instant in UTC, in microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// The machine's own time: only the clock may ask for it, everything else asks the clock.
    #[expect(clippy::disallowed_methods, reason = "the sandbox's clock is the machine's plus an offset")]
    pub fn of_the_machine() -> Self {
        Self::from(OffsetDateTime::now_utc())
    }

    /// The instant that many seconds after the Unix epoch.
    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds * SECOND)
    }

    /// Whole seconds since the Unix epoch, as the payments API writes instants.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// This instant moved by microseconds.
    #[must_use]
    pub fn plus(self, micros: i64) -> Self {
        Self(self.0 + micros)
    }

    /// Reads an RFC 3339 instant.
    pub fn parse(text: &str) -> Option<Self> {
        OffsetDateTime::parse(text, &Rfc3339).ok().map(Self::from)
    }

    /// RFC 3339 with microseconds, in UTC.
    pub fn rfc3339(self) -> String {
        let format =
            format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");
        self.date_time().format(format).unwrap_or_default()
    }

    /// The same instant on São Paulo's clock.
    pub fn in_sao_paulo(self) -> OffsetDateTime {
        self.date_time().to_offset(SAO_PAULO)
    }

    /// An instant of São Paulo's clock.
    pub fn of_sao_paulo(day: Date, time: Time) -> Self {
        Self::from(PrimitiveDateTime::new(day, time).assume_offset(SAO_PAULO))
    }

    /// `26/11/2026`, on São Paulo's clock.
    pub fn date_br(self) -> String {
        self.in_sao_paulo().format(format_description!("[day]/[month]/[year]")).unwrap_or_default()
    }

    /// `26/11/2026 23:59`, on São Paulo's clock.
    pub fn date_time_br(self) -> String {
        let format = format_description!("[day]/[month]/[year] [hour]:[minute]");
        self.in_sao_paulo().format(format).unwrap_or_default()
    }

    /// `26/11/2026 23:59:05`, on São Paulo's clock.
    pub fn to_the_second_br(self) -> String {
        let format = format_description!("[day]/[month]/[year] [hour]:[minute]:[second]");
        self.in_sao_paulo().format(format).unwrap_or_default()
    }

    fn date_time(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl Serialize for Moment {
    /// As RFC 3339.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.rfc3339())
    }
}

impl From<OffsetDateTime> for Moment {
    fn from(at: OffsetDateTime) -> Self {
        Self((at.unix_timestamp_nanos() / 1000) as i64)
    }
}
