//! Status and access of one subscription over time.

use super::*;

fn day(n: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_800_000_000).plus_days(n)
}

fn paid() -> SubscriptionState {
    SubscriptionState { first_paid_at: Some(day(0)), paid_until: Some(day(30)), ..awaiting() }
}

/// A subscription that awaits its first payment.
pub(crate) fn awaiting() -> SubscriptionState {
    SubscriptionState {
        plan: PlanId::ELITE_NIVEL_2,
        first_paid_at: None,
        paid_until: None,
        first_charge_at: None,
        renewal: Renewal::Open,
        pays_by_boleto: false,
        cancels_at_period_end: false,
        takeback: Takeback::None,
        ended_at: None,
    }
}

fn status_at(subscription: &SubscriptionState, now: Timestamp) -> (Status, bool) {
    let policy = Policy::default();
    (subscription.phase_at(now, &policy).status, subscription.is_live(now, &policy))
}

#[test]
fn a_paid_subscription_is_active_until_24_hours_after_its_period_without_a_result() {
    let subscription = paid();
    assert_eq!(status_at(&subscription, day(0)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(30)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(31).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(31)), (Status::Suspended, false));
    let reason = subscription.phase_at(day(31), &Policy::default()).suspended;
    assert_eq!(reason, Some(SuspendedReason::NoRenewalResult));
}

#[test]
fn a_failed_renewal_suspends_at_once() {
    let failed = day(30).plus_hours(1);
    let subscription = SubscriptionState { renewal: Renewal::Failed { at: failed }, ..paid() };
    assert_eq!(status_at(&subscription, failed.plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, failed), (Status::Suspended, false));
}

#[test]
fn grace_days_delay_the_suspension() {
    let policy = Policy { grace_days: 2, ..Policy::default() };
    let subscription = SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..paid() };
    for (now, status, live) in [
        (day(30).plus_micros(-1), Status::Active, true),
        (day(30), Status::PastDue, true),
        (day(32).plus_micros(-1), Status::PastDue, true),
        (day(32), Status::Suspended, false),
    ] {
        assert_eq!(
            (subscription.phase_at(now, &policy).status, subscription.is_live(now, &policy)),
            (status, live)
        );
    }
}

#[test]
fn a_renewal_boleto_keeps_access_until_three_days_after_its_due_date() {
    let subscription = SubscriptionState { renewal: Renewal::Voucher { due_at: day(33) }, ..paid() };
    assert_eq!(status_at(&subscription, day(33).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(33)), (Status::PastDue, true));
    assert_eq!(status_at(&subscription, day(36).plus_micros(-1)), (Status::PastDue, true));
    assert_eq!(status_at(&subscription, day(36)), (Status::Suspended, false));
    assert_eq!(
        subscription.phase_at(day(36), &Policy::default()).suspended,
        Some(SuspendedReason::BoletoUnpaid)
    );
}

#[test]
fn a_failure_of_a_period_that_was_paid_later_does_not_cut_the_next_one() {
    for renewal in [Renewal::Failed { at: day(1) }, Renewal::Voucher { due_at: day(3) }] {
        let cured = SubscriptionState { renewal, ..paid() };
        assert_eq!(status_at(&cured, day(30)), (Status::Active, true));
        assert_eq!(status_at(&cured, day(31)), (Status::Suspended, false));
    }
}

#[test]
fn a_cancellation_at_period_end_waits_for_no_renewal() {
    let subscription = SubscriptionState { cancels_at_period_end: true, ..paid() };
    assert_eq!(status_at(&subscription, day(30).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(30)), (Status::Canceled, false));
}

#[test]
fn an_ended_subscription_loses_access_at_once() {
    let subscription = SubscriptionState { ended_at: Some(day(3)), ..paid() };
    assert_eq!(status_at(&subscription, day(3).plus_micros(-1)), (Status::Active, true));
    assert_eq!(subscription.phase_at(day(1), &Policy::default()).access, Access::Paid(day(3)));
    assert_eq!(status_at(&subscription, day(3)), (Status::Canceled, false));
    let later = SubscriptionState { ended_at: Some(day(40)), ..paid() };
    assert_eq!(status_at(&later, day(35)), (Status::Suspended, false));
    assert_eq!(status_at(&later, day(40)), (Status::Canceled, false));
}

#[test]
fn an_unpaid_subscription_awaits_payment_and_is_not_live() {
    let awaiting = SubscriptionState { first_paid_at: None, paid_until: None, ..paid() };
    assert_eq!(status_at(&awaiting, day(0)), (Status::AwaitingPayment, false));
    assert_eq!(status_at(&awaiting, day(900)), (Status::AwaitingPayment, false));
    let expired = SubscriptionState { ended_at: Some(day(4)), ..awaiting };
    assert_eq!(status_at(&expired, day(4)), (Status::Canceled, false));
}

#[test]
fn a_subscription_charged_at_the_end_of_the_trial_is_live_before_the_charge() {
    let trialing =
        SubscriptionState { first_paid_at: None, paid_until: None, first_charge_at: Some(day(7)), ..paid() };
    assert_eq!(status_at(&trialing, day(0)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(7)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(8)), (Status::Suspended, false));
    let failed = SubscriptionState { renewal: Renewal::Failed { at: day(7) }, ..trialing };
    assert_eq!(status_at(&failed, day(7)), (Status::Suspended, false));
    let given_up = SubscriptionState { cancels_at_period_end: true, ..trialing };
    assert_eq!(status_at(&given_up, day(7)), (Status::Canceled, false));
}

