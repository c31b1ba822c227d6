//! Mails over SMTP (RFC 5321), by lettre.

use std::error::Error;
use std::fmt;

use garimpo_domain::person::ascii_domain;
use lettre::address::AddressError;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::Error as TransportError;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::message::{MailError, MailReply, Message, TIMEOUT};
use crate::causes::Causes;

/// A mail server, and our address as the sender.
#[derive(Clone)]
pub struct Smtp {
    server: AsyncSmtpTransportBuilder,
    from: Mailbox,
}

/// Connections to a mail server; clones share them.
#[derive(Debug, Clone)]
pub(super) struct SmtpSender {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Why the settings of the mail server are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpError {
    /// The address cannot be read.
    #[error("not an address of a mail server")]
    Url,
    /// Mails and the password would cross a network without encryption.
    #[error("a mail server that is not on loopback, without TLS")]
    InTheClear,
    /// The sender cannot be read.
    #[error("not an email address")]
    From,
}

impl Smtp {
    /// Reads `smtps://user:password@host:port`, `smtp://…?tls=required` (STARTTLS), or `smtp://` on
    /// loopback, and a sender such as `Garimpo <ola@example.com>`. Sends nothing.
    ///
    /// # Errors
    /// See [`SmtpError`]. The parsers' errors are dropped, because they may quote the password.
    pub fn new(url: &str, from: &str) -> Result<Self, SmtpError> {
        let read = reqwest::Url::parse(url).map_err(|_| SmtpError::Url)?;
        let host = read.host_str().ok_or(SmtpError::Url)?;
        // A second `tls` could weaken the first.
        let modes: Vec<_> = read.query_pairs().filter(|(name, _)| name == "tls").collect();
        let is_required = modes.len() == 1 && modes.iter().all(|(_, value)| value == "required");
        let tls = read.scheme() == "smtps" || is_required;
        if !tls && !matches!(host, "127.0.0.1" | "[::1]" | "localhost") {
            return Err(SmtpError::InTheClear);
        }
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| SmtpError::Url)?;
        let from = from.parse().map_err(|_| SmtpError::From)?;
        Ok(Self { server: server.timeout(Some(TIMEOUT)), from })
    }

    /// Creates the connection pool; needs a runtime.
    pub(super) fn sender(self) -> SmtpSender {
        SmtpSender { transport: self.server.build(), from: self.from }
    }
}

impl SmtpSender {
    /// Sends one mail. Its Message-ID is made from the key, so that a mailbox can recognise a
    /// repeated mail.
    pub(super) async fn send(&self, key: &str, message: &Message) -> Result<(), MailError> {
        let to = recipient(&message.to).map_err(|why| MailError::Undeliverable(anyhow::Error::new(why)))?;
        let mail = self.mime(key, message, to).map_err(MailError::Refused)?;
        self.transport.send(mail).await.map(drop).map_err(mail_error)
    }

    /// Sends one mail and returns the server's reply.
    pub(super) async fn send_and_read_reply(
        &self,
        key: &str,
        message: &Message,
    ) -> Result<MailReply, anyhow::Error> {
        let mail = self.mime(key, message, recipient(&message.to)?)?;
        match self.transport.send(mail).await {
            Ok(reply) => {
                let text: Vec<&str> = reply.message().collect();
                Ok(MailReply::Accepted(format!("{} {}", reply.code(), text.join(" "))))
            }
            Err(error) if error.status().is_some() => Ok(MailReply::Refused(Causes(&error).to_string())),
            Err(error) => Err(error.into()),
        }
    }

    fn mime(&self, key: &str, message: &Message, to: Address) -> Result<lettre::Message, anyhow::Error> {
        Ok(lettre::Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&message.subject)
            .message_id(Some(format!("<{key}@{}>", self.from.email.domain())))
            .raw_header(auto_submitted())
            .multipart(MultiPart::alternative_plain_html(message.text.clone(), message.html.clone()))?)
    }
}

/// The recipient with the domain in ASCII, because few servers take another (SMTPUTF8).
fn recipient(to: &str) -> Result<Address, AddressError> {
    let (local, domain) = to.rsplit_once('@').ok_or(AddressError::MissingParts)?;
    Address::new(local, ascii_domain(domain))
}

/// Prevents automatic replies (RFC 3834).
fn auto_submitted() -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    HeaderValue::new(name, "auto-generated".to_owned())
}

/// Hides the password and the connection.
impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp").field("from", &self.from.email).finish_non_exhaustive()
    }
}

/// A 5yz reply is final. A failure of the server (454, a lost connection, a certificate) is not
/// about this mail, and a 4yz reply about the recipient is not about the server.
fn mail_error(error: TransportError) -> MailError {
    let refuses_credentials = is_about_credentials(&error);
    let (is_final, is_of_recipient) = (error.is_permanent(), is_about_recipient(&error));
    // The server's text is dropped, because it may repeat the address.
    let cause = match error.status() {
        Some(code) => anyhow::anyhow!("it answered {code}"),
        None => error.into(),
    };
    match (is_final, is_of_recipient) {
        _ if refuses_credentials => MailError::CredentialsRefused(cause),
        (true, true) => MailError::Undeliverable(cause),
        (true, false) => MailError::Refused(cause),
        (false, true) => MailError::Deferred(cause),
        (false, false) => MailError::Unavailable(cause),
    }
}

/// The mailbox does not exist (550), is elsewhere (551), is full (552), has a name that is not
/// allowed (553), its domain takes no mail (521, 556) or it takes none now (450): RFC 5321 and
/// RFC 7504. An enhanced status code takes precedence, because 550 also refuses to relay our mail.
fn is_about_recipient(error: &TransportError) -> bool {
    let basic = || error.status().is_some_and(|code| matches!(u16::from(code), 450 | 521 | 550..=553 | 556));
    match enhanced_status(error) {
        // The sender's address, and security or policy.
        Some((1, 7 | 8) | (7, _)) => false,
        Some((1 | 2, _)) => true,
        _ => basic(),
    }
}

/// Subject and detail of the enhanced status code at the beginning of the server's text, as 1 and 3
/// of `5.1.3` or `4.1.3` (RFC 3463).
fn enhanced_status(error: &TransportError) -> Option<(u16, u16)> {
    let text = error.source()?.to_string();
    let code = text.split_whitespace().next()?;
    let (subject, detail) = code.strip_prefix("5.").or(code.strip_prefix("4."))?.split_once('.')?;
    Some((subject.parse().ok()?, detail.parse().ok()?))
}

/// The operator has to correct a wrong password (535) or a missing authentication (530); the mail
/// waits.
fn is_about_credentials(error: &TransportError) -> bool {
    error.status().is_some_and(|code| matches!(u16::from(code), 530 | 534 | 535 | 538))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_a_recipient_is_sent_in_ascii_because_few_servers_accept_another_form() {
        assert_eq!(
            recipient("ana@a\u{e7}\u{e3}o.com.br").expect("an address").to_string(),
            "ana@xn--ao-siap.com.br"
        );
        assert!(recipient("ana").is_err());
    }
}
