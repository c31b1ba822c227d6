//! Two servers, a gateway and a sandbox on one PostgreSQL, as docs/fleet.md describes them.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::product::{Product, service_token};
use crate::world::World;

const SECRET: &str = "um-segredo-de-medida-com-tamanho-bastante";

/// A PostgreSQL that writes durably, stopped on drop.
pub struct Postgres {
    pub url: String,
    folder: TempDir,
}

impl Postgres {
    pub fn start() -> Result<Self> {
        let folder = TempDir::with_prefix("garimpo-bench-")?;
        let made = script().arg(folder.path().join("postgres")).arg("fsync").output()?;
        ensure!(made.status.success(), "PostgreSQL: {}", String::from_utf8_lossy(&made.stderr));
        Ok(Self { url: String::from_utf8(made.stdout)?.trim().to_owned(), folder })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = script().arg(self.folder.path().join("postgres")).arg("stop").status();
    }
}

fn script() -> Command {
    Command::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/setup/postgres.sh"))
}

pub struct Fleet {
    /// What visitors and the provider reach.
    pub world: World,
    pub servers: Vec<Product>,
    /// A token that reads entitlements.
    pub token: String,
    _sandbox: Product,
    _folders: Vec<TempDir>,
    _postgres: Postgres,
}

impl Fleet {
    pub async fn start(more: &[(&str, &str)]) -> Result<Self> {
        let postgres = Postgres::start()?;
        // The provider has disks of its own, so the simulated one works in memory where it can.
        let (memory, disk) = (PathBuf::from("/dev/shm"), std::env::temp_dir());
        let of_provider = if memory.is_dir() { &memory } else { &disk };
        let folders =
            [of_provider, &disk, &disk, &disk].map(|at| TempDir::with_prefix_in("garimpo-bench-", at));
        let folders: Vec<_> = folders.into_iter().collect::<Result<_, _>>()?;
        let public = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let (url, webhook) = (format!("http://{public}"), format!("http://{public}/webhooks/stripe"));
        let hook = [("GARIMPO_SANDBOX_WEBHOOK", webhook.as_str())];
        let sandbox = Product::start_as("sandbox", folders[0].path(), &hook).await?;
        let sandbox_url = sandbox.address("sandbox");
        let mut settings = vec![
            ("GARIMPO_SANDBOX_URL", sandbox_url.as_str()),
            ("GARIMPO_FLEET_SECRET", SECRET),
            ("GARIMPO_PUBLIC_URL", &url),
        ];
        settings.extend(more);
        let of_server = [settings.as_slice(), &[("GARIMPO_DATABASE_URL", &postgres.url)]].concat();
        let mut servers = Vec::new();
        for folder in &folders[1..3] {
            servers.push(Product::start_as("server", folder.path(), &of_server).await?);
        }
        let backends = servers.iter().map(Product::internal_url).collect::<Vec<_>>().join(",");
        settings.extend([("GARIMPO_SERVER_URL", backends.as_str()), ("GARIMPO_LISTEN", &public)]);
        let gateway = Product::start_as("gateway", folders[3].path(), &settings).await?;
        let token = service_token(folders[1].path(), &of_server, "billing.read").context("a token")?;
        let world = World::over(gateway, sandbox_url);
        Ok(Self { world, servers, token, _sandbox: sandbox, _folders: folders, _postgres: postgres })
    }
}
