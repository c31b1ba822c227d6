//! Requests without pause, each counted, of which a restart must lose none.
//!
//! A third of the clients makes a connection for each request, a third keeps its own over HTTP/1.1,
//! a third over HTTP/2. HTTP/1.1 is implemented here, because a library hides on which connection a
//! request failed.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::task::JoinSet;

use crate::visitor::Visitor;

/// Clients of each kind.
const CLIENTS: u64 = 6;
/// Longest pause between two requests of a client, so that some requests come before, during and
/// after any moment of a restart.
const PAUSE_MS: u64 = 20;
/// Longer than any restart.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Number of requests, and of restarts among them.
fn extent() -> (u64, u64) {
    if crate::soak::is_long() { (10_000, 10) } else { (1_000, 2) }
}

/// Address and behavior of the clients.
#[derive(Clone)]
pub struct Target {
    /// `host:port`.
    pub address: String,
    /// The certificate of a site that speaks TLS.
    pub certificate: Option<PathBuf>,
    /// Whether a request on an idle connection that ended without a byte of a response is retried
    /// on a new one (RFC 9112, section 9.3.1). Both requests here are idempotent.
    pub repeats: bool,
}

/// A request without a successful response.
#[derive(Clone, Debug)]
pub struct Broken {
    pub why: String,
    /// Whether the client had used the connection before.
    pub is_kept: bool,
    pub began: Instant,
    pub ended: Instant,
}

/// Result of the requests.
#[derive(Debug)]
pub struct Outcome {
    pub answered: u64,
    /// Requests that were retried as the RFC allows. They also count as answered.
    pub repeated: u64,
    pub slowest: Duration,
    pub broken: Vec<Broken>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answered, repeated, slowest, broken } = self;
        let broken = broken.len();
        write!(
            f,
            "{answered} answered, {repeated} of them made again, {broken} broken, the slowest {slowest:?}"
        )
    }
}

/// Clients that run until they are stopped.
pub struct Traffic {
    counts: Arc<Counts>,
    threads: Vec<JoinHandle<()>>,
    http2: JoinSet<()>,
}

#[derive(Default)]
struct Counts {
    is_over: AtomicBool,
    answered: AtomicU64,
    repeated: AtomicU64,
    slowest_us: AtomicU64,
    broken: Mutex<Vec<Broken>>,
}

impl Traffic {
    /// Starts the clients, all with the token of `visitor`.
    pub fn begins(target: &Target, visitor: &Visitor) -> Self {
        let counts = Arc::<Counts>::default();
        let mut threads = Vec::new();
        for client in 0..2 * CLIENTS {
            let mut client = Client {
                target: target.clone(),
                texts: texts(&target.address, visitor),
                keeps: client % 2 == 0,
                connection: None,
            };
            let counts = counts.clone();
            threads.push(std::thread::spawn(move || {
                while !counts.is_over.load(Ordering::Relaxed) {
                    client.make_request(&counts);
                    std::thread::sleep(pause());
                }
            }));
        }
        let mut http2 = JoinSet::new();
        for _ in 0..CLIENTS {
            http2.spawn(request_over_http2(target.clone(), visitor.clone(), counts.clone()));
        }
        Self { counts, threads, http2 }
    }

    /// Calls `restart` with its number between the requests, until all have ended.
    pub async fn through_restarts(self, mut restart: impl AsyncFnMut(u64)) -> Outcome {
        let (requests, restarts) = extent();
        for number in 1..=restarts {
            self.reaches(requests * number / (restarts + 1)).await;
            restart(number).await;
        }
        self.reaches(requests).await;
        let outcome = self.ends().await;
        eprintln!("{restarts} restarts: {outcome}");
        outcome
    }

    /// Waits until this many requests have ended.
    async fn reaches(&self, requests: u64) {
        let ended = || {
            let broken = self.counts.broken.lock().expect("no holder panics").len() as u64;
            self.counts.answered.load(Ordering::Relaxed) + broken
        };
        crate::eventually_within(Duration::from_mins(10), "enough requests", || async {
            (ended() >= requests).then_some(())
        })
        .await;
    }

