//! The free trial: 7 days from account creation on the plan Profissional, once per person.

use crate::instant::Timestamp;
use crate::plans::PlanId;

/// Length of the trial in days of 24 hours.
pub const TRIAL_DAYS: i64 = 7;

/// The plan whose limits the trial gives.
pub const TRIAL_PLAN: PlanId = PlanId::PROFISSIONAL;

/// Whether this person has had a trial before, on an account since deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialHistory {
    /// The first account of this person: the trial is theirs.
    FirstAccount,
    /// A deleted account with the same email had its trial: no second one.
    UsedBefore,
}

/// The first instant after the trial, 7 days after account creation.
pub const fn trial_ends_at(created_at: Timestamp) -> Timestamp {
    created_at.plus_days(TRIAL_DAYS)
}

/// When the trial of an account ends or ended: where the person had one before, there was none
/// here.
pub fn trial_ended_at(created_at: Timestamp, history: TrialHistory) -> Timestamp {
    match history {
        TrialHistory::FirstAccount => trial_ends_at(created_at),
        TrialHistory::UsedBefore => created_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trial_lasts_seven_days_to_the_second() {
        let created = Timestamp::from_unix_seconds(1_800_000_000);
        let end = trial_ends_at(created);

        assert_eq!(end.as_unix_seconds(), 1_800_000_000 + 7 * 86_400);
        assert_eq!(trial_ended_at(created, TrialHistory::FirstAccount), end);
    }

    #[test]
    fn a_person_who_used_the_trial_gets_no_other() {
        let created = Timestamp::from_unix_seconds(1_800_000_000);
        assert_eq!(trial_ended_at(created, TrialHistory::UsedBefore), created, "there was none");
    }
}
