//! The arithmetic of a plan change by the second, as in the provider's flexible billing: the unused
//! part of the last debit is credited, and the new price is charged for the rest of the period or
//! from now on.

/// A debit for a time, without its discounts, that was not credited since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debit {
    /// Centavos.
    pub amount: i64,
    /// Start in Unix seconds.
    pub start: i64,
    /// End in Unix seconds.
    pub end: i64,
}

/// A change from one price to another.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The debit for the current period; `None` in a trial.
    pub debited: Option<Debit>,
    /// The new price of a whole period, in centavos.
    pub price: i64,
    /// The current period, in Unix seconds.
    pub period: (i64, i64),
    /// Start of the change within the current period, in Unix seconds.
    pub at: i64,
    /// The period that begins with the change; `None` if the current one continues.
    pub restart: Option<(i64, i64)>,
}

/// One line of the change's invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Whether it is for the new price.
    pub is_new: bool,
    /// Whether it is for a part of a period.
    pub is_part: bool,
    /// Centavos; negative for a credit.
    pub amount: i64,
    /// Start and end in Unix seconds.
    pub period: (i64, i64),
}

/// The lines of a change: unused time under the old price, then the new price's.
pub fn shares(change: &Change) -> Vec<Share> {
    let (start, end) = change.period;
    let unused = change.debited.map(|debit| Share {
        is_new: false,
        is_part: true,
        amount: -part(debit.amount, debit.end - change.at, debit.end - debit.start),
        period: (change.at, debit.end),
    });
    let charged = match change.restart {
        Some(period) => Share { is_new: true, is_part: false, amount: change.price, period },
        None => Share {
            is_new: true,
            is_part: true,
            amount: part(change.price, end - change.at, end - start),
            period: (change.at, end),
        },
    };
    unused.into_iter().chain([charged]).collect()
}

/// The share of an amount for some seconds of a whole, rounded half up to the centavo.
fn part(amount: i64, seconds: i64, whole: i64) -> i64 {
    let (seconds, whole) = (i128::from(seconds.clamp(0, whole.max(0))), i128::from(whole.max(1)));
    let doubled = 2 * i128::from(amount) * seconds + whole;
    i64::try_from(doubled.div_euclid(2 * whole)).unwrap_or(amount)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    #[test]
    fn a_change_at_half_the_period_credits_and_charges_half() {
        let change = Change {
            debited: Some(Debit { amount: 9_790, start: 0, end: 30 * DAY }),
            price: 19_790,
            period: (0, 30 * DAY),
            at: 15 * DAY,
            restart: None,
        };

        let rest = (15 * DAY, 30 * DAY);
        assert_eq!(
            shares(&change),
            [
                Share { is_new: false, is_part: true, amount: -4_895, period: rest },
                Share { is_new: true, is_part: true, amount: 9_895, period: rest },
            ]
        );
    }

    #[test]
    fn a_change_of_interval_starts_a_whole_period_now() {
        let now = 10 * DAY;
        let change = Change {
            debited: Some(Debit { amount: 5_874, start: 0, end: 30 * DAY }),
            price: 58_740,
            period: (0, 30 * DAY),
            at: now,
            restart: Some((now, now + 365 * DAY)),
        };

        let shares = shares(&change);
        assert_eq!(shares[0].amount, -3_916, "two thirds of what was paid with the coupon");
        assert_eq!((shares[1].amount, shares[1].period), (58_740, (now, now + 365 * DAY)));
        assert!(!shares[1].is_part);
    }

    #[test]
    fn without_a_debit_nothing_is_credited_and_at_the_period_end_nothing_is_charged() {
        let change = Change { debited: None, price: 9_790, period: (0, DAY), at: DAY, restart: None };
        assert_eq!(shares(&change).iter().map(|share| share.amount).collect::<Vec<_>>(), [0]);
    }

    /// Price in centavos and days of every plan and interval for sale, as the site shows them.
    pub(in crate::provider) fn catalog() -> Vec<(i64, i64)> {
        let exported = include_str!("../../../../web/src/gen/catalog.json");
        let exported: serde_json::Value = serde_json::from_str(exported).expect("the exported catalogue");
        let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
        let days = |name: &serde_json::Value| {
            let interval = list(&exported["intervals"]).into_iter().find(|own| own["interval"] == *name);
            interval.and_then(|own| own["days"].as_i64()).expect("an interval")
        };
        let prices = list(&exported["all_plans"]).into_iter().flat_map(|plan| list(&plan["prices"]));
        let price = |price: serde_json::Value| {
            (price["price_centavos"].as_i64().expect("a price"), days(&price["interval"]))
        };
        prices.map(price).collect()
    }

    /// 52 prices to 52 prices on every day of the period: 449,540 changes.
    #[test]
    fn each_change_of_the_catalogue_on_each_day_is_exact_to_the_centavo() {
        let prices = catalog();
        assert_eq!(prices.len(), 13 * 4);
        let mut changes = 0;
        for (old, old_days) in &prices {
            for (new, new_days) in &prices {
                for day in 0..*old_days {
                    // A third of a day later, because plans rarely change exactly at midnight.
                    let at = day * DAY + DAY / 3;
                    let whole = old_days * DAY;
                    let restart = (old_days != new_days).then_some((at, at + new_days * DAY));
                    let debited = Some(Debit { amount: *old, start: 0, end: whole });
                    let shares = shares(&Change { debited, price: *new, period: (0, whole), at, restart });
                    let [unused, charged] = shares[..] else { panic!("two lines: {shares:?}") };
                    // Each line is exact to half a centavo, so their sum is exact to one.
                    let is_share =
                        |amount: i64, of: i64| 2 * (amount * whole - of * (whole - at)).abs() <= whole;
                    assert!(is_share(-unused.amount, *old), "{old} {day}: {unused:?}");
                    assert!(
                        if restart.is_some() {
                            charged.amount == *new
                        } else {
                            is_share(charged.amount, *new)
                        },
                        "{new} {day}: {charged:?}"
                    );
                    changes += 1;
                }
            }
        }
        assert_eq!(changes, 13 * (30 + 90 + 180 + 365) * 52);
    }

    proptest::proptest! {
        #[test]
        fn the_parts_of_an_amount_add_up_to_it_within_one_centavo(
            amount in 0..10_000_000_i64, whole in 1..40_000_000_i64, at in 0..40_000_000_i64,
        ) {
            let at = at.min(whole);
            let sum = part(amount, at, whole) + part(amount, whole - at, whole);
            proptest::prop_assert!((sum - amount).abs() <= 1, "{sum} {amount}");
            proptest::prop_assert_eq!(part(amount, whole, whole), amount);
            proptest::prop_assert_eq!(part(amount, 0, whole), 0);
        }

        #[test]
        fn a_change_back_at_the_same_instant_costs_and_credits_nothing(
            old in 1..10_000_000_i64, new in 1..10_000_000_i64, at in 0..2_592_000_i64,
        ) {
            let period = (0, 2_592_000);
            let debited = Some(Debit { amount: old, start: 0, end: period.1 });
            let there = shares(&Change { debited, price: new, period, at, restart: None });
            let debited = Some(Debit { amount: there[1].amount, start: at, end: period.1 });
            let back = shares(&Change { debited, price: old, period, at, restart: None });
            let sum: i64 = there.iter().chain(&back).map(|share| share.amount).sum();
            proptest::prop_assert_eq!(sum, 0);
        }
    }
}
