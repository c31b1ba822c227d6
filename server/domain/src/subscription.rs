//! A subscription as synced from the provider: its status, and the access that it gives over time.

use strum::{EnumString, IntoStaticStr};

use crate::instant::Timestamp;
use crate::plans::PlanId;

/// The status of a subscription, as the user object carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Ordered; no payment is confirmed yet.
    AwaitingPayment,
    /// Before its first charge, which falls on the trial's end.
    Trialing,
    /// Paid, and inside its time.
    Active,
    /// A renewal is overdue and access still holds.
    PastDue,
    /// A renewal was not paid: no access until a payment is confirmed.
    Suspended,
    /// Ended.
    Canceled,
}

crate::names::named!(Status);

/// The part of a subscription's row that the rules read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionState {
    /// Plan of the current price.
    pub plan: PlanId,
    /// When the first payment was confirmed; `None` before it.
    pub first_paid_at: Option<Timestamp>,
    /// The end of the last paid period; `None` before a first payment.
    pub paid_until: Option<Timestamp>,
    /// When the first charge falls, for a purchase in the trial that is charged at its end.
    pub first_charge_at: Option<Timestamp>,
    /// State of the invoice after the paid period (or of the first one, if it is later).
    pub renewal: Renewal,
    /// Whether it was last paid by boleto: its renewal waits for the payer and is never charged
    /// automatically.
    pub pays_by_boleto: bool,
    /// Whether it ends with its paid period and is not renewed.
    pub cancels_at_period_end: bool,
    /// Whether the payment of the last paid period was reversed.
    pub takeback: Takeback,
    /// When it ended: cancelled immediately, refunded, replaced, or cancelled by the provider after
    /// failed payments.
    pub ended_at: Option<Timestamp>,
}

/// Whether the payment of a period was reversed. A period whose payment was fully refunded, is
/// disputed, or was lost to the payer's bank is not paid ([`crate::takeback`]). A partial refund
/// and a dispute that we won change nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Takeback {
    /// The payment was not reversed.
    #[default]
    None,
    /// The payer's bank disputes it, and has not decided.
    Disputed {
        /// Since when.
        since: Timestamp,
    },
    /// It was refunded, will be refunded, or was lost in a dispute.
    Returned {
        /// When that was decided.
        at: Timestamp,
    },
}

/// State of an unpaid renewal invoice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renewal {
    /// No such invoice exists, or no attempt to pay it has a result.
    #[default]
    Open,
    /// An attempt failed, the first time at this instant.
    Failed {
        /// When the first attempt failed.
        at: Timestamp,
    },
    /// A boleto was issued, to be paid until its due date.
    Voucher {
        /// The end of the day on which it is due.
        due_at: Timestamp,
    },
}

impl Renewal {
    /// The renewal due at `end`. A failure or voucher before `end` belongs to an earlier period,
    /// which has been paid since, so it must not shorten the current one.
    fn after(self, end: Timestamp) -> Renewal {
        match self {
            Renewal::Failed { at } if at < end => Renewal::Open,
            Renewal::Voucher { due_at } if due_at < end => Renewal::Open,
            current => current,
        }
    }
}

/// How long access continues after the paid period. The operator sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Hours that access holds after a paid period while its renewal has no result.
    pub renewal_hours: u32,
    /// Days that access holds after a failed attempt.
    pub grace_days: u32,
    /// Days that access holds after a boleto's due date.
    pub boleto_grace_days: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { renewal_hours: 24, grace_days: 0, boleto_grace_days: 3 }
    }
}

/// Why a subscription is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SuspendedReason {
    /// The renewal's payment failed.
    PaymentFailed,
    /// The renewal's boleto was not paid in time.
    BoletoUnpaid,
    /// The provider reported no result for the renewal.
    NoRenewalResult,
    /// The payer's bank disputes the payment of the period.
    PaymentDisputed,
}

crate::names::named!(SuspendedReason);

/// The access that a subscription gives from an instant on, if nothing else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// From when.
    pub from: Timestamp,
    /// Status from this instant on.
    pub status: Status,
    /// Access, and its end.
    pub access: Access,
    /// Why it is suspended; `None` in every other status.
    pub suspended: Option<SuspendedReason>,
}

/// Access given by a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// The trial's plan, until the first charge has a result, at most until this instant.
    Trial(Timestamp),
    /// The plan, until this instant.
    Paid(Timestamp),
}

impl SubscriptionState {
    /// The phases that passing time alone brings, in order; the first is from [`Timestamp::MIN`].
    pub fn phases(&self, policy: &Policy) -> Vec<Phase> {
        let mut phases = match (self.paid_until, self.first_charge_at) {
            (Some(paid_until), _) => self.paid_phases(paid_until, policy),
            (None, Some(first_charge_at)) => self.trialing_phases(first_charge_at, policy),
            (None, None) => vec![phase(Timestamp::MIN, Status::AwaitingPayment, Access::None)],
        };
        match self.takeback {
            Takeback::None => {}
            Takeback::Disputed { since } => {
                cut(&mut phases, suspended(since, SuspendedReason::PaymentDisputed));
            }
            Takeback::Returned { at } => cut(&mut phases, phase(at, Status::Canceled, Access::None)),
        }
        if let Some(ended_at) = self.ended_at {
            cut(&mut phases, phase(ended_at, Status::Canceled, Access::None));
        }
        phases
    }

