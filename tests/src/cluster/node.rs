//! One process of a cluster.

use std::collections::BTreeMap;

use tempfile::TempDir;

use crate::postgres::OwnServer;
use crate::process::Process;
use crate::template;

/// A process of the cluster. It drops before its folder.
pub(super) struct Node {
    command: &'static str,
    pub(super) process: Process,
    pub(super) settings: BTreeMap<String, String>,
    pub(super) folder: TempDir,
}

impl Node {
    pub(super) async fn new(
        command: &'static str,
        settings: BTreeMap<String, String>,
        data: &Data,
        crash_at: Option<&str>,
    ) -> Self {
        let folder = TempDir::with_prefix("garimpo-node-").expect("a folder can be made");
        if matches!(data, Data::Copied(_)) {
            template::files_copied_into(folder.path()).await;
        }
        let process = Process::spawn(command, folder.path(), &with_crash_point(&settings, crash_at));
        Self { command, process, settings, folder }
    }

    pub(super) fn spawn_again(&mut self, crash_at: Option<&str>) {
        self.process =
            Process::spawn(self.command, self.folder.path(), &with_crash_point(&self.settings, crash_at));
    }

    pub(super) async fn becomes_ready(&mut self) {
        let ready = self.process.becomes_ready().await.is_some();
        assert!(ready, "garimpo ended:\n{}", self.process.log_text());
    }
}

/// The settings with a crash point, which only the server uses.
fn with_crash_point(settings: &BTreeMap<String, String>, crash_at: Option<&str>) -> BTreeMap<String, String> {
    let mut settings = settings.clone();
    settings.extend(crash_at.map(|at| ("GARIMPO_CRASH_AT".to_string(), at.to_string())));
    settings
}

impl Drop for Node {
    fn drop(&mut self) {
        // Keeps the data of a failed long run.
        if std::thread::panicking() && crate::soak::is_long() {
            self.folder.disable_cleanup(true);
            eprintln!("kept: {}", self.folder.path().display());
        }
    }
}

/// Initial data of a cluster.
pub(super) enum Data {
    /// A copy of the template; the database's address on PostgreSQL.
    Copied(Option<String>),
    /// Empty, on a PostgreSQL that a test can kill; the database's address.
    Own(OwnServer, String),
    /// Empty; the database's address on PostgreSQL.
    Empty(Option<String>),
}
