//! Invariants of rights that change by time: the live subscription, and the job at the next change.

use crate::rights::rights_of;
use crate::store::{
    Account, JobState, Result, Subscription, accounts, invariants, subscriptions, text_or_empty,
};
use std::collections::HashMap;

use garimpo_domain::{SubscriptionId, Timestamp, Uid};

use super::Doctor;
use super::finding::{Checked, Finding, MAX_FINDINGS, RunTime, instant};
use crate::store::operator::invariants::{GRACE_HOURS, ScheduledRightsChange};

/// Accounts per query.
const PAGE: i64 = 1000;

impl Doctor {
    /// Checks `live_as_rights_say` and `rights_change_has_job` in one pass over the accounts with a
    /// subscription.
    pub(super) async fn rights(&self, now: Timestamp, time: &RunTime) -> [Checked; 2] {
        // Findings before a failure are kept.
        let (mut live, mut scheduled) = (Vec::new(), Vec::new());
        let pass = async { self.rights_pass(now, &mut live, &mut scheduled).await.map(|()| Vec::new()) };
        let pass = time.check("live_as_rights_say", pass).await;
        [("live_as_rights_say", live), ("rights_change_has_job", scheduled)].map(|(invariant, findings)| {
            let more = findings.len() as i64 >= MAX_FINDINGS;
            Checked { invariant, findings, more, ..pass.clone() }
        })
    }

    async fn rights_pass(
        &self,
        now: Timestamp,
        live: &mut Vec<Finding>,
        scheduled: &mut Vec<Finding>,
    ) -> Result<()> {
        let mut after = String::new();
        loop {
            let uids = invariants::subscribers_page(&self.store, &after, PAGE).await?;
            let Some(last) = uids.last() else { return Ok(()) };
            after = last.to_string();
            let mut bought: HashMap<Uid, Vec<Subscription>> = HashMap::new();
            for row in subscriptions::by_uids(&self.store, &uids).await? {
                bought.entry(row.uid.clone()).or_default().push(row);
            }
            let jobs = invariants::scheduled_rights_changes(&self.store, &uids).await?;
            let jobs: HashMap<&str, &ScheduledRightsChange> =
                jobs.iter().map(|job| (job.key.as_str(), job)).collect();
            // Not for deleted accounts: they have no rights, and jobs end their subscriptions.
            for account in accounts::by_uids(&self.store, &uids).await? {
                let rows = bought.remove(&account.uid).unwrap_or_default();
                keep(live, self.live_as_rights_say(&account, &rows, now));
                let job = jobs.get(&*account.uid).copied();
                keep(scheduled, self.rights_change_has_job(&account, &rows, job, now));
            }
        }
    }

    /// A subscription is live exactly while it gives access, or would give it without a dispute.
    /// The job that changes it may be late by [`GRACE_HOURS`].
    fn live_as_rights_say(
        &self,
        account: &Account,
        rows: &[Subscription],
        now: Timestamp,
    ) -> Option<Finding> {
        let before = now.plus_hours(-GRACE_HOURS);
        let holder = rows.iter().find(|row| row.live);
        let mut gives = Vec::new();
        for row in rows.iter().filter(|row| !row.is_replaced()) {
            let state = row.state();
            gives.push((row, [before, now].map(|at| state.holds_place(at, &self.policy))));
        }
        let gives_nothing =
            |id: &SubscriptionId| gives.iter().any(|(row, given)| row.id == *id && *given == [false, false]);
        let wrong = match holder {
            Some(row) if row.is_replaced() => {
                Some(format!("{} is {} and is the live subscription", row.id, text_or_empty(row.retired)))
            }
            Some(row) if gives_nothing(&row.id) => {
                Some(format!("{} gives no access and is the live subscription", row.id))
            }
            Some(_) => None,
            None => gives
                .iter()
                .find(|(_, given)| *given == [true, true])
                .map(|(row, _)| format!("{} gives access and is not the live subscription", row.id)),
        };
        wrong.map(|what| Finding::new(&account.uid, what, repair_command(account)))
    }

    /// An account whose rights change by time has a job at that moment.
    fn rights_change_has_job(
        &self,
        account: &Account,
        rows: &[Subscription],
        job: Option<&ScheduledRightsChange>,
        now: Timestamp,
    ) -> Option<Finding> {
        let rights = rights_of(account, rows, now, &self.policy);
        let change_at = rights.next_change_at?;
        let changes = instant(change_at);
        let what = match job {
            // Reported as a parked job.
            Some(ScheduledRightsChange { state: JobState::Parked, .. }) => return None,
            Some(ScheduledRightsChange { state: JobState::Waiting, due_at, .. }) => {
                if *due_at <= change_at {
                    return None;
                }
                format!("its rights change at {changes}, and it is woken at {}", instant(*due_at))
            }
            _ => format!("its rights change at {changes}, and nothing wakes it"),
        };
        Some(Finding::new(&account.uid, what, repair_command(account)))
    }
}

fn repair_command(account: &Account) -> String {
    format!("garimpo admin reconcile --uid {}", account.uid)
}

fn keep(findings: &mut Vec<Finding>, finding: Option<Finding>) {
    if (findings.len() as i64) < MAX_FINDINGS {
        findings.extend(finding);
    }
}
