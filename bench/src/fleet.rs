//! Two equal processes and a sandbox on one PostgreSQL, as docs/fleet.md describes them.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::product::{Product, service_token};
use crate::world::World;

/// A PostgreSQL that writes durably, stopped on drop.
struct Postgres {
    url: String,
    folder: TempDir,
}

impl Postgres {
    fn start() -> Result<Self> {
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
    /// The process that visitors and the provider reach.
    pub world: World,
    /// The other process.
    pub beside: Product,
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
        let folders = [of_provider, &disk, &disk].map(|at| TempDir::with_prefix_in("garimpo-bench-", at));
        let folders: Vec<_> = folders.into_iter().collect::<Result<_, _>>()?;
        let public = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let (url, webhook) = (format!("http://{public}"), format!("http://{public}/webhooks/stripe"));
        let hook = [("GARIMPO_SANDBOX_WEBHOOK", webhook.as_str())];
        let sandbox = Product::start_as("sandbox", folders[0].path(), &hook).await?;
        let sandbox_url = sandbox.address("sandbox");
        let mut settings = vec![
            ("GARIMPO_SANDBOX_LISTEN", "off"),
            ("GARIMPO_SANDBOX_URL", sandbox_url.as_str()),
            ("GARIMPO_PUBLIC_URL", &url),
            ("GARIMPO_DATABASE_URL", &postgres.url),
        ];
        settings.extend(more);
        let beside = Product::start_as("serve", folders[1].path(), &settings).await?;
        let visited = [settings.as_slice(), &[("GARIMPO_LISTEN", &public)]].concat();
        let visited = Product::start_as("serve", folders[2].path(), &visited).await?;
        let token = service_token(folders[1].path(), &settings, "billing.read").context("a token")?;
        let world = World::over(visited, sandbox_url);
        Ok(Self { world, beside, token, _sandbox: sandbox, _folders: folders, _postgres: postgres })
    }
}
