//! The boleto's bounds, and when a charge may wait.

use super::*;
use crate::subscription::tests::awaiting;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

#[test]
fn boleto_is_offered_from_5_to_49_999_99_reais() {
    for (centavos, offered) in [(499, false), (500, true), (4_999_999, true), (5_000_000, false)] {
        let methods = payment_methods(Centavos::new(centavos));
        assert_eq!(methods.contains(&PaymentMethod::Boleto), offered, "{centavos}");
        assert!(methods.contains(&PaymentMethod::Card));
    }
}

#[test]
fn a_different_shown_price_is_reported_as_changed() {
    let first_payment = Centavos::reais(97, 90);
    assert_eq!(check_shown_price(first_payment, None), Ok(()));
    assert_eq!(check_shown_price(first_payment, Some(first_payment)), Ok(()));
    let changed = PriceChanged { first_payment };
    assert_eq!(check_shown_price(first_payment, Some(Centavos::reais(88, 11))), Err(changed));
}

#[test]
fn a_purchase_in_the_trial_is_charged_at_once_or_at_a_trial_end_48_hours_away_or_more() {
    let end = at("2026-06-08T12:00:00Z");
    let now = at("2026-06-02T12:00:00Z");
    assert_eq!(first_charge_at(TrialPurchase::AtOnce, Some(end), now), None);
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, Some(end), now), Some(end));
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, None, now), None);
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, Some(end), end.plus_hours(-48)), Some(end));
    assert_eq!(
        first_charge_at(TrialPurchase::AtTrialEnd, Some(end), end.plus_hours(-48).plus_seconds(1)),
        None
    );
}

#[test]
fn payment_methods_have_the_names_of_the_provider() {
    assert_eq!(PaymentMethod::Card.name(), "card");
    assert_eq!(PaymentMethod::Boleto.name(), "boleto");
}

#[test]
fn a_live_subscription_blocks_another_purchase() {
    let awaiting = awaiting();
    let paid = SubscriptionState {
        first_paid_at: Some(at("2026-06-01T12:00:00Z")),
        paid_until: Some(at("2026-07-01T12:00:00Z")),
        ..awaiting
    };
    let (within, suspended) = (at("2026-06-15T12:00:00Z"), at("2026-07-03T12:00:00Z"));

    for (subscription, now, expected) in [
        (Some(&paid), within, false),
        (Some(&paid), suspended, true),
        (Some(&awaiting), within, true),
        (None, within, true),
    ] {
        assert_eq!(may_start(subscription, now, &Policy::default()), expected, "{subscription:?} {now}");
    }
}
