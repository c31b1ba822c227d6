//! `garimpo health`, for supervisors that run a command, such as a container's health check.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::config::Config;
use crate::data_dir::Addresses;

/// A process that responds later counts as one that does not respond.
const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Exit with 0 only if the process can also work (/readyz instead of /healthz)
    #[arg(long)]
    ready: bool,
}

/// Calls the port of health and readiness of the process that runs on the data folder.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let path = if options.ready { "readyz" } else { "healthz" };
    let noted = Addresses::read(&config.data_dir).metrics;
    let origin = noted.unwrap_or_else(|| format!("http://{}", config.listen.metrics));
    // Without certificates, because the port is plain HTTP and reading them would take longer than
    // the call.
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(TIMEOUT).build()?;
    let answer = client.get(format!("{origin}/{path}")).send().await;
    let is_well = answer.is_ok_and(|answer| answer.status().is_success());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
