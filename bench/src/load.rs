//! Load from outside: `wrk` for HTTP/1.1, `h2load` for gRPC.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

/// How long one round lasts.
pub const ROUND: Duration = Duration::from_secs(4);
/// Rounds of each; the figure is the median.
const ROUNDS: usize = 5;
const CONNECTIONS: &str = "-c64";

/// Measures those that are compared in turn, round by round, so that a busy moment of the machine falls on all of them;
/// answers the medians.
///
/// # Errors
/// A round that failed.
pub async fn in_turn<T: Copy, const N: usize>(
    compared: [T; N],
    per_second: impl AsyncFn(T) -> Result<f64>,
) -> Result<[f64; N]> {
    // Caches, pools and pages are warm for all before it counts.
    for each in compared {
        per_second(each).await?;
    }
    let mut rounds = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (each, rates) in compared.into_iter().zip(&mut rounds) {
            rates.push(per_second(each).await?);
        }
    }
    Ok(rounds.map(median))
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

/// A unary call, asked again and again over 4 connections.
#[derive(Clone)]
pub struct Calls {
    /// Address and path.
    pub url: String,
    /// The encoded request.
    pub message: Vec<u8>,
    /// Who asks.
    pub authorization: String,
    /// So many are under way at once on each connection.
    pub at_once: u32,
}

impl Calls {
    /// Calls a second.
    ///
    /// # Errors
    /// `h2load` is not there, or a call was not answered.
    pub async fn per_second(&self) -> Result<f64> {
        let said = self.ask(None).await?;
        let rate = said.split(" req/s").next().and_then(|before| before.rsplit(' ').next());
        rate.context("req/s")?.parse().context("req/s")
    }

    /// Milliseconds within which 99 of 100 calls were answered.
    ///
    /// # Errors
    /// As [`Self::per_second`].
    pub async fn p99_ms(&self) -> Result<f64> {
        let log = tempfile::NamedTempFile::new()?;
        self.ask(Some(log.path())).await?;
        // Each line: when it began, its status, and how long it took, in microseconds.
        let text = std::fs::read_to_string(log.path())?;
        let took = text.lines().filter_map(|line| line.rsplit('\t').next()?.parse::<f64>().ok());
        percentile(took.collect(), 99).map(|us| us / 1_000.0).context("calls in the log")
    }

    async fn ask(&self, log: Option<&Path>) -> Result<String> {
        let frame = tempfile::NamedTempFile::new()?;
        let length = u32::try_from(self.message.len())?.to_be_bytes();
        std::fs::write(frame.path(), [&[0], length.as_slice(), &self.message].concat())?;
        let mut h2load = Command::new("h2load");
        h2load.args([
            "-t1",
            "-c4",
            "--warm-up-time=1",
            &format!("-m{}", self.at_once),
            &format!("-D{}", ROUND.as_secs()),
        ]);
        h2load.args(["-H", "content-type: application/grpc", "-H", "te: trailers"]);
        h2load.args(["-H", &format!("authorization: {}", self.authorization)]);
        if let Some(log) = log {
            h2load.arg("--log-file").arg(log);
        }
        h2load.arg("-d").arg(frame.path()).arg(&self.url);
        let said = output(h2load).await?;
        ensure!(said.contains(" 0 failed, 0 errored, 0 timeout"), "{}:\n{said}", self.url);
        Ok(said)
    }
}

/// The value below which so many of a hundred lie.
pub fn percentile(mut values: Vec<f64>, percent: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() * percent / 100).or(values.last()).copied()
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
