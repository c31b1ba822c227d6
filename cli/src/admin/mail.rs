//! `garimpo admin mail …`

use super::database::settings;
use super::output::exit_code;
use super::table::printable;
use crate::config::Config;
use anyhow::{Context, Result};
use clap::Subcommand;
use garimpo_domain::Email;
use garimpo_server::operator::mail_test::{MailReply, send_test};
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send one mail now, without the queue, and print the mail server's reply. Exit with 1 when
    /// the server refuses it, with 2 when it cannot be reached.
    Test {
        /// Address of a mailbox that you can read.
        address: String,
    },
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let Command::Test { address } = command;
    let email = Email::parse(&address).context("ADDRESS")?;
    let reply = send_test(settings(config).mail, &email).await.context("the mail server was not reached")?;
    let mut out = std::io::stdout().lock();
    match &reply {
        MailReply::Accepted(text) => {
            writeln!(out, "accepted: {}", printable(text))?;
            writeln!(out, "look into the mailbox of {}, and into its spam", printable(email.as_str()))?;
        }
        MailReply::Refused(text) => writeln!(out, "refused: {}", printable(text))?,
    }
    Ok(exit_code(matches!(reply, MailReply::Refused(_))))
}
