//! The rehearsal: checks against the real provider, in test mode, what the product assumes about it.
//!
//! `list` names every assumption, and `docs/provider-assumptions.md` is written from it by `document`. A `stage` holds
//! what a run works with; `dunning`, `authentication`, `trial`, `plan_change`, `boleto`, `refunds`, `prices`, `requests`
//! and `browser` play scenes on test clocks and judge what came of them; `cleanup` removes what a run made. Nothing here
//! writes the product's database: its caller reads which account it belongs to.

mod assumption;
mod authentication;
mod boleto;
mod browser;
mod cleanup;
mod document;
mod dunning;
mod list;
mod plan_change;
mod prices;
mod refunds;
mod requests;
mod stage;
mod trial;

use std::time::Duration;

use futures::StreamExt;
use secrecy::{ExposeSecret, SecretString};

use crate::ids::Ids;
use crate::providers::stripe::{Stripe, StripeError, StripeSettings};

pub use assumption::{Area, Assumption, Check, Outcome, Source, Unchecked};
pub use cleanup::Leftover;
pub use document::document;
pub use list::ASSUMPTIONS;
pub use stage::{Browser, Setting};

use stage::Stage;

/// Checks that run at the same time. Each makes a few calls a second; the provider's test mode takes 25.
const CONCURRENT: usize = 4;

/// How long the removal at the end may take: what is left then is removed by the next rehearsal.
const REMOVAL_TIME: Duration = Duration::from_mins(1);

/// What a run does.
pub struct Options<'a> {
    /// The assumptions to check, in the order of the list.
    pub assumptions: Vec<&'a Assumption>,
    /// In what it takes place.
    pub setting: Setting,
}

/// What a run found besides the outcomes, which are reported one by one.
#[derive(Debug)]
pub struct Ended {
    /// Why the run ended before its last assumption.
    pub interrupted: Option<RehearsalError>,
    /// What could not be removed.
    pub leftovers: Vec<Leftover>,
}

/// Why a rehearsal does not start, or does not go on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RehearsalError {
    /// The key works with real money.
    #[error("the key is a live key: a rehearsal takes a test mode key alone")]
    LiveKey,
    /// The provider does not know the key.
    #[error("the provider refused the key: use a test mode key of the account")]
    KeyRefused,
    /// The key cannot read whether it is a live key.
    #[error(
        "the key cannot read the balance, which shows whether it is a live key: allow it to read Balance"
    )]
    UnknownMode,
    /// The operator interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// Any other failure of the first calls.
    #[error("{0}")]
    Provider(StripeError),
}

impl From<StripeError> for RehearsalError {
    fn from(error: StripeError) -> Self {
        match error {
            StripeError::Refused { status: 401, .. } => Self::KeyRefused,
            error => Self::Provider(error),
        }
    }
}

/// Whether a key's prefix is one of live mode.
fn is_live(key: &SecretString) -> bool {
    let key = key.expose_secret().trim_start();
    ["sk_live_", "rk_live_"].iter().any(|prefix| key.starts_with(prefix))
}

/// Checks the assumptions, reports each outcome in the list's order and removes everything that it made, as well as what
/// an earlier rehearsal left.
///
/// `stop` ends the checks; what was made is removed all the same.
///
/// # Errors
/// The key is not one of test mode, or the first calls fail: then nothing was made.
pub async fn rehearse(
    settings: StripeSettings,
    ids: &Ids,
    options: Options<'_>,
    stop: impl Future<Output = ()>,
    mut report: impl FnMut(&Assumption, &Outcome),
) -> Result<Ended, RehearsalError> {
    if is_live(&settings.secret_key) {
        return Err(RehearsalError::LiveKey);
    }
    let stripe = Stripe::new(settings)?;
    match stripe.balance_is_live().await {
        Ok(false) => {}
        Ok(true) => return Err(RehearsalError::LiveKey),
        Err(StripeError::Refused { status: 403, .. }) => return Err(RehearsalError::UnknownMode),
        Err(error) => return Err(error.into()),
    }
    // Objects of a rehearsal that crashed would be in this one's way: a clock limit, a coupon's name.
    if let Some(leftover) = cleanup::remove_marked(&stripe).await.into_iter().next() {
        return Err(leftover.error.into());
    }
    let stage = Stage::new(stripe.clone(), ids.id(""), options.setting);
    let interrupted = tokio::select! {
        checked = check_all(&stage, &options.assumptions, &mut report) => checked.err(),
        () = stop => Some(RehearsalError::Interrupted),
    };
    Ok(Ended { interrupted, leftovers: cleanup::remove_within(REMOVAL_TIME, &stripe).await })
}

/// Those that need no person first, several at a time; then the others, one link at a time.
async fn check_all(
    stage: &Stage,
    assumptions: &[&Assumption],
    report: &mut impl FnMut(&Assumption, &Outcome),
) -> Result<(), RehearsalError> {
    let (alone, with_person): (Vec<_>, Vec<_>) =
        assumptions.iter().copied().partition(|assumption| !matches!(assumption.check, Check::Browser(_)));
    for (group, concurrent) in [(alone, CONCURRENT), (with_person, 1)] {
        let outcomes =
            group.into_iter().map(|assumption| async move { (assumption, assumption.check(stage).await) });
        let mut outcomes = futures::stream::iter(outcomes).buffered(concurrent);
        while let Some((assumption, outcome)) = outcomes.next().await {
            let outcome = outcome?;
            report(assumption, &outcome);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chave_de_producao_se_conhece_pelo_prefixo() {
        for (key, expected) in [
            ("sk_live_51abc", true),
            ("rk_live_51abc", true),
            (" sk_live_51abc", true),
            ("sk_test_51abc", false),
            ("rk_test_51abc", false),
        ] {
            assert_eq!(is_live(&SecretString::from(key)), expected, "{key}");
        }
    }
}