    /// The phase that holds now.
    pub fn phase_at(&self, now: Timestamp, policy: &Policy) -> Phase {
        let phases = self.phases(policy);
        let current = phases.iter().rev().find(|phase| phase.from <= now).or(phases.first());
        current.copied().unwrap_or(phase(Timestamp::MIN, Status::Canceled, Access::None))
    }

    /// Whether it is live: it gives access. Suspended and awaiting ones do not.
    pub fn is_live(&self, now: Timestamp, policy: &Policy) -> bool {
        self.phase_at(now, policy).access != Access::None
    }

    /// Whether it stays the account's current subscription: it is live, or would be without a
    /// dispute. A purchase during a dispute would replace time that returns when we win it.
    pub fn holds_place(&self, now: Timestamp, policy: &Policy) -> bool {
        let is_disputed = matches!(self.takeback, Takeback::Disputed { .. });
        let takeback = if is_disputed { Takeback::None } else { self.takeback };
        Self { takeback, ..*self }.is_live(now, policy)
    }

    /// Whether it forbids buying another: it is current, unless its paid time is over and nothing
    /// will be charged automatically (by boleto, also in the hour before the voucher is issued, or
    /// after a failed attempt). Access that only the grace period gives does not forbid a purchase.
    pub fn bars_another(&self, now: Timestamp, policy: &Policy) -> bool {
        let waits_for_payer = self.paid_until.is_some_and(|end| {
            end <= now && (self.pays_by_boleto || self.renewal.after(end) != Renewal::Open)
        });
        self.holds_place(now, policy) && !waits_for_payer
    }

    /// Whether a payment was ever confirmed.
    pub const fn was_paid(&self) -> bool {
        self.first_paid_at.is_some() || self.paid_until.is_some()
    }

    fn paid_phases(&self, end: Timestamp, policy: &Policy) -> Vec<Phase> {
        let mut phases = vec![phase(Timestamp::MIN, Status::Active, Access::Paid(end))];
        if self.cancels_at_period_end {
            phases.push(phase(end, Status::Canceled, Access::None));
            return phases;
        }
        match self.renewal.after(end) {
            Renewal::Open => {
                let held_until = end.plus_hours(i64::from(policy.renewal_hours));
                phases.push(phase(end, Status::Active, Access::Paid(held_until)));
                phases.push(suspended(held_until, SuspendedReason::NoRenewalResult));
            }
            Renewal::Failed { at: failed_at } => {
                let held_until = failed_at.plus_days(i64::from(policy.grace_days));
                phases.push(phase(end, Status::Active, Access::Paid(failed_at)));
                phases.push(phase(failed_at, Status::PastDue, Access::Paid(held_until)));
                phases.push(suspended(held_until, SuspendedReason::PaymentFailed));
            }
            Renewal::Voucher { due_at } => {
                let held_until = due_at.plus_days(i64::from(policy.boleto_grace_days));
                phases.push(phase(end, Status::Active, Access::Paid(held_until)));
                phases.push(phase(due_at, Status::PastDue, Access::Paid(held_until)));
                phases.push(suspended(held_until, SuspendedReason::BoletoUnpaid));
            }
        }
        without_empty(phases)
    }

    fn trialing_phases(&self, charge_at: Timestamp, policy: &Policy) -> Vec<Phase> {
        let mut phases = vec![phase(Timestamp::MIN, Status::Trialing, Access::Trial(charge_at))];
        if self.cancels_at_period_end {
            phases.push(phase(charge_at, Status::Canceled, Access::None));
            return phases;
        }
        match self.renewal.after(charge_at) {
            Renewal::Open => {
                let held_until = charge_at.plus_hours(i64::from(policy.renewal_hours));
                phases.push(phase(charge_at, Status::Trialing, Access::Trial(held_until)));
                phases.push(suspended(held_until, SuspendedReason::NoRenewalResult));
            }
            Renewal::Failed { at: failed_at } => {
                phases.push(phase(charge_at, Status::Trialing, Access::Trial(failed_at)));
                phases.push(suspended(failed_at, SuspendedReason::PaymentFailed));
            }
            Renewal::Voucher { .. } => phases.push(phase(charge_at, Status::AwaitingPayment, Access::None)),
        }
        without_empty(phases)
    }
}

const fn phase(from: Timestamp, status: Status, access: Access) -> Phase {
    Phase { from, status, access, suspended: None }
}

const fn suspended(from: Timestamp, reason: SuspendedReason) -> Phase {
    Phase { from, status: Status::Suspended, access: Access::None, suspended: Some(reason) }
}

/// Replaces the phases from the start of `last` on by `last`, and ends earlier access there.
fn cut(phases: &mut Vec<Phase>, last: Phase) {
    phases.retain(|phase| phase.from < last.from);
    for phase in phases.iter_mut() {
        phase.access = match phase.access {
            Access::Paid(until) => Access::Paid(until.min(last.from)),
            Access::Trial(until) => Access::Trial(until.min(last.from)),
            Access::None => Access::None,
        };
    }
    phases.push(last);
}

/// Drops phases of no length.
fn without_empty(phases: Vec<Phase>) -> Vec<Phase> {
    let starts: Vec<Timestamp> = phases.iter().map(|phase| phase.from).collect();
    let lasts = |at: usize| starts.get(at + 1).is_none_or(|next| starts[at] < *next);
    phases.into_iter().enumerate().filter(|(at, _)| lasts(*at)).map(|(_, phase)| phase).collect()
}

#[cfg(test)]
pub(crate) mod tests;
