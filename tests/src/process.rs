//! One running `garimpo`. Dropping the value ends it.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::DEADLINE;

/// Interval between two checks of a process that starts.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The signal by which a process dies at a crash point.
pub const SIGABRT: i32 = 6;

/// The bound addresses that the process wrote to `addresses.json`.
pub type Addresses = BTreeMap<String, String>;

/// A process of the product, and its data folder.
pub struct Process {
    child: Child,
    data: PathBuf,
}

impl Process {
    /// Starts `garimpo <command>` with `settings` and waits until it is ready.
    pub async fn start(command: &str, data: &Path, settings: &BTreeMap<String, String>) -> (Self, Addresses) {
        Self::start_on(None, command, data, settings).await
    }

    /// The same with the public port on a socket of the scenario, as systemd passes it.
    pub async fn start_on(
        socket: Option<&TcpListener>,
        command: &str,
        data: &Path,
        settings: &BTreeMap<String, String>,
    ) -> (Self, Addresses) {
        let mut process = match socket {
            Some(socket) => {
                let socket = socket.try_clone().expect("a socket can be shared");
                Self::spawn_with_socket(command, data, settings, (documented_name(), socket.into()))
            }
            None => Self::spawn(command, data, settings),
        };
        let found = process.becomes_ready().await;
        let Some(found) = found else { panic!("garimpo ended:\n{}", process.log_text()) };
        (process, found)
    }

    /// Starts `garimpo <command>` with `settings` without waiting.
    pub fn spawn(command: &str, data: &Path, settings: &BTreeMap<String, String>) -> Self {
        let mut child = Command::new(binary());
        child.arg(command).stdin(Stdio::null());
        Self::launch(child, data, settings)
    }

    /// Starts `garimpo <command>` as systemd does for a socket unit: with this socket, by its name,
    /// as descriptor 3.
    pub fn spawn_with_socket(
        command: &str,
        data: &Path,
        settings: &BTreeMap<String, String>,
        (name, socket): (&str, OwnedFd),
    ) -> Self {
        // exec keeps the shell's process id, which LISTEN_PID must name.
        let script = r#"export LISTEN_PID=$$; exec "$@" 3<&0 0</dev/null"#;
        let mut child = Command::new("/bin/sh");
        child.args(["-c", script, "sh"]).arg(binary()).arg(command).stdin(Stdio::from(socket));
        let mut settings = settings.clone();
        settings.extend([("LISTEN_FDS".into(), "1".into()), ("LISTEN_FDNAMES".into(), name.into())]);
        Self::launch(child, data, &settings)
    }

    fn launch(mut command: Command, data: &Path, settings: &BTreeMap<String, String>) -> Self {
        let _ = std::fs::remove_file(data.join("addresses.json"));
        let log = data.join("log");
        let sink = File::options().append(true).create(true).open(&log).expect("the log can be opened");
        let child = command
            .env_clear()
            .env("GARIMPO_DATA_DIR", data)
            .envs(settings)
            .stdout(sink.try_clone().expect("the log can be shared"))
            .stderr(sink)
            .spawn()
            .expect("garimpo was built: run `cargo build -p garimpo`");
        Self { child, data: data.into() }
    }

    /// Waits until the process is ready. Returns its addresses, or `None` if it ended first.
    pub async fn becomes_ready(&mut self) -> Option<Addresses> {
        let client = crate::http::client();
        let began = Instant::now();
        let mut addresses: Option<Addresses> = None;
        loop {
            if self.exit_status().is_some() {
                return None;
            }
            match &addresses {
                None => addresses = self.addresses(),
                Some(found) => {
                    let answer = client.get(format!("{}/readyz", found["metrics"])).send().await;
                    if answer.is_ok_and(|answer| answer.status().is_success()) {
                        return addresses;
                    }
                }
            }
            assert!(began.elapsed() < DEADLINE, "not ready after {DEADLINE:?}:\n{}", self.log_text());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    fn addresses(&self) -> Option<Addresses> {
        let note = std::fs::read(self.data.join("addresses.json")).ok()?;
        serde_json::from_slice(&note).ok()
    }

    /// Id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Exit status of the process; `None` while it runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be asked for")
    }

    /// Ends the process with SIGKILL. Writes without fsync survive, unlike after a power failure.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends SIGSTOP, which suspends the process until [`Process::resume`].
    pub fn suspend(&self) {
        self.signal("STOP");
    }

    /// Sends SIGCONT, which resumes a suspended process.
    pub fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "SIG{name} was not sent");
    }

    /// Waits until the process has ended by itself, and returns its exit code.
    pub async fn ends(&mut self, within: Duration) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(began.elapsed() < within, "it still runs after {within:?}:\n{}", self.log_text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Everything that the process logged.
    pub fn log_text(&self) -> String {
        std::fs::read_to_string(self.data.join("log")).unwrap_or_default()
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

/// Ids of a process's children.
pub fn children_of(process: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    children.expect("Linux lists children").split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// The name that the documented unit gives to the public port.
fn documented_name() -> &'static str {
    let unit = include_str!("../../packaging/systemd/garimpo.socket");
    let name = unit.lines().find_map(|line| line.strip_prefix("FileDescriptorName="));
    name.expect("packaging/systemd/garimpo.socket has a FileDescriptorName=")
}

/// The binary that was built with the tests.
fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own path");
    own.ancestors().nth(2).expect("target/debug/deps/test").join("garimpo")
}

/// Result of an operator's command.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// `garimpo <arguments>`, not started yet.
pub fn command(
    arguments: &[&str],
    data: &Path,
    settings: &BTreeMap<String, String>,
) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(binary());
    command.args(arguments).env_clear().env("GARIMPO_DATA_DIR", data).envs(settings).stdin(Stdio::null());
    command
}

/// `garimpo <arguments>` in a terminal, which is its standard output; not started yet.
pub fn in_terminal(
    arguments: &str,
    data: &Path,
    settings: &BTreeMap<String, String>,
) -> tokio::process::Command {
    let mut command = tokio::process::Command::new("script");
    let garimpo = format!("{} {arguments}", binary().display());
    command.args(["--quiet", "--return", "--command", &garimpo, "/dev/null"]);
    command
        .env_clear()
        .env("TERM", "xterm")
        .env("GARIMPO_DATA_DIR", data)
        .envs(settings)
        .stdin(Stdio::null());
    command
}

/// Runs `garimpo <arguments>` to its end.
pub async fn run(arguments: &[&str], data: &Path, settings: &BTreeMap<String, String>) -> Ran {
    let output = command(arguments, data, settings)
        .output()
        .await
        .expect("garimpo was built: run `cargo build -p garimpo`");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: output.status.code().expect("it ended by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs `garimpo <arguments>` until it dies at a crash point.
pub async fn dies(arguments: &[&str], data: &Path, settings: &BTreeMap<String, String>) {
    let output = command(arguments, data, settings).output().await.expect("garimpo was built");
    assert_eq!(output.status.signal(), Some(SIGABRT), "{arguments:?}: {output:?}");
}
