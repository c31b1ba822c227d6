//! The product in processes that a test kills and restarts with the same data and ports.

mod node;
mod state;

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use node::{Data, Node};

use crate::app::base_settings;
use crate::ports::free_address;
use crate::postgres::{self, OwnServer};
use crate::process::{self, Ran, SIGABRT};
use crate::provider::Provider;
use crate::retrying_visitor::RetryingVisitor;
use crate::template;
use crate::visitor::Visitor;

/// The processes of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `serve`: the product and its sandbox in one process.
    Together,
    /// The product and its sandbox: the provider keeps delivering while the product is down.
    Apart,
}

/// The process that a test kills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The process that holds the database.
    Server,
    /// The provider, the mailbox and the clock.
    Sandbox,
    /// Server and sandbox at once.
    Both,
    /// The PostgreSQL of this cluster; the server keeps running.
    Database,
}

/// The product's processes: the server first, then the sandbox if it is a process of its own.
pub struct Cluster {
    nodes: Vec<Node>,
    layout: Layout,
    public: String,
    internal: String,
    sandbox: String,
    metrics: String,
    database: Option<String>,
    /// Drops after the processes that use this server.
    postgres: Option<OwnServer>,
    is_without_database: bool,
}

impl Cluster {
    /// Starts every process.
    pub async fn start(layout: Layout) -> Self {
        Self::start_with(layout, &[]).await
    }

    /// Starts every process with these settings on top of the fixture's own.
    pub async fn start_with(layout: Layout, own: &[(&str, &str)]) -> Self {
        let data = match own.iter().find(|(name, _)| *name == "GARIMPO_DATABASE_URL") {
            Some((_, url)) => Data::Empty(Some((*url).to_string()).filter(|url| !url.is_empty())),
            None => Data::Copied(template::database_copied().await),
        };
        Self::start_on(layout, own, data).await
    }

    /// Starts every process on a PostgreSQL that may die, when the run has a PostgreSQL at all.
    pub async fn start_on_own_postgres(layout: Layout) -> Self {
        let Some(server) = OwnServer::start().await else { return Self::start(layout).await };
        let url = server.fresh().await;
        Self::start_on(layout, &[], Data::Own(server, url)).await
    }

    /// Creates a cluster that reaches this crash point in its first start, on an empty database.
    pub async fn start_with_crash_point(layout: Layout, crash_at: &str) -> Self {
        Self::build(layout, &[], Data::Empty(postgres::fresh().await), Some(crash_at)).await
    }

    async fn start_on(layout: Layout, own: &[(&str, &str)], data: Data) -> Self {
        let mut cluster = Self::build(layout, own, data, None).await;
        cluster.wait_until_ready().await;
        cluster
    }

    async fn build(layout: Layout, own: &[(&str, &str)], data: Data, crash_at: Option<&str>) -> Self {
        let database = match &data {
            Data::Copied(url) | Data::Empty(url) => url.clone(),
            Data::Own(_, url) => Some(url.clone()),
        };
        let [public, grpc, sandbox, metrics] = [(); 4].map(|()| free_address());
        let mut settings = base_settings();
        settings.extend(
            [
                ("GARIMPO_LISTEN", public.clone()),
                ("GARIMPO_GRPC_LISTEN", grpc.clone()),
                ("GARIMPO_SANDBOX_LISTEN", sandbox.clone()),
                ("GARIMPO_METRICS_LISTEN", metrics.clone()),
                ("GARIMPO_PUBLIC_URL", format!("http://{public}")),
                ("GARIMPO_SANDBOX_URL", format!("http://{sandbox}")),
                ("GARIMPO_SANDBOX_WEBHOOK", format!("http://{public}/webhooks/stripe")),
            ]
            .map(|(name, value)| (name.to_string(), value)),
        );
        settings.extend(database.iter().flat_map(|url| postgres::settings_of(url)));
        settings.extend(own.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
        let nodes = match layout {
            Layout::Together => vec![Node::new("serve", settings, &data, crash_at).await],
            Layout::Apart => {
                let mut of_sandbox = settings.clone();
                of_sandbox.insert("GARIMPO_METRICS_LISTEN".into(), free_address());
                settings.insert("GARIMPO_SANDBOX_LISTEN".into(), "off".into());
                vec![
                    Node::new("serve", settings, &data, crash_at).await,
                    Node::new("sandbox", of_sandbox, &data, crash_at).await,
                ]
            }
        };
        let [public, internal, sandbox, metrics] =
            [public, grpc, sandbox, metrics].map(|at| format!("http://{at}"));
        let postgres = if let Data::Own(server, _) = data { Some(server) } else { None };
        Self {
            nodes,
            layout,
            public,
            internal,
            sandbox,
            metrics,
            database,
            postgres,
            is_without_database: false,
        }
    }

    /// The processes that a test can kill in this layout.
    pub fn victims(&self) -> Vec<Victim> {
        let mut victims = vec![Victim::Server];
        if self.layout == Layout::Apart {
            victims.extend([Victim::Sandbox, Victim::Both]);
        }
        victims.extend(self.postgres.is_some().then_some(Victim::Database));
        victims
    }

    async fn wait_until_ready(&mut self) {
        for node in &mut self.nodes {
            node.becomes_ready().await;
        }
    }

    /// Restarts the server with this crash point (GARIMPO_CRASH_AT), which it may reach before it
    /// is ready.
    pub fn restart_with_crash_point(&mut self, crash_at: &str) {
        self.kill(Victim::Server);
        self.nodes[0].spawn_again(Some(crash_at));
    }

    /// Id of the server's process.
    pub fn server_process(&self) -> u32 {
        self.nodes[0].process.id()
    }

    /// Everything that the server logged.
    pub fn log(&self) -> String {
        self.nodes[0].process.log_text()
    }

    /// Address of the public port.
    pub fn url(&self) -> &str {
        &self.public
    }

    /// A client that repeats calls until they succeed.
    pub fn retrying_visitor(&self) -> RetryingVisitor {
        RetryingVisitor::new(&self.public, &self.sandbox)
    }

    /// A client without cookies.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.public)
    }

