//! The money-back guarantee: 7 calendar days after the first payment of the first subscription.

use crate::instant::Timestamp;

/// Length of the guarantee in calendar days after the day of the payment.
pub const GUARANTEE_DAYS: i64 = 7;

/// Days within which a boleto's refund is paid by Pix.
pub const PIX_REFUND_DAYS: i64 = 30;

/// The last instant at which the refund may be asked: 23:59:59 of the 7th day after, in São Paulo.
pub const fn guarantee_ends_at(first_paid_at: Timestamp) -> Timestamp {
    first_paid_at.plus_days(GUARANTEE_DAYS).end_of_day_sao_paulo()
}

/// Whether the full refund may still be asked. `first_paid_at` is of the person's first
/// subscription.
pub fn has_guarantee(first_paid_at: Timestamp, now: Timestamp) -> bool {
    now <= guarantee_ends_at(first_paid_at)
}

/// The instant by which a boleto's refund asked at `requested_at` must have been paid by Pix.
pub const fn pix_refund_due_at(requested_at: Timestamp) -> Timestamp {
    requested_at.plus_days(PIX_REFUND_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guarantee_holds_until_the_end_of_the_seventh_day_in_sao_paulo() {
        let paid = Timestamp::parse_rfc3339("2026-11-20T01:30:00Z").unwrap(); // 19/11, 22:30 in São Paulo
        let last = Timestamp::parse_rfc3339("2026-11-27T02:59:59Z").unwrap(); // 26/11, 23:59:59

        assert!(has_guarantee(paid, paid));
        assert!(has_guarantee(paid, last));
        assert!(!has_guarantee(paid, last.plus_seconds(1)));
    }
}
