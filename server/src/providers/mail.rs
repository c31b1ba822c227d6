//! Delivers mails: to the sandbox's mailbox, or to a mail server over SMTP.

mod message;
mod smtp;

use garimpo_domain::Email;
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

/// Whether a mail can be sent to an address: the mail library can write it, and no SMTP extension
/// is needed that few servers have.
pub(crate) fn is_addressable(email: &Email) -> bool {
    let Ok(address) = email.as_str().parse::<lettre::Address>() else { return false };
    let is_of_local = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_of_domain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    address.user().bytes().all(is_of_local) && address.domain().chars().all(is_of_domain)
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
    use super::*;

    #[test]
    fn an_address_that_a_mail_server_rejects_is_not_accepted() {
        let addressable = |text| Email::parse(text).is_ok_and(|email| is_addressable(&email));
        for good in ["ana@exemplo.com.br", "ana.b+promo@x-y.com", "o'neil@x.com", "ana@ação.com.br"] {
            assert!(addressable(good), "{good}");
        }
        let (long_local, long_label) =
            (format!("{}@x.com", "a".repeat(65)), format!("a@{}.com", "b".repeat(64)));
        for bad in [
            "a..b@x.com",
            ".a@x.com",
            "a,b@x.com",
            "<script>@b.co",
            "\"ana\"@x.com",
            "ana@-x.com",
            "ana@x..com",
            "an\u{202e}a@x.com",
            "á@x.com",
            "ana@[127.0.0.1].com",
            &long_local,
            &long_label,
        ] {
            assert!(!addressable(bad), "{bad}");
        }
    }
}
