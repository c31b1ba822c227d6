//! Several equal processes on one PostgreSQL, their sandbox, and a load balancer in front of them.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use sqlx::{AssertSqlSafe, Connection};
use tempfile::TempDir;

use crate::app::base_settings;
use crate::balancer::Balancer;
use crate::ports::free_address;
use crate::postgres;
use crate::process::{self, Addresses, Process, Ran};
use crate::provider::Provider;
use crate::visitor::Visitor;

/// One running process of the fleet. It drops before its folder.
pub struct Node {
    pub process: Process,
    pub addresses: Addresses,
    command: &'static str,
    settings: BTreeMap<String, String>,
    /// Its public port, if the scenario holds the socket as systemd does.
    socket: Option<TcpListener>,
    folder: TempDir,
}

impl Node {
    async fn start(command: &'static str, settings: BTreeMap<String, String>) -> Self {
        Self::start_on(None, command, settings).await
    }

    async fn start_on(
        socket: Option<TcpListener>,
        command: &'static str,
        mut settings: BTreeMap<String, String>,
    ) -> Self {
        let folder = TempDir::with_prefix("garimpo-fleet-").expect("a folder");
        settings.insert("GARIMPO_METRICS_LISTEN".into(), free_address());
        let (process, addresses) =
            Process::start_on(socket.as_ref(), command, folder.path(), &settings).await;
        Self { process, addresses, command, settings, socket, folder }
    }

    /// Ends the process with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts again on the same addresses, after a kill or a stop.
    pub async fn restart(&mut self) {
        let (socket, folder) = (self.socket.as_ref(), self.folder.path());
        let (process, addresses) = Process::start_on(socket, self.command, folder, &self.settings).await;
        (self.process, self.addresses) = (process, addresses);
    }

    /// Stops by SIGTERM and starts again on the same addresses.
    pub async fn stops_and_restarts(&mut self) {
        self.process.terminate();
        assert_eq!(self.process.ends(STOPS_WITHIN).await, Some(0), "{}", self.process.log_text());
        self.restart().await;
    }

    /// The value of a metric without labels.
    pub async fn gauge(&self, name: &str) -> Option<f64> {
        let text = crate::http::get(format!("{}/metrics", self.addresses["metrics"]))
            .await
            .ok()?
            .text()
            .await
            .ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    }

    /// The sum of a counter's series that hold `label`.
    pub async fn counts(&self, name: &str, label: &str) -> u64 {
        let text = crate::http::get(format!("{}/metrics", self.addresses["metrics"])).await;
        let text = text.expect("metrics answer").text().await.expect("a body");
        let series =
            text.lines().filter(|line| line.starts_with(&format!("{name}{{")) && line.contains(label));
        series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>() as u64
    }
}

/// A fleet; `None` if the run has no PostgreSQL.
pub struct Fleet {
    pub nodes: Vec<Node>,
    pub balancer: Balancer,
    sandbox: Node,
    database: String,
    settings: BTreeMap<String, String>,
}

impl Fleet {
    /// Two nodes and a balancer in front.
    pub async fn start() -> Option<Self> {
        Self::start_with(2, &[]).await
    }

