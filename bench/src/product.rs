//! Runs the release binary as an operator does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use garimpo_proto::auth::v1::SignUpRequest;

const DEADLINE: Duration = Duration::from_mins(1);

/// A running `garimpo serve`, killed on drop.
pub struct Product {
    child: Child,
    addresses: BTreeMap<String, String>,
}

impl Product {
    /// Starts the product on a data folder and waits until it is ready.
    pub async fn start(data: &Path) -> Result<Self> {
        Self::start_with(data, &[]).await
    }

    pub async fn start_with(data: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        Self::start_as("serve", data, settings).await
    }

    /// Starts `garimpo <name>`.
    pub async fn start_as(name: &str, data: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        let file = data.join("addresses.json");
        let _ = std::fs::remove_file(&file);
        let child = command(name, data)?
            .envs(settings.iter().copied())
            .spawn()
            .context("the release binary starts")?;
        let mut product = Self { child, addresses: BTreeMap::new() };
        let began = Instant::now();
        while !product.is_ready(&file).await {
            ensure!(began.elapsed() < DEADLINE, "not ready after {DEADLINE:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(product)
    }

    async fn is_ready(&mut self, file: &Path) -> bool {
        if self.addresses.is_empty() {
            let read = std::fs::read(file).ok();
            self.addresses = read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        }
        let Some(metrics) = self.addresses.get("metrics") else { return false };
        reqwest::get(format!("{metrics}/readyz")).await.is_ok_and(|answer| answer.status().is_success())
    }

    pub fn url(&self) -> &str {
        &self.addresses["public"]
    }

    pub fn internal_url(&self) -> &str {
        &self.addresses["grpc"]
    }

    pub fn address(&self, name: &str) -> String {
        self.addresses[name].clone()
    }

    /// Processor time since the start, of all threads.
    pub fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(self.child.id())
    }

    pub fn stop(mut self) -> Result<()> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Product {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `garimpo <name>` on a data folder and free ports.
pub fn command(name: &str, data: &Path) -> Result<Command> {
    let mut command = Command::new(binary()?);
    let log = std::fs::File::create(data.join("log"))?;
    command.arg(name).env_clear().env("GARIMPO_DATA_DIR", data).env("GARIMPO_BLACK_NOVEMBER", "off");
    // All load comes from one address and few accounts.
    for limit in ["CHECKOUT_READS_ADDRESS", "SIGN_UP_ADDRESS", "SESSIONS_ACCOUNT"] {
        command.env(format!("GARIMPO_LIMIT_{limit}"), "1000000000");
    }
    for port in ["GARIMPO_LISTEN", "GARIMPO_GRPC_LISTEN", "GARIMPO_SANDBOX_LISTEN", "GARIMPO_METRICS_LISTEN"]
    {
        command.env(port, "127.0.0.1:0");
    }
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(command)
}

/// Creates a service token by the CLI.
pub fn service_token(data: &Path, settings: &[(&str, &str)], scope: &str) -> Result<String> {
    let mut command = Command::new(binary()?);
    command.args(["admin", "token", "create", "bench", "--scope", scope]);
    let made = command.env_clear().env("GARIMPO_DATA_DIR", data).envs(settings.iter().copied()).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = String::from_utf8(made.stdout)?;
    Ok(text.lines().last().context("the token is the last line")?.to_owned())
}

/// The sign-up of a person.
pub fn sign_up_request(email: &str) -> SignUpRequest {
    SignUpRequest {
        email: email.to_owned(),
        password: "segredo1".to_owned(),
        display_name: "Ana Souza".to_owned(),
        phone_number: "11987654321".to_owned(),
        ..Default::default()
    }
}

/// The release binary beside this program.
pub fn binary() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("garimpo"))
}

/// Processor time of a process in user and system mode, in ticks of 10 ms.
fn cpu_seconds(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name before it may contain spaces. User and system time are the 14th and 15th field.
    let fields = stat.rsplit(") ").next().context("fields")?.split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
