//! Names the commit of the build: `GARIMPO_COMMIT` and `SOURCE_DATE_EPOCH`, or else git's HEAD. Two
//! builds of one commit print the same version.
#![expect(clippy::disallowed_methods, reason = "cargo passes its values in the environment")]

use std::env;
use std::process::Command;

use time::{Date, OffsetDateTime};

const COMMIT: &str = "GARIMPO_COMMIT";
const EPOCH: &str = "SOURCE_DATE_EPOCH";
/// As many digits as `git log --oneline` shows in a large repository.
const DIGITS: usize = 10;

fn main() {
    for name in [COMMIT, EPOCH] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let (commit, date) = revision();
    let day = date.map(|date| format!(" {date}")).unwrap_or_default();
    // Without the prefix GARIMPO_, because `cargo run` hands them to the program, which refuses
    // names with it that are no setting.
    println!("cargo:rustc-env=BUILD_COMMIT={commit}");
    println!("cargo:rustc-env=BUILD_VERSION={} ({commit}{day})", env!("CARGO_PKG_VERSION"));
}

fn revision() -> (String, Option<Date>) {
    if let Ok(commit) = env::var(COMMIT) {
        return (short(&commit), env::var(EPOCH).ok().as_deref().and_then(day));
    }
    // Otherwise a debug build would be linked again after every commit.
    if env::var("PROFILE").as_deref() == Ok("debug") {
        return ("debug".to_owned(), None);
    }
    let Some(head) = git(&["log", "-1", "--format=%H %ct"]) else { return ("unknown".to_owned(), None) };
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let (commit, seconds) = head.split_once(' ').unwrap_or((&head, ""));
    (short(commit), day(seconds))
}

fn short(commit: &str) -> String {
    commit.chars().filter(char::is_ascii_alphanumeric).take(DIGITS).collect()
}

fn day(seconds: &str) -> Option<Date> {
    OffsetDateTime::from_unix_timestamp(seconds.parse().ok()?).ok().map(OffsetDateTime::date)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
