//! One running `garimpo`, ended with the value that holds it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::eventually;

/// The bound addresses that the process wrote to `addresses.json`.
pub type Addresses = BTreeMap<String, String>;

/// A process of the product and the folder that it keeps its data in.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `garimpo <command>` with `settings` and waits until it is ready.
    pub async fn start(command: &str, data: &Path, settings: &BTreeMap<String, String>) -> (Self, Addresses) {
        let addresses = data.join("addresses.json");
        let _ = std::fs::remove_file(&addresses);
        let log = data.join("log");
        let sink = File::options().append(true).create(true).open(&log).expect("the log can be opened");
        let child = Command::new(binary())
            .arg(command)
            .env_clear()
            .env("GARIMPO_DATA_DIR", data)
            .envs(settings)
            .stdin(Stdio::null())
            .stdout(sink.try_clone().expect("the log can be shared"))
            .stderr(sink)
            .spawn()
            .expect("garimpo was built: run `cargo build -p garimpo`");
        let mut process = Self { child, log };
        let found = eventually("addresses.json", || {
            process.assert_running();
            let read = std::fs::read(&addresses).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            async move { read }
        })
        .await;
        process.becomes_ready(&found).await;
        (process, found)
    }

    async fn becomes_ready(&mut self, addresses: &Addresses) {
        let url = format!("{}/readyz", addresses["metrics"]);
        let client = reqwest::Client::new();
        eventually("readiness", || {
            self.assert_running();
            let call = client.get(&url).send();
            async move { call.await.ok().filter(|answer| answer.status().is_success()) }
        })
        .await;
    }

    fn assert_running(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            panic!("garimpo ended with {status}:\n{}", self.log_text());
        }
    }

    /// Ends the process as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Everything that the process logged.
    pub fn log_text(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if !std::thread::panicking() {
            let log = self.log_text();
            assert!(!log.contains("panicked"), "garimpo panicked:\n{log}");
        } else if let Ok(folder) = std::env::current_dir() {
            eprintln!("the log of garimpo ({}):\n{}", folder.display(), tail(&self.log_text()));
        }
    }
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// The binary stands beside the folder of the test's own executable.
/// The binary that was built beside the tests.
pub(crate) fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own path");
    own.ancestors().nth(2).expect("target/debug/deps/test").join("garimpo")
}
