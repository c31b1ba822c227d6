//! How an invoice settles the customer's balance: credit is used first, an earlier rest is charged
//! with it, and an amount below the minimum charge is carried over to the next invoice.

use crate::checkout::{BOLETO_MIN, CARD_MIN};
use crate::instant::Timestamp;
use crate::money::Centavos;

/// How an invoice's total becomes what is charged: `total + earlier - credit_used - carried`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Rest of an earlier invoice, charged with this one.
    pub earlier: Centavos,
    /// Earlier credit that it uses.
    pub credit_used: Centavos,
    /// Amount below the minimum charge, carried over to the next invoice.
    pub carried: Centavos,
    /// Charged now; a negative amount becomes credit.
    pub due: Centavos,
}

impl Settlement {
    /// Explains a total by the balance before and after it; a negative balance is credit.
    pub fn of(total: Centavos, before: Centavos, after: Centavos) -> Self {
        let nothing = Centavos::new(0);
        let (earlier, carried) = (before.max(nothing), after.max(nothing));
        let credit_used = (credit(before) - credit(after)).max(nothing);
        Self { earlier, credit_used, carried, due: total + earlier - credit_used - carried }
    }
}

/// The credit of a balance at the provider, which writes credit as a negative number.
pub fn credit(balance: Centavos) -> Centavos {
    let nothing = Centavos::new(0);
    (nothing - balance).max(nothing)
}

/// The next charge of a subscription: every page, mail and gRPC field about it reads this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextCharge {
    /// When the next period begins.
    pub at: Timestamp,
    /// Price of that period.
    pub price: Centavos,
    /// Credit before it.
    pub credit: Centavos,
    /// How credit, an earlier rest and the minimum change the amount; `due` is the charge.
    pub settlement: Settlement,
}

/// The charge for the period that begins at `at`; `None` if the subscription does not renew.
/// Credit is used first, an earlier rest is added, and an amount below the minimum waits for a
/// later invoice.
pub fn next_charge(
    at: Option<Timestamp>,
    price: Centavos,
    balance: Centavos,
    by_boleto: bool,
) -> Option<NextCharge> {
    let minimum = if by_boleto { BOLETO_MIN } else { CARD_MIN };
    let left = price + balance;
    let after = if left < minimum { left } else { Centavos::ZERO };
    let settlement = Settlement::of(price, balance, after);
    at.map(|at| NextCharge { at, price, credit: credit(balance), settlement })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_charge_uses_credit_adds_a_rest_and_carries_over_what_is_below_the_minimum() {
        let at = Timestamp::from_unix_seconds(1_798_459_200);
        let (card, boleto) = (false, true);
        // Price, balance and method; earlier rest, used credit, carried over, charged.
        for (case, price, balance, by_boleto, expected) in [
            ("no balance", 9_790, 0, card, [0, 0, 0, 9_790]),
            ("a first month's coupon does not lower it", 19_790, 0, card, [0, 0, 0, 19_790]),
            ("credit pays a part", 9_790, -5_210, card, [0, 5_210, 0, 4_580]),
            ("credit is exactly the price", 9_790, -9_790, card, [0, 9_790, 0, 0]),
            ("credit of two charges", 9_790, -20_000, card, [0, 9_790, 0, 0]),
            ("a rest is charged too", 9_790, 320, boleto, [320, 0, 0, 10_110]),
            ("too little for a boleto", 9_790, -9_470, boleto, [0, 9_470, 320, 0]),
            ("the least boleto", 9_790, -9_290, boleto, [0, 9_290, 0, 500]),
            ("a card pays what a boleto cannot", 9_790, -9_470, card, [0, 9_470, 0, 320]),
            ("too little for a card", 9_790, -9_741, card, [0, 9_741, 49, 0]),
            ("the least by card", 9_790, -9_740, card, [0, 9_740, 0, 50]),
        ] {
            let [price, balance] = [price, balance].map(Centavos::new);
            let [earlier, credit_used, carried, due] = expected.map(Centavos::new);
            let settlement = Settlement { earlier, credit_used, carried, due };
            let expected = NextCharge { at, price, credit: credit(balance), settlement };
            assert_eq!(next_charge(Some(at), price, balance, by_boleto), Some(expected), "{case}");
            assert_eq!(next_charge(None, price, balance, by_boleto), None, "{case}, cancelled");
        }
    }

    #[test]
    fn the_amount_due_is_total_plus_earlier_rest_minus_credit_minus_the_amount_carried_over() {
        // Total, balance before and after; earlier, credit used, carried, due.
        for (facts, expected) in [
            ([9_933, 0, 0], [0, 0, 0, 9_933]),
            // The rest of an earlier invoice is charged too.
            ([9_933, 190, 0], [190, 0, 0, 10_123]),
            // Credit pays a part, or all.
            ([9_933, -433, 0], [0, 433, 0, 9_500]),
            ([300, -500, -200], [0, 300, 0, 0]),
            // Less than the minimum is carried over: alone, after credit, or with an earlier rest.
            ([26, 0, 26], [0, 0, 26, 0]),
            ([40, -10, 30], [0, 10, 30, 0]),
            ([5, 30, 35], [30, 0, 35, 0]),
            // A negative total becomes credit: alone, with other credit, after an earlier rest, and
            // less than that rest.
            ([-10_000, 0, -10_000], [0, 0, 0, -10_000]),
            ([-10_000, -500, -10_500], [0, 0, 0, -10_000]),
            ([-10_000, 30, -9_970], [30, 0, 0, -9_970]),
            ([-20, 30, 10], [30, 0, 10, 0]),
        ] {
            let [total, before, after] = facts.map(Centavos::new);
            let [earlier, credit_used, carried, due] = expected.map(Centavos::new);
            let told = Settlement { earlier, credit_used, carried, due };
            assert_eq!(Settlement::of(total, before, after), told, "{facts:?}");
        }
    }
}
