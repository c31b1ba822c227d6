//! Amounts, discounts and periods, also in words.

use serde_json::Value;
use time::{Date, Month, OffsetDateTime};

use crate::state::behavior::CouponRounding;
use crate::state::{number, text};

/// Smallest and largest boleto, in centavos.
pub const BOLETO_BOUNDS: std::ops::RangeInclusive<i64> = 500..=4_999_999;

/// Smallest charge of a card, in centavos. A smaller amount moves to the next invoice.
const MIN_CHARGE: i64 = 50;

/// The part of a total that is due now, and the customer's balance after it. Credit (a negative
/// balance) is used first.
pub fn settle(total: i64, balance: i64) -> (i64, i64) {
    let sum = total + balance;
    if sum < MIN_CHARGE { (0, sum) } else { (sum, 0) }
}

/// Discount of a coupon on an amount in centavos, at most the amount itself.
///
/// The provider does not document how it rounds a percent coupon, so `rounding` is a switch.
pub fn discount(coupon: &Value, amount: i64, rounding: CouponRounding) -> i64 {
    let off = match coupon["percent_off"].as_f64() {
        // `percent_off` has at most two decimals, so this product has four.
        Some(percent) => ten_thousandths(amount * (percent * 100.0).round() as i64, rounding),
        None => number(coupon, "amount_off"),
    };
    off.min(amount)
}

/// Rounds ten-thousandths of a centavo to centavos.
fn ten_thousandths(amount: i64, rounding: CouponRounding) -> i64 {
    let (whole, rest) = (amount.div_euclid(10_000), amount.rem_euclid(10_000));
    let is_up = match rounding {
        CouponRounding::HalfUp => rest >= 5_000,
        CouponRounding::HalfEven => rest > 5_000 || rest == 5_000 && whole % 2 != 0,
        CouponRounding::Down => false,
    };
    whole + i64::from(is_up)
}

/// The end of a price's period that begins at an instant (Unix seconds).
pub fn period_end(start: i64, recurring: &Value) -> i64 {
    let count = number(recurring, "interval_count").max(1);
    match text(recurring, "interval") {
        "week" => start + count * 7 * 86_400,
        "month" => add_months(start, count),
        "year" => add_months(start, count * 12),
        _ => start + count * 86_400,
    }
}

/// The same day and time so many months later, or the month's last day.
fn add_months(start: i64, months: i64) -> i64 {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(start) else { return start };
    let total = i64::from(at.year()) * 12 + i64::from(u8::from(at.month())) - 1 + months;
    let (year, month) = (total.div_euclid(12) as i32, total.rem_euclid(12) as u8 + 1);
    let Ok(month) = Month::try_from(month) else { return start };
    let day = at.day().min(month.length(year));
    Date::from_calendar_date(year, month, day).map_or(start, |date| at.replace_date(date).unix_timestamp())
}

/// `R$ 1.234,56`.
pub fn reais(centavos: i64) -> String {
    let whole = (centavos.abs() / 100).to_string();
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    let sign = if centavos < 0 { "-" } else { "" };
    format!("{sign}R$ {grouped},{:02}", centavos.abs() % 100)
}

/// How often a price is charged, in words: `a cada 30 dias`.
pub fn interval_in_words(recurring: &Value) -> String {
    let count = number(recurring, "interval_count").max(1);
    let (one, many) = match text(recurring, "interval") {
        "week" => ("semana", "semanas"),
        "month" => ("mês", "meses"),
        "year" => ("ano", "anos"),
        _ => ("dia", "dias"),
    };
    if count == 1 { format!("por {one}") } else { format!("a cada {count} {many}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_discount_rounds_half_a_centavo_as_configured() {
        use CouponRounding::{Down, HalfEven, HalfUp};

        // 15% of 97,90 is 14,685: the even centavo is below.
        let fifteen = json!({"percent_off": 15.0});
        for (rounding, expected) in [(HalfUp, 1469), (HalfEven, 1468), (Down, 1468)] {
            assert_eq!(discount(&fifteen, 9790, rounding), expected, "{rounding:?}");
        }
        // 15% of 100,10 is 15,015: the even centavo is above.
        for (rounding, expected) in [(HalfUp, 1502), (HalfEven, 1502), (Down, 1501)] {
            assert_eq!(discount(&fifteen, 10_010, rounding), expected, "{rounding:?}");
        }
        for (rounding, expected) in [(HalfUp, 13), (HalfEven, 12), (Down, 12)] {
            assert_eq!(discount(&json!({"percent_off": 12.5}), 100, rounding), expected, "{rounding:?}");
        }
        // 33,33% of 1,00 is 33,33 centavos, which no rule rounds up.
        for rounding in [HalfUp, HalfEven, Down] {
            assert_eq!(discount(&json!({"percent_off": 33.33}), 100, rounding), 33);
            assert_eq!(discount(&json!({"percent_off": 50}), 9790, rounding), 4895);
            assert_eq!(discount(&json!({"percent_off": 100}), 9790, rounding), 9790);
            assert_eq!(discount(&json!({"amount_off": 10_000}), 19_790, rounding), 10_000);
            assert_eq!(discount(&json!({"amount_off": 10_000}), 5_000, rounding), 5_000);
        }
    }

    #[test]
    fn credit_is_applied_first_and_an_amount_below_the_minimum_is_carried_over() {
        assert_eq!(settle(9_790, 0), (9_790, 0));
        assert_eq!(settle(9_790, -4_000), (5_790, 0));
        assert_eq!(settle(9_790, -12_000), (0, -2_210));
        assert_eq!(settle(-3_000, -500), (0, -3_500));
        assert_eq!(settle(49, 0), (0, 49));
        assert_eq!(settle(9_790, 49), (9_839, 0));
    }

    #[test]
    fn periods_follow_the_calendar() {
        let day = |count: i64| json!({"interval": "day", "interval_count": count});
        let january_31 = 1_769_860_800;

        assert_eq!(period_end(0, &day(30)), 30 * 86_400);
        assert_eq!(
            period_end(january_31, &json!({"interval": "month", "interval_count": 1})),
            january_31 + 28 * 86_400
        );
    }

    #[test]
    fn money_is_formatted_as_in_brazil() {
        assert_eq!(reais(39_160), "R$ 391,60");
        assert_eq!(reais(123_456_789), "R$ 1.234.567,89");
    }
}
