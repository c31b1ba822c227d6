//! How commands print what they found, and how they exit.

use anyhow::Result;
use garimpo_domain::Timestamp;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// Exit code of a command that could not check everything.
pub(super) const NOT_CHECKED: u8 = 2;

/// The exit code: 1 when the command found something that the operator should look at.
pub(super) fn exit_code(has_findings: bool) -> ExitCode {
    ExitCode::from(u8::from(has_findings))
}

/// Prints a value as JSON.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// Microseconds since the Unix epoch as RFC 3339, to the second.
pub(super) fn instant(micros: i64) -> String {
    Timestamp::from_unix_seconds(micros.div_euclid(1_000_000)).to_rfc3339()
}

/// The same; a dash without one.
pub(super) fn instant_or_dash(micros: Option<i64>) -> String {
    micros.map_or_else(|| "-".to_owned(), instant)
}
