//! The product in processes that die one by one and rise again on the data and the ports that they had.

use std::collections::{BTreeMap, HashSet};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection};
use tempfile::TempDir;
use time::OffsetDateTime;

use crate::app::{base_settings, fresh_postgres, prepare};
use crate::process::Process;
use crate::provider::Provider;
use crate::survivor::Survivor;

const SECRET: &str = "um-segredo-de-teste-com-tamanho-bastante";
const SIGABRT: i32 = 6;
/// All that is left to do is done by then: the leases of a dead server are 6 s, the pauses of failed work are cut short.
const REST: Duration = Duration::from_secs(90);
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
}

/// One process of the house; it drops before its folder.
struct Room {
    command: &'static str,
    process: Process,
    settings: BTreeMap<String, String>,
    folder: TempDir,
}

impl Room {
    fn new(command: &'static str, settings: BTreeMap<String, String>, crash_at: Option<&str>) -> Self {
        let folder = TempDir::with_prefix("garimpo-casa-").expect("a folder can be made");
        let mut first = settings.clone();
        first.extend(crash_at.map(|at| ("GARIMPO_CRASH_AT".to_string(), at.to_string())));
        let process = Process::spawn(command, folder.path(), &first);
        Self { command, process, settings, folder }
    }
}

/// The processes, by layout: the server first, then the sandbox and the gateway where they are apart.
pub struct House {
    rooms: Vec<Room>,
    layout: Layout,
    public: String,
    sandbox: String,
    metrics: String,
    database: Option<String>,
}

impl House {
    /// Starts every process; the server dies at `crash_at` (GARIMPO_CRASH_AT) where that is given.
    pub async fn start(layout: Layout, crash_at: Option<&str>) -> Self {
        prepare();
        let database = fresh_postgres().await;
        let [public, grpc, sandbox, metrics] = [(); 4].map(|()| kept_address());
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
        settings.extend(database.clone().map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)));
        let rooms = match layout {
            Layout::Together => vec![Room::new("serve", settings, crash_at)],
            Layout::Apart => {
                let beside = |settings: &BTreeMap<String, String>| {
                    let mut settings = settings.clone();
                    settings.insert("GARIMPO_METRICS_LISTEN".into(), kept_address());
                    settings
                };
                vec![
                    Room::new("server", settings.clone(), crash_at),
                    Room::new("sandbox", beside(&settings), None),
                    Room::new("gateway", beside(&settings), None),
                ]
            }
        };
        let [public, sandbox, metrics] = [public, sandbox, metrics].map(|at| format!("http://{at}"));
        let mut house = Self { rooms, layout, public, sandbox, metrics, database };
        for room in &mut house.rooms {
            let ready = room.process.becomes_ready().await.is_some();
            // At its crash point it may die before it is ready.
            assert!(ready || crash_at.is_some(), "garimpo ended:\n{}", room.process.log_text());
        }
        house
    }

    /// Somebody who does not give up.
    pub fn survivor(&self) -> Survivor {
        Survivor::new(&self.public, &self.sandbox)
    }

    /// The world outside.
    pub fn provider(&self) -> Provider {
        Provider::new(&self.sandbox)
    }

    /// kill -9.
    pub fn kill(&mut self, victim: Victim) {
        let rooms: &[usize] = match (self.layout, victim) {
            (Layout::Together, _) | (Layout::Apart, Victim::Server) => &[0],
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
        let mut risen = vec![];
        for room in &mut self.rooms {
            if room.process.has_ended().is_some() {
                room.process = Process::spawn(room.command, room.folder.path(), &room.settings);
                risen.push(room);
            }
        }
        for room in risen {
            let ready = room.process.becomes_ready().await.is_some();
            assert!(ready, "garimpo ended:\n{}", room.process.log_text());
        }
        began.elapsed()
    }

    /// What the metrics port says.
    pub async fn metrics(&self) -> String {
        let answer = reqwest::get(format!("{}/metrics", self.metrics)).await.expect("metrics answer");
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

    /// One column of texts from the sandbox's database.
    pub async fn theirs(&self, sql: &str) -> Vec<String> {
        let room = usize::from(self.layout == Layout::Apart);
        in_sqlite(&self.rooms[room].folder, "sandbox.db", sql).await
    }

    /// What is left to do: jobs that are due or failed, and events that are on their way. A conversion waits for its
    /// sender, which a later issue brings.
    pub async fn unrest(&self) -> Vec<String> {
        let clock = self.theirs("SELECT value FROM settings WHERE name = 'clock'").await;
        let clock: serde_json::Value = serde_json::from_str(&clock[0]).expect("the clock is JSON");
        let offset_us = clock["offset_us"].as_i64().expect("an offset");
        let now_us = i64::try_from(OffsetDateTime::now_utc().unix_timestamp_nanos() / 1000).expect("an instant");
        let jobs = format!(
            "SELECT state || ' ' || kind || ' ' || key || ' ' || COALESCE(last_error, '') FROM jobs
             WHERE state <> 'done' AND kind <> 'conversion' AND (due_at_us <= {} OR attempts > 0)",
            now_us + offset_us
        );
        let mut left = self.ours(&jobs).await;
        let events = "SELECT 'undelivered ' || event_id FROM deliveries WHERE state IN ('new', 'pending', 'held')";
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
            let mut theirs = self.theirs(&format!("SELECT id FROM objects WHERE kind = '{kind}'")).await;
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs, "{kind}: ours and the provider's");
        }
    }

    /// Asserts that each event that the sandbox noted as taken, and each of `others`, is stored.
    pub async fn stored_every_event(&self, others: &[String]) {
        let taken = self.theirs("SELECT event_id FROM deliveries WHERE state = 'delivered'").await;
        let stored: HashSet<String> = self.ours("SELECT id FROM events").await.into_iter().collect();
        let lost: Vec<_> = taken.iter().chain(others).filter(|id| !stored.contains(*id)).collect();
        assert!(lost.is_empty(), "answered and not stored: {lost:?}");
    }

    /// Asserts that a purchase of an account was told to the platforms once, as a payment and as a new subscriber.
    pub async fn told_once(&self, uid: &str) {
        let told = "SELECT key FROM jobs WHERE kind = 'conversion' AND payload LIKE";
        let mut told = self.ours(&format!("{told} '%{uid}%'")).await;
        told.sort();
        let names: Vec<&str> = told.iter().filter_map(|key| key.split(':').next()).collect();
        assert_eq!(names, ["PVNewSubs", "pagamento_confirmado"], "{told:?}");
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

    /// Asserts that the files of both databases are whole; PostgreSQL did not die.
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

/// A free address below the range that the system gives away by itself, so that nobody takes it while its owner is dead.
fn kept_address() -> String {
    const FIRST: u16 = 10_000;
    const LAST: u16 = 32_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Runs at the same time begin at different places.
    let start = (std::process::id() % u32::from(LAST - FIRST)) as u16;
    loop {
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % (LAST - FIRST);
        let address = format!("127.0.0.1:{}", FIRST + offset);
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}
