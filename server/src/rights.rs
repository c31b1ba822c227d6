//! The rights of an account: from its trial and its current subscription, and as rows of the feed.

use garimpo_domain::trial::TrialHistory;
use garimpo_domain::{AccountState, Policy, Rights, Timestamp};

use crate::queue::JobKind;
use crate::store::{
    Account, EntitlementChange, EntitlementStatus, NewJob, Result, Subscription, Tx, entitlement_changes,
    jobs,
};

/// The current subscription: the live one, else the latest that was paid or still runs.
///
/// A subscription that ended without a payment and one that lost against another do not count.
pub(crate) fn current(rows: &[Subscription]) -> Option<&Subscription> {
    let counts =
        |row: &&Subscription| !row.is_replaced() && (row.first_paid_at.is_some() || row.ended_at.is_none());
    rows.iter().find(|row| row.live).or_else(|| rows.iter().rfind(counts))
}

/// The rights of an account with these subscriptions.
pub(crate) fn rights_of(account: &Account, rows: &[Subscription], now: Timestamp, policy: &Policy) -> Rights {
    let state = current(rows).map(Subscription::state);
    let mut of_account = account_state(account);
    // Only an account that has never paid has a trial, even while a later purchase waits for its
    // boleto.
    if has_paid(rows) {
        of_account.trial = TrialHistory::UsedBefore;
    }
    Rights::at(state.as_ref(), &of_account, now, policy)
}

/// Whether an account has paid before. Duplicates do not count.
pub(crate) fn has_paid(rows: &[Subscription]) -> bool {
    rows.iter().any(Subscription::is_counted_as_paid)
}

/// The fields of an account that its rights depend on.
pub(crate) fn account_state(account: &Account) -> AccountState {
    let trial = if account.trial_used_before { TrialHistory::UsedBefore } else { TrialHistory::FirstAccount };
    AccountState { created_at: account.created_at, trial }
}

/// The rights of an account as a row of the feed.
pub(crate) fn state_of(account: &Account, rights: &Rights, now: Timestamp) -> EntitlementChange {
    EntitlementChange {
        seq: 0,
        uid: account.uid.clone(),
        plan_id: Some(rights.plan),
        status: rights.status.map_or(EntitlementStatus::Free, EntitlementStatus::Of),
        suspended_reason: rights.suspended,
        valid_until: rights.valid_until,
        next_change_at: rights.next_change_at,
        revision: account.revision,
        at: now,
    }
}

/// Appends the rights of an account to the feed if they changed, and schedules the job of the next
/// change that time alone makes. This is the last call of a transaction
/// (`store/billing/entitlement_changes.rs`).
pub(crate) async fn append_rights(
    tx: &mut Tx,
    account: &Account,
    rows: &[Subscription],
    now: Timestamp,
    policy: &Policy,
) -> Result<()> {
    let rights = rights_of(account, rows, now, policy);
    match rights.next_change_at {
        Some(due_at) => {
            let job = NewJob::of_account(JobKind::RightsChange, &account.uid, &account.uid, due_at);
            jobs::reschedule(tx, job).await?;
        }
        None => drop(jobs::cancel(tx, JobKind::RightsChange, &account.uid).await?),
    }
    entitlement_changes::append(tx, &state_of(account, &rights, now)).await.map(drop)
}

/// Appends the deletion of an account. This is the last call of a transaction.
pub(crate) async fn append_deletion(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<()> {
    jobs::cancel(tx, JobKind::RightsChange, &account.uid).await?;
    let gone = EntitlementChange {
        seq: 0,
        uid: account.uid.clone(),
        plan_id: None,
        status: EntitlementStatus::Gone,
        suspended_reason: None,
        valid_until: None,
        next_change_at: None,
        revision: account.revision,
        at: now,
    };
    entitlement_changes::append(tx, &gone).await.map(drop)
}
