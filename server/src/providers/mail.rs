//! Delivers mails: to the sandbox's mailbox, or to a mail server over SMTP.

mod message;
mod smtp;

use http::StatusCode;
use serde::Serialize;

use super::{client_for, recorded, send};
pub use message::MailReply;
use message::TIMEOUT;
pub(crate) use message::{MailError, Message};
use smtp::SmtpSender;
pub use smtp::{Smtp, SmtpError};

/// The transport of mails.
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

/// Sends mails; clones share connections.
#[derive(Debug, Clone)]
pub(crate) struct Mailer(Transport);

#[derive(Debug, Clone)]
enum Transport {
    Sandbox { url: String, http: reqwest::Client },
    Smtp(SmtpSender),
}

impl Mailer {
    /// Creates the client; sends nothing.
    pub(crate) fn new(settings: MailSettings) -> Result<Self, reqwest::Error> {
        Ok(Self(match settings {
            MailSettings::Sandbox { url } => {
                let http = client_for(&url).timeout(TIMEOUT).build()?;
                Transport::Sandbox { url, http }
            }
            MailSettings::Smtp(smtp) => Transport::Smtp(smtp.sender()),
        }))
    }

    /// Sends one mail and returns the provider's reply in its own words, which no log may have
    /// because they may repeat the address. An error says why there was no reply.
    pub(crate) async fn send_and_read_reply(
        &self,
        key: &str,
        message: &Message,
    ) -> Result<MailReply, anyhow::Error> {
        match &self.0 {
            Transport::Sandbox { url, http } => {
                let status = post_mail(http, url, key, message).await?;
                let text = format!("{status} by the sandbox's mailbox");
                Ok(if status.is_success() { MailReply::Accepted(text) } else { MailReply::Refused(text) })
            }
            Transport::Smtp(smtp) => smtp.send_and_read_reply(key, message).await,
        }
    }

    /// Sends one mail. The provider delivers a key once if it can recognise it.
    pub(crate) async fn send(&self, key: &str, message: &Message) -> Result<(), MailError> {
        recorded("mail_send", async {
            match &self.0 {
                Transport::Sandbox { url, http } => post(http, url, key, message).await,
                Transport::Smtp(smtp) => smtp.send(key, message).await,
            }
        })
        .await
    }
}

async fn post(http: &reqwest::Client, url: &str, key: &str, message: &Message) -> Result<(), MailError> {
    let status = post_mail(http, url, key, message).await;
    let status = status.map_err(|error| MailError::Unavailable(error.into()))?;
    let cause = anyhow::anyhow!("it answered {status}");
    match status {
        status if status.is_success() => Ok(()),
        StatusCode::UNPROCESSABLE_ENTITY => Err(MailError::Undeliverable(cause)),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(MailError::CredentialsRefused(cause)),
        status if status.is_client_error() => Err(MailError::Refused(cause)),
        _ => Err(MailError::Unavailable(cause)),
    }
}

async fn post_mail(
    http: &reqwest::Client,
    url: &str,
    key: &str,
    message: &Message,
) -> Result<StatusCode, reqwest::Error> {
    #[derive(Serialize)]
    struct Keyed<'a> {
        key: &'a str,
        #[serde(flatten)]
        message: &'a Message,
    }
    Ok(send(http.post(format!("{url}/mail")).json(&Keyed { key, message })).await?.status())
}

#[cfg(test)]
mod tests {
    use garimpo_domain::Email;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mail_library_can_write_any_email(
            text in prop_oneof!["\\PC{1,12}@\\PC{1,12}\\.\\PC{1,6}", "[a-z.+'\"-]{1,12}@[a-z.-]{1,12}\\.[a-z-]{1,6}"]
        ) {
            if let Ok(email) = Email::parse(&text) {
                prop_assert!(email.as_str().parse::<lettre::Address>().is_ok(), "{}", email);
            }
        }
    }
}
