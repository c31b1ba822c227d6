//! The whole product in one process (`garimpo serve`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use tempfile::TempDir;
use tonic::transport::Channel;

use crate::process::{self, Addresses, Process, Ran};
use crate::provider::Provider;
use crate::visitor::Visitor;
use crate::{database, postgres, template};

/// The running product with its settings and data. Fields drop in order: the process before its
/// folder.
pub struct App {
    process: Process,
    addresses: Addresses,
    settings: BTreeMap<String, String>,
    data: TempDir,
}

impl App {
    /// Starts the product outside the campaign, with a fresh database.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts the product with these settings on top of the fixture's own.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        let data = TempDir::with_prefix("garimpo-e2e-").expect("a folder can be made");
        let mut all = base_settings();
        // The template's world has another clock, so a scenario with its own clock starts empty.
        let database = if settings.iter().any(|(name, _)| *name == "GARIMPO_SANDBOX_CLOCK") {
            postgres::fresh().await
        } else {
            template::copied_into(data.path()).await
        };
        all.extend(database.iter().flat_map(|url| postgres::settings_of(url)));
        all.extend(settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
        let (process, addresses) = Process::start("serve", data.path(), &all).await;
        Self { process, addresses, settings: all, data }
    }

    /// Ends the process with SIGKILL and restarts it with the same data and ports.
    pub async fn dies_and_restarts(&mut self) {
        self.kill();
        self.restart().await;
    }

    /// Ends the process with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// `garimpo sandbox` on the data of a product that has ended. Dropping the value ends it.
    pub async fn sandbox_alone(&self) -> Process {
        Process::start("sandbox", self.data.path(), &base_settings()).await.0
    }

    /// Starts the ended process with the same data and ports.
    pub async fn restart(&mut self) {
        for (name, variable) in [
            ("public", "GARIMPO_LISTEN"),
            ("grpc", "GARIMPO_GRPC_LISTEN"),
            ("sandbox", "GARIMPO_SANDBOX_LISTEN"),
            ("metrics", "GARIMPO_METRICS_LISTEN"),
        ] {
            let address = self.addresses[name].split_once("://").expect("an origin").1;
            self.settings.insert(variable.into(), address.to_string());
        }
        let (process, addresses) = Process::start("serve", self.data.path(), &self.settings).await;
        self.process = process;
        self.addresses = addresses;
    }

