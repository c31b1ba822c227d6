//! What an assumption is, and what a check makes of it.

use std::fmt;

use futures::future::BoxFuture;

use crate::billing::rehearsal::RehearsalError;
use crate::billing::rehearsal::stage::{SceneError, Stage};
use crate::providers::stripe::StripeError;

/// Something that the product assumes about the payment provider.
#[derive(Debug)]
pub struct Assumption {
    /// Stable name, in kebab-case.
    pub id: &'static str,
    /// What it is about.
    pub area: Area,
    /// The assumption in a few words.
    pub title: &'static str,
    /// What a check must see for it to hold.
    pub expects: &'static str,
    /// Why it matters, and what the product does where it is otherwise.
    pub why: &'static str,
    /// Where the assumption comes from.
    pub source: Source,
    /// How it is checked.
    pub check: Check,
}

/// What an assumption is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Prices, coupons and checkout sessions.
    Prices,
    /// Renewals, failed payments and their retries.
    Renewals,
    /// Cancellations and voided invoices.
    Endings,
    /// Payments that need the payer's authentication.
    Authentication,
    /// Trials and changes of plan.
    Plans,
    /// Boletos.
    Boletos,
    /// Refunds and disputes.
    Refunds,
    /// Requests, lists and events.
    Requests,
}

impl Area {
    /// Every area, in the order of the document.
    pub const ALL: [Self; 8] = [
        Self::Prices,
        Self::Renewals,
        Self::Endings,
        Self::Authentication,
        Self::Plans,
        Self::Boletos,
        Self::Refunds,
        Self::Requests,
    ];

    /// Heading in the document.
    pub fn title(self) -> &'static str {
        match self {
            Self::Prices => "Prices, coupons and checkouts",
            Self::Renewals => "Renewals and failed payments",
            Self::Endings => "Cancellations and voided invoices",
            Self::Authentication => "Payments that need authentication",
            Self::Plans => "Trials and changes of plan",
            Self::Boletos => "Boletos",
            Self::Refunds => "Refunds and disputes",
            Self::Requests => "Requests, lists and events",
        }
    }
}

/// Where an assumption comes from.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// A public page of the provider.
    Page(&'static str),
    /// Types and comments of the provider's Node library, by name.
    Library(&'static str),
    /// Two pages that contradict each other.
    Pages([&'static str; 2]),
    /// The provider documents nothing; the sentence says why the product assumes it.
    Undocumented(&'static str),
    /// A setting of the provider's account, as `docs/operation.md` asks for it.
    AccountSetting(&'static str),
}

/// A check on the stage of a run.
pub type CheckFn = for<'s> fn(&'s Stage) -> BoxFuture<'s, Result<Outcome, SceneError>>;

/// How an assumption is checked.
#[derive(Clone, Copy)]
pub enum Check {
    /// By calls alone.
    Calls(CheckFn),
    /// By calls and a person who completes a step in a browser.
    Browser(CheckFn),
    /// No rehearsal can show it, for this reason.
    Never(&'static str),
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Calls(_) => "Calls",
            Self::Browser(_) => "Browser",
            Self::Never(_) => "Never",
        })
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The provider behaves as assumed.
    Holds,
    /// It behaves otherwise.
    Differs {
        /// What was seen.
        seen: String,
    },
    /// Nothing was seen either way.
    NotChecked(Unchecked),
}

/// Why an assumption was not checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// No rehearsal can show it.
    #[error("{0}")]
    Never(&'static str),
    /// It needs a browser, and the run has none.
    #[error("needs a browser: run without --no-browser")]
    NoBrowser,
    /// Nobody completed the step in the browser in time.
    #[error("nobody completed the step in the browser within {0} minutes")]
    NobodyCame(u64),
    /// The key lacks a permission.
    #[error("the key lacks a permission: {0}")]
    Permission(String),
    /// An earlier step came out so that this one has nothing to look at.
    #[error("{0}")]
    NothingToSee(String),
    /// A call failed: the run is incomplete.
    #[error("failed: {0}")]
    Failed(String),
}

impl Outcome {
    /// `Holds` where the condition is true; else what was seen.
    pub(super) fn of(holds: bool, seen: impl FnOnce() -> String) -> Self {
        if holds { Self::Holds } else { Self::Differs { seen: seen() } }
    }

    /// Nothing to look at, for this reason.
    pub(super) fn nothing_to_see(why: impl Into<String>) -> Self {
        Self::NotChecked(Unchecked::NothingToSee(why.into()))
    }

    /// Name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Differs { .. } => "differs",
            Self::NotChecked(_) => "not_checked",
        }
    }

    /// Whether the run is incomplete for it.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::NotChecked(Unchecked::Failed(_)))
    }
}

impl Assumption {
    /// Checks it.
    ///
    /// # Errors
    /// The provider refuses the key: no other check can be made either.
    pub(super) async fn check(&self, stage: &Stage) -> Result<Outcome, RehearsalError> {
        let checked = match self.check {
            Check::Never(why) => return Ok(Outcome::NotChecked(Unchecked::Never(why))),
            Check::Browser(_) if !stage.has_browser() => {
                return Ok(Outcome::NotChecked(Unchecked::NoBrowser));
            }
            Check::Calls(check) | Check::Browser(check) => check(stage).await,
        };
        let error = match checked {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        Ok(Outcome::NotChecked(match error {
            SceneError::Provider(StripeError::Refused { status: 401, .. }) => {
                return Err(RehearsalError::KeyRefused);
            }
            // The text names the permission; it is about the account's own key.
            SceneError::Provider(StripeError::Refused { status: 403, message, .. }) => {
                Unchecked::Permission(message)
            }
            SceneError::Provider(StripeError::Refused { ref message, .. }) if !message.is_empty() => {
                Unchecked::Failed(format!("{error}: {message}"))
            }
            SceneError::NobodyCame(minutes) => Unchecked::NobodyCame(minutes),
            SceneError::Unexpected(seen) => Unchecked::NothingToSee(seen),
            error => Unchecked::Failed(error.to_string()),
        }))
    }
}
