//! When the payment of a boleto is confirmed: at once, or one business day after it was paid.

use time::macros::time;
use time::{Date, Duration, Month, Time, Weekday};

use crate::state::behavior::BoletoConfirmation;
use crate::state::{Moment, Timer, Tx};

/// Time of São Paulo at which banks report the payments of the previous business day.
const REPORTED_AT: Time = time!(10:00);
/// National holidays of a fixed day.
const HOLIDAYS: [(Month, u8); 9] = [
    (Month::January, 1),
    (Month::April, 21),
    (Month::May, 1),
    (Month::September, 7),
    (Month::October, 12),
    (Month::November, 2),
    (Month::November, 15),
    (Month::November, 20),
    (Month::December, 25),
];

/// Returns whether a payment of now is confirmed later, by a timer.
pub async fn postpone(tx: &mut Tx, intent: &str) -> Result<bool, sqlx::Error> {
    if tx.behavior.boleto_confirmation == BoletoConfirmation::AtOnce {
        return Ok(false);
    }
    if !is_awaited(tx, intent).await? {
        let at = next_business_day(tx.now);
        tx.set_timer(intent, Timer::VoucherConfirmed, at).await?;
    }
    Ok(true)
}

/// Whether a voucher was paid and its payment is not confirmed yet.
pub async fn is_awaited(tx: &mut Tx, intent: &str) -> Result<bool, sqlx::Error> {
    Ok(awaited_at(tx, intent).await?.is_some())
}

/// When the payment of a voucher will be confirmed.
pub async fn awaited_at(tx: &mut Tx, intent: &str) -> Result<Option<Moment>, sqlx::Error> {
    tx.due_of_timer(intent, Timer::VoucherConfirmed).await
}

fn next_business_day(now: Moment) -> Moment {
    let mut day = now.in_sao_paulo().date() + Duration::days(1);
    while !is_business_day(day) {
        day += Duration::days(1);
    }
    Moment::of_sao_paulo(day, REPORTED_AT)
}

fn is_business_day(day: Date) -> bool {
    let is_weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    !is_weekend && !HOLIDAYS.contains(&(day.month(), day.day()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bank_confirms_on_the_next_business_day() {
        for (paid, confirmed) in [
            ("2026-11-23T22:00:00-03:00", "2026-11-24T10:00:00-03:00"),
            ("2026-11-27T12:00:00-03:00", "2026-11-30T10:00:00-03:00"),
            ("2026-11-19T12:00:00-03:00", "2026-11-23T10:00:00-03:00"),
            ("2026-12-24T23:59:00-03:00", "2026-12-28T10:00:00-03:00"),
        ] {
            let paid_at = Moment::parse(paid).expect("an instant");
            assert_eq!(next_business_day(paid_at), Moment::parse(confirmed).expect("an instant"), "{paid}");
        }
    }
}
