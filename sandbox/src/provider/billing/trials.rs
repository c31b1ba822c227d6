//! Trials that an update begins, moves or ends: `trial_end` of `POST /v1/subscriptions/{id}`.
//!
//! The start of a trial in a paid period is billed at once: nothing for the trial, less the unused
//! time unless `proration_behavior` is `none`. The next period begins at the end of the trial.

use crate::objects::{Subscription, SubscriptionStatus};
use crate::provider::amounts::period_end;
use crate::provider::billing::plan_changes::{Plan, Prorations, debited};
use crate::provider::billing::proration::{Change, shares};
use crate::provider::billing::{drafts, upcoming};
use crate::provider::{ApiError, Params};
use crate::state::Tx;

/// Longest time in seconds from the billing cycle anchor to the end of a trial.
const TWO_YEARS: i64 = 2 * 366 * 86_400;

/// Computes the trial that a call asks for; `None` where it asks for none.
///
/// # Errors
/// 400 naming the parameter.
pub async fn plan(tx: &mut Tx, before: &Subscription, params: &Params) -> Result<Option<Plan>, ApiError> {
    let Some(given) = params.text("trial_end") else { return Ok(None) };
    let is_trial = match before.status {
        SubscriptionStatus::Trialing => true,
        SubscriptionStatus::Active => false,
        _ => {
            let message = "The sandbox gives a trial to active and trialing subscriptions alone.";
            return Err(ApiError::value_not_played("trial_end", message));
        }
    };
    let message = "The sandbox changes items and a trial in two calls.";
    ensure!(!params.has("items"), ApiError::value_not_played("trial_end", message));
    let prorations = Prorations::read(tx, before, params, "")?;
    let plan = if given == "now" {
        if is_trial { end(tx, before).await? } else { return Ok(None) }
    } else {
        let until = trial_end(tx, before, params)?;
        if is_trial { move_end(before, until) } else { start(tx, before, &prorations, until).await? }
    };
    Ok(Some(plan))
}

fn trial_end(tx: &Tx, before: &Subscription, params: &Params) -> Result<i64, ApiError> {
    let until = params.integer("trial_end")?.unwrap_or_default();
    let message = "Invalid timestamp: trial_end must be in the future.";
    ensure!(until > tx.now.seconds(), ApiError::param("trial_end", message));
    let message = "Invalid timestamp: can be no more than two years past billing_cycle_anchor.";
    let is_near = until <= before.billing_cycle_anchor + TWO_YEARS;
    ensure!(is_near, ApiError::param("trial_end", message));
    Ok(until)
}

/// The subscription with another period and trial end.
fn with_period(before: &Subscription, start: i64, end: i64, trial_end: i64) -> Subscription {
    let mut after = before.clone();
    after.trial_end = Some(trial_end);
    after.billing_cycle_anchor = trial_end;
    for item in &mut after.items.data {
        (item.current_period_start, item.current_period_end) = (start, end);
    }
    after
}

/// A trial in place of the rest of a paid period.
async fn start(
    tx: &mut Tx,
    before: &Subscription,
    prorations: &Prorations,
    until: i64,
) -> Result<Plan, ApiError> {
    let now = tx.now.seconds();
    let mut after = with_period(before, now, until, until);
    after.status = SubscriptionStatus::Trialing;
    after.trial_start = Some(now);
    let mut lines = Vec::new();
    if prorations.are_made {
        let own = before.item();
        let change = Change {
            debited: debited(tx, before, own).await?,
            price: 0,
            period: before.period(),
            at: prorations.at,
            restart: Some((now, until)),
        };
        let unused = shares(&change).into_iter().filter(|share| share.is_part);
        lines.extend(unused.map(|share| drafts::part_line(before, own, &own.price, &share)));
    }
    lines.push(drafts::period_line(&after, after.item(), true));
    Ok(Plan { after, lines, discount: None, bills_now: true, restarts: true })
}

/// Another end of a running trial, which is not billed.
fn move_end(before: &Subscription, until: i64) -> Plan {
    let after = with_period(before, before.period().0, until, until);
    Plan { after, lines: Vec::new(), discount: None, bills_now: false, restarts: true }
}

/// The end of a running trial: the first paid period begins and is charged.
async fn end(tx: &mut Tx, before: &Subscription) -> Result<Plan, ApiError> {
    let now = tx.now.seconds();
    let end = period_end(now, &before.item().price["recurring"]);
    let mut after = with_period(before, now, end, now);
    after.status = SubscriptionStatus::Active;
    let lines = vec![drafts::period_line(&after, after.item(), false)];
    let discount = upcoming::take_discount(tx, &mut after).await?;
    Ok(Plan { after, lines, discount, bills_now: true, restarts: true })
}
