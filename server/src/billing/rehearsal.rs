//! The rehearsal: checks the product's assumptions about the real payment provider in test mode.
//!
//! `assumptions.toml` states every assumption, and `docs/provider-assumptions.md` is generated from
//! it; `list` has the check of each.
//! A run has `tools` (client, test clocks, cards) and plays `scenes` on test clocks; the `stage`
//! plays each scene once. `checks` need no scene. `cleanup` removes everything that a run created.
//! Imports go from `list` to `stage`, `scenes` and `tools`. Nothing here writes the product's
//! database.

mod assumption;
mod checks;
mod cleanup;
mod error;
mod list;
mod outcome;
mod scenes;
mod stage;
mod tools;

use std::time::Duration;

use futures::StreamExt;
use secrecy::{ExposeSecret, SecretString};

use crate::ids::Ids;
use crate::providers::stripe::{Stripe, StripeError, StripeSettings};

pub use assumption::{Assumption, Check};
pub use cleanup::Leftover;
pub use error::RehearsalError;
pub use list::assumptions;
pub use outcome::Outcome;
pub use tools::{Ask, Setting};

use list::check_of;
use stage::Stage;
use tools::Tools;

/// Checks that run at the same time. Each makes a few calls per second; test mode allows 25.
const CONCURRENT_CHECKS: usize = 4;

/// Time limit of the removal at the end; the next rehearsal removes the rest.
const REMOVAL_LIMIT: Duration = Duration::from_mins(1);

/// The end of a run.
#[derive(Debug)]
pub struct Ended {
    /// Why the run ended before its last assumption.
    pub interrupted: Option<RehearsalError>,
    /// Objects that could not be removed.
    pub leftovers: Vec<Leftover>,
}

/// Checks the assumptions, reports each outcome in the order of the list, and removes everything
/// that it created or an earlier rehearsal left. `stop` ends the checks, but not the removal.
///
/// # Errors
/// The key is not a test mode key, or the first calls fail: then nothing was created.
pub async fn rehearse(
    settings: StripeSettings,
    ids: &Ids,
    assumptions: &[&Assumption],
    setting: Setting,
    stop: impl Future<Output = ()>,
    mut report: impl FnMut(&Assumption, &Outcome),
) -> Result<Ended, RehearsalError> {
    if is_live(&settings.secret_key) {
        return Err(RehearsalError::LiveKey);
    }
    let stripe = Stripe::new(settings)?;
    match stripe.is_live().await {
        Ok(false) => {}
        Ok(true) => return Err(RehearsalError::LiveKey),
        Err(StripeError::Refused { status: 403, .. }) => return Err(RehearsalError::UnknownMode),
        Err(error) => return Err(error.into()),
    }
    // Objects of a crashed rehearsal would be in the way: a limit of clocks, a coupon's name.
    if let Some(leftover) = cleanup::remove_marked(&stripe).await.into_iter().next() {
        return Err(leftover.error.into());
    }
    let stage = Stage::new(Tools::new(stripe.clone(), ids.id(""), setting));
    let interrupted = tokio::select! {
        checked = check_all(&stage, assumptions, &mut report) => checked.err(),
        () = stop => Some(RehearsalError::Interrupted),
    };
    Ok(Ended { interrupted, leftovers: cleanup::remove_within(REMOVAL_LIMIT, &stripe).await })
}

fn is_live(key: &SecretString) -> bool {
    let key = key.expose_secret().trim_start();
    key.starts_with("sk_live_") || key.starts_with("rk_live_")
}

/// Makes the checks without a browser first, several at a time, then the others one by one.
async fn check_all(
    stage: &Stage,
    assumptions: &[&Assumption],
    report: &mut impl FnMut(&Assumption, &Outcome),
) -> Result<(), RehearsalError> {
    let checks = assumptions.iter().map(|assumption| (*assumption, check_of(assumption)));
    let (by_calls, in_browser): (Vec<_>, Vec<_>) =
        checks.partition(|(_, check)| !matches!(check, Check::Browser(_)));
    for (group, concurrent) in [(by_calls, CONCURRENT_CHECKS), (in_browser, 1)] {
        let outcomes =
            group.into_iter().map(|(assumption, check)| async move { (assumption, check.run(stage).await) });
        let mut outcomes = futures::stream::iter(outcomes).buffered(concurrent);
        while let Some((assumption, outcome)) = outcomes.next().await {
            report(assumption, &outcome?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
