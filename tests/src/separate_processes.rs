//! The product as three processes (sandbox, server, gateway), so that one can be killed while the
//! others run.

use serde_json::Value;
use tempfile::TempDir;

use crate::app::base_settings;
use crate::postgres;
use crate::process::{Addresses, Process};
use crate::provider::Provider;
use crate::visitor::Visitor;

const SECRET: &str = "um-segredo-de-teste-com-tamanho-bastante";

/// One process of each kind. Processes drop before their folders.
pub struct SeparateProcesses {
    gateway: (Process, Addresses),
    server: (Process, Addresses),
    sandbox: (Process, Addresses),
    _folders: Vec<TempDir>,
}

impl SeparateProcesses {
    /// Starts all three. The faults are set before the server's first call to the provider.
    pub async fn start_with_faults(faults: &[Value]) -> Self {
        let folders: Vec<TempDir> =
            (0..3).map(|_| TempDir::with_prefix("garimpo-apart-").expect("a folder")).collect();
        let mut settings = base_settings();
        let sandbox = Process::start("sandbox", folders[0].path(), &settings).await;
        let provider = Provider::new(&sandbox.1["sandbox"]);
        for fault in faults {
            provider.add_fault(fault.clone()).await;
        }

        settings.insert("GARIMPO_SANDBOX_URL".into(), sandbox.1["sandbox"].clone());
        settings.insert("GARIMPO_FLEET_SECRET".into(), SECRET.into());
        settings.extend(postgres::fresh().await.map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)));
        let server = Process::start("server", folders[1].path(), &settings).await;
        settings.remove("GARIMPO_DATABASE_URL");
        settings.insert("GARIMPO_SERVER_URL".into(), server.1["grpc"].clone());
        let gateway = Process::start("gateway", folders[2].path(), &settings).await;
        Self { gateway, server, sandbox, _folders: folders }
    }

    /// A visitor at the gateway.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.gateway.1["public"])
    }

    /// The sandbox.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox.1["sandbox"])
    }

    /// Ends the only server with SIGKILL.
    pub fn server_dies(&mut self) {
        self.server.0.kill();
    }
}
