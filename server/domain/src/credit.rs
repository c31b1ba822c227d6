//! Whether the payment behind credit is still ours.
//!
//! A change to a cheaper plan turns paid time into credit. If the payment of that time is refunded
//! later, the credit is worth nothing, and so is a purchase paid with it. The provider has one
//! balance per customer, so this module follows the credit of each change separately.

use std::collections::BTreeMap;

/// Where the money behind an amount is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backing {
    /// With us.
    Kept,
    /// Disputed; the payer's bank has not decided.
    Disputed,
    /// Refunded, lost in a dispute, or to be refunded.
    Gone,
}

/// A paid invoice. All amounts are centavos and not negative.
#[derive(Clone, Copy, Debug)]
pub struct PaidInvoice<'a> {
    /// Subscription that it charges for.
    pub subscription: &'a str,
    /// Whether it opens a period, as a purchase or a renewal; a change of plan continues one.
    pub opens_period: bool,
    /// Money that it took.
    pub money: i64,
    /// Where that money is.
    pub backing: Backing,
    /// Earlier credit that it used.
    pub credit_used: i64,
    /// Credit that it made.
    pub credit_made: i64,
    /// Credit that it used and that was given back.
    pub credit_returned: i64,
}

/// The credit of one account, after all of its paid invoices.
#[derive(Clone, Debug, Default)]
pub struct CreditHistory<'a> {
    backings: Vec<Backing>,
    /// Oldest first; used credits stay with zero centavos.
    left: Vec<Credit<'a>>,
}

impl<'a> CreditHistory<'a> {
    /// Follows the credit through an account's paid invoices, oldest first.
    pub fn of(invoices: impl IntoIterator<Item = PaidInvoice<'a>>) -> Self {
        let mut history = Self::default();
        let mut periods: BTreeMap<&str, Amounts> = BTreeMap::new();
        for invoice in invoices {
            let used = history.take(invoice.credit_used);
            // The provider charges money only when no credit is left, so what is left here was
            // cleared.
            if invoice.money > 0 {
                history.left.clear();
            }
            let paid = used.and(invoice.money, invoice.backing);
            history.backings.push(paid.backing());
            let period = periods.entry(invoice.subscription).or_default();
            *period = if invoice.opens_period { paid } else { period.with(paid) };
            let subscription = invoice.subscription;
            history.left.extend(
                [(invoice.credit_returned, used.backing()), (invoice.credit_made, period.backing())]
                    .map(|(centavos, backing)| Credit { subscription, centavos, backing }),
            );
        }
        history
    }

    /// The backing of most of what paid the invoice at this index, money and credit together.
    pub fn backing(&self, at: usize) -> Backing {
        self.backings.get(at).copied().unwrap_or(Backing::Kept)
    }

    /// Remaining credit of a subscription whose payment was refunded, in centavos.
    pub fn gone(&self, subscription: &str) -> i64 {
        let of_it =
            |credit: &&Credit<'_>| credit.subscription == subscription && credit.backing == Backing::Gone;
        self.left.iter().filter(of_it).map(|credit| credit.centavos).sum()
    }

    /// Uses the oldest credit first. Credit that no plan change made is the operator's gift and
    /// counts as kept.
    fn take(&mut self, mut wanted: i64) -> Amounts {
        let mut taken = Amounts::default();
        for credit in &mut self.left {
            let centavos = wanted.min(credit.centavos);
            taken = taken.and(centavos, credit.backing);
            credit.centavos -= centavos;
            wanted -= centavos;
        }
        taken.and(wanted, Backing::Kept)
    }
}

/// Credit that one invoice made.
#[derive(Clone, Copy, Debug)]
struct Credit<'a> {
    subscription: &'a str,
    centavos: i64,
    backing: Backing,
}

/// Amounts by their backing.
#[derive(Clone, Copy, Debug, Default)]
struct Amounts {
    kept: i64,
    disputed: i64,
    gone: i64,
}

impl Amounts {
    fn and(mut self, centavos: i64, backing: Backing) -> Self {
        match backing {
            Backing::Kept => self.kept += centavos,
            Backing::Disputed => self.disputed += centavos,
            Backing::Gone => self.gone += centavos,
        }
        self
    }

    fn with(self, other: Self) -> Self {
        self.and(other.kept, Backing::Kept)
            .and(other.disputed, Backing::Disputed)
            .and(other.gone, Backing::Gone)
    }

    /// The larger half decides, because a small refunded part must not end a period that other
    /// money paid for.
    fn backing(self) -> Backing {
        let half = |part: i64| part > 0 && 2 * part >= self.kept + self.disputed + self.gone;
        if half(self.gone) {
            Backing::Gone
        } else if half(self.gone + self.disputed) {
            Backing::Disputed
        } else {
            Backing::Kept
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bought(subscription: &str, money: i64, backing: Backing) -> PaidInvoice<'_> {
        PaidInvoice {
            subscription,
            opens_period: true,
            money,
            backing,
            credit_used: 0,
            credit_made: 0,
            credit_returned: 0,
        }
    }

    fn downgraded(subscription: &str, credit_made: i64) -> PaidInvoice<'_> {
        PaidInvoice { opens_period: false, credit_made, ..bought(subscription, 0, Backing::Kept) }
    }