    /// Restarts the process with the same data and changed settings.
    pub async fn restarts_with(&mut self, settings: &[(&str, &str)]) {
        self.kill();
        self.settings.extend(settings.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        self.restart().await;
    }

    /// Restarts the process with this crash point (GARIMPO_CRASH_AT). Later starts are without it.
    pub async fn restart_with_crash_point(&mut self, crash_at: &str) {
        self.restarts_with(&[("GARIMPO_CRASH_AT", crash_at)]).await;
        self.settings.remove("GARIMPO_CRASH_AT");
    }

    /// Stops the process (SIGTERM).
    pub async fn stops(&mut self) {
        self.process.terminate();
        assert_eq!(self.process.ends(crate::DEADLINE).await, Some(0));
    }

    /// Waits until the process has ended by itself, as it does at a crash point.
    pub async fn wait_for_end(&mut self) {
        self.process.ends(crate::DEADLINE).await;
    }

    /// Address of the sandbox.
    pub fn sandbox_url(&self) -> &str {
        &self.addresses["sandbox"]
    }

    /// Runs `garimpo admin <arguments>` beside the running product.
    pub async fn admin(&self, arguments: &[&str]) -> Ran {
        process::run(&[&["admin"], arguments].concat(), self.data.path(), &self.settings).await
    }

    /// Runs `garimpo admin <arguments>` until it dies at a crash point.
    pub async fn admin_dies(&self, arguments: &[&str], crash_at: &str) {
        let mut settings = self.settings.clone();
        settings.insert("GARIMPO_CRASH_AT".into(), crash_at.into());
        process::dies(&[&["admin"], arguments].concat(), self.data.path(), &settings).await;
    }

    /// Runs `garimpo <arguments>` beside the product that serves, with these settings on top of the
    /// fixture's own.
    pub async fn runs_with(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Ran {
        let mut all = self.settings.clone();
        all.extend(settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
        process::run(arguments, self.data.path(), &all).await
    }

    /// The settings of the running product.
    pub fn settings(&self) -> &BTreeMap<String, String> {
        &self.settings
    }

    /// Direct address of the database on PostgreSQL, without a pooler; `None` on SQLite.
    pub fn database_url(&self) -> Option<&str> {
        let names = ["GARIMPO_DATABASE_MIGRATION_URL", "GARIMPO_DATABASE_URL"];
        names.into_iter().find_map(|name| self.settings.get(name)).map(String::as_str)
    }

    /// Ends this product and starts one from a backup, with the same sandbox.
    pub async fn restored_from(mut self, backup: &Path) -> Self {
        self.kill();
        let data = TempDir::with_prefix("garimpo-e2e-").expect("a folder can be made");
        std::fs::copy(backup.join("garimpo.db"), data.path().join("garimpo.db"))
            .expect("the backup is there");
        for file in ["sandbox.db", "sandbox.db-wal"] {
            let _ = std::fs::copy(self.data.path().join(file), data.path().join(file));
        }
        let (process, addresses) = Process::start("serve", data.path(), &self.settings).await;
        Self { process, addresses, settings: self.settings.clone(), data }
    }

    /// Copies the database, as a backup or a replica does, and returns the copy's file or
    /// address. On PostgreSQL the product starts again, because a template must have no
    /// connections.
    pub async fn copies_database(&mut self) -> String {
        if let Some(url) = self.database_url().map(str::to_owned) {
            self.kill();
            let copy = postgres::copy_of(&url).await;
            self.restart().await;
            return copy;
        }
        let file = self.folder(&format!(".copy-{:016x}", rand::random::<u64>()));
        let file = file.to_str().expect("UTF-8").to_owned();
        self.executes(&format!("VACUUM INTO '{file}'")).await;
        file
    }

    /// Ends the process with SIGKILL, replaces the database by an earlier copy, and starts again.
    /// The provider's data does not change.
    pub async fn loses_disk(&mut self, copy: &str) {
        self.kill();
        if self.database_url().is_some() {
            self.settings.extend(postgres::settings_of(&postgres::copy_of(copy).await));
        } else {
            self.loses_database();
            std::fs::copy(copy, self.folder("garimpo.db")).expect("the copy is there");
        }
        self.restart().await;
    }

    /// Removes the embedded database, as `mv /var/lib/garimpo` does. The provider's data does not
    /// change.
    pub fn loses_database(&self) {
        for name in ["garimpo.db", "garimpo.db-wal", "garimpo.db-shm"] {
            let _ = std::fs::remove_file(self.folder(name));
        }
    }

    /// The value of a series in /metrics.
    pub async fn metric(&self, series: &str) -> Option<String> {
        let text =
            crate::http::get(format!("{}/metrics", self.metrics_url())).await.ok()?.text().await.ok()?;
        text.lines().find_map(|line| Some(line.strip_prefix(series)?.trim().to_string()))
    }

    /// Waits until a series in /metrics has this value. A gauge appears with the first job that
    /// measures it, after the start.
    pub async fn wait_for_metric(&self, series: &str, value: &str) {
        crate::eventually(&format!("{series} = {value}"), || async {
            self.metric(series).await.filter(|found| found == value)
        })
        .await;
    }

    /// A path in the data folder.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.data.path().join(name)
    }

    /// The words that the files of the embedded database contain, with their number.
    pub fn words_in_database(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for file in ["garimpo.db", "garimpo.db-wal"] {
            // SQLite deletes the log when it closes the database.
            let bytes = std::fs::read(self.folder(file)).unwrap_or_default();
            for word in words.iter().map(|word| word.as_bytes()) {
                let count = bytes.windows(word.len()).filter(|window| *window == word).count();
                if count > 0 {
                    found.push(format!("{file}: {} {count} times", String::from_utf8_lossy(word)));
                }
            }
        }
        found
    }

    /// A visitor without cookies.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(self.url())
    }

    /// The sandbox: payments, mailbox, clock.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.addresses["sandbox"])
    }

