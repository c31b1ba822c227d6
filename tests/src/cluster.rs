//! The product in processes that die one by one and rise again on the data and the ports that they had.

use std::collections::{BTreeMap, HashSet};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection};
use tempfile::TempDir;
use time::OffsetDateTime;

use crate::app::base_settings;
use crate::database;
use crate::ports::free_address;
use crate::postgres::{self, OwnServer};
use crate::process::{self, Process, Ran, SIGABRT};
use crate::provider::Provider;
use crate::survivor::Survivor;
use crate::template;
use crate::visitor::Visitor;

const SECRET: &str = "um-segredo-de-teste-com-tamanho-bastante";
/// All that is left to do is done by then: the leases of a dead server are 6 s, the pauses of failed work are cut short.
const REST: Duration = Duration::from_mins(2);
/// How long what is left may take before the clock is moved for it.
const HURRY: Duration = Duration::from_secs(8);

/// Which processes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `serve`: the product and its sandbox die together.
    Together,
    /// A sandbox, a server and a gateway: the provider lives on and delivers while the server is dead.
    Apart,
}

/// Who dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The process that holds the database.
    Server,
    /// The provider, the mailbox and the clock.
    Sandbox,
    /// Both at once.
    Both,
    /// The process through which visitors reach the server.
    Gateway,
    /// The PostgreSQL of this house; the server lives on.
    Database,
}

/// One process of the house; it drops before its folder.
struct Room {
    command: &'static str,
    process: Process,
    settings: BTreeMap<String, String>,
    folder: TempDir,
}

