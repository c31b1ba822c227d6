//! Spans of time as an operator types them: 30m, 12h, 7d, 2026-11.

use anyhow::bail;
use garimpo_domain::Timestamp;
use garimpo_domain::revenue::Month;

/// A month like 2026-11.
pub(super) fn month(text: &str) -> Result<Month, String> {
    Month::parse(text).ok_or_else(|| "allowed: a year and a month, as 2026-11".to_owned())
}

/// First and last month of a report: the one that was asked for, else the last `count` with the
/// running one.
pub(super) fn months(asked: Option<Month>, count: i32, now: Timestamp) -> anyhow::Result<(Month, Month)> {
    let this = Month::of(now);
    if let Some(later) = asked.filter(|asked| *asked > this) {
        bail!("{later} has not begun");
    }
    Ok((asked.unwrap_or(this.plus(1 - count)), asked.unwrap_or(this)))
}

/// Minutes of a span like 7d.
pub(super) fn minutes(text: &str) -> Result<i64, String> {
    let wrong = || "allowed: a number with m, h or d, as 30m, 12h, 7d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(wrong()),
    };
    let number: u16 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Ok(i64::from(number) * minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_parsed_from_minutes_hours_or_days() {
        for (text, expected) in [("30m", 30), ("12h", 720), ("7d", 10_080)] {
            assert_eq!(minutes(text), Ok(expected));
        }
        for wrong in ["", "7", "d", "-1d", "7w", "1é", "99999999d"] {
            assert!(minutes(wrong).is_err(), "{wrong}");
        }
    }
}