    /// Address of the server's internal port.
    pub fn internal_url(&self) -> &str {
        &self.internal
    }

    /// An operator's command, `garimpo admin <arguments>`, beside the server.
    pub async fn admin(&self, arguments: &[&str]) -> Ran {
        let server = &self.nodes[0];
        process::run(&[&["admin"], arguments].concat(), server.folder.path(), &server.settings).await
    }

    /// The sandbox.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox)
    }

    /// Ends a process with SIGKILL.
    pub fn kill(&mut self, victim: Victim) {
        let nodes: &[usize] = match (self.layout, victim) {
            (_, Victim::Database) => {
                self.postgres.as_ref().expect("a PostgreSQL of its own").kill();
                self.is_without_database = true;
                &[]
            }
            (Layout::Together, _) | (Layout::Apart, Victim::Server) => &[0],
            (Layout::Apart, Victim::Sandbox) => &[1],
            (Layout::Apart, Victim::Both) => &[0, 1],
        };
        for node in nodes {
            self.nodes[*node].process.kill();
        }
    }

    /// Whether the server has aborted, as at a crash point; any other end is a failure.
    pub fn has_aborted(&mut self) -> bool {
        let server = &mut self.nodes[0].process;
        let Some(status) = server.exit_status() else { return false };
        assert_eq!(status.signal(), Some(SIGABRT), "garimpo ended:\n{}", server.log_text());
        true
    }

    /// Restarts the processes that ended, on their data and without a crash point; returns how long
    /// that took.
    pub async fn restart(&mut self) -> Duration {
        let began = Instant::now();
        if std::mem::take(&mut self.is_without_database) {
            self.postgres.as_ref().expect("a PostgreSQL of its own").restart().await;
        }
        for node in &mut self.nodes {
            if node.process.exit_status().is_some() {
                node.spawn_again(None);
            }
        }
        self.wait_until_ready().await;
        began.elapsed()
    }

    /// The text of /metrics.
    pub async fn metrics(&self) -> String {
        let answer = crate::http::get(format!("{}/metrics", self.metrics)).await.expect("metrics answer");
        answer.text().await.expect("a text")
    }

    /// Waits until the server has aborted at its crash point, or until `act` is done and no work is
    /// left; returns whether it aborted.
    pub async fn crashes_during<T>(&mut self, act: &tokio::task::JoinHandle<T>) -> bool {
        loop {
            if self.has_aborted() {
                return true;
            }
            if act.is_finished() && self.pending_work().await.is_empty() {
                return self.has_aborted();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the server has aborted during `act`, restarts it, and returns the result of
    /// `act`.
    pub async fn crash_and_restart<T>(&mut self, what: &str, act: tokio::task::JoinHandle<T>) -> T {
        assert!(self.crashes_during(&act).await, "{what} was never reached");
        self.restart().await;
        act.await.unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Restarts a server that did not reach its crash point, without the crash point.
    pub async fn restart_without_crash_point(&mut self) {
        self.kill(Victim::Server);
        self.restart().await;
    }
}
