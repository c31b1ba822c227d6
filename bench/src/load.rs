//! Load from outside: `wrk` for HTTP/1.1, `h2load` for gRPC.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

/// How long one round lasts.
pub const ROUND: Duration = Duration::from_secs(4);
/// Rounds of each; the figure is the median.
pub const ROUNDS: usize = 3;
const CONNECTIONS: &str = "-c64";

/// Measures ours and the reference in turn, so that a busy moment of the machine falls on both; answers the medians.
///
/// # Errors
/// A round that failed.
pub async fn in_turn(
    ours: impl AsyncFn() -> Result<f64>,
    reference: impl AsyncFn() -> Result<f64>,
) -> Result<(f64, f64)> {
    // Caches, pools and pages are warm for both before it counts.
    let _warm = (ours().await?, reference().await?);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        other.push(reference().await?);
        one.push(ours().await?);
    }
    Ok((median(one), median(other)))
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// GET requests a second over 64 connections; with `cookies` (a file, one a line) each request is another visitor's.
///
/// # Errors
/// `wrk` is not there, or an answer was not a success.
pub async fn gets_per_second(url: &str, headers: &[&str], cookies: Option<&Path>) -> Result<f64> {
    let mut wrk = Command::new("wrk");
    wrk.args(["-t1", CONNECTIONS, &format!("-d{}s", ROUND.as_secs())]);
    for header in headers {
        wrk.args(["-H", header]);
    }
    if cookies.is_some() {
        wrk.arg("-s").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("visitors.lua"));
    }
    wrk.arg(url);
    if let Some(cookies) = cookies {
        wrk.arg("--").arg(cookies);
    }
    let said = output(wrk).await?;
    ensure!(!said.contains("Non-2xx") && !said.contains("Socket errors"), "{url}:\n{said}");
    number_after(&said, "Requests/sec:")
}

/// Unary calls under way at once on each of the 4 connections, where they are small.
pub const SMALL_CALLS: u32 = 16;

/// Unary calls a second over 4 connections with so many at once on each; `message` is the encoded request.
///
/// # Errors
/// `h2load` is not there, or a call was not answered.
pub async fn calls_per_second(url: &str, message: &[u8], headers: &[String], at_once: u32) -> Result<f64> {
    let said = calls(url, message, headers, at_once, None).await?;
    let rate = said.split(" req/s").next().and_then(|before| before.rsplit(' ').next());
    rate.context("req/s")?.parse().context("req/s")
}

/// Milliseconds within which 99 of 100 such calls were answered.
///
/// # Errors
/// As [`calls_per_second`].
pub async fn calls_p99_ms(url: &str, message: &[u8], headers: &[String], at_once: u32) -> Result<f64> {
    let log = tempfile::NamedTempFile::new()?;
    calls(url, message, headers, at_once, Some(log.path())).await?;
    // Each line: when it began, its status, and how long it took, in microseconds.
    let text = std::fs::read_to_string(log.path())?;
    let took = text.lines().filter_map(|line| line.rsplit('\t').next()?.parse::<f64>().ok());
    percentile(took.collect(), 99).map(|us| us / 1_000.0).context("calls in the log")
}

/// The value below which so many of a hundred lie.
pub fn percentile(mut values: Vec<f64>, percent: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() * percent / 100).or(values.last()).copied()
}

async fn calls(
    url: &str,
    message: &[u8],
    headers: &[String],
    at_once: u32,
    log: Option<&Path>,
) -> Result<String> {
    let frame = tempfile::NamedTempFile::new()?;
    let length = u32::try_from(message.len())?.to_be_bytes();
    std::fs::write(frame.path(), [&[0], length.as_slice(), message].concat())?;
    let mut h2load = Command::new("h2load");
    h2load.args([
        "-t1",
        "-c4",
        "--warm-up-time=1",
        &format!("-m{at_once}"),
        &format!("-D{}", ROUND.as_secs()),
    ]);
    h2load.args(["-H", "content-type: application/grpc", "-H", "te: trailers"]);
    for header in headers {
        h2load.args(["-H", header]);
    }
    if let Some(log) = log {
        h2load.arg("--log-file").arg(log);
    }
    h2load.arg("-d").arg(frame.path()).arg(url);
    let said = output(h2load).await?;
    ensure!(said.contains(" 0 failed, 0 errored, 0 timeout"), "{url}:\n{said}");
    Ok(said)
}

async fn output(mut command: Command) -> Result<String> {
    let name = command.as_std().get_program().to_string_lossy().into_owned();
    let output =
        command.output().await.with_context(|| format!("{name} runs (bench/setup.sh installs it)"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Ok(said)
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let rest = text.split_once(label).with_context(|| format!("no {label} in\n{text}"))?.1;
    rest.split_whitespace().next().context("a number")?.parse().with_context(|| format!("{label} in\n{text}"))
}
