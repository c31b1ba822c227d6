//! An assumption about the payment provider, and how it is checked.

use futures::future::BoxFuture;
use serde::Deserialize;

use crate::billing::rehearsal::error::RehearsalError;
use crate::billing::rehearsal::outcome::{Outcome, Unchecked};
use crate::billing::rehearsal::stage::Stage;
use crate::billing::rehearsal::tools::SceneError;

/// An assumption that the product makes about the payment provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// Stable name, in kebab-case.
    pub id: String,
    /// The assumption in a few words.
    pub title: String,
    /// The behaviour that a check must observe.
    pub expects: String,
    /// Why it matters, and what the product does if it is false.
    pub why: String,
    /// Where the assumption comes from.
    pub source: Source,
    /// Why no rehearsal can check it.
    pub never: Option<String>,
}

/// Where an assumption comes from.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A public page of the provider.
    Page(String),
    /// Types and comments of the provider's Node library, by name.
    Library(String),
    /// Two pages that contradict each other.
    Pages([String; 2]),
    /// The provider documents nothing; the sentence gives the reason of the assumption.
    Undocumented(String),
    /// A setting of the provider's account, as `docs/operation.md` asks for it.
    AccountSetting(String),
}

/// A check on the stage of a run.
pub type CheckFn = for<'s> fn(&'s Stage) -> BoxFuture<'s, Result<Outcome, SceneError>>;

/// How an assumption is checked.
#[derive(Clone, Copy)]
pub enum Check<'a> {
    /// By calls alone.
    Calls(CheckFn),
    /// By calls and a person who completes a step in a browser.
    Browser(CheckFn),
    /// Not by a rehearsal, for this reason.
    Never(&'a str),
}

impl Check<'_> {
    /// Makes the check. An error ends the run.
    pub(super) async fn run(self, stage: &Stage) -> Result<Outcome, RehearsalError> {
        let has_browser = stage.tools.setting.browser.is_some();
        match self {
            Self::Never(why) => Ok(Outcome::NotChecked(Unchecked::Never(why.to_owned()))),
            Self::Browser(_) if !has_browser => Ok(Outcome::NotChecked(Unchecked::NoBrowser)),
            Self::Calls(check) | Self::Browser(check) => check(stage).await.or_else(Outcome::of_failure),
        }
    }
}
