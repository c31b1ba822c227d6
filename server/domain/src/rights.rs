//! Rights: what an account may use now, until when, and when that changes next.
//!
//! A pure function of the subscription, the account's creation and now. The user object, the
//! entitlements and the job at the next change use the same result.

use crate::instant::Timestamp;
use crate::plans::PlanId;
use crate::subscription::{Access, Policy, Status, SubscriptionState, SuspendedReason};
use crate::trial::{TRIAL_PLAN, TrialHistory, trial_ends_at};

/// The fields of an account that its rights depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// When it was created.
    pub created_at: Timestamp,
    /// Whether its person has had a trial before.
    pub trial: TrialHistory,
}

/// The basis of an account's rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// A paid subscription.
    Subscription,
    /// The free trial.
    Trial,
    /// Neither: the plan is `free`.
    Nothing,
}

/// The rights of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// The plan whose limits and features hold.
    pub plan: PlanId,
    /// The basis of these rights.
    pub basis: Basis,
    /// The status: the subscription's, else `trialing` in the trial, else none.
    pub status: Option<Status>,
    /// The subscription's plan; `None` without one, also in the trial.
    pub subscription_plan: Option<PlanId>,
    /// The subscription's status; `None` without one.
    pub subscription_status: Option<Status>,
    /// True while paid access runs, false once it was and ended or is suspended, `None` before a
    /// first payment.
    pub subscription_active: Option<bool>,
    /// Why the subscription is suspended.
    pub suspended: Option<SuspendedReason>,
    /// Until when these rights hold if nothing else happens; `None` without an end.
    pub valid_until: Option<Timestamp>,
    /// The next instant at which passing time alone changes these rights; `None` if there is none.
    pub next_change_at: Option<Timestamp>,
}

impl Rights {
    /// The rights of an account now. `subscription` is the live one, else the latest.
    ///
    /// Once a subscription was paid, its end or refund leads to `free`, not back into the trial.
    pub fn at(
        subscription: Option<&SubscriptionState>,
        account: &AccountState,
        now: Timestamp,
        policy: &Policy,
    ) -> Self {
        let phase = subscription.map(|subscription| subscription.phase_at(now, policy));
        let was_paid = subscription.is_some_and(SubscriptionState::was_paid);
        let trial_end = (account.trial == TrialHistory::FirstAccount && !was_paid)
            .then(|| trial_ends_at(account.created_at))
            .filter(|end| now < *end);

        let (plan, basis, valid_until) = match (subscription, phase.map(|phase| phase.access), trial_end) {
            (Some(subscription), Some(Access::Paid(until)), _) => {
                (subscription.plan, Basis::Subscription, Some(until))
            }
            (_, Some(Access::Trial(until)), trial_end) => {
                (TRIAL_PLAN, Basis::Trial, Some(trial_end.map_or(until, |end| end.max(until))))
            }
            (_, _, Some(end)) => (TRIAL_PLAN, Basis::Trial, Some(end)),
            _ => (PlanId::FREE, Basis::Nothing, None),
        };
        let phases = subscription.map(|subscription| subscription.phases(policy)).unwrap_or_default();
        let next_phase = phases.iter().map(|phase| phase.from).find(|from| now < *from);
        Self {
            plan,
            basis,
            status: phase.map(|phase| phase.status).or((basis == Basis::Trial).then_some(Status::Trialing)),
            subscription_plan: subscription.map(|subscription| subscription.plan),
            subscription_status: phase.map(|phase| phase.status),
            subscription_active: was_paid.then_some(basis == Basis::Subscription),
            suspended: phase.and_then(|phase| phase.suspended),
            valid_until,
            // The trial's end changes nothing while its plan is held beyond it.
            next_change_at: next_phase
                .into_iter()
                .chain(trial_end.filter(|end| valid_until == Some(*end)))
                .min(),
        }
    }
}

#[cfg(test)]
mod tests;
