//! Which reversals of a payment end access.

/// The item that a paid invoice of the current period charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// The period itself: a purchase, a renewal, or a change to another interval.
    Period,
    /// The difference to a more expensive plan, on top of what had paid for the period.
    Difference,
}

/// Where an invoice's money is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Money {
    /// With us, all or a part of it.
    Kept,
    /// Fully refunded: at the provider's dashboard, or by our refund.
    GivenBack,
    /// Lost to the payer's bank in a dispute.
    Lost,
}

/// Whether it ends access. A refunded difference does not, because the payment of the period
/// remains. A lost dispute always does, because the payer has revoked the contract.
pub const fn ends_access(charge: Charge, money: Money) -> bool {
    match (charge, money) {
        (_, Money::Kept) | (Charge::Difference, Money::GivenBack) => false,
        (Charge::Period, Money::GivenBack) | (_, Money::Lost) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_ends_with_the_payment_of_the_period_and_not_with_a_refunded_difference() {
        for (charge, money, ends) in [
            (Charge::Period, Money::Kept, false),
            (Charge::Period, Money::GivenBack, true),
            (Charge::Period, Money::Lost, true),
            (Charge::Difference, Money::Kept, false),
            (Charge::Difference, Money::GivenBack, false),
            (Charge::Difference, Money::Lost, true),
        ] {
            assert_eq!(ends_access(charge, money), ends, "{charge:?} {money:?}");
        }
    }
}
