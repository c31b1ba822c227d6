//! Money in centavos of real, and the roundings that the prices need.
//!
//! No floating point: one integer, one currency (BRL), and halves always round up (towards plus
//! infinity).

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// An amount of money in centavos of Brazilian real; it may be negative (a credit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct Centavos(i64);

impl Centavos {
    /// No money.
    pub const ZERO: Centavos = Centavos(0);

    /// Makes an amount from a number of centavos.
    pub const fn new(centavos: i64) -> Self {
        Centavos(centavos)
    }

    /// Makes an amount from reais and centavos: `reais(97, 90)` is R$ 97,90.
    pub const fn reais(whole: i64, centavos: i64) -> Self {
        Centavos(whole * 100 + centavos)
    }

    /// The number of centavos.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The amount in reais with a decimal point, as `priceRaw` and the conversion events write it:
    /// `97.90`.
    pub fn decimal(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let centavos = self.0.unsigned_abs();
        format!("{sign}{}.{:02}", centavos / 100, centavos % 100)
    }
}

impl fmt::Display for Centavos {
    /// Writes the amount as Brazilians read it: `R$ 1.234,56`, and `-R$ 10,00` for a credit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let centavos = self.0.unsigned_abs();
        let digits = (centavos / 100).to_string();
        let mut reais = String::with_capacity(digits.len() + digits.len() / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                reais.push('.');
            }
            reais.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}R$ {reais},{:02}", centavos % 100)
    }
}

impl Add for Centavos {
    type Output = Centavos;
    fn add(self, other: Centavos) -> Centavos {
        Centavos(self.0 + other.0)
    }
}

impl Sub for Centavos {
    type Output = Centavos;
    fn sub(self, other: Centavos) -> Centavos {
        Centavos(self.0 - other.0)
    }
}

impl Neg for Centavos {
    type Output = Centavos;
    fn neg(self) -> Centavos {
        Centavos(-self.0)
    }
}

impl Sum for Centavos {
    fn sum<I: Iterator<Item = Centavos>>(amounts: I) -> Centavos {
        amounts.fold(Centavos::ZERO, Add::add)
    }
}

impl Mul<u32> for Centavos {
    type Output = Centavos;
    fn mul(self, times: u32) -> Centavos {
        Centavos(self.0 * i64::from(times))
    }
}

/// A share of an amount, `numerator / denominator` of it, halves rounded up to the centavo.
///
/// # Panics
/// When `denominator` is zero: shares are written in the catalogue, whose parser refuses that.
pub fn share_half_up(amount: Centavos, numerator: u32, denominator: u32) -> Centavos {
    let scaled = i128::from(amount.get()) * i128::from(numerator);
    Centavos(divide_half_up(scaled, i128::from(denominator)) as i64)
}

/// Whether `percent` percent of an amount is a whole number of centavos.
pub fn is_whole_percent(amount: Centavos, percent: u8) -> bool {
    (amount.get() * i64::from(percent)) % 100 == 0
}

/// A percentage of an amount, halves rounded up to the centavo: 15% of R$ 97,90 is R$ 14,69.
pub fn percent_of_half_up(amount: Centavos, percent: u8) -> Centavos {
    share_half_up(amount, u32::from(percent), 100)
}

/// Percent off, whole points, halves round up.
///
/// `None` when `original` is not positive; 0 when the price is not below it.
pub fn percent_off(original: Centavos, price: Centavos) -> Option<u8> {
    if original <= Centavos::ZERO {
        return None;
    }
    let saved = i128::from(original.get()) - i128::from(price.get());
    let points = divide_half_up(saved * 100, i128::from(original.get()));
    Some(points.clamp(0, 100) as u8)
}

/// Saving per month of a period, halves rounded up to the centavo.
///
/// # Panics
/// When `months` is zero: no period is that short.
pub fn monthly_saving(original: Centavos, price: Centavos, months: u32) -> Centavos {
    share_half_up(original - price, 1, months)
}

/// A period's price per month, rounded up to the centavo, so that the months never cost more than
/// the price shown.
///
/// # Panics
/// When `months` is zero: no period is that short.
pub fn monthly_equivalent(price: Centavos, months: u32) -> Centavos {
    // Rounding minus the price down is rounding the price up.
    Centavos::new(-(-price.get()).div_euclid(i64::from(months)))
}

fn divide_half_up(numerator: i128, denominator: i128) -> i128 {
    (2 * numerator + denominator).div_euclid(2 * denominator)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_displayed_as_in_brazil() {
        for (centavos, text) in [
            (0, "R$ 0,00"),
            (5, "R$ 0,05"),
            (97_90, "R$ 97,90"),
            (104_790, "R$ 1.047,90"),
            (12_345_678_901, "R$ 123.456.789,01"),
            (-10_00, "-R$ 10,00"),
        ] {
            assert_eq!(Centavos::new(centavos).to_string(), text);
        }
        assert_eq!(Centavos::reais(97, 90).decimal(), "97.90");
        assert_eq!(Centavos::new(-5).decimal(), "-0.05");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(Centavos::ZERO.to_string(), "R$ 0,00");
        assert_eq!(Centavos::ZERO.decimal(), "0.00");
    }

    #[test]
    fn percent_off_is_rounded_half_up() {
        let cases: [(i64, i64, Option<u8>); 8] = [
            (29_370, 23_496, Some(20)),
            (58_740, 39_160, Some(33)),
            (117_480, 58_740, Some(50)),
            (1000, 995, Some(1)),
            (1000, 996, Some(0)),
            (1000, 1200, Some(0)),
            (1000, 0, Some(100)),
            (0, 0, None),
        ];
        for (original, price, expected) in cases {
            let found = percent_off(Centavos::new(original), Centavos::new(price));
            assert_eq!(found, expected, "{original} {price}");
        }
    }

    #[test]
    fn fifteen_percent_of_97_90_rounds_to_14_69() {
        assert_eq!(percent_of_half_up(Centavos::reais(97, 90), 15), Centavos::reais(14, 69));
    }

    #[test]
    fn the_monthly_saving_is_divided_by_the_months_and_rounded_half_up() {
        assert_eq!(monthly_saving(Centavos::new(29_370), Centavos::new(23_496), 3), Centavos::new(19_58));
        assert_eq!(monthly_saving(Centavos::new(103), Centavos::new(100), 6), Centavos::new(1));
        assert_eq!(monthly_saving(Centavos::new(102), Centavos::new(100), 6), Centavos::new(0));
    }

    #[test]
    fn the_monthly_equivalent_is_rounded_up_to_the_centavo() {
        assert_eq!(monthly_equivalent(Centavos::reais(391, 60), 6), Centavos::reais(65, 27));
        assert_eq!(monthly_equivalent(Centavos::reais(1_307, 40), 12), Centavos::reais(108, 95));
        assert_eq!(monthly_equivalent(Centavos::new(100), 3), Centavos::new(34));
        assert_eq!(monthly_equivalent(Centavos::ZERO, 12), Centavos::ZERO);
    }

    proptest! {
        #[test]
        fn a_rounded_share_is_within_half_a_centavo_of_the_exact_one(amount in 0..10_000_000i64, n in 0..100u32, d in 1..100u32) {
            let part = i128::from(share_half_up(Centavos::new(amount), n, d).get());
            let error = 2 * (part * i128::from(d) - i128::from(amount) * i128::from(n));
            prop_assert!(error <= i128::from(d) && error > -i128::from(d));
        }

        #[test]
        fn subtraction_undoes_addition(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000) {
            let (a, b) = (Centavos::new(a), Centavos::new(b));
            prop_assert_eq!(a + b - b, a);
        }
    }
}
