use super::address::host_and_port;
use super::*;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

fn found(fleet: &Fleet) -> Vec<String> {
    fleet.members.servers().iter().map(|server| server.at.to_string()).collect()
}

async fn until_found(fleet: &Fleet, expected: &[&str]) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while found(fleet) != expected {
        assert!(tokio::time::Instant::now() < deadline, "{:?}, not {expected:?}", found(fleet));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_host_name_gives_one_server_per_record_and_follows_changes() {
    static LOOKS: AtomicUsize = AtomicUsize::new(0);
    let lookup: Lookup = |_, port| {
        let look = LOOKS.fetch_add(1, Ordering::Relaxed);
        let records = |hosts: &[u8]| {
            Ok(hosts.iter().map(|host| SocketAddr::from(([127, 0, 0, *host], port))).collect())
        };
        Box::pin(std::future::ready(match look {
            0 => records(&[1, 2]),
            1 => Err(io::Error::other("the name server is away")),
            2 => records(&[]),
            _ => records(&[2, 3]),
        }))
    };
    let addresses = ["http://servidores.interno:9".to_owned(), "http://[::1]:9".to_owned()];

    let fleet = Fleet::with_lookup(&addresses, "segredo", lookup).expect("two addresses");

    until_found(&fleet, &["[::1]:9", "127.0.0.1:9", "127.0.0.2:9"]).await;
    // The two failed look-ups in between have changed nothing.
    until_found(&fleet, &["[::1]:9", "127.0.0.2:9", "127.0.0.3:9"]).await;
    assert!(LOOKS.load(Ordering::Relaxed) >= 4);
}

#[tokio::test]
async fn ready_servers_take_turns_and_come_before_the_others() {
    let addresses = [1, 2, 3].map(|host| format!("http://127.0.0.{host}:9"));
    let fleet = Fleet::new(&addresses, "segredo").expect("three addresses");
    let servers = fleet.members.servers();
    for server in &servers {
        server.health.is_proven.store(true, Ordering::Release);
    }
    servers[0].health.is_ready.store(true, Ordering::Relaxed);
    servers[2].health.is_ready.store(true, Ordering::Relaxed);

    let firsts = || fleet.members.in_turn()[0].at.ip().to_string();

    assert_eq!([firsts(), firsts(), firsts()], ["127.0.0.1", "127.0.0.3", "127.0.0.1"]);
    assert_eq!(fleet.members.in_turn()[2].at.ip().to_string(), "127.0.0.2");
}

/// A real server: it reports SERVING, proves its database if it has one, and counts all other
/// calls.
struct Stub {
    address: String,
    calls: Arc<AtomicUsize>,
    shown: Arc<AtomicBool>,
    _task: JoinSet<()>,
}

impl Stub {
    async fn start(secret: &'static str, database_id: Option<&'static str>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (calls, shown) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, seen) = (calls.clone(), shown.clone());
        let (_, health) = tonic_health::server::health_reporter();
        let router = tonic::service::Routes::new(health).into_axum_router().layer(axum::middleware::from_fn(
            move |request: axum::extract::Request, next: axum::middleware::Next| {
                let (count, seen) = (count.clone(), seen.clone());
                async move {
                    let is_health = request.uri().path().starts_with("/grpc.health.");
                    count.fetch_add(usize::from(!is_health), Ordering::Relaxed);
                    seen.fetch_or(request.headers().contains_key(FLEET_SECRET), Ordering::Relaxed);
                    let challenge = request.headers().get(FLEET_CHALLENGE).cloned();
                    let mut response = next.run(request).await;
                    let proof = database_id.zip(challenge).and_then(|(id, challenge)| {
                        garimpo_proto::fleet::proof(secret.as_bytes(), challenge.to_str().ok()?, id)
                    });
                    if let Some(proof) = proof {
                        response.headers_mut().insert(FLEET_PROOF, proof.parse().expect("ASCII"));
                    }
                    response
                }
            },
        ));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { address, calls, shown, _task: task }
    }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(tokio::time::Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn is_ready(fleet: &Fleet, stub: &Stub) -> bool {
    fleet
        .members
        .servers()
        .iter()
        .any(|server| stub.address.ends_with(&server.at.to_string()) && server.is_ready())
}

async fn called(fleet: &Fleet) {
    let request =
        Request::post("/garimpo.auth.v1.AuthService/SignUp").body(Body::empty()).expect("a request");
    drop(fleet.call(request).await);
}

#[tokio::test]
async fn a_server_without_proof_of_the_secret_receives_neither_calls_nor_the_secret() {
    let stray = Stub::start("um-segredo-de-fora", None).await;
    let other = Stub::start("um-segredo-de-fora", Some("banco1")).await;
    let ours = Stub::start("um-segredo-nosso", Some("banco1")).await;
    let addresses = [&stray, &other, &ours].map(|stub| stub.address.clone());

    let fleet = Fleet::new(&addresses, "um-segredo-nosso").expect("three addresses");
    until("our server is ready", || is_ready(&fleet, &ours)).await;
    for _ in 0..6 {
        called(&fleet).await;
    }

    assert_eq!(ours.calls.load(Ordering::Relaxed), 6);
    assert!(ours.shown.load(Ordering::Relaxed));
    for stub in [&stray, &other] {
        assert_eq!(stub.calls.load(Ordering::Relaxed), 0);
        assert!(!stub.shown.load(Ordering::Relaxed) && !is_ready(&fleet, stub));
    }
}

#[tokio::test]
async fn a_server_with_another_database_receives_no_calls() {
    let first = Stub::start("um-segredo-nosso", Some("banco1")).await;
    let fleet = Fleet::new(std::slice::from_ref(&first.address), "um-segredo-nosso").expect("an address");
    until("the first server is ready", || is_ready(&fleet, &first)).await;

    let second = Stub::start("um-segredo-nosso", Some("banco2")).await;
    let third = Stub::start("um-segredo-nosso", Some("banco1")).await;
    for stub in [&second, &third] {
        let (_, port) = host_and_port(&stub.address).expect("an address");
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        fleet.members.set_records(usize::from(port), &[at]);
    }
    until("the third server is ready", || is_ready(&fleet, &third)).await;
    for _ in 0..6 {
        called(&fleet).await;
    }

    assert_eq!(first.calls.load(Ordering::Relaxed), 3);
    assert_eq!(third.calls.load(Ordering::Relaxed), 3);
    assert_eq!((second.calls.load(Ordering::Relaxed), is_ready(&fleet, &second)), (0, false));
}
