//! Load by other processes: `wrk` for HTTP/1.1, `h2load` for gRPC.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

pub const ROUND: Duration = Duration::from_secs(4);
/// The figure is the median of the rounds.
const ROUNDS: usize = 5;
const CONNECTIONS: &str = "-c64";

/// Measures the compared targets in turn, so that a busy moment of the machine affects all of them,
/// and returns the medians.
pub async fn in_turn<T: Copy, const N: usize>(
    compared: [T; N],
    per_second: impl AsyncFn(T) -> Result<f64>,
) -> Result<[f64; N]> {
    // Warms caches and pools before the measured rounds.
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

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// GET requests per second over 64 connections. Each request sends the next line of `cookies`.
pub async fn gets_per_second(url: &str, cookies: &Path) -> Result<f64> {
    let mut wrk = Command::new("wrk");
    wrk.args(["-t1", CONNECTIONS, &format!("-d{}s", ROUND.as_secs())]);
    wrk.arg("-s").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("visitors.lua"));
    wrk.arg(url).arg("--").arg(cookies);
    let text = output(wrk).await?;
    ensure!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "{url}:\n{text}");
    number_after(&text, "Requests/sec:")
}

/// Concurrent streams per connection for small calls.
pub const SMALL_CALLS: u32 = 16;

/// A unary call, repeated over 4 connections.
#[derive(Clone)]
pub struct Calls {
    pub url: String,
    /// The encoded request.
    pub message: Vec<u8>,
    pub authorization: String,
    /// Concurrent streams per connection.
    pub at_once: u32,
}

impl Calls {
    pub async fn per_second(&self) -> Result<f64> {
        let text = self.run().await?;
        let rate = text.split(" req/s").next().and_then(|before| before.rsplit(' ').next());
        rate.context("req/s")?.parse().context("req/s")
    }

    async fn run(&self) -> Result<String> {
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
        h2load.arg("-d").arg(frame.path()).arg(&self.url);
        let text = output(h2load).await?;
        ensure!(text.contains(" 0 failed, 0 errored, 0 timeout"), "{}:\n{text}", self.url);
        Ok(text)
    }
}

/// The 99th percentile.
pub fn p99(mut values: Vec<f64>) -> Result<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() * 99 / 100).copied().context("no measured values")
}

async fn output(mut command: Command) -> Result<String> {
    let name = command.as_std().get_program().to_string_lossy().into_owned();
    let output =
        command.output().await.with_context(|| format!("{name} runs (bench/setup.sh installs it)"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Ok(text)
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let rest = text.split_once(label).with_context(|| format!("no {label} in\n{text}"))?.1;
    rest.split_whitespace().next().context("a number")?.parse().with_context(|| format!("{label} in\n{text}"))
}
