//! The export of traces, by the settings.

use anyhow::{Context, Result};
use garimpo_server::ids::Ids;
use garimpo_telemetry::{Exporter, TraceSettings};

use crate::config::{Config, Role};

/// Begins to record traces if the settings name a collector.
pub(super) fn start(config: &Config) -> Result<Option<Exporter>> {
    let Some((url, ratio)) = config.traces.clone() else { return Ok(None) };
    if config.role == Role::Sandbox {
        return Ok(None);
    }
    let settings = TraceSettings {
        url,
        ratio,
        service: "garimpo",
        version: env!("CARGO_PKG_VERSION"),
        instance: Ids::system().id("proc_"),
    };
    garimpo_telemetry::start(settings).map(Some).context("GARIMPO_TRACES_URL")
}