    /// Stops the clients after their current request.
    async fn ends(self) -> Outcome {
        self.counts.is_over.store(true, Ordering::Relaxed);
        let threads = self.threads;
        let joined = tokio::task::spawn_blocking(|| threads.into_iter().try_for_each(JoinHandle::join));
        assert!(joined.await.is_ok_and(|joined| joined.is_ok()), "no client panics");
        self.http2.join_all().await;
        Outcome {
            answered: self.counts.answered.load(Ordering::Relaxed),
            repeated: self.counts.repeated.load(Ordering::Relaxed),
            slowest: Duration::from_micros(self.counts.slowest_us.load(Ordering::Relaxed)),
            broken: self.counts.broken.lock().expect("no holder panics").clone(),
        }
    }
}

impl Counts {
    fn ended(&self, began: Instant, is_kept: bool, outcome: Result<(), String>) {
        let ended = Instant::now();
        let took = ended.duration_since(began).as_micros() as u64;
        self.slowest_us.fetch_max(took, Ordering::Relaxed);
        match outcome {
            Ok(()) => drop(self.answered.fetch_add(1, Ordering::Relaxed)),
            Err(why) => {
                let broken = Broken { why, is_kept, began, ended };
                self.broken.lock().expect("no holder panics").push(broken);
            }
        }
    }
}

fn pause() -> Duration {
    Duration::from_millis(rand::random_range(0..PAUSE_MS))
}

/// A read of the visitor's record, and a write, whose response is sent after COMMIT.
fn requests(visitor: &Visitor) -> [(&'static str, String, Option<String>); 2] {
    let record =
        serde_json::json!({ "uid": visitor.uid, "email": visitor.email, "displayName": "Ana de Novo" });
    [
        ("GET", format!("/api/users/{}", visitor.uid), None),
        ("POST", "/api/users".to_string(), Some(record.to_string())),
    ]
}

fn texts(host: &str, visitor: &Visitor) -> [String; 2] {
    let token = visitor.id_token.as_deref().expect("the visitor has signed up");
    requests(visitor).map(|(method, path, body)| {
        let body = body.unwrap_or_default();
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    })
}

trait Stream: Read + Write + Send {
    fn socket(&self) -> &TcpStream;
}

impl Stream for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Stream for StreamOwned<ClientConnection, TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref()
    }
}

