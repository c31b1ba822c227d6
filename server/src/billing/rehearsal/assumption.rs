//! An assumption about the payment provider, and how it is checked.

use std::fmt;

use futures::future::BoxFuture;

use crate::billing::rehearsal::error::RehearsalError;
use crate::billing::rehearsal::outcome::{Outcome, Unchecked};
use crate::billing::rehearsal::stage::Stage;
use crate::billing::rehearsal::tools::{Browser, SceneError};

/// A check by calls.
macro_rules! calls {
    (|$stage:ident| $outcome:expr) => {
        Check::Calls(|$stage| Box::pin(async move { Ok($outcome) }))
    };
}

/// A check by calls and a person in a browser.
macro_rules! in_browser {
    (|$stage:ident| $outcome:expr) => {
        Check::Browser(|$stage| Box::pin(async move { Ok($outcome) }))
    };
}

pub(super) use {calls, in_browser};

/// An assumption that the product makes about the payment provider.
#[derive(Debug)]
pub struct Assumption {
    /// Stable name, in kebab-case.
    pub id: &'static str,
    /// The assumption in a few words.
    pub title: &'static str,
    /// The behaviour that a check must observe.
    pub expects: &'static str,
    /// Why it matters, and what the product does if it is false.
    pub why: &'static str,
    /// Where the assumption comes from.
    pub source: Source,
    /// How it is checked.
    pub check: Check,
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
    /// The provider documents nothing; the sentence gives the reason of the assumption.
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
    /// Not by a rehearsal, for this reason.
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

impl Check {
    /// Makes the check. An error ends the run.
    pub(super) async fn run(self, stage: &Stage) -> Result<Outcome, RehearsalError> {
        let has_browser = matches!(stage.tools.setting.browser, Browser::Asks(_));
        match self {
            Self::Never(why) => Ok(Outcome::NotChecked(Unchecked::Never(why))),
            Self::Browser(_) if !has_browser => Ok(Outcome::NotChecked(Unchecked::NoBrowser)),
            Self::Calls(check) | Self::Browser(check) => check(stage).await.or_else(Outcome::of_failure),
        }
    }
}
