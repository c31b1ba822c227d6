//! Numbers that a person is given of a refund or a deletion.

use garimpo_domain::Timestamp;

use crate::ids::Ids;
use crate::store::{Result, Tx, refunds};

/// A new number that is not in use.
pub(crate) async fn choose(tx: &mut Tx, ids: &Ids, now: Timestamp) -> Result<String> {
    loop {
        let number = number(now, ids.below(100_000_000));
        if !refunds::is_protocol_used(tx, &number).await? {
            return Ok(number);
        }
    }
}

/// A number that can be read over the phone, such as `2611-4821-7730`: year, month and eight random
/// digits.
fn number(now: Timestamp, chance: u64) -> String {
    let day = now.day_in_sao_paulo().to_string();
    let (year, month) = (day.get(8..10).unwrap_or_default(), day.get(3..5).unwrap_or_default());
    let digits = chance % 100_000_000;
    format!("{year}{month}-{:04}-{:04}", digits / 10_000, digits % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_number_has_twelve_digits_in_three_groups() {
        let now = Timestamp::parse_rfc3339("2026-12-01T02:59:59Z").expect("an instant");

        assert_eq!(number(now, 48_217_730), "2611-4821-7730");
        assert_eq!(number(now, 7), "2611-0000-0007");
    }
}