    fn by_credit(subscription: &str, credit_used: i64, money: i64) -> PaidInvoice<'_> {
        PaidInvoice { credit_used, ..bought(subscription, money, Backing::Kept) }
    }

    #[test]
    fn a_purchase_by_credit_has_the_backing_of_the_payment_behind_the_credit() {
        for backing in [Backing::Kept, Backing::Disputed, Backing::Gone] {
            let history = CreditHistory::of([
                bought("a", 628_740, backing),
                downgraded("a", 618_950),
                by_credit("b", 538_740, 0),
            ]);

            assert_eq!(history.backing(2), backing);
            let gone = if backing == Backing::Gone { 80_210 } else { 0 };
            assert_eq!((history.gone("a"), history.gone("b")), (gone, 0), "{backing:?}");
        }
    }

    #[test]
    fn credit_made_from_credit_has_the_backing_of_the_same_payment() {
        let history = CreditHistory::of([
            bought("a", 628_740, Backing::Gone),
            downgraded("a", 618_950),
            by_credit("b", 618_950, 9_790),
            downgraded("b", 600_000),
        ]);

        assert_eq!(history.backing(2), Backing::Gone, "a little money does not pay a year");
        assert_eq!((history.gone("a"), history.gone("b")), (0, 600_000));
    }

    #[test]
    fn a_renewal_by_credit_of_the_same_subscription_has_the_backing_of_its_payment() {
        let history = CreditHistory::of([
            bought("a", 29_790, Backing::Disputed),
            downgraded("a", 20_000),
            by_credit("a", 9_790, 0),
        ]);

        assert_eq!(history.backing(2), Backing::Disputed);
    }

    #[test]
    fn a_small_refunded_credit_leaves_a_purchase_paid_with_money_kept() {
        let history = CreditHistory::of([
            bought("a", 9_790, Backing::Gone),
            downgraded("a", 500),
            by_credit("b", 500, 57_900),
        ]);

        assert_eq!(history.backing(2), Backing::Kept);
    }

    #[test]
    fn credit_that_was_cleared_does_not_pay_the_next_purchase() {
        let history = CreditHistory::of([
            bought("a", 9_790, Backing::Gone),
            downgraded("a", 5_000),
            bought("b", 29_790, Backing::Kept),
            downgraded("b", 20_000),
            by_credit("c", 9_790, 0),
        ]);

        assert_eq!(history.backing(4), Backing::Kept);
        assert_eq!(history.gone("a"), 0);
    }

    #[test]
    fn credit_of_a_duplicate_purchase_returns_with_the_same_backing() {
        let duplicate = PaidInvoice { credit_returned: 9_790, ..by_credit("b", 9_790, 0) };
        let history =
            CreditHistory::of([bought("a", 29_790, Backing::Gone), downgraded("a", 20_000), duplicate]);

        assert_eq!((history.gone("a"), history.gone("b")), (10_210, 9_790));
    }

    #[test]
    fn credit_given_by_the_operator_counts_as_kept_money() {
        assert_eq!(CreditHistory::of([by_credit("a", 9_790, 0)]).backing(0), Backing::Kept);
    }

    #[test]
    fn half_of_the_paid_amount_decides_the_backing() {
        for (kept, disputed, gone, expected) in [
            (51, 0, 49, Backing::Kept),
            (50, 0, 50, Backing::Gone),
            (51, 49, 0, Backing::Kept),
            (50, 50, 0, Backing::Disputed),
            (0, 51, 49, Backing::Disputed),
            (0, 50, 50, Backing::Gone),
            (51, 25, 24, Backing::Kept),
            (50, 25, 25, Backing::Disputed),
            (1, 0, 0, Backing::Kept),
            (0, 0, 1, Backing::Gone),
            (0, 0, 0, Backing::Kept),
        ] {
            assert_eq!(Amounts { kept, disputed, gone }.backing(), expected, "{kept} {disputed} {gone}");
        }
    }

    #[test]
    fn the_amounts_of_a_period_are_added_per_backing() {
        let one = Amounts { kept: 1, disputed: 20, gone: 300 };
        let sum = one.with(Amounts { kept: 4, disputed: 50, gone: 600 }).and(0, Backing::Gone);
        assert_eq!((sum.kept, sum.disputed, sum.gone), (5, 70, 900));
    }

    #[test]
    fn the_oldest_credit_is_used_first_and_only_as_much_as_needed() {
        let history = CreditHistory::of([
            bought("a", 1_000, Backing::Gone),
            downgraded("a", 300),
            bought("b", 0, Backing::Kept),
            downgraded("b", 500),
            by_credit("c", 200, 0),
        ]);

        assert_eq!(history.backing(4), Backing::Gone, "the oldest credit is of the payment that went back");
        assert_eq!((history.gone("a"), history.gone("b"), history.gone("c")), (100, 0, 0));
        assert_eq!(history.backing(5), Backing::Kept, "no such invoice");
    }

    #[test]
    fn an_invoice_of_zero_does_not_clear_credit() {
        let history = CreditHistory::of([
            bought("a", 1_000, Backing::Gone),
            downgraded("a", 300),
            bought("b", 0, Backing::Gone),
        ]);

        assert_eq!((history.backing(2), history.gone("a")), (Backing::Kept, 300));
    }
}
