//! Mails over SMTP (RFC 5321), by lettre.

use std::error::Error;
use std::fmt;

use garimpo_domain::person::ascii_domain;
use lettre::address::AddressError;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::Error as TransportError;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::{MailError, Message, TIMEOUT};

/// A mail server and the sender that it knows us by.
#[derive(Clone)]
pub struct Smtp {
    server: AsyncSmtpTransportBuilder,
    from: Mailbox,
}

/// Connections to a mail server; clones share them.
#[derive(Debug, Clone)]
pub(super) struct SmtpOffice {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Why settings name no mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpError {
    /// The address cannot be read.
    #[error("not an address of a mail server")]
    Url,
    /// Mails, and the password with them, would cross a network in the clear.
    #[error("a mail server that is not on loopback, without TLS")]
    InTheClear,
    /// The sender cannot be read.
    #[error("not an email address")]
    From,
}

impl Smtp {
    /// Reads `smtps://user:password@host:port`, `smtp://…?tls=required` (STARTTLS), or `smtp://` on loopback, and a
    /// sender such as `Garimpo <ola@example.com>`. Nothing is sent yet.
    ///
    /// # Errors
    /// See [`SmtpError`].
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

    /// Opens the office, inside a runtime.
    pub(super) fn office(self) -> SmtpOffice {
        SmtpOffice { transport: self.server.build(), from: self.from }
    }
}

impl SmtpOffice {
    /// Hands over one mail. Its Message-ID comes from the key, so that a mailbox can tell one that came twice.
    pub(super) async fn send(&self, key: &str, message: &Message) -> Result<(), MailError> {
        let to = recipient(&message.to).map_err(|why| MailError::Undeliverable(anyhow::Error::new(why)))?;
        let letter = self.letter(key, message, to).map_err(MailError::Refused)?;
        self.transport.send(letter).await.map(drop).map_err(told)
    }

    fn letter(&self, key: &str, message: &Message, to: Address) -> Result<lettre::Message, anyhow::Error> {
        let letter = lettre::Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&message.subject)
            .message_id(Some(format!("<{key}@{}>", self.from.email.domain())))
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(message.text.clone(), message.html.clone()))?;
        Ok(letter)
    }
}

/// The recipient with the domain in ASCII, because few servers take another (SMTPUTF8).
fn recipient(to: &str) -> Result<Address, AddressError> {
    let (local, domain) = to.rsplit_once('@').ok_or(AddressError::MissingParts)?;
    Address::new(local, ascii_domain(domain))
}

/// Tells holiday notices not to answer (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// Neither the password of the address nor a connection is anybody's to read.
impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp").field("from", &self.from.email).finish_non_exhaustive()
    }
}

/// A 5yz answer is final; what a server says about itself (454, a lost line, a certificate) is not
/// about this mail, and a 4yz answer about the recipient is not about the server.
fn told(error: TransportError) -> MailError {
    let (is_final, is_of_recipient) =
        (error.is_permanent() && !is_about_us(&error), is_about_recipient(&error));
    // A server repeats the address in its words, which are not for the log.
    let cause = match error.status() {
        Some(code) => anyhow::anyhow!("it answered {code}"),
        None => error.into(),
    };
    match (is_final, is_of_recipient) {
        (true, true) => MailError::Undeliverable(cause),
        (true, false) => MailError::Refused(cause),
        (false, true) => MailError::Deferred(cause),
        (false, false) => MailError::Unavailable(cause),
    }
}

/// The mailbox does not exist (550), is elsewhere (551), is full (552), has a name that is not
/// allowed (553), its domain takes no mail (521, 556) or it takes none now (450): RFC 5321 and
/// RFC 7504. A server that says it more exactly is believed, because 550 is also how it refuses to
/// carry anybody's mail for us.
fn is_about_recipient(error: &TransportError) -> bool {
    let basic = || error.status().is_some_and(|code| matches!(u16::from(code), 450 | 521 | 550..=553 | 556));
    match exact_status(error) {
        // The sender's address, and security or policy.
        Some((1, 7 | 8) | (7, _)) => false,
        Some((1 | 2, _)) => true,
        _ => basic(),
    }
}

/// Subject and detail of the enhanced status code with which the server's words begin, as 1 and 3
/// of `5.1.3` or `4.1.3` (RFC 3463).
fn exact_status(error: &TransportError) -> Option<(u16, u16)> {
    let words = error.source()?.to_string();
    let code = words.split_whitespace().next()?;
    let (subject, detail) = code.strip_prefix("5.").or(code.strip_prefix("4."))?.split_once('.')?;
    Some((subject.parse().ok()?, detail.parse().ok()?))
}

/// A wrong password (535) or a sender that is not welcome yet (530) is for the operator to mend: the mail waits.
fn is_about_us(error: &TransportError) -> bool {
    error.status().is_some_and(|code| matches!(u16::from(code), 530 | 534 | 535 | 538))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominio_vai_ao_correio_em_ascii_porque_poucos_aceitam_outro() {
        assert_eq!(
            recipient("ana@a\u{e7}\u{e3}o.com.br").expect("an address").to_string(),
            "ana@xn--ao-siap.com.br"
        );
        assert!(recipient("ana").is_err());
    }
}