    /// Address of the public port, `http://host:port`.
    pub fn url(&self) -> &str {
        &self.addresses["public"]
    }

    /// Address of the port that redirects to https.
    pub fn redirect_url(&self) -> &str {
        &self.addresses["redirect"]
    }

    /// Address of the internal port.
    pub fn internal_url(&self) -> &str {
        &self.addresses["grpc"]
    }

    /// Address of the metrics port.
    pub fn metrics_url(&self) -> &str {
        &self.addresses["metrics"]
    }

    /// A client with a new service token of a scope.
    pub async fn service(&self, scope: &str) -> Visitor {
        let made = self.admin(&["token", "create", "cenario", "--scope", scope]).await;
        assert_eq!(made.code, 0, "{made:?}");
        let mut service = self.visitor();
        service.id_token = made.stdout.lines().last().map(str::to_owned);
        service
    }

    /// Renames a table, so that every call that needs it fails.
    pub async fn loses_table(&self, table: &str) {
        self.executes(&format!("ALTER TABLE {table} RENAME TO {table}_gone")).await;
    }

    /// Changes the database from outside the product.
    pub async fn executes(&self, statement: &str) {
        database::executes(self.database_url(), self.data.path(), statement).await;
    }

    /// Everything logged so far.
    pub fn log_text(&self) -> String {
        self.process.log_text()
    }

    /// Auth over native gRPC on the public port.
    pub async fn auth(&self) -> AuthServiceClient<Channel> {
        AuthServiceClient::new(channel(self.url()).await)
    }

    /// Users over native gRPC on the public port.
    pub async fn users(&self) -> UserServiceClient<Channel> {
        UserServiceClient::new(channel(self.url()).await)
    }

    /// Tracking over native gRPC on the public port.
    pub async fn tracking(&self) -> TrackingServiceClient<Channel> {
        TrackingServiceClient::new(channel(self.url()).await)
    }

    /// Billing over native gRPC on the public port.
    pub async fn billing(&self) -> BillingServiceClient<Channel> {
        BillingServiceClient::new(channel(self.url()).await)
    }
}

/// A native gRPC channel to an address of the product.
pub async fn channel(url: &str) -> Channel {
    try_channel(url).await.expect("the port answers")
}

/// The same while the port may be closed.
///
/// # Errors
/// No connection was made.
pub async fn try_channel(url: &str) -> Result<Channel, tonic::transport::Error> {
    Channel::from_shared(url.to_string()).expect("an address").connect().await
}

/// Settings of every process of a scenario: free ports, no campaign.
pub fn base_settings() -> BTreeMap<String, String> {
    [
        ("GARIMPO_LISTEN", "127.0.0.1:0"),
        ("GARIMPO_GRPC_LISTEN", "127.0.0.1:0"),
        ("GARIMPO_SANDBOX_LISTEN", "127.0.0.1:0"),
        ("GARIMPO_METRICS_LISTEN", "127.0.0.1:0"),
        ("GARIMPO_BLACK_NOVEMBER", "off"),
        ("GARIMPO_LOG", "info"),
        // A scenario retries every few milliseconds until the catalogue is at the provider.
        ("GARIMPO_LIMIT_CHECKOUT_ACCOUNT", "100000"),
        // All visitors of a scenario come from one address.
        ("GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", "100000"),
        ("GARIMPO_LIMIT_SIGN_UP_ADDRESS", "100000"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .collect()
}
