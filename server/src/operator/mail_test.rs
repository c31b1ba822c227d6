//! One mail to the operator, to test the settings of the mail server.

use garimpo_domain::Email;

use crate::ids::Ids;
use crate::providers::mail::{MailSettings, Mailer, Message};

pub use crate::providers::mail::MailReply;

const SUBJECT: &str = "Garimpo: test of the mail server";
const TEXT: &str = "The mail server of this installation delivers. `garimpo admin mail test` sent this mail.";

/// Sends one mail now, without the queue and its limits.
///
/// # Errors
/// The server cannot be reached, or refuses the mail.
pub async fn send_test(settings: MailSettings, to: &Email) -> Result<MailReply, anyhow::Error> {
    let message = Message {
        to: to.as_str().to_owned(),
        subject: SUBJECT.to_owned(),
        text: TEXT.to_owned(),
        html: format!("<p>{}</p>", TEXT.replace('`', "")),
    };
    Mailer::new(settings)?.send_and_read_reply(&Ids::system().id("mai_"), &message).await
}
