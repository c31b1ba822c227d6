//! The outcome of a check.

use crate::billing::rehearsal::error::RehearsalError;
use crate::billing::rehearsal::tools::SceneError;
use crate::causes::Causes;
use crate::providers::stripe::StripeError;

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// The provider behaves as assumed.
    Holds,
    /// The provider behaves differently.
    Differs {
        /// The observed behaviour.
        seen: String,
    },
    /// The check has no result.
    NotChecked(Unchecked),
}

/// Why an assumption was not checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// No rehearsal can show it.
    #[error("{0}")]
    Never(String),
    /// It needs a browser, and the run has none.
    #[error("needs a browser: run without --no-browser")]
    NoBrowser,
    /// The step in the browser was not completed within this many minutes.
    #[error("nobody completed the step in the browser within {0} minutes")]
    NobodyCame(u64),
    /// The key lacks a permission.
    #[error("the key lacks a permission: {0}")]
    Permission(String),
    /// The scene did not reach the state that the check is about.
    #[error("{0}")]
    NothingToSee(String),
    /// A call failed: the run is incomplete.
    #[error("failed: {0}")]
    Failed(String),
}

impl Outcome {
    /// `Holds` if the condition is true, else `Differs`.
    pub(super) fn of(holds: bool, seen: impl Into<String>) -> Self {
        if holds { Self::Holds } else { Self::differs(seen) }
    }

    pub(super) fn differs(seen: impl Into<String>) -> Self {
        Self::Differs { seen: seen.into() }
    }

    pub(super) fn nothing_to_see(why: impl Into<String>) -> Self {
        Self::NotChecked(Unchecked::NothingToSee(why.into()))
    }

    /// The outcome of a check whose scene failed. A refused key ends the run, because no other
    /// check can be made either.
    pub(super) fn of_failure(error: SceneError) -> Result<Self, RehearsalError> {
        Ok(Self::NotChecked(match error {
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
            error => Unchecked::Failed(Causes(&error).to_string()),
        }))
    }

    /// Name in JSON.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Whether it makes the run incomplete.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::NotChecked(Unchecked::Failed(_)))
    }
}