    /// This many nodes, with these settings on top of the fixture's own.
    pub async fn start_with(nodes: usize, settings: &[(&str, &str)]) -> Option<Self> {
        let database = postgres::fresh().await?;
        let balancer = Balancer::start().await;
        let mut all = base_settings();
        all.insert("GARIMPO_SANDBOX_WEBHOOK".into(), format!("{}/webhooks/stripe", balancer.url()));
        let sandbox = Node::start("sandbox", all.clone()).await;

        all.insert("GARIMPO_SANDBOX_LISTEN".into(), "off".into());
        all.insert("GARIMPO_SANDBOX_URL".into(), sandbox.addresses["sandbox"].clone());
        all.insert("GARIMPO_DATABASE_URL".into(), database.clone());
        all.insert("GARIMPO_PUBLIC_URL".into(), balancer.url().to_string());
        all.extend(settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
        let mut fleet = Self { nodes: Vec::new(), balancer, sandbox, database, settings: all };
        for _ in 0..nodes {
            fleet.starts_a_node().await;
        }
        Some(fleet)
    }

    /// Starts one more node behind the balancer.
    pub async fn starts_a_node(&mut self) {
        self.adds(Node::start("serve", self.node_settings()).await);
    }

    /// Starts a node whose public port is a socket that stays open while it restarts.
    pub async fn starts_a_node_on_a_socket(&mut self) {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let mut settings = self.node_settings();
        settings.remove("GARIMPO_LISTEN");
        self.adds(Node::start_on(Some(socket), "serve", settings).await);
    }

    /// The settings of one more node, which keeps its ports over restarts.
    pub fn node_settings(&self) -> BTreeMap<String, String> {
        let mut settings = self.settings.clone();
        for port in ["GARIMPO_LISTEN", "GARIMPO_GRPC_LISTEN"] {
            settings.insert(port.into(), free_address());
        }
        settings
    }

    /// Public addresses of the nodes, `host:port`.
    pub fn public_addresses<const N: usize>(&self) -> [String; N] {
        std::array::from_fn(|n| self.nodes[n].addresses["public"].replace("http://", ""))
    }

    fn adds(&mut self, node: Node) {
        self.balancer.adds(&node.addresses["public"], &node.addresses["metrics"]);
        self.nodes.push(node);
    }

    /// A visitor who connects through the load balancer.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(self.balancer.url())
    }

    /// Runs `garimpo admin <arguments>` with an empty data folder.
    pub async fn admin(&self, arguments: &[&str]) -> Ran {
        let data = tempfile::tempdir().expect("a folder can be made");
        process::run(&[&["admin"], arguments].concat(), data.path(), &self.settings).await
    }

    /// A client with a new service token of a scope.
    pub async fn service(&self, scope: &str) -> Visitor {
        self.service_of(&self.admin(&["token", "create", "cenario", "--scope", scope]).await)
    }

    /// A client with the token that a command created.
    pub fn service_of(&self, made: &Ran) -> Visitor {
        assert_eq!(made.code, 0, "{made:?}");
        let mut service = self.visitor();
        service.id_token = made.stdout.lines().last().map(str::to_owned);
        service
    }

    /// The sandbox.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox.addresses["sandbox"])
    }

    /// A number from the database.
    pub async fn count(&self, query: String) -> i64 {
        let mut connection = PgConnection::connect(&self.database).await.expect("PostgreSQL answers");
        sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut connection).await.expect("a number")
    }

    /// Changes the database from outside the product.
    pub async fn executes(&self, statement: &str) {
        postgres::executes(&self.database, statement).await;
    }

    /// Waits until no job is due within the minute.
    pub async fn wait_until_idle(&self) {
        let soon = (self.provider().now().await + 60) * 1_000_000;
        let waiting = format!(
            "SELECT COALESCE(string_agg(kind || ' ' || key || ': ' || COALESCE(last_error, ''), ', '), '')
             FROM jobs WHERE state = 'waiting' AND due_at_us < {soon}"
        );
        let mut seen = String::new();
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            seen = self.query_text(&waiting).await;
            if seen.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the queue never became empty: {seen}");
    }

    async fn query_text(&self, query: &str) -> String {
        let mut connection = PgConnection::connect(&self.database).await.expect("PostgreSQL answers");
        sqlx::query_scalar(AssertSqlSafe(query.to_string())).fetch_one(&mut connection).await.expect("a text")
    }
}

/// Time limit of a state. A fleet under load shares one small machine, so it is longer than that of
/// a scenario with one process.
pub const TIMEOUT: Duration = Duration::from_mins(1);

/// Time limit of a stop: the drain, and 10 s for running calls.
pub const STOPS_WITHIN: Duration = Duration::from_secs(15);