impl Room {
    async fn new(
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

    fn spawn_again(&mut self, crash_at: Option<&str>) {
        self.process = Process::spawn(self.command, self.folder.path(), &doomed(&self.settings, crash_at));
    }

    async fn becomes_ready(&mut self) {
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

impl Drop for Room {
    fn drop(&mut self) {
        // What a long run found is looked at afterwards.
        if std::thread::panicking() && crate::soak::is_long() {
            self.folder.disable_cleanup(true);
            eprintln!("kept: {}", self.folder.path().display());
        }
    }
}

/// What a house begins with.
enum Data {
    /// As the first start of a product leaves it; the address of the database on PostgreSQL.
    Copied(Option<String>),
    /// Nothing, on a PostgreSQL that may die; the address of the database.
    Own(OwnServer, String),
    /// Nothing; the address of the database on PostgreSQL.
    Empty(Option<String>),
}

/// The processes, by layout: the server first, then the sandbox and the gateway where they are apart.
pub struct House {
    rooms: Vec<Room>,
    layout: Layout,
    public: String,
    internal: String,
    sandbox: String,
    metrics: String,
    database: Option<String>,
    /// It drops after the processes that use it.
    postgres: Option<OwnServer>,
    is_without_database: bool,
}

impl House {
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

    /// A house whose first start, on no data at all, dies at this point.
    pub async fn dies_at_birth(layout: Layout, crash_at: &str) -> Self {
        Self::built(layout, &[], Data::Empty(postgres::fresh().await), Some(crash_at)).await
    }

    async fn start_on(layout: Layout, own: &[(&str, &str)], data: Data) -> Self {
        let mut house = Self::built(layout, own, data, None).await;
        house.stands().await;
        house
    }

    async fn built(layout: Layout, own: &[(&str, &str)], data: Data, crash_at: Option<&str>) -> Self {
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
                ("GARIMPO_FLEET_SECRET", SECRET.into()),
                ("GARIMPO_SERVER_URL", format!("http://{grpc}")),
                ("GARIMPO_PUBLIC_URL", format!("http://{public}")),
                ("GARIMPO_SANDBOX_URL", format!("http://{sandbox}")),
                ("GARIMPO_SANDBOX_WEBHOOK", format!("http://{public}/webhooks/stripe")),
            ]
            .map(|(name, value)| (name.to_string(), value)),
        );
        settings.extend(database.iter().flat_map(|url| postgres::settings_of(url)));
        settings.extend(own.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
        let rooms = match layout {
            Layout::Together => vec![Room::new("serve", settings, &data, crash_at).await],
            Layout::Apart => {
                let beside = |settings: &BTreeMap<String, String>| {
                    let mut settings = settings.clone();
                    settings.insert("GARIMPO_METRICS_LISTEN".into(), free_address());
                    settings
                };
                vec![
                    Room::new("server", settings.clone(), &data, crash_at).await,
                    Room::new("sandbox", beside(&settings), &data, crash_at).await,
                    Room::new("gateway", beside(&settings), &data, crash_at).await,
                ]
            }
        };
        let [public, internal, sandbox, metrics] =
            [public, grpc, sandbox, metrics].map(|at| format!("http://{at}"));
        let postgres = if let Data::Own(server, _) = data { Some(server) } else { None };
        Self {
            rooms,
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

    /// Who can die alone here.
    pub fn victims(&self) -> Vec<Victim> {
        let mut victims = vec![Victim::Server];
        if self.layout == Layout::Apart {
            victims.extend([Victim::Gateway, Victim::Sandbox, Victim::Both]);
        }
        victims.extend(self.postgres.is_some().then_some(Victim::Database));
        victims
    }

    async fn stands(&mut self) {
        for room in &mut self.rooms {
            room.becomes_ready().await;
        }
    }

    /// Starts the server anew, to die at this point (GARIMPO_CRASH_AT), which may be before it is ready.
    pub fn is_doomed(&mut self, crash_at: &str) {
        self.kill(Victim::Server);
        self.rooms[0].spawn_again(Some(crash_at));
    }

    /// Id of the server's process.
    pub fn server_process(&self) -> u32 {
        self.rooms[0].process.id()
    }

    /// Everything that the server logged.
    pub fn log(&self) -> String {
        self.rooms[0].process.log_text()
    }

    /// Address of the public port.
    pub fn url(&self) -> &str {
        &self.public
    }

    /// Somebody who does not give up.
    pub fn survivor(&self) -> Survivor {
        Survivor::new(&self.public, &self.sandbox)
    }

    /// Somebody who has never been here.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.public)
    }

    /// Address of the server's internal port.
    pub fn internal_url(&self) -> &str {
        &self.internal
    }

    /// An operator's command, `garimpo admin <arguments>`, beside the server.
    pub async fn admin(&self, arguments: &[&str]) -> Ran {
        let server = &self.rooms[0];
        process::run(&[&["admin"], arguments].concat(), server.folder.path(), &server.settings).await
    }

    /// The world outside.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox)
    }

    /// kill -9.
    pub fn kill(&mut self, victim: Victim) {
        let rooms: &[usize] = match (self.layout, victim) {
            (_, Victim::Database) => {
                self.postgres.as_ref().expect("a PostgreSQL of its own").kill();
                self.is_without_database = true;
                &[]
            }
            (Layout::Together, _) | (Layout::Apart, Victim::Server) => &[0],
            (Layout::Apart, Victim::Gateway) => &[2],
            (Layout::Apart, Victim::Sandbox) => &[1],
            (Layout::Apart, Victim::Both) => &[0, 1],
        };
        for room in rooms {
            self.rooms[*room].process.kill();
        }
    }

    /// Whether the server has aborted, as at a crash point; any other end is a failure.
    pub fn has_aborted(&mut self) -> bool {
        let server = &mut self.rooms[0].process;
        let Some(status) = server.has_ended() else { return false };
        assert_eq!(status.signal(), Some(SIGABRT), "garimpo ended:\n{}", server.log_text());
        true
    }

    /// Starts whoever is dead on the data of before, without a crash point; answers how long that took.
    pub async fn rise(&mut self) -> Duration {
        let began = Instant::now();
        if std::mem::take(&mut self.is_without_database) {
            self.postgres.as_ref().expect("a PostgreSQL of its own").rise().await;
        }
        for room in &mut self.rooms {
            if room.process.has_ended().is_some() {
                room.spawn_again(None);
            }
        }
        self.stands().await;
        began.elapsed()
    }

    /// What the metrics port says.
    pub async fn metrics(&self) -> String {
        let answer = crate::http::get(format!("{}/metrics", self.metrics)).await.expect("metrics answer");
        answer.text().await.expect("a text")
    }

    /// One column of texts from our database. Opened for this look alone: a reader that stayed would spare the next
    /// start its recovery.
    pub async fn ours(&self, sql: &str) -> Vec<String> {
        match &self.database {
            None => in_sqlite(&self.rooms[0].folder, "garimpo.db", sql).await,
            Some(url) => {
                let mut connection = sqlx::PgConnection::connect(url).await.expect("PostgreSQL answers");
                let found = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await;
                let _ = connection.close().await;
                found.expect("the query is right")
            }
        }
    }

    /// Changes our database from outside the product.
    pub async fn changes_ours(&self, statement: &str) {
        database::executes(self.database.as_deref(), self.rooms[0].folder.path(), statement).await;
    }

    /// Waits until the doomed server has died at its point, or `act` is over and nothing is left to
    /// do; answers whether it died.
    pub async fn dies_within<T>(&mut self, act: &tokio::task::JoinHandle<T>) -> bool {
        loop {
            if self.has_aborted() {
                return true;
            }
            if act.is_finished() && self.unrest().await.is_empty() {
                return self.has_aborted();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the doomed server has died within an act, starts it again, and answers what the
    /// act came to.
    pub async fn dies_and_rises<T>(&mut self, what: &str, act: tokio::task::JoinHandle<T>) -> T {
        assert!(self.dies_within(&act).await, "{what} was never reached");
        self.rise().await;
        act.await.unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Ends the doom of a server that has not died.
    pub async fn is_pardoned(&mut self) {
        self.kill(Victim::Server);
        self.rise().await;
    }

    /// One column of texts from the sandbox's database.
    pub async fn theirs(&self, sql: &str) -> Vec<String> {
        let room = usize::from(self.layout == Layout::Apart);
        in_sqlite(&self.rooms[room].folder, "sandbox.db", sql).await
    }

    /// What is left to do: jobs that are due or failed, and events that are on their way.
    pub async fn unrest(&self) -> Vec<String> {
        let clock = self.theirs("SELECT value FROM settings WHERE name = 'clock'").await;
        let clock: serde_json::Value = serde_json::from_str(&clock[0]).expect("the clock is JSON");
        let offset_us = clock["offset_us"].as_i64().expect("an offset");
        let jobs = format!(
            "SELECT state || ' ' || kind || ' ' || key || ' ' || COALESCE(last_error, '') FROM jobs
             WHERE state <> 'done' AND (due_at_us <= {} OR attempts > 0)",
            machine_now_us() + offset_us
        );
        let mut left = self.ours(&jobs).await;
        let events =
            "SELECT 'undelivered ' || event_id FROM deliveries WHERE state IN ('new', 'pending', 'held')";
        left.extend(self.theirs(events).await);
        left
    }

    /// Waits until nothing is left to do; the pauses of what failed are cut short by the clock.
    pub async fn comes_to_rest(&self) {
        let began = Instant::now();
        let mut hurried = began;
        loop {
            let left = self.unrest().await;
            if left.is_empty() {
                return;
            }
            let parked = left.iter().find(|line| line.starts_with("parked"));
            assert!(parked.is_none(), "parked: {left:#?}");
            assert!(began.elapsed() < REST, "no rest after {REST:?}: {left:#?}");
            if hurried.elapsed() > HURRY {
                // Longer than the provider's longest pause, shorter than the time between two reconciliations.
                self.provider().advances_kept(301).await;
                hurried = Instant::now();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Asserts that each object of the provider stands in our rows, once, and none else.
    pub async fn agrees_object_by_object(&self) {
        let rows = [
            ("customer", "SELECT customer_id FROM customers WHERE customer_id IS NOT NULL"),
            ("checkout.session", "SELECT session_id FROM checkouts WHERE session_id IS NOT NULL"),
            ("subscription", "SELECT id FROM subscriptions"),
            ("invoice", "SELECT id FROM invoices"),
        ];
        for (kind, ours) in rows {
            let mut ours = self.ours(ours).await;
            let theirs = format!(
                "SELECT id FROM objects WHERE kind = '{kind}' AND json_extract(doc, '$.deleted') IS NOT 1"
            );
            let mut theirs = self.theirs(&theirs).await;
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs, "{kind}: ours and the provider's");
        }
    }

    /// Asserts that each event that the sandbox noted as taken, and each of `others`, is stored; what is older than the
    /// 90 days of retention may be gone.
    pub async fn stored_every_event(&self, others: &[String]) {
        const TAKEN: &str = "SELECT event_id FROM deliveries WHERE state = 'delivered' AND last_at_us >
            (SELECT max(last_at_us) FROM deliveries) - 30 * 86400000000";
        let taken = self.theirs(TAKEN).await;
        let stored: HashSet<String> = self.ours("SELECT id FROM events").await.into_iter().collect();
        let lost: Vec<_> = taken.iter().chain(others).filter(|id| !stored.contains(*id)).collect();
        assert!(lost.is_empty(), "answered and not stored: {lost:?}");
    }

    /// Asserts that a purchase of an account was told to the platforms once, as a payment and as a new subscriber.
    pub async fn told_once(&self, uid: &str) {
        assert_eq!(self.told(uid).await, ["PVNewSubs", "pagamento_confirmado"]);
    }

    /// Names of an account's conversions that went to the platforms, sorted.
    pub async fn told(&self, uid: &str) -> Vec<String> {
        let told = format!("SELECT key FROM jobs WHERE kind = 'conversion' AND uid = '{uid}'");
        let told = self.ours(&told).await;
        let mut names: Vec<String> =
            told.iter().filter_map(|key| key.split(':').next()).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// How often each mail came again under its Message-ID, by subject.
    pub async fn repeated_mails(&self) -> Vec<String> {
        let repeats = "SELECT mails.subject || ' ' || mails.key FROM mail_repeats JOIN mails USING (key)";
        self.theirs(repeats).await
    }

    /// Asserts that the metrics tell of nothing parked and of no panic.
    pub async fn shows_no_trouble(&self) {
        let metrics = self.metrics().await;
        let troubles = metrics.lines().filter(|line| {
            let is_watched = line.contains("state=\"parked\"") || line.starts_with("garimpo_panics_total");
            is_watched && !line.ends_with(" 0")
        });
        assert_eq!(troubles.collect::<Vec<_>>(), [""; 0]);
        assert!(metrics.contains("garimpo_panics_total"), "{metrics}");
    }

    /// Asserts that the files of both databases are whole; PostgreSQL says of itself that it
    /// recovered.
    pub async fn is_whole(&self) {
        const CHECK: &str = "PRAGMA integrity_check";
        assert_eq!(self.theirs(CHECK).await, ["ok"], "sandbox.db");
        if self.database.is_none() {
            assert_eq!(self.ours(CHECK).await, ["ok"], "garimpo.db");
        }
    }
}

async fn in_sqlite(folder: &TempDir, file: &str, sql: &str) -> Vec<String> {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.path().join(file))
        .read_only(true)
        .busy_timeout(Duration::from_secs(10));
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await.expect("the file opens");
    let found = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await;
    let _ = connection.close().await;
    found.expect("the query is right")
}

#[expect(clippy::disallowed_methods, reason = "the sandbox's clock is this one and an offset")]
fn machine_now_us() -> i64 {
    let now = OffsetDateTime::now_utc().unix_timestamp_nanos() / 1000;
    i64::try_from(now).expect("an instant of these centuries")
}