#[test]
fn after_its_period_only_an_automatic_renewal_bars_another_purchase() {
    let policy = Policy::default();
    let (by_card, by_boleto) = (paid(), SubscriptionState { pays_by_boleto: true, ..paid() });
    let in_the_hour_before_the_voucher = day(30).plus_minutes(30);

    for (state, now, bars) in [
        (by_card, day(30).plus_micros(-1), true),
        (by_boleto, day(30).plus_micros(-1), true),
        (by_card, in_the_hour_before_the_voucher, true),
        (by_boleto, in_the_hour_before_the_voucher, false),
        (SubscriptionState { renewal: Renewal::Voucher { due_at: day(33) }, ..by_boleto }, day(31), false),
        (SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..by_card }, day(30), false),
    ] {
        assert_eq!(state.bars_another(now, &policy), bars, "{state:?} {now:?}");
    }
    assert!(by_boleto.is_live(in_the_hour_before_the_voucher, &policy), "access holds all the same");
}

#[test]
fn a_disputed_payment_suspends_and_a_won_dispute_restores_access() {
    let disputed = SubscriptionState { takeback: Takeback::Disputed { since: day(10) }, ..paid() };

    let before = disputed.phase_at(day(10).plus_micros(-1), &Policy::default());
    let during = disputed.phase_at(day(10), &Policy::default());

    assert_eq!(before.access, Access::Paid(day(10)));
    assert_eq!((during.status, during.access), (Status::Suspended, Access::None));
    assert_eq!(during.suspended, Some(SuspendedReason::PaymentDisputed));
    assert_eq!(status_at(&disputed, day(400)), (Status::Suspended, false));
    assert!(disputed.bars_another(day(11), &Policy::default()), "the time may come back");
    assert!(!disputed.bars_another(day(400), &Policy::default()), "no time is left to come back");
    let won = SubscriptionState { takeback: Takeback::None, ..disputed };
    assert_eq!(status_at(&won, day(11)), (Status::Active, true));
}

#[test]
fn a_refunded_payment_ends_access_at_once_and_for_good() {
    let returned = SubscriptionState { takeback: Takeback::Returned { at: day(10) }, ..paid() };

    assert_eq!(status_at(&returned, day(10).plus_micros(-1)), (Status::Active, true));
    for later in [10, 30, 31, 400] {
        assert_eq!(status_at(&returned, day(later)), (Status::Canceled, false), "{later}");
    }
    // The end that the provider reports later changes nothing.
    let ended = SubscriptionState { ended_at: Some(day(11)), ..returned };
    assert_eq!(status_at(&ended, day(10)), (Status::Canceled, false));
    assert_eq!(status_at(&ended, day(12)), (Status::Canceled, false));
}

#[test]
fn a_boleto_due_at_the_end_of_the_period_belongs_to_the_renewal() {
    let due_at_the_end = SubscriptionState { renewal: Renewal::Voucher { due_at: day(30) }, ..paid() };
    assert_eq!(status_at(&due_at_the_end, day(30)), (Status::PastDue, true));
    assert_eq!(status_at(&due_at_the_end, day(33).plus_micros(-1)), (Status::PastDue, true));
    assert_eq!(status_at(&due_at_the_end, day(33)), (Status::Suspended, false));
}

#[test]
fn a_first_payment_or_a_paid_period_each_count_as_paid_before() {
    let never = SubscriptionState { first_paid_at: None, paid_until: None, ..paid() };
    assert!(!never.was_paid());
    assert!(SubscriptionState { first_paid_at: Some(day(0)), ..never }.was_paid());
    assert!(SubscriptionState { paid_until: Some(day(30)), ..never }.was_paid());
}

#[test]
fn reasons_of_suspension_have_names() {
    for (reason, name) in [
        (SuspendedReason::PaymentFailed, "payment_failed"),
        (SuspendedReason::BoletoUnpaid, "boleto_unpaid"),
        (SuspendedReason::NoRenewalResult, "no_renewal_result"),
        (SuspendedReason::PaymentDisputed, "payment_disputed"),
    ] {
        assert_eq!(reason.name(), name);
    }
}

#[test]
fn at_most_one_phase_starts_at_an_instant() {
    let policy = Policy::default();
    let of = |subscription: SubscriptionState| -> Vec<_> {
        subscription.phases(&policy).into_iter().map(|phase| (phase.from, phase.status)).collect()
    };
    let failed_at_once = SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..paid() };
    assert_eq!(of(failed_at_once), [(Timestamp::MIN, Status::Active), (day(30), Status::Suspended)]);
    let ended_with_the_period = SubscriptionState { ended_at: Some(day(30)), ..paid() };
    assert_eq!(of(ended_with_the_period), [(Timestamp::MIN, Status::Active), (day(30), Status::Canceled)]);
}

#[test]
fn a_first_boleto_at_the_end_of_the_trial_awaits_payment_without_access() {
    let trialing = SubscriptionState {
        first_paid_at: None,
        paid_until: None,
        first_charge_at: Some(day(7)),
        renewal: Renewal::Voucher { due_at: day(10) },
        ..paid()
    };
    assert_eq!(status_at(&trialing, day(7).plus_micros(-1)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(7)), (Status::AwaitingPayment, false));
}
