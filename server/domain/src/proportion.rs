//! Rates of small numbers: with their 95% interval, or none below [`ENOUGH`] cases.

/// Fewest cases for a rate.
pub const ENOUGH: u32 = 30;
/// Standard deviations of a 95% interval.
const Z: f64 = 1.959_964;

/// A rate with its 95% interval, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The counted share, in percent.
    pub percent: f64,
    /// Lower end of Wilson's score interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The rate of `hits` in `cases`; `None` below [`ENOUGH`] cases.
///
/// Wilson's score interval (E. B. Wilson, 1927): unlike the textbook's it stays inside 0 to 100 and
/// holds for rates near either end, which conversion rates are.
pub fn rate(hits: u32, cases: u32) -> Option<Rate> {
    if cases < ENOUGH || hits > cases {
        return None;
    }
    let (hits, cases) = (f64::from(hits), f64::from(cases));
    let (share, spread) = (hits / cases, Z * Z / cases);
    let middle = (share + spread / 2.0) / (1.0 + spread);
    let half = (share * (1.0 - share) * spread + spread * spread / 4.0).sqrt() / (1.0 + spread);
    Some(Rate {
        percent: 100.0 * share,
        low: 100.0 * (middle - half).max(0.0),
        high: 100.0 * (middle + half).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_its_wilson_interval_and_needs_thirty_cases() {
        for (hits, cases, percent, low, high) in [
            (0, 30, 0.0, 0.0, 11.35),
            (3, 30, 10.0, 3.46, 25.62),
            (30, 30, 100.0, 88.65, 100.0),
            (81, 263, 30.80, 25.53, 36.62),
        ] {
            let rate = rate(hits, cases).expect("enough cases");
            for (found, expected) in [(rate.percent, percent), (rate.low, low), (rate.high, high)] {
                assert!((found - expected).abs() < 0.01, "{hits} of {cases}: {rate:?}");
            }
        }
        assert_eq!(rate(3, 29), None);
        assert_eq!(rate(31, 30), None);
    }
}