/// Whether the other side has closed the connection.
fn is_ended(stream: &mut dyn Stream) -> bool {
    let read = |stream: &mut dyn Stream| {
        stream.socket().set_nonblocking(true)?;
        let read = stream.read(&mut [0]);
        stream.socket().set_nonblocking(false)?;
        read
    };
    !read(stream).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// One client over HTTP/1.1.
struct Client {
    target: Target,
    texts: [String; 2],
    /// Whether the client keeps its connection.
    keeps: bool,
    connection: Option<Box<dyn Stream>>,
}

impl Client {
    fn make_request(&mut self, counts: &Counts) {
        let began = Instant::now();
        if self.connection.as_mut().is_some_and(|stream| is_ended(stream.as_mut())) {
            self.connection = None;
        }
        let is_kept = self.connection.is_some();
        let text = self.texts[rand::random_range(0..self.texts.len())].clone();
        let mut answer = self.send(&text);
        if self.target.repeats && is_kept && answer.as_ref().is_err_and(|lost| lost.is_without_a_byte) {
            counts.repeated.fetch_add(1, Ordering::Relaxed);
            answer = self.send(&text);
        }
        counts.ended(began, is_kept, answer.map_err(|lost| lost.why));
    }

    /// Sends a request on the kept connection or on a new one.
    fn send(&mut self, text: &str) -> Result<(), Lost> {
        let mut stream = match self.connection.take() {
            Some(stream) => stream,
            None => connect(&self.target).map_err(|error| Lost::new(format!("connecting: {error}")))?,
        };
        let sent = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
        sent.map_err(|error| Lost { why: format!("sending: {error}"), is_without_a_byte: true })?;
        let (status, may_be_kept) = read_answer(stream.as_mut())?;
        if self.keeps && may_be_kept {
            self.connection = Some(stream);
        }
        if status == "200" { Ok(()) } else { Err(Lost::new(format!("status {status}"))) }
    }
}

/// The reason why a request has no response.
struct Lost {
    why: String,
    /// Whether the connection ended before the first byte of a response.
    is_without_a_byte: bool,
}

impl Lost {
    fn new(why: String) -> Self {
        Self { why, is_without_a_byte: false }
    }
}

fn connect(target: &Target) -> std::io::Result<Box<dyn Stream>> {
    let address: SocketAddr = target.address.parse().expect("an address");
    let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let Some(certificate) = &target.certificate else { return Ok(Box::new(stream)) };
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(certificate).expect("a certificate");
    roots.add(certificate).expect("the certificate can be trusted");
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::from(address.ip());
    let session = ClientConnection::new(Arc::new(config), name).map_err(std::io::Error::other)?;
    Ok(Box::new(StreamOwned::new(session, stream)))
}

/// Reads one response; returns its status and whether the connection can be kept.
fn read_answer(stream: &mut dyn Stream) -> Result<(String, bool), Lost> {
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut lines = head.lines();
            let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string();
            let headers: BTreeMap<_, _> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_ascii_lowercase()))
                .collect();
            let length = headers.get("content-length").and_then(|length| length.parse::<usize>().ok());
            let length = length.ok_or_else(|| Lost::new(format!("an answer without a length: {head}")))?;
            if body.len() >= length {
                return Ok((status, headers.get("connection").is_none_or(|word| word != "close")));
            }
        }
        let mut piece = [0; 4096];
        let read = stream.read(&mut piece);
        let is_without_a_byte = answer.is_empty();
        match read {
            Ok(0) => return Err(Lost { why: "ended without an answer".into(), is_without_a_byte }),
            Ok(read) => answer.extend_from_slice(&piece[..read]),
            Err(error) => {
                let is_end = !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                let is_without_a_byte = is_without_a_byte && is_end;
                return Err(Lost { why: format!("reading: {error}"), is_without_a_byte });
            }
        }
    }
}

/// One client over HTTP/2. GOAWAY names the last processed call, so reqwest retries the later ones
/// by itself.
async fn request_over_http2(target: Target, visitor: Visitor, counts: Arc<Counts>) {
    let scheme = if target.certificate.is_some() { "https" } else { "http" };
    let builder = crate::http::builder().timeout(TIMEOUT);
    let client = match target.certificate {
        Some(_) => builder.tls_danger_accept_invalid_certs(true),
        None => builder.http2_prior_knowledge(),
    };
    let client = client.build().expect("a client");
    while !counts.is_over.load(Ordering::Relaxed) {
        let [read, write] = requests(&visitor);
        let (method, path, body) = if rand::random() { read } else { write };
        let method = method.parse().expect("a method");
        let mut request = client
            .request(method, format!("{scheme}://{}{path}", target.address))
            .bearer_auth(visitor.id_token.as_deref().expect("the visitor has signed up"));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let began = Instant::now();
        let answer = request.send().await;
        let outcome = match answer {
            Ok(answer) => {
                assert_eq!(answer.version(), reqwest::Version::HTTP_2);
                let status = answer.status().as_u16();
                let whole = answer.bytes().await.map_err(|error| format!("HTTP/2: {error:?}"));
                whole.and_then(|_| if status == 200 { Ok(()) } else { Err(format!("status {status}")) })
            }
            Err(error) => Err(format!("HTTP/2: {error:?}")),
        };
        counts.ended(began, true, outcome);
        tokio::time::sleep(pause()).await;
    }
}
