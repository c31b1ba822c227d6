//! The commands of docs/examples/README.md: one a line on standard input, or `watch FILE`.
//!
//! `GARIMPO_GRPC` is the address of the internal port (127.0.0.1:50051), `GARIMPO_TOKEN` a service
//! token with the scope billing.read.

#![expect(clippy::print_stdout, reason = "the answers are the output")]

mod entitlements;

use std::error::Error;
use std::fs;
use std::io::BufRead as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use entitlements::{Entitlements, How, Keeping, Told, Unknown, reason_of};
use tonic::Status;

/// Reply to an unknown command.
const UNKNOWN: &str = "unknown command";

#[expect(clippy::disallowed_methods, reason = "a program's settings are read once, where it begins")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn seconds(name: &str, usual: u64) -> Duration {
    let told = setting(name).and_then(|text| text.parse().ok());
    told.map_or(Duration::from_secs(usual), Duration::from_secs_f64)
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
    let keeping = Keeping {
        fail_open: seconds("FAIL_OPEN_SECONDS", 3600),
        cache_at_most: seconds("CACHE_AT_MOST_SECONDS", 60),
    };
    let mut garimpo = Entitlements::new(&address, &token, keeping)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["watch", file] => watch(&mut garimpo, Path::new(file)).await,
        [] => ask(&mut garimpo).await,
        _ => Err("usage: garimpo-example [watch FILE]".into()),
    }
}

async fn ask(garimpo: &mut Entitlements) -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        println!("{}", answer(garimpo, &words).await.unwrap_or_else(|error| refusal(&error)));
    }
    Ok(())
}

async fn answer(garimpo: &mut Entitlements, words: &[&str]) -> Result<String, Status> {
    Ok(match *words {
        ["get", uid] => {
            let told = garimpo.get(uid).await?;
            format!("{} {}", told.plan_id, told.status)
        }
        ["batch", ref uids @ ..] => {
            let told = garimpo.batch(uids.iter().map(|uid| (*uid).to_owned()).collect()).await?;
            format!("{} known {} unknown", told.entitlements.len(), told.not_found.len())
        }
        ["check", uid, resource, wanted] => match number(wanted) {
            Some(wanted) => check(garimpo, uid, resource, wanted).await?,
            None => UNKNOWN.to_owned(),
        },
        ["may", uid, resource, wanted] => match number(wanted) {
            Some(wanted) => may(garimpo, uid, resource, wanted).await?,
            None => UNKNOWN.to_owned(),
        },
        _ => UNKNOWN.to_owned(),
    })
}

async fn check(garimpo: &mut Entitlements, uid: &str, resource: &str, wanted: i64) -> Result<String, Status> {
    let told = garimpo.check(uid, resource, wanted).await?;
    let smallest = told.smallest_plan_id.unwrap_or_else(|| "-".to_owned());
    Ok(format!("{} {smallest}", yes_or_no(told.allowed)))
}

async fn may(garimpo: &mut Entitlements, uid: &str, resource: &str, wanted: i64) -> Result<String, Status> {
    match garimpo.may(uid, resource, wanted).await {
        Ok((allowed, how)) => Ok(format!("{} {}", yes_or_no(allowed), name(how))),
        Err(Unknown::Unreachable) => Ok("unreachable".to_owned()),
        Err(Unknown::Malformed(error)) => Err(error),
    }
}

async fn watch(garimpo: &mut Entitlements, file: &Path) -> Result<(), Box<dyn Error>> {
    let cursor = fs::read_to_string(file).ok().filter(|cursor| !cursor.is_empty());
    let told = garimpo.watch(cursor, |told| {
        let message = match told {
            Told::Account(message) => {
                let what = if message.cursor.is_empty() { "state" } else { "change" };
                let rights = message.entitlements.as_ref();
                let rights = rights.map(|rights| format!("{} {}", rights.plan_id, rights.status));
                println!("{what} {} {}", message.uid, rights.unwrap_or_else(|| "gone".to_owned()));
                message
            }
            Told::Level(message) => {
                println!("level");
                message
            }
            Told::Again => return println!("again"),
        };
        if let Err(error) = keep(file, &message.cursor) {
            println!("the cursor is not kept: {error}");
        }
    });
    told.await.map_err(|error| refusal(&error).into())
}

/// Keeps a cursor after the work, and whole: a crash before this has the same change told again.
fn keep(file: &Path, cursor: &str) -> std::io::Result<()> {
    if cursor.is_empty() {
        return Ok(());
    }
    let whole = file.with_extension("new");
    fs::write(&whole, cursor)?;
    fs::rename(whole, file)
}

fn refusal(error: &Status) -> String {
    let reason = reason_of(error);
    if reason.is_empty() { format!("error {:?}", error.code()) } else { format!("error {reason}") }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| *number >= 0)
}

fn yes_or_no(allowed: bool) -> &'static str {
    if allowed { "yes" } else { "no" }
}

fn name(how: How) -> &'static str {
    match how {
        How::Fresh => "fresh",
        How::Cached => "cached",
        How::Stale => "stale",
    }
}
