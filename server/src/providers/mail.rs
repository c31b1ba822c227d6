//! Hands mails to who delivers them: the sandbox's mailbox, or a server that speaks SMTP.

use std::time::{Duration, Instant};

mod smtp;

use smtp::SmtpOffice;
pub use smtp::{Smtp, SmtpError};

use garimpo_domain::person::{Email, is_domain_in_own_letters};
use http::StatusCode;
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
    /// The recipient's address takes no mail now; it may later.
    #[error("the recipient's address takes no mail now")]
    Deferred(#[source] anyhow::Error),
    /// The recipient's address takes no mail.
    #[error("the recipient's address takes no mail")]
    Undeliverable(#[source] anyhow::Error),
    /// It will never take this mail.
    #[error("the mail provider refused the mail")]
    Refused(#[source] anyhow::Error),
}

/// Whether mail can be addressed so: what the mail library can write, without an extension that few
/// servers have, and without a character that a reader does not see.
pub fn is_addressable(email: &Email) -> bool {
    let Ok(address) = email.as_str().parse::<lettre::Address>() else { return false };
    let is_of_local = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_of_domain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let domain = address.domain();
    address.user().bytes().all(is_of_local)
        && domain.chars().all(is_of_domain)
        && is_domain_in_own_letters(domain)
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
            Some(MailError::Refused(_) | MailError::Undeliverable(_) | MailError::Deferred(_)) => {
                Outcome::Refused
            }
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
        StatusCode::UNPROCESSABLE_ENTITY => Err(MailError::Undeliverable(answered(answer.status()))),
        status if status.is_client_error() => Err(MailError::Refused(answered(status))),
        status => Err(MailError::Unavailable(answered(status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endereco_que_o_correio_nao_escreve_nao_e_aceito() {
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
            "ana@x\u{200b}y.com",
            "á@x.com",
            "ana@[127.0.0.1].com",
            "ana@c\u{ff4f}rp.example",
            "ana@\u{24d2}orp.example",
            &long_local,
            &long_label,
        ] {
            assert!(!addressable(bad), "{bad}");
        }
    }
}
