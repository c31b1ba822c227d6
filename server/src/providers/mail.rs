//! Hands mails to who delivers them: the sandbox's mailbox, or a server that speaks SMTP.

use std::time::{Duration, Instant};

mod smtp;

use smtp::SmtpOffice;
pub use smtp::{Smtp, SmtpError};

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
    /// A mail server.
    Smtp(Box<Smtp>),
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

/// Why a mail was not handed over.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The deliverer could not be reached, or asked to come back; the queue does.
    #[error("the mail provider does not answer")]
    Unavailable(#[source] anyhow::Error),
    /// It will never take this mail.
    #[error("the mail provider refused the mail")]
    Refused(#[source] anyhow::Error),
}

/// A deliverer of mails; clones share connections.
#[derive(Debug, Clone)]
pub struct Mailer(Office);

#[derive(Debug, Clone)]
enum Office {
    Sandbox { url: String, http: reqwest::Client },
    Smtp(SmtpOffice),
}

impl Mailer {
    /// Makes the client; nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be made.
    pub fn new(settings: MailSettings) -> Result<Self, reqwest::Error> {
        Ok(Self(match settings {
            MailSettings::Sandbox { url } => {
                let http = client_for(&url).timeout(TIMEOUT).build()?;
                Office::Sandbox { url, http }
            }
            MailSettings::Smtp(smtp) => Office::Smtp(smtp.office()),
        }))
    }

    /// Hands over one mail; the same key is delivered once, where the deliverer can tell.
    ///
    /// # Errors
    /// See [`MailError`].
    pub async fn send(&self, key: &str, message: &Message) -> Result<(), MailError> {
        let started = Instant::now();
        let sent = match &self.0 {
            Office::Sandbox { url, http } => post(http, url, key, message).await,
            Office::Smtp(smtp) => smtp.send(key, message).await,
        };
        let error = sent.as_ref().err();
        let outcome = match error {
            None => Outcome::Ok,
            Some(MailError::Refused(_)) => Outcome::Refused,
            Some(MailError::Unavailable(_)) => Outcome::Unavailable,
        };
        tell("mail_send", outcome, started.elapsed(), error.map(|error| error as _));
        sent
    }
}

async fn post(http: &reqwest::Client, url: &str, key: &str, message: &Message) -> Result<(), MailError> {
    #[derive(Serialize)]
    struct Keyed<'a> {
        key: &'a str,
        #[serde(flatten)]
        message: &'a Message,
    }
    let answer = http.post(format!("{url}/mail")).json(&Keyed { key, message }).send().await;
    let answer = answer.map_err(|error| MailError::Unavailable(error.into()))?;
    let answered = |status| anyhow::anyhow!("it answered {status}");
    match answer.status() {
        status if status.is_success() => Ok(()),
        status if status.is_client_error() => Err(MailError::Refused(answered(status))),
        status => Err(MailError::Unavailable(answered(status))),
    }
}
