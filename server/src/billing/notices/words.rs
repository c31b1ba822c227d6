//! Plans, amounts and a boleto's line as mails write them.

use garimpo_domain::{Centavos, Interval, PlanId, catalog};

use crate::mail::Bought;
use crate::store::Subscription;

/// Plan and period of a subscription, with an amount.
pub(crate) fn bought(subscription: &Subscription, total: Centavos) -> Bought {
    named(subscription.plan_id, subscription.plan_interval, total)
}

/// A plan and a period, with an amount.
pub(super) fn named(plan: PlanId, interval: Interval, total: Centavos) -> Bought {
    Bought {
        plan: catalog().plan(plan).name.clone(),
        period: interval.name().to_lowercase(),
        amount: total.to_string(),
    }
}

/// The digitable line as banks print it: AAAAA.AAAAD BBBBB.BBBBBD CCCCC.CCCCCD G VVVVVVVVVVVVVV.
pub(super) fn printed_line(line: &str) -> String {
    if line.len() != 47 || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return line.to_owned();
    }
    let mut printed = line.to_owned();
    // From the end, so that the positions before it stay the same.
    for (at, separator) in [(33, ' '), (32, ' '), (26, '.'), (21, ' '), (15, '.'), (10, ' '), (5, '.')] {
        printed.insert(at, separator);
    }
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payment_line_is_printed_in_five_fields() {
        assert_eq!(
            printed_line("34191091233456781234156789010008116510000002990"),
            "34191.09123 34567.812341 56789.010008 1 16510000002990"
        );
        assert_eq!(printed_line("123"), "123");
    }
}
