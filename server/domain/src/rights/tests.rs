//! Rights over timelines.

use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::catalog::catalog;
use crate::limits::{Limit, Limits, Resource};
use crate::subscription::Renewal;
use crate::subscription::tests::awaiting;

fn day(n: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_800_000_000).plus_days(n)
}

fn account() -> AccountState {
    AccountState { created_at: day(0), trial: TrialHistory::FirstAccount }
}

fn paid() -> SubscriptionState {
    SubscriptionState { first_paid_at: Some(day(1)), paid_until: Some(day(31)), ..awaiting() }
}

fn rights(subscription: Option<&SubscriptionState>, now: Timestamp) -> Rights {
    Rights::at(subscription, &account(), now, &Policy::default())
}

#[test]
fn without_a_subscription_the_trial_gives_profissional_for_seven_days() {
    let trial = rights(None, day(7).plus_micros(-1));
    assert_eq!((trial.plan, trial.basis), (PlanId::PROFISSIONAL, Basis::Trial));
    assert_eq!((trial.status, trial.subscription_status), (Some(Status::Trialing), None));
    assert_eq!((trial.subscription_plan, trial.subscription_active), (None, None));
    assert_eq!((trial.valid_until, trial.next_change_at), (Some(day(7)), Some(day(7))));
    assert_eq!(catalog().plan(trial.plan).limits.get(Resource::WhatsappGroups), Limit::Max(10));

    let free = rights(None, day(7));
    assert_eq!((free.plan, free.basis, free.status), (PlanId::FREE, Basis::Nothing, None));
    assert_eq!((free.valid_until, free.next_change_at), (None, None));
    assert_eq!(catalog().plan(free.plan).limits, Limits::NONE);
}

#[test]
fn a_second_account_of_a_person_has_no_trial() {
    let again = AccountState { trial: TrialHistory::UsedBefore, ..account() };
    let rights = Rights::at(None, &again, day(0), &Policy::default());
    assert_eq!((rights.plan, rights.next_change_at), (PlanId::FREE, None));
}

#[test]
fn an_unpaid_first_payment_leaves_the_trial_running() {
    let waiting = rights(Some(&awaiting()), day(2));
    assert_eq!((waiting.plan, waiting.basis), (PlanId::PROFISSIONAL, Basis::Trial));
    assert_eq!(waiting.status, Some(Status::AwaitingPayment));
    assert_eq!(waiting.subscription_plan, Some(PlanId::ELITE_NIVEL_2));
    assert_eq!(waiting.subscription_active, None);
    assert_eq!(rights(Some(&awaiting()), day(7)).plan, PlanId::FREE);
}

#[test]
fn a_payment_gives_the_plan_until_the_end_of_the_period_and_a_day_more_for_the_renewal() {
    let active = rights(Some(&paid()), day(10));
    assert_eq!(
        (active.plan, active.basis, active.status),
        (PlanId::ELITE_NIVEL_2, Basis::Subscription, Some(Status::Active))
    );
    assert_eq!(active.subscription_active, Some(true));
    assert_eq!((active.valid_until, active.next_change_at), (Some(day(31)), Some(day(31))));

    let waiting = rights(Some(&paid()), day(31));
    assert_eq!((waiting.plan, waiting.subscription_active), (PlanId::ELITE_NIVEL_2, Some(true)));
    assert_eq!((waiting.valid_until, waiting.next_change_at), (Some(day(32)), Some(day(32))));

    let suspended = rights(Some(&paid()), day(32));
    assert_eq!((suspended.plan, suspended.status), (PlanId::FREE, Some(Status::Suspended)));
    assert_eq!(suspended.subscription_active, Some(false));
    assert_eq!(suspended.suspended, Some(SuspendedReason::NoRenewalResult));
    assert_eq!(suspended.subscription_plan, Some(PlanId::ELITE_NIVEL_2));
}

#[test]
fn an_end_in_the_first_days_does_not_restore_the_trial() {
    let refunded = SubscriptionState { ended_at: Some(day(3)), ..paid() };
    let rights = rights(Some(&refunded), day(3));
    assert_eq!((rights.plan, rights.status), (PlanId::FREE, Some(Status::Canceled)));
    assert_eq!((rights.subscription_active, rights.next_change_at), (Some(false), None));
}

