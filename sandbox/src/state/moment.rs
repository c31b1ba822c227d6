//! Instants as the sandbox keeps them, and the one place that reads the machine's clock.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// One second, in microseconds.
pub const SECOND: i64 = 1_000_000;
/// One day, in microseconds.
pub const DAY: i64 = 86_400 * SECOND;

/// An instant in UTC, in microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
        let at = self.date_time();
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
            at.year(),
            u8::from(at.month()),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.microsecond()
        )
    }

    /// The same instant on São Paulo's clock (UTC-3 all year since 2019).
    pub fn in_sao_paulo(self) -> OffsetDateTime {
        let offset = time::UtcOffset::from_hms(-3, 0, 0).unwrap_or(time::UtcOffset::UTC);
        self.date_time().to_offset(offset)
    }

    /// `26/11/2026`, on São Paulo's clock.
    pub fn date_br(self) -> String {
        let at = self.in_sao_paulo();
        format!("{:02}/{:02}/{:04}", at.day(), u8::from(at.month()), at.year())
    }

    /// `26/11/2026 23:59`, on São Paulo's clock.
    pub fn date_time_br(self) -> String {
        let at = self.in_sao_paulo();
        format!("{} {:02}:{:02}", self.date_br(), at.hour(), at.minute())
    }

    /// `26/11/2026 23:59:05`, on São Paulo's clock.
    pub fn to_the_second_br(self) -> String {
        format!("{}:{:02}", self.date_time_br(), self.in_sao_paulo().second())
    }

    fn date_time(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl From<OffsetDateTime> for Moment {
    fn from(at: OffsetDateTime) -> Self {
        Self((at.unix_timestamp_nanos() / 1000) as i64)
    }
}
