//! Several processes on one PostgreSQL: one sandbox, two servers, one gateway.

use std::collections::BTreeMap;

use tempfile::TempDir;

use crate::app::{base_settings, fresh_postgres, prepare};
use crate::process::{Addresses, Process};
use crate::provider::Provider;
use crate::visitor::Visitor;

const SECRET: &str = "um-segredo-de-teste-com-tamanho-bastante";

/// A small fleet; `None` without a PostgreSQL to stand on. Processes drop before their folders.
pub struct Fleet {
    gateway: (Process, Addresses),
    servers: Vec<(Process, Addresses)>,
    sandbox: (Process, Addresses),
    _folders: Vec<TempDir>,
}

impl Fleet {
    /// Starts the sandbox, two servers and a gateway in front of them.
    pub async fn start() -> Option<Self> {
        prepare();
        let database = fresh_postgres().await?;
        let folders: Vec<TempDir> =
            (0..4).map(|_| TempDir::with_prefix("garimpo-fleet-").expect("a folder")).collect();
        let public = free_address();
        let mut settings = base_settings();
        settings.insert("GARIMPO_SANDBOX_WEBHOOK".into(), format!("http://{public}/webhooks/stripe"));
        let sandbox = Process::start("sandbox", folders[0].path(), &settings).await;

        settings.insert("GARIMPO_SANDBOX_URL".into(), sandbox.1["sandbox"].clone());
        settings.insert("GARIMPO_DATABASE_URL".into(), database);
        settings.insert("GARIMPO_FLEET_SECRET".into(), SECRET.into());
        settings.insert("GARIMPO_PUBLIC_URL".into(), format!("http://{public}"));
        let first = Process::start("server", folders[1].path(), &settings).await;
        let second = Process::start("server", folders[2].path(), &settings).await;

        let behind = format!("{},{}", first.1["grpc"], second.1["grpc"]);
        let gateway = gateway(&folders[3], &settings, &behind, &public).await;
        Some(Self { gateway, servers: vec![first, second], sandbox, _folders: folders })
    }

    /// Somebody in front of the gateway.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.gateway.1["public"])
    }

    /// The world outside.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox.1["sandbox"])
    }

    /// kill -9 of one server.
    pub fn kills_a_server(&mut self) {
        self.servers[0].0.kill();
    }
}

async fn gateway(
    folder: &TempDir,
    settings: &BTreeMap<String, String>,
    behind: &str,
    public: &str,
) -> (Process, Addresses) {
    let mut settings = settings.clone();
    settings.insert("GARIMPO_SERVER_URL".into(), behind.into());
    settings.insert("GARIMPO_LISTEN".into(), public.into());
    settings.remove("GARIMPO_DATABASE_URL");
    Process::start("gateway", folder.path(), &settings).await
}

/// The public address must be known before the sandbox delivers to it.
pub fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}
