//! Whether and how a checkout may start.

use crate::instant::Timestamp;
use crate::money::Centavos;
use crate::subscription::{Policy, SubscriptionState};

/// Minutes for which an open session is reused for the same purchase.
pub const SESSION_REUSE_MINUTES: i64 = 30;

/// The smallest amount that a boleto may have.
pub const BOLETO_MIN: Centavos = Centavos::reais(5, 0);

/// The smallest amount that the provider charges to a card.
pub const CARD_MIN: Centavos = Centavos::reais(0, 50);

/// The largest amount that a boleto may have.
pub const BOLETO_MAX: Centavos = Centavos::reais(49_999, 99);

/// Days in which a boleto can be paid, until 23:59 in São Paulo on the last one.
pub const BOLETO_DAYS: i64 = 3;

/// Hours of the trial that must be left for a first charge at its end: a limit of the provider.
pub const FIRST_CHARGE_MIN_HOURS: i64 = 48;

/// A way to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PaymentMethod {
    /// Credit card.
    Card,
    /// Boleto (bank slip).
    Boleto,
}

crate::names::named!(PaymentMethod);

/// The ways to pay an amount: a boleto only within its bounds, both included.
pub fn payment_methods(amount: Centavos) -> &'static [PaymentMethod] {
    if (BOLETO_MIN..=BOLETO_MAX).contains(&amount) {
        &[PaymentMethod::Card, PaymentMethod::Boleto]
    } else {
        &[PaymentMethod::Card]
    }
}

/// The price differs from the one that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the price has changed")]
pub struct PriceChanged {
    /// The first payment as it is now.
    pub first_payment: Centavos,
}

/// Compares what the visitor was shown, where the caller says it, with the first payment.
///
/// # Errors
/// [`PriceChanged`] with the price that holds.
pub fn check_shown_price(first_payment: Centavos, shown: Option<Centavos>) -> Result<(), PriceChanged> {
    match shown {
        Some(shown) if shown != first_payment => Err(PriceChanged { first_payment }),
        _ => Ok(()),
    }
}

/// Whether an account with this latest subscription may start a checkout.
///
/// A subscription that is suspended, awaiting payment or in its grace period is replaced when the
/// new one is paid.
pub fn may_start(subscription: Option<&SubscriptionState>, now: Timestamp, policy: &Policy) -> bool {
    !subscription.is_some_and(|subscription| subscription.bars_another(now, policy))
}

/// When a purchase in the trial is charged (`GARIMPO_TRIAL_PURCHASE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrialPurchase {
    /// When the purchase is made.
    #[default]
    AtOnce,
    /// On the trial's end, if enough of the trial is left.
    AtTrialEnd,
}

/// When the first charge of a purchase falls later than now; `None` when it is charged at once.
pub fn first_charge_at(
    purchase: TrialPurchase,
    trial_ends_at: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    match purchase {
        TrialPurchase::AtOnce => None,
        TrialPurchase::AtTrialEnd => {
            trial_ends_at.filter(|end| now.plus_hours(FIRST_CHARGE_MIN_HOURS) <= *end)
        }
    }
}

#[cfg(test)]
mod tests;
