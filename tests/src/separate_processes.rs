//! The product and its sandbox as two processes, so that the provider fails from the first call on.

use serde_json::Value;
use tempfile::TempDir;

use crate::app::base_settings;
use crate::ports::free_address;
use crate::postgres;
use crate::process::{Addresses, Process};
use crate::provider::Provider;
use crate::visitor::Visitor;

/// Both processes. They drop before their folders.
pub struct SeparateProcesses {
    product: (Process, Addresses),
    sandbox: (Process, Addresses),
    _folders: Vec<TempDir>,
}

impl SeparateProcesses {
    /// Starts both. The faults are set before the product's first call to the provider.
    pub async fn start_with_faults(faults: &[Value]) -> Self {
        let folders: Vec<TempDir> =
            (0..2).map(|_| TempDir::with_prefix("garimpo-apart-").expect("a folder")).collect();
        let mut settings = base_settings();
        let sandbox = Process::start("sandbox", folders[0].path(), &settings).await;
        let provider = Provider::new(&sandbox.1["sandbox"]);
        for fault in faults {
            provider.add_fault(fault.clone()).await;
        }

        settings.insert("GARIMPO_SANDBOX_LISTEN".into(), "off".into());
        settings.insert("GARIMPO_SANDBOX_URL".into(), sandbox.1["sandbox"].clone());
        settings.extend(postgres::fresh().await.map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)));
        let product = Process::start("serve", folders[1].path(), &settings).await;
        Self { product, sandbox, _folders: folders }
    }

    /// A visitor of the product.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.product.1["public"])
    }

    /// The sandbox.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox.1["sandbox"])
    }
}

/// The product while its sandbox is away: it does not know the time, so it serves no call.
pub struct ProductWithoutTime {
    url: String,
    _process: Process,
    _folder: TempDir,
}

impl ProductWithoutTime {
    /// Starts it and waits until its port is open.
    pub async fn start() -> Self {
        let folder = TempDir::with_prefix("garimpo-timeless-").expect("a folder");
        let mut settings = base_settings();
        let public = free_address();
        settings.insert("GARIMPO_LISTEN".into(), public.clone());
        settings.insert("GARIMPO_SANDBOX_LISTEN".into(), "off".into());
        settings.insert("GARIMPO_SANDBOX_URL".into(), format!("http://{}", free_address()));
        let process = Process::spawn("serve", folder.path(), &settings);
        let url = format!("http://{public}");
        crate::eventually("the open port", || async {
            crate::http::get(format!("{url}/config.json")).await.ok()
        })
        .await;
        Self { url, _process: process, _folder: folder }
    }

    /// A visitor of the product.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.url)
    }
}
