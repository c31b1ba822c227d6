//! The operator's commands. Exit 0: clean; 1: findings; 2: error.

mod token;

use crate::config::Config;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// What the operator may do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Service tokens of internal callers.
    #[command(subcommand)]
    Token(token::Command),
}

/// Runs one command on the database of the settings.
///
/// # Errors
/// Whatever kept it from being done.
pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    match command {
        Command::Token(command) => token::run(command, config).await,
    }
}
