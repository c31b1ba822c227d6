//! Chooses the current subscription of an account and reads it.
//!
//! An account has at most one live subscription ([`choose_live`]). The current one and the
//! account's rights follow from it in `rights.rs`; here are the subscription that can still be
//! ended ([`running`]) and an open boleto ([`waiting_boleto`]).

use garimpo_domain::balance::{NextCharge, next_charge};
use garimpo_domain::checkout::first_charge_at;
use garimpo_domain::trial::trial_ended_at;
use garimpo_domain::{BuyerHistory, Centavos, Policy, Status, Takeback, Timestamp, TrialPurchase};

use crate::rights::{account_state, has_paid};
use crate::store::{Account, Invoice, Retired, Subscription};

/// Chooses the account's live subscription and retires the others.
///
/// The live subscription stays live unless only the grace period keeps it live, also while a bank
/// decides about its payment. Ties go to the earliest payment. A paid subscription that loses is a
/// duplicate and is refunded; an unpaid one, or one whose paid period is over, is replaced.
pub(crate) fn choose_live(rows: &mut [Subscription], now: Timestamp, policy: &Policy) {
    let (mut holds, mut bars) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows.iter() {
        let state = row.state();
        holds.push(!row.is_replaced() && state.holds_place(now, policy));
        bars.push(!row.is_replaced() && state.bars_another(now, policy));
    }
    let live = (0..rows.len()).filter(|at| holds[*at]).min_by_key(|at| {
        (!bars[*at], !rows[*at].live, rows[*at].first_paid_at.is_none(), rows[*at].first_paid_at, *at)
    });
    for (at, row) in rows.iter_mut().enumerate() {
        row.live = live == Some(at);
        if live.is_some() && !row.live && row.is_running() {
            let is_paid = bars[at] && row.first_paid_at.is_some();
            row.retired = Some(if is_paid { Retired::Duplicate } else { Retired::Replaced });
        }
    }
}

/// Whether the person behind an account has paid before, under this account or another one.
pub(crate) fn buyer_history(account: &Account, rows: &[Subscription]) -> BuyerHistory {
    if has_paid(rows) || account.subscribed_before {
        BuyerHistory::PaidBefore
    } else {
        BuyerHistory::FirstSubscription
    }
}

/// The account's subscription that can be cancelled or refunded: one that gives access, is
/// suspended, or is before its first charge. A later purchase that waits for its boleto does not
/// hide it.
pub(crate) fn running<'r>(
    rows: &'r [Subscription],
    now: Timestamp,
    policy: &Policy,
) -> Option<&'r Subscription> {
    let has_begun = |row: &&Subscription| {
        let status = row.state().phase_at(now, policy).status;
        row.is_running() && !matches!(status, Status::Canceled | Status::AwaitingPayment)
    };
    rows.iter().filter(has_begun).find(|row| row.live).or_else(|| rows.iter().find(has_begun))
}

/// When the subscription renews: at the end of a paid period that still runs.
pub(crate) fn renews_at(row: &Subscription, now: Timestamp) -> Option<Timestamp> {
    let state = row.state();
    let until = state.paid_until.filter(|until| now < *until)?;
    let renews = row.live && !state.cancels_at_period_end && state.ended_at.is_none();
    (renews && state.takeback == Takeback::None).then_some(until)
}

/// The next charge of a subscription; `None` if it does not renew or if its renewal is open.
pub(crate) fn next_charge_of(row: &Subscription, balance: Centavos, now: Timestamp) -> Option<NextCharge> {
    next_charge(renews_at(row, now), row.price_centavos, balance, row.pays_by_boleto())
}

/// The open boleto that can be paid now; the newest of several.
pub(crate) fn waiting_boleto<'a>(
    invoices: &'a [Invoice],
    rows: &[Subscription],
    now: Timestamp,
) -> Option<&'a Invoice> {
    let is_asked = |row: &Invoice| rows.iter().any(|s| s.id == row.subscription_id && s.is_running());
    invoices.iter().rfind(|row| row.boleto_waits(now) && is_asked(row))
}

/// Time of the first charge of a purchase that is made now; `None` if it is charged immediately.
/// Only an account that has never paid is charged later, because only it has a trial.
pub(crate) fn charged_at(
    purchase: TrialPurchase,
    account: &Account,
    rows: &[Subscription],
    now: Timestamp,
) -> Option<Timestamp> {
    let trial_ends = trial_ended_at(account.created_at, account_state(account).trial);
    // The provider knows whole seconds.
    let trial_ends = Timestamp::from_unix_seconds(trial_ends.as_unix_seconds());
    first_charge_at(purchase, Some(trial_ends), now).filter(|_| !has_paid(rows))
}
