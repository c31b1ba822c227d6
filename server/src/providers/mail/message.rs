//! A mail, and why it was not delivered.

use std::time::Duration;

use serde::Serialize;

use crate::providers::{CallError, CallOutcome};

/// Time limit of a call to the mail provider.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// A mail with its texts.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Message {
    pub to: String,
    pub subject: String,
    /// Plain text.
    pub text: String,
    pub html: String,
}

/// Reply of the mail provider to one mail, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailReply {
    Accepted(String),
    Refused(String),
}

/// Why a mail was not delivered to the provider.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MailError {
    /// The provider is unreachable or asks for a later attempt.
    #[error("the mail provider does not answer")]
    Unavailable(#[source] anyhow::Error),
    /// The provider refuses our credentials. The mail waits until the operator corrects them.
    #[error("the mail provider refuses our credentials")]
    CredentialsRefused(#[source] anyhow::Error),
    /// The recipient's address accepts no mail now.
    #[error("the recipient's address takes no mail now")]
    Deferred(#[source] anyhow::Error),
    /// The recipient's address accepts no mail.
    #[error("the recipient's address takes no mail")]
    Undeliverable(#[source] anyhow::Error),
    /// The provider will never accept this mail.
    #[error("the mail provider refused the mail")]
    Refused(#[source] anyhow::Error),
}

impl CallError for MailError {
    fn outcome(&self) -> CallOutcome {
        match self {
            Self::Unavailable(_) => CallOutcome::Unavailable,
            Self::CredentialsRefused(_) => CallOutcome::CredentialsRefused,
            Self::Refused(_) | Self::Undeliverable(_) | Self::Deferred(_) => CallOutcome::Refused,
        }
    }
}
