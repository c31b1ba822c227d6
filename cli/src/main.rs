//! The binary `garimpo`: settings, wiring of the components, operator's commands. It holds no rule
//! of the product.
//!
//! Start reading at [`serve`]: it binds the ports, starts what the role needs and stops it in
//! order.

mod activation;
mod admin;
mod config;
mod data_dir;
mod disk;
mod health;
mod manual;
mod migrate;
mod operate;
mod progress;
mod serve;

use activation::Sockets;
use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use config::{Config, ConfigErrors, Environment, Role};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Calls take fewer instructions with it than with glibc's allocator (docs/speed.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit code of a command that could not be done.
const ERROR: u8 = 2;
/// Exit code of a command whose reader left, as `head` does: what a shell makes of SIGPIPE.
const READER_GONE: u8 = 141;

/// Garimpo. Settings come from the environment: `garimpo config` lists them.
#[derive(Debug, Parser)]
#[command(name = "garimpo", version = env!("BUILD_VERSION"))]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the site and the API; the default command.
    Serve,
    /// Run the sandbox alone: payment provider, mailbox and clock.
    Sandbox,
    /// Migrate the database to this version and exit.
    Migrate,
    /// Run an operator's command.
    #[command(subcommand)]
    Admin(admin::Command),
    /// Show the effective settings, secrets masked.
    Config {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the running process with these settings: exit with 0 if it responds, 1 if not.
    Health(health::Options),
    /// Print the completions of a shell.
    #[command(hide = true)]
    Completions { shell: Shell },
    /// Write the manual pages into a folder.
    #[command(hide = true)]
    Manual { folder: PathBuf },
}

fn main() -> ExitCode {
    // Every TLS client of the process uses ring, which must be chosen before the first client.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Databases, backups and notes hold the data of every subscriber: no other user may read them.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let command = Arguments::parse().command.unwrap_or(Command::Serve);
    run(command).unwrap_or_else(|error| {
        if is_reader_gone(&error) {
            return ExitCode::from(READER_GONE);
        }
        let _ = match error.downcast_ref::<ConfigErrors>() {
            Some(errors) => write_lines(&errors.0),
            // One line, whatever the depth of the cause.
            None => writeln!(std::io::stderr(), "garimpo: {}", format!("{error:#}").replace('\n', " ")),
        };
        ExitCode::from(ERROR)
    })
}

fn run(command: Command) -> Result<ExitCode> {
    let role = match &command {
        Command::Serve | Command::Config { .. } => Role::Serve,
        Command::Sandbox => Role::Sandbox,
        Command::Admin(command) => command.role(),
        Command::Migrate | Command::Health(_) => Role::Report,
        Command::Completions { shell } => return manual::print_completions::<Arguments>(*shell),
        Command::Manual { folder } => return manual::write_pages::<Arguments>(folder),
    };
    let environment = environment();
    let sockets = if matches!(role, Role::Serve | Role::Sandbox) {
        // The clock of the metrics takes a millisecond to compare itself with the system's, and
        // much longer on a busy machine. Beside the settings nobody waits for it.
        std::thread::spawn(quanta::Clock::new);
        let names = environment.get("LISTEN_FDNAMES").map(String::as_str);
        Sockets::inherited(names).context("sockets of systemd (LISTEN_FDS)")?
    } else {
        Sockets::default()
    };
    let config = Config::read(role, &environment, sockets.passed())?;
    write_lines(&config.warnings)?;
    match command {
        Command::Config { json } => show(&config, json),
        Command::Migrate => runtime()?.block_on(migrate::run(&config)),
        Command::Health(options) => runtime()?.block_on(health::run(options, &config)),
        Command::Admin(command) => runtime()?.block_on(admin::run(command, config)),
        Command::Serve | Command::Sandbox => {
            operate::start_log(&config.log)?;
            runtime()?.block_on(async {
                let metrics = operate::start_metrics(&config)?;
                Box::pin(serve::run(config, sockets, metrics)).await
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { .. } | Command::Manual { .. } => unreachable!("done above, without settings"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn environment() -> Environment {
    let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
    std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

fn write_lines(lines: &[impl std::fmt::Display]) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    lines.iter().try_for_each(|line| writeln!(out, "garimpo: {line}"))
}

/// Whether standard output was closed by its reader. A broken pipe to another system is an error.
fn is_reader_gone(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

fn show(config: &Config, json: bool) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    if json {
        let settings: serde_json::Map<_, _> =
            config.shown.iter().map(|shown| (shown.name.clone(), shown.value.clone().into())).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&settings)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for setting in &config.shown {
        writeln!(out, "{}={}", setting.name, setting.value)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_output_pipe_is_not_an_error_of_the_command() {
        let broken = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert!(is_reader_gone(&broken().into()));
        assert!(!is_reader_gone(&std::io::Error::other("full").into()));
        assert!(!is_reader_gone(&anyhow::anyhow!("the database: {}", broken())));
    }
}