#[test]
fn a_boleto_renewal_is_active_then_past_due_then_suspended() {
    let voucher = SubscriptionState { renewal: Renewal::Voucher { due_at: day(34) }, ..paid() };
    let mut instants = vec![day(1)];
    let mut seen = Vec::new();
    while let Some(now) = instants.pop() {
        let rights = rights(Some(&voucher), now);
        seen.push((now, rights.status.unwrap(), rights.plan));
        assert!(
            rights.next_change_at.is_none_or(|next| next > now),
            "a change is announced for the past: {rights:?}"
        );
        instants.extend(rights.next_change_at);
    }
    assert_eq!(
        seen,
        [
            (day(1), Status::Active, PlanId::ELITE_NIVEL_2),
            (day(31), Status::Active, PlanId::ELITE_NIVEL_2),
            (day(34), Status::PastDue, PlanId::ELITE_NIVEL_2),
            (day(37), Status::Suspended, PlanId::FREE),
        ]
    );
}

#[test]
fn a_first_charge_at_the_end_of_the_trial_keeps_profissional_for_a_day_without_result() {
    let trialing = SubscriptionState { first_charge_at: Some(day(7)), ..awaiting() };
    let before = rights(Some(&trialing), day(6));
    assert_eq!((before.plan, before.status), (PlanId::PROFISSIONAL, Some(Status::Trialing)));
    assert_eq!((before.valid_until, before.next_change_at), (Some(day(7)), Some(day(7))));

    let held = rights(Some(&trialing), day(7));
    assert_eq!((held.plan, held.basis), (PlanId::PROFISSIONAL, Basis::Trial));
    assert_eq!((held.valid_until, held.next_change_at), (Some(day(8)), Some(day(8))));
    assert_eq!(rights(Some(&trialing), day(8)).subscription_active, None);

    let early = SubscriptionState { first_charge_at: Some(day(6).plus_hours(12)), ..awaiting() };
    let held = rights(Some(&early), day(6).plus_hours(13));
    assert_eq!(held.next_change_at, Some(day(7).plus_hours(12)));
}

#[test]
fn a_payment_after_the_suspension_restores_access() {
    let cured = SubscriptionState { paid_until: Some(day(70)), ..paid() };
    assert_eq!(rights(Some(&cured), day(40)).subscription_active, Some(true));
}

fn any_subscription() -> impl Strategy<Value = SubscriptionState> {
    let hours = || (-48..24 * 60i64).prop_map(|hours| day(0).plus_hours(hours));
    let renewal = prop_oneof![
        Just(Renewal::Open),
        hours().prop_map(|at| Renewal::Failed { at }),
        hours().prop_map(|due_at| Renewal::Voucher { due_at }),
    ];
    (option::of(hours()), option::of(hours()), renewal, any::<bool>(), option::of(hours())).prop_map(
        |(paid_until, first_charge_at, renewal, cancels_at_period_end, ended_at)| SubscriptionState {
            first_paid_at: paid_until.map(|_| day(0)),
            paid_until,
            first_charge_at,
            renewal,
            cancels_at_period_end,
            ended_at,
            ..awaiting()
        },
    )
}

proptest! {
    #[test]
    fn rights_change_only_at_the_announced_instant(
        subscription in option::of(any_subscription()),
        now in -48..24 * 70i64,
        share in 0..1000i64,
        grace_days in 0..3u32,
        first in any::<bool>(),
    ) {
        let policy = Policy { grace_days, ..Policy::default() };
        let trial = if first { TrialHistory::FirstAccount } else { TrialHistory::UsedBefore };
        let account = AccountState { trial, ..account() };
        let of = |now| Rights::at(subscription.as_ref(), &account, now, &policy);
        let now = day(0).plus_hours(now);
        let rights = of(now);

        let horizon = rights.next_change_at.unwrap_or(day(400));
        prop_assert!(now < horizon);
        prop_assert_eq!(&of(now.plus_micros(horizon.micros_since(now) / 1000 * share)), &rights);
        prop_assert_eq!(&of(horizon.plus_micros(-1)), &rights);
        if let Some(next) = rights.next_change_at {
            prop_assert_ne!(&of(next), &rights);
        }
    }

    #[test]
    fn paid_access_exists_only_with_a_payment(subscription in any_subscription(), now in -48..24 * 70i64) {
        let rights = rights(Some(&subscription), day(0).plus_hours(now));
        prop_assert_eq!(rights.basis == Basis::Subscription, rights.subscription_active == Some(true));
        prop_assert!(subscription.was_paid() || rights.basis != Basis::Subscription);
        prop_assert_eq!(rights.suspended.is_some(), rights.status == Some(Status::Suspended));
        if rights.basis == Basis::Subscription {
            prop_assert!(rights.valid_until.is_some_and(|until| day(0).plus_hours(now) < until));
        }
    }
}
