//! The log, and the port with metrics, health and readiness.

mod line;
mod process;

use crate::config::Config;
use anyhow::{Context, Result};
use axum::Router;
use axum::routing::get;
use garimpo_gateway::Ready;
use garimpo_server::clock::{Clock as _, SystemClock};
use garimpo_server::store::engine::copies::Copies;
use http::StatusCode;
use line::{Named, Reader};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::io::IsTerminal;
use std::time::Duration;
use tracing_subscriber::EnvFilter;

/// Upper bounds of every duration histogram, in seconds.
const SECONDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 20.0];
/// Old samples are folded into the histograms this often.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);
const PANICS: &str = "garimpo_panics_total";
const BUILD: &str = "garimpo_build_info";
const STARTED: &str = "process_start_time_seconds";
/// Libraries that log headers or bodies below this level; no filter can lower it.
const DISCREET: [&str; 9] = [
    "h2=info",
    "hyper=info",
    "hyper_util=info",
    "tonic=info",
    "tower=info",
    "reqwest=info",
    "rustls=info",
    "sqlx=info",
    "axum=info",
];

/// Starts the log: readable on a terminal, JSON lines elsewhere. Panics are logged too.
pub fn start_log(filter: &str) -> Result<()> {
    let mut filter = EnvFilter::try_new(filter)?;
    for directive in DISCREET {
        filter = filter.add_directive(directive.parse()?);
    }
    let terminal = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if terminal {
        log.map_event_format(|format| Named { format, reader: Reader::Person }).try_init()
    } else {
        log.json()
            .flatten_event(true)
            .with_span_list(false)
            .map_event_format(|format| Named { format, reader: Reader::Program })
            .try_init()
    };
    started.map_err(|error| anyhow::anyhow!("starting the log: {error}"))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Counts and logs a panic with its request. Only a literal message is logged, because a formatted
/// one may contain what a visitor typed.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    metrics::counter!(PANICS).increment(1);
    let at = panic.location().map(ToString::to_string).unwrap_or_default();
    let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("(message withheld)");
    tracing::error!(at, "panicked: {message}");
}

/// Starts to measure the process, the disk of its data folder, and the copies of its database.
pub fn start_metrics(config: &Config) -> Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS).context("the histogram's bounds")?;
    let handle = builder.install_recorder().context("starting the metrics")?;
    describe();
    process::describe();
    tokio::spawn(process::watch_disk(config.data_dir.clone()));
    tokio::spawn(process::watch_copies(Copies::of(&config.store_settings())));
    let upkeep = handle.clone();
    tokio::spawn(async move {
        let mut turn = tokio::time::interval(UPKEEP_EVERY);
        loop {
            turn.tick().await;
            upkeep.run_upkeep();
        }
    });
    Ok(handle)
}

/// Metrics of every process.
fn describe() {
    metrics::describe_counter!(PANICS, "Panics: defects of ours, each in the log with its place.");
    metrics::counter!(PANICS).increment(0);
    metrics::describe_gauge!(BUILD, "1, with the version and commit of this program as labels.");
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("BUILD_COMMIT"));
    metrics::gauge!(BUILD, "version" => version, "commit" => commit).set(1.0);
    metrics::describe_gauge!(STARTED, "When this process started, in Unix seconds.");
    let started = u32::try_from(SystemClock.now().as_unix_seconds()).unwrap_or(u32::MAX);
    metrics::gauge!(STARTED).set(f64::from(started));
}

/// The operator's port.
pub fn router(metrics: PrometheusHandle, ready: Ready) -> Router {
    let readyz = move || {
        let ready = ready();
        async move {
            if ready { (StatusCode::OK, "ready\n") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready\n") }
        }
    };
    let scrape = move || async move {
        process::sample();
        metrics.render()
    };
    Router::new()
        .route("/metrics", get(scrape))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
}

#[cfg(test)]
mod tests {
    use super::*;
    use garimpo_server::store::StoreSettings;
    use garimpo_server::{App, Settings};

    /// The first scrape must show a zero: an alarm on growth does not see a series that begins at
    /// one.
    #[tokio::test]
    async fn metrics_with_alarms_exist_from_the_start() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        let _guard = metrics::set_default_local_recorder(&recorder);
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", dir.path().join("garimpo.db").display());

        let server = App::start(Settings::new(StoreSettings::new(&url))).await.unwrap();

        describe();
        let shown = handle.render();
        for line in [
            "garimpo_panics_total 0",
            "garimpo_password_hashes_running 0",
            "garimpo_provider_circuit_open 0",
            concat!("garimpo_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\",commit=\"debug\"} 1"),
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line} in {shown}");
        }
        server.stop().await;
    }
}
