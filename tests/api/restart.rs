//! Restarts on sockets that systemd holds: connections wait during the restart and are not refused.

use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::time::{Duration, Instant};

use e2e::app::base_settings;
use e2e::ports::free_address;
use e2e::process::Process;
use e2e::traffic::{Target, Traffic};
use e2e::{Person, Visitor, template};
use tempfile::TempDir;

const STOPS_WITHIN: Duration = Duration::from_secs(15);

/// `garimpo serve` with its public port on a socket of the scenario. The process drops before its
/// folder.
struct Service {
    process: Process,
    settings: BTreeMap<String, String>,
    socket: TcpListener,
    data: TempDir,
}

impl Service {
    async fn starts() -> Self {
        let data = TempDir::with_prefix("garimpo-socket-").expect("a folder can be made");
        let mut settings = settings();
        settings.extend(
            template::copied_into(data.path()).await.map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)),
        );
        let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let (process, _) = Process::start_on(Some(&socket), "serve", data.path(), &settings).await;
        Self { process, settings, socket, data }
    }

    async fn starts_again(&mut self) {
        let (process, _) =
            Process::start_on(Some(&self.socket), "serve", self.data.path(), &self.settings).await;
        self.process = process;
    }

    fn address(&self) -> String {
        self.socket.local_addr().expect("a bound socket").to_string()
    }

    /// Clients without retries.
    async fn traffic(&self) -> Traffic {
        let visitor = Visitor::new(&format!("http://{}", self.address())).signs_up(&Person::new()).await;
        Traffic::begins(&Target { address: self.address(), certificate: None, repeats: false }, &visitor)
    }
}

/// The fixture's settings without the port that the socket replaces.
fn settings() -> BTreeMap<String, String> {
    let mut settings = base_settings();
    settings.remove("GARIMPO_LISTEN");
    for name in ["GARIMPO_GRPC_LISTEN", "GARIMPO_SANDBOX_LISTEN", "GARIMPO_METRICS_LISTEN"] {
        settings.insert(name.into(), free_address());
    }
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_on_a_systemd_socket_loses_and_refuses_no_request() {
    let mut service = Service::starts().await;
    let traffic = service.traffic().await;

    let outcome = traffic
        .through_restarts(async |_| {
            service.process.terminate();
            assert_eq!(service.process.ends(STOPS_WITHIN).await, Some(0), "{}", service.process.log_text());
            service.starts_again().await;
        })
        .await;

    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_on_a_systemd_socket_loses_only_requests_in_flight() {
    let mut service = Service::starts().await;
    let traffic = service.traffic().await;
    let mut killed = Vec::new();

    let outcome = traffic
        .through_restarts(async |_| {
            let before = Instant::now();
            // On a blocking thread, because the clients' connections would pause with this one.
            tokio::task::block_in_place(|| service.process.kill());
            let gone = Instant::now();
            service.starts_again().await;
            killed.push((before, gone, Instant::now()));
        })
        .await;

    for broken in &outcome.broken {
        let was_lost = killed.iter().any(|(before, gone, ready)| {
            // reqwest may write to a connection of the killed process before it notices the end.
            let last_began = if broken.why.starts_with("HTTP/2") { ready } else { gone };
            broken.began <= *last_began && broken.ended >= *before
        });
        assert!(was_lost, "{broken:?}");
        assert!(!broken.why.contains("connecting") && !broken.why.contains("refused"), "{broken:?}");
    }
}

/// Starts `garimpo <command>` with a socket that it must not take; returns its log.
async fn refusal(command: &str, own: &[(&str, &str)], name: &str, socket: impl Into<OwnedFd>) -> String {
    let data = TempDir::with_prefix("garimpo-socket-").expect("a folder can be made");
    let mut settings = settings();
    settings.extend(own.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())));
    let mut process = Process::spawn_with_socket(command, data.path(), &settings, (name, socket.into()));
    assert_eq!(process.ends(STOPS_WITHIN).await, Some(2), "{}", process.log_text());
    process.log_text()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_systemd_socket_is_refused_by_name_with_all_other_errors() {
    let tcp = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let kind = "garimpo: socket public: found another kind of socket; allowed: one that listens on TCP (ListenStream= with a port)\n";
    assert_eq!(refusal("serve", &[], "public", UdpSocket::bind("127.0.0.1:0").unwrap()).await, kind);
    let folder = tempfile::tempdir().unwrap();
    let unix = UnixListener::bind(folder.path().join("socket")).unwrap();
    assert_eq!(refusal("serve", &[], "public", unix).await, kind);

    // The name of a unit without FileDescriptorName=, and another wrong setting beside it.
    assert_eq!(
        refusal("serve", &[("GARIMPO_LISTN", "x")], "garimpo.socket", tcp()).await,
        "garimpo: GARIMPO_LISTN: found an unknown name; allowed: GARIMPO_LISTEN, or GARIMPO_UNKNOWN=warn\n\
         garimpo: socket garimpo.socket: found a name of no port of this command; \
         allowed: FileDescriptorName= public, grpc, sandbox, metrics\n"
    );

    // A passed socket follows the same rules as a bound port.
    let open = TcpListener::bind("0.0.0.0:0").unwrap();
    let log = refusal("serve", &[], "public", open).await;
    assert!(log.contains("garimpo: socket public: found \"0.0.0.0:"), "{log}");
    assert!(log.contains("GARIMPO_ALLOW_HTTP=1") && log.contains("GARIMPO_ALLOW_SANDBOX=1"), "{log}");
    let log = refusal("serve", &[("GARIMPO_LISTEN", "127.0.0.1:8080")], "public", tcp()).await;
    assert!(
        log.starts_with("garimpo: GARIMPO_LISTEN: found \"127.0.0.1:8080\"; allowed: no value, or"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_of_another_process_is_not_taken() {
    let data = TempDir::with_prefix("garimpo-socket-").expect("a folder can be made");
    let mut settings = settings();
    let listen = free_address();
    settings.insert("GARIMPO_LISTEN".into(), listen.clone());
    for (name, value) in [("LISTEN_PID", "1"), ("LISTEN_FDS", "1"), ("LISTEN_FDNAMES", "public")] {
        settings.insert(name.into(), value.into());
    }

    let (process, addresses) = Process::start("serve", data.path(), &settings).await;

    assert_eq!(addresses["public"], format!("http://{listen}"));
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn systemd_is_notified_when_the_process_is_ready_and_when_it_stops() {
    let data = TempDir::with_prefix("garimpo-socket-").expect("a folder can be made");
    let manager = UnixDatagram::bind(data.path().join("notify")).unwrap();
    manager.set_read_timeout(Some(e2e::DEADLINE)).unwrap();
    let mut settings = settings();
    settings.insert("GARIMPO_LISTEN".into(), free_address());
    settings.insert("NOTIFY_SOCKET".into(), data.path().join("notify").display().to_string());
    let mut process = Process::spawn("serve", data.path(), &settings);
    let notifications = || {
        let mut text = [0; 100];
        let read = manager.recv(&mut text).expect("systemd is notified");
        String::from_utf8_lossy(&text[..read]).into_owned()
    };

    assert_eq!(notifications(), "READY=1\n");
    let metrics = Visitor::new(&format!("http://{}", settings["GARIMPO_METRICS_LISTEN"]));
    assert_eq!(metrics.request("GET", "/readyz").send().await.unwrap().status(), 200);
    process.terminate();
    assert_eq!(notifications(), "STOPPING=1\n");
    assert_eq!(process.ends(STOPS_WITHIN).await, Some(0));
}
