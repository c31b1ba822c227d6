//! How an invoice settles the customer's balance: credit is used first, an earlier rest is charged
//! with it, and an amount below the minimum charge is carried over to the next invoice.

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

/// What the next invoice over `price` charges: credit is used first, an earlier rest is added, and
/// an amount below `minimum` waits for a later invoice.
pub fn next_charge(price: Centavos, balance: Centavos, minimum: Centavos) -> Centavos {
    let left = price + balance;
    if left < minimum { Centavos::ZERO } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxima_cobranca_desconta_o_credito_soma_o_resto_e_pula_o_que_e_pouco() {
        for ([price, balance, minimum], charged) in [
            ([9_790, 0, 50], 9_790),
            ([9_790, -5_210, 50], 4_580),
            ([9_790, -15_000, 50], 0),
            ([9_790, -9_790, 50], 0),
            ([9_790, 320, 500], 10_110),
            ([9_790, -9_470, 500], 0),
            ([9_790, -9_470, 50], 320),
            ([9_790, -9_290, 500], 500),
        ] {
            let [price, balance, minimum] = [price, balance, minimum].map(Centavos::new);
            assert_eq!(next_charge(price, balance, minimum).get(), charged, "{balance}");
        }
    }

    #[test]
    fn total_mais_resto_menos_credito_menos_o_que_espera_e_o_que_se_cobra() {
        // Total, balance before and after; earlier, credit used, carried, due.
        for (facts, expected) in [
            ([9_933, 0, 0], [0, 0, 0, 9_933]),
            // What an earlier invoice left comes with it.
            ([9_933, 190, 0], [190, 0, 0, 10_123]),
            // Credit pays a part, or all.
            ([9_933, -433, 0], [0, 433, 0, 9_500]),
            ([300, -500, -200], [0, 300, 0, 0]),
            // So little waits, with credit used before, or beside what waited already.
            ([26, 0, 26], [0, 0, 26, 0]),
            ([40, -10, 30], [0, 10, 30, 0]),
            ([5, 30, 35], [30, 0, 35, 0]),
            // What becomes credit: all of it, beside other credit, after what was owed, and less
            // than that.
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
