//! Hands mails to who delivers them.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Outcome, client_for, tell};

const TIMEOUT: Duration = Duration::from_secs(10);

/// Who delivers mails.
#[derive(Debug, Clone)]
pub enum MailSettings {
    /// The sandbox's mailbox.
    Sandbox {
        /// Origin of the sandbox, without a trailing slash.
        url: String,
    },
}

/// One mail, ready to be read.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Address.
    pub to: String,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// HTML.
    pub html: String,
}

/// Why a mail was not handed over; the queue tries again.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The deliverer could not be reached.
    #[error("the mail provider does not answer")]
    Unavailable(#[source] reqwest::Error),
    /// It refused the mail.
    #[error("the mail provider answered {0}")]
    Refused(reqwest::StatusCode),
}

/// A deliverer of mails; clones share connections.
#[derive(Debug, Clone)]
pub struct Mailer {
    settings: MailSettings,
    http: reqwest::Client,
}

impl Mailer {
    /// Makes the client; nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be made.
    pub fn new(settings: MailSettings) -> Result<Self, reqwest::Error> {
        let MailSettings::Sandbox { url } = &settings;
        let http = client_for(url).timeout(TIMEOUT).build()?;
        Ok(Self { settings, http })
    }

    /// Hands over one mail; the same key is delivered once, where the deliverer can tell.
    ///
    /// # Errors
    /// See [`MailError`].
    pub async fn send(&self, key: &str, message: &Message) -> Result<(), MailError> {
        #[derive(Serialize)]
        struct Keyed<'a> {
            key: &'a str,
            #[serde(flatten)]
            message: &'a Message,
        }
        let started = Instant::now();
        let MailSettings::Sandbox { url } = &self.settings;
        let answer = self.http.post(format!("{url}/mail")).json(&Keyed { key, message }).send().await;
        let sent = match answer.map(|answer| answer.status()) {
            Ok(status) if status.is_success() => Ok(()),
            Ok(status) => Err(MailError::Refused(status)),
            Err(error) => Err(MailError::Unavailable(error)),
        };
        let error = sent.as_ref().err();
        let outcome = error.map_or(Outcome::Ok, MailError::outcome);
        tell("mail_send", outcome, started.elapsed(), error.map(|error| error as _));
        sent
    }
}

impl MailError {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Refused(status) if status.is_client_error() => Outcome::Refused,
            Self::Unavailable(_) | Self::Refused(_) => Outcome::Unavailable,
        }
    }
}
