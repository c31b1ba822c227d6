//! One process of a cluster.

use std::collections::BTreeMap;

use tempfile::TempDir;

use crate::postgres::OwnServer;
use crate::process::Process;
use crate::template;

/// One process of the cluster; it drops before its folder.
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
        let folder = TempDir::with_prefix("garimpo-casa-").expect("a folder can be made");
        if matches!(data, Data::Copied(_)) {
            template::files_copied_into(folder.path()).await;
        }
        let process = Process::spawn(command, folder.path(), &doomed(&settings, crash_at));
        Self { command, process, settings, folder }
    }

    pub(super) fn spawn_again(&mut self, crash_at: Option<&str>) {
        self.process = Process::spawn(self.command, self.folder.path(), &doomed(&self.settings, crash_at));
    }

    pub(super) async fn becomes_ready(&mut self) {
        let ready = self.process.becomes_ready().await.is_some();
        assert!(ready, "garimpo ended:\n{}", self.process.log_text());
    }
}

/// The settings of a process that is to die at this point; the server alone looks at it.
fn doomed(settings: &BTreeMap<String, String>, crash_at: Option<&str>) -> BTreeMap<String, String> {
    let mut settings = settings.clone();
    settings.extend(crash_at.map(|at| ("GARIMPO_CRASH_AT".to_string(), at.to_string())));
    settings
}

impl Drop for Node {
    fn drop(&mut self) {
        // What a long run found is looked at afterwards.
        if std::thread::panicking() && crate::soak::is_long() {
            self.folder.disable_cleanup(true);
            eprintln!("kept: {}", self.folder.path().display());
        }
    }
}

/// What a cluster begins with.
pub(super) enum Data {
    /// As the first start of a product leaves it; the address of the database on PostgreSQL.
    Copied(Option<String>),
    /// Nothing, on a PostgreSQL that may die; the address of the database.
    Own(OwnServer, String),
    /// Nothing; the address of the database on PostgreSQL.
    Empty(Option<String>),
}
