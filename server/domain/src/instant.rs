//! Instants in UTC and the days of São Paulo.
//!
//! The zone is a fixed UTC-3: Brazil ended daylight saving time by decree 9.772 of 2019, and a
//! table of zones would be one more thing to ship and keep. If it came back, this file would be the
//! one to change.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Month, OffsetDateTime, UtcOffset};

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// São Paulo is three hours behind UTC, all year.
const SAO_PAULO_OFFSET_SECONDS: i64 = -3 * 3600;
/// The years that RFC 3339 can write: 0001-01-01 to 9999-12-31, in Unix seconds.
const WRITABLE_SECONDS: (i64, i64) = (-62_135_596_800, 253_402_300_799);

/// An instant: microseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct Timestamp(i64);

/// A text is not an RFC 3339 instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 instant")]
pub struct NotAnInstant;

impl Timestamp {
    /// The earliest instant: before everything.
    pub const MIN: Timestamp = Timestamp(i64::MIN);

    /// Makes an instant from microseconds since the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Timestamp(micros)
    }

    /// Microseconds since the Unix epoch, as the `…_at_us` columns keep them.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Makes an instant from whole seconds since the Unix epoch, as the payment provider writes
    /// them.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Timestamp(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Whole seconds since the Unix epoch, rounded down.
    pub const fn as_unix_seconds(self) -> i64 {
        self.0.div_euclid(MICROS_PER_SECOND)
    }

    /// The instant `days` of 24 hours later (earlier when negative).
    pub const fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(SECONDS_PER_DAY))
    }

    /// The instant `hours` later (earlier when negative).
    pub const fn plus_hours(self, hours: i64) -> Self {
        self.plus_seconds(hours.saturating_mul(3600))
    }

    /// The instant `minutes` later (earlier when negative).
    pub const fn plus_minutes(self, minutes: i64) -> Self {
        self.plus_seconds(minutes.saturating_mul(60))
    }

    /// The instant `seconds` later (earlier when negative).
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_micros(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// The instant `micros` microseconds later (earlier when negative).
    pub const fn plus_micros(self, micros: i64) -> Self {
        Timestamp(self.0.saturating_add(micros))
    }

    /// Microseconds from `earlier` to this instant; negative when `earlier` is later.
    pub const fn micros_since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Writes the instant as RFC 3339 in UTC, with a fraction only when it has one.
    ///
    /// Instants beyond the years 1 to 9999 are written as the nearest one within.
    pub fn to_rfc3339(self) -> String {
        self.utc().format(&Rfc3339).unwrap_or_default()
    }

    /// Writes the instant as RFC 3339 with the offset of São Paulo.
    pub fn to_rfc3339_in_sao_paulo(self) -> String {
        self.utc().to_offset(sao_paulo()).format(&Rfc3339).unwrap_or_default()
    }

    /// Reads an RFC 3339 instant with any offset.
    pub fn parse_rfc3339(text: &str) -> Result<Self, NotAnInstant> {
        let read = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| NotAnInstant)?;
        i64::try_from(read.unix_timestamp_nanos().div_euclid(1000)).map(Timestamp).map_err(|_| NotAnInstant)
    }

    /// The calendar day of this instant in São Paulo.
    pub fn day_in_sao_paulo(self) -> Day {
        Day::of(self.utc().to_offset(sao_paulo()).date())
    }

    /// The first instant of this instant's day in São Paulo.
    pub const fn start_of_day_sao_paulo(self) -> Self {
        let shift = SAO_PAULO_OFFSET_SECONDS * MICROS_PER_SECOND;
        let day = SECONDS_PER_DAY * MICROS_PER_SECOND;
        let local = self.0.saturating_add(shift);
        Timestamp(local.saturating_sub(local.rem_euclid(day)).saturating_sub(shift))
    }

    /// The last instant of this instant's day in São Paulo: 23:59:59.999999.
    pub const fn end_of_day_sao_paulo(self) -> Self {
        self.start_of_day_sao_paulo().plus_days(1).plus_micros(-1)
    }

    fn utc(self) -> OffsetDateTime {
        let (first, last) = WRITABLE_SECONDS;
        // A day from either end, so that the offset of São Paulo stays within the years as well.
        let seconds = self.as_unix_seconds().clamp(first + SECONDS_PER_DAY, last - SECONDS_PER_DAY);
        let micros = self.0.rem_euclid(MICROS_PER_SECOND);
        let nanos = (i128::from(seconds) * i128::from(MICROS_PER_SECOND) + i128::from(micros)) * 1000;
        OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

/// A calendar day; shown as `dd/mm/aaaa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    /// The year, as 2026.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Day {
    fn of(date: Date) -> Self {
        Day { year: date.year(), month: u8::from(date.month()), day: date.day() }
    }

    /// Reads a day as [`Day::iso`] writes it.
    pub fn parse_iso(text: &str) -> Option<Self> {
        Date::parse(text, format_description!("[year]-[month]-[day]")).ok().map(Self::of)
    }

    /// The day by ISO 8601: `2026-11-20`.
    pub fn iso(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// The first instant of this day in São Paulo; `None` when the calendar has no such day.
    pub fn starts_in_sao_paulo(self) -> Option<Timestamp> {
        let month = Month::try_from(self.month).ok()?;
        let date = Date::from_calendar_date(self.year, month, self.day).ok()?;
        let start = date.midnight().assume_offset(sao_paulo());
        Some(Timestamp::from_unix_seconds(start.unix_timestamp()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}/{:02}/{:04}", self.day, self.month, self.year)
    }
}

fn sao_paulo() -> UtcOffset {
    UtcOffset::from_whole_seconds(SAO_PAULO_OFFSET_SECONDS as i32).unwrap_or(UtcOffset::UTC)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    #[test]
    fn an_instant_is_parsed_from_and_written_as_rfc_3339() {
        assert_eq!(at("2026-11-20T12:00:00Z").to_rfc3339(), "2026-11-20T12:00:00Z");
        assert_eq!(at("2026-11-20T09:00:00.000001-03:00").to_rfc3339(), "2026-11-20T12:00:00.000001Z");
        assert_eq!(Timestamp::parse_rfc3339("amanhã"), Err(NotAnInstant));
        assert_eq!(Timestamp::from_unix_seconds(1_700_000_000).as_unix_seconds(), 1_700_000_000);
    }

    #[test]
    fn the_time_of_sao_paulo_is_written_with_its_offset() {
        for (utc, local) in [
            ("2026-12-29T01:44:56Z", "2026-12-28T22:44:56-03:00"),
            ("2027-01-01T02:59:59.5Z", "2026-12-31T23:59:59.5-03:00"),
        ] {
            assert_eq!(at(utc).to_rfc3339_in_sao_paulo(), local);
            assert_eq!(at(local), at(utc));
        }
        for extreme in [Timestamp::MIN, Timestamp::from_micros(i64::MAX)] {
            assert!(extreme.to_rfc3339_in_sao_paulo().ends_with("-03:00"));
        }
    }

    #[test]
    fn the_day_of_sao_paulo_changes_at_three_in_utc() {
        assert_eq!(at("2026-12-01T02:59:59Z").day_in_sao_paulo().to_string(), "30/11/2026");
        assert_eq!(at("2026-12-01T03:00:00Z").day_in_sao_paulo().to_string(), "01/12/2026");
    }

    #[test]
    fn a_day_survives_the_round_trip_through_iso_8601() {
        let day = at("2026-12-01T03:00:00Z").day_in_sao_paulo();

        assert_eq!(day.iso(), "2026-12-01");
        assert_eq!(Day::parse_iso(&day.iso()), Some(day));
        for wrong in ["2026-02-30", "01/12/2026", "2026-12", ""] {
            assert_eq!(Day::parse_iso(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_end_of_a_day_is_its_last_microsecond_in_sao_paulo() {
        let end = at("2026-12-01T02:59:59.999999Z");
        assert_eq!(at("2026-11-30T03:00:00Z").end_of_day_sao_paulo(), end);
        assert_eq!(end.end_of_day_sao_paulo(), end);
        assert_eq!(at("2026-12-01T03:00:00Z").start_of_day_sao_paulo(), end.plus_micros(1));
    }

    #[test]
    fn a_day_that_does_not_exist_has_no_start() {
        assert_eq!(Day { year: 2026, month: 2, day: 30 }.starts_in_sao_paulo(), None);
        assert_eq!(
            Day { year: 2026, month: 11, day: 1 }.starts_in_sao_paulo(),
            Some(at("2026-11-01T03:00:00Z"))
        );
    }

    #[test]
    fn seconds_of_the_provider_become_microseconds() {
        assert_eq!(Timestamp::from_unix_seconds(1_700_000_000).as_micros(), 1_700_000_000_000_000);
        assert_eq!(Timestamp::from_unix_seconds(-1).as_micros(), -1_000_000);
    }

    #[test]
    fn the_time_since_a_later_instant_is_negative() {
        let (start, end) = (at("2026-11-20T12:00:00Z"), at("2026-11-20T12:00:01.5Z"));
        assert_eq!(end.micros_since(start), 1_500_000);
        assert_eq!(start.micros_since(end), -1_500_000);
    }

    #[test]
    fn an_instant_is_displayed_as_rfc_3339() {
        assert_eq!(at("2026-11-20T09:00:00-03:00").to_string(), "2026-11-20T12:00:00Z");
    }

    #[test]
    fn an_instant_outside_the_years_1_to_9999_is_written_as_the_nearest_one_inside() {
        assert_eq!(Timestamp::MIN.to_rfc3339(), "0001-01-02T00:00:00.224192Z");
        assert_eq!(Timestamp::from_micros(i64::MAX).to_rfc3339(), "9999-12-30T23:59:59.775807Z");
    }

    #[test]
    fn extreme_instants_do_not_panic() {
        for extreme in [Timestamp::MIN, Timestamp::from_micros(i64::MAX)] {
            assert!(!extreme.to_rfc3339().is_empty());
            let _ = (extreme.day_in_sao_paulo(), extreme.end_of_day_sao_paulo(), extreme.plus_days(i64::MAX));
        }
    }

    proptest! {
        #[test]
        fn any_written_instant_is_parsed_unchanged(micros in -60_000_000_000_000_000i64..250_000_000_000_000_000) {
            let instant = Timestamp::from_micros(micros);
            prop_assert_eq!(Timestamp::parse_rfc3339(&instant.to_rfc3339()), Ok(instant));
        }

        #[test]
        fn any_day_of_sao_paulo_starts_where_its_calendar_date_does(micros in 0..4_000_000_000_000_000i64) {
            let instant = Timestamp::from_micros(micros);
            let start = instant.start_of_day_sao_paulo();
            prop_assert_eq!(instant.day_in_sao_paulo().starts_in_sao_paulo(), Some(start));
            prop_assert!(start <= instant && instant <= instant.end_of_day_sao_paulo());
        }
    }
}
