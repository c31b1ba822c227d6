//! The commands of docs/examples/README.md: one per line on standard input, or `watch FILE`.
//!
//! `GARIMPO_GRPC` is the address of the internal port (127.0.0.1:50051), `GARIMPO_TOKEN` a service
//! token with the scope billing.read.

#![expect(clippy::print_stdout, reason = "the results are printed")]

mod entitlements;

use std::error::Error;
use std::fs;
use std::io::BufRead as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use entitlements::{CacheSettings, Entitlements, LookupError, Source, WatchEvent, reason_of};
use tonic::Status;

/// Reply to an unknown command.
const UNKNOWN_COMMAND: &str = "unknown command";

#[expect(clippy::disallowed_methods, reason = "settings are read once, at the start")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn seconds(name: &str, fallback: u64) -> Duration {
    let seconds = setting(name).and_then(|text| text.parse().ok());
    seconds.map_or(Duration::from_secs(fallback), Duration::from_secs_f64)
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let address = setting("GARIMPO_GRPC").unwrap_or_else(|| "127.0.0.1:50051".to_owned());
    let token = setting("GARIMPO_TOKEN").ok_or("GARIMPO_TOKEN is missing")?;
    let settings = CacheSettings {
        fail_open: seconds("FAIL_OPEN_SECONDS", 3600),
        max_cache: seconds("CACHE_AT_MOST_SECONDS", 60),
    };
    let mut garimpo = Entitlements::new(&address, &token, settings)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["watch", file] => watch(&mut garimpo, Path::new(file)).await,
        [] => run_commands(&mut garimpo).await,
        _ => Err("usage: garimpo-example [watch FILE]".into()),
    }
}

async fn run_commands(garimpo: &mut Entitlements) -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        println!("{}", run_command(garimpo, &words).await.unwrap_or_else(|error| format_error(&error)));
    }
    Ok(())
}

async fn run_command(garimpo: &mut Entitlements, words: &[&str]) -> Result<String, Status> {
    Ok(match *words {
        ["get", uid] => {
            let reply = garimpo.get(uid).await?;
            format!("{} {}", reply.plan_id, reply.status)
        }
        ["batch", ref uids @ ..] => {
            let reply = garimpo.batch(uids.iter().map(|uid| (*uid).to_owned()).collect()).await?;
            format!("{} known {} unknown", reply.entitlements.len(), reply.not_found.len())
        }
        ["check", uid, resource, wanted] => match parse_amount(wanted) {
            Some(wanted) => check(garimpo, uid, resource, wanted).await?,
            None => UNKNOWN_COMMAND.to_owned(),
        },
        ["may", uid, resource, wanted] => match parse_amount(wanted) {
            Some(wanted) => may(garimpo, uid, resource, wanted).await?,
            None => UNKNOWN_COMMAND.to_owned(),
        },
        _ => UNKNOWN_COMMAND.to_owned(),
    })
}

async fn check(garimpo: &mut Entitlements, uid: &str, resource: &str, wanted: i64) -> Result<String, Status> {
    let reply = garimpo.check(uid, resource, wanted).await?;
    let smallest = reply.smallest_plan_id.unwrap_or_else(|| "-".to_owned());
    Ok(format!("{} {smallest}", yes_or_no(reply.allowed)))
}

async fn may(garimpo: &mut Entitlements, uid: &str, resource: &str, wanted: i64) -> Result<String, Status> {
    match garimpo.check_cached(uid, resource, wanted).await {
        Ok((allowed, source)) => Ok(format!("{} {}", yes_or_no(allowed), source_name(source))),
        Err(LookupError::Unreachable) => Ok("unreachable".to_owned()),
        Err(LookupError::Malformed(error)) => Err(error),
    }
}

async fn watch(garimpo: &mut Entitlements, file: &Path) -> Result<(), Box<dyn Error>> {
    let cursor = fs::read_to_string(file).ok().filter(|cursor| !cursor.is_empty());
    let watch = garimpo.watch(cursor, |event| {
        let message = match event {
            WatchEvent::Account(message) => {
                let kind = if message.cursor.is_empty() { "state" } else { "change" };
                let rights = message.entitlements.as_ref();
                let rights = rights.map(|rights| format!("{} {}", rights.plan_id, rights.status));
                println!("{kind} {} {}", message.uid, rights.unwrap_or_else(|| "deleted".to_owned()));
                message
            }
            WatchEvent::UpToDate(message) => {
                println!("up-to-date");
                message
            }
            WatchEvent::Restarted => return println!("restarted"),
        };
        if let Err(error) = store_cursor(file, &message.cursor) {
            println!("the cursor could not be stored: {error}");
        }
    });
    watch.await.map_err(|error| format_error(&error).into())
}

/// Stores a cursor atomically. Called after the message was handled: after a crash before this
/// call, the change is sent again.
fn store_cursor(file: &Path, cursor: &str) -> std::io::Result<()> {
    if cursor.is_empty() {
        return Ok(());
    }
    let new_file = file.with_extension("new");
    fs::write(&new_file, cursor)?;
    fs::rename(new_file, file)
}

fn format_error(error: &Status) -> String {
    let reason = reason_of(error);
    if reason.is_empty() { format!("error {:?}", error.code()) } else { format!("error {reason}") }
}

fn parse_amount(text: &str) -> Option<i64> {
    text.parse().ok().filter(|amount| *amount >= 0)
}

fn yes_or_no(allowed: bool) -> &'static str {
    if allowed { "yes" } else { "no" }
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Fresh => "fresh",
        Source::Cached => "cached",
        Source::Stale => "stale",
    }
}
