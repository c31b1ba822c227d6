//! A fleet of servers behind one backend: round robin over those that answer their health check.
//!
//! Why not tonic's `Channel::balance_list`: a server that refuses connections stays in its set and counts as ready,
//! since the failed connect is handed to the next call as its answer. With one dead server of three, 76 of 300 calls
//! failed. Here a call that nobody has begun goes to the next server, a read does so whatever happened to it, and a
//! watcher per server takes it out until its health check answers again. A name stands for all its records, and they
//! are looked up again every second.
//!
//! No call goes to a server before it has proved the fleet's secret and that its database is the one of the others,
//! since a stray server at one of the addresses would otherwise take sign-ups into a database of its own.

use crate::backend::Backend;
use crate::error::refused;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::fleet::Challenge;
use garimpo_proto::is_read;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF, FLEET_SECRET};
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, ConnectError, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tower::ServiceExt;

/// How often each server is asked for its health; also the longest time that a returned server stays unused.
const HEALTH_EVERY: Duration = Duration::from_millis(500);
/// A server that does not answer within this time is not ready.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a name's records are looked up.
const LOOKUP_EVERY: Duration = Duration::from_secs(1);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Several servers that answer as one. Dropping the last clone stops the watchers.
#[derive(Clone)]
pub struct Fleet {
    members: Arc<Members>,
    _lookups: Arc<JoinSet<()>>,
}

/// The servers that the addresses stand for now.
struct Members {
    servers: RwLock<Vec<Server>>,
    next: AtomicUsize,
    identity: Arc<Identity>,
}

/// What makes servers one fleet.
struct Identity {
    secret: HeaderValue,
    /// Id of the first server's database; it stays until the gateway restarts.
    database_id: OnceLock<String>,
}

/// What the last health check found.
#[derive(Default)]
struct Health {
    is_ready: AtomicBool,
    /// Whether it proved the secret and the database; without it no call goes there.
    is_proven: AtomicBool,
}

#[derive(Clone)]
struct Server {
    /// Which of the given addresses it was found under.
    address: usize,
    at: SocketAddr,
    channel: Channel,
    health: Arc<Health>,
    _watcher: Arc<JoinSet<()>>,
}

/// A call that was not answered.
enum Lost {
    /// Nobody has begun it, so that making it again cannot act twice.
    Unbegun,
    /// It may have acted.
    Within,
}

/// Finds the records of a host's name.
type Lookup = fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// Why a fleet could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// No address was given.
    #[error("no server address given")]
    Empty,
    /// An address is not one.
    #[error("{0:?} is not an address like http://10.0.0.1:50051")]
    Address(String),
    /// The fleet's secret cannot travel as a header.
    #[error("the fleet secret must be visible ASCII")]
    Secret,
}

impl Fleet {
    /// Calls servers over the network, each call to one that is ready.
    ///
    /// # Errors
    /// An address that is not `http://host:port`, or none at all.
    pub fn new(addresses: &[String], fleet_secret: &str) -> Result<Self, FleetError> {
        Self::with_lookup(addresses, fleet_secret, |host, port| {
            Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
        })
    }

    fn with_lookup(addresses: &[String], fleet_secret: &str, lookup: Lookup) -> Result<Self, FleetError> {
        if addresses.is_empty() {
            return Err(FleetError::Empty);
        }
        let mut secret = HeaderValue::from_str(fleet_secret).map_err(|_| FleetError::Secret)?;
        secret.set_sensitive(true);
        let identity = Arc::new(Identity { secret, database_id: OnceLock::new() });
        let members = Arc::new(Members { servers: RwLock::default(), next: AtomicUsize::new(0), identity });
        let mut lookups = JoinSet::new();
        for (address, text) in addresses.iter().enumerate() {
            let (host, port) = host_and_port(text)?;
            match host.parse::<IpAddr>() {
                Ok(ip) => members.stands_for(address, &[SocketAddr::new(ip, port)]),
                Err(_) => drop(lookups.spawn(follow(members.clone(), address, host, port, lookup))),
            }
        }
        Ok(Self { members, _lookups: Arc::new(lookups) })
    }

    /// Whether at least one server answers its health check.
    pub fn is_ready(&self) -> bool {
        self.members.servers().iter().any(Server::is_ready)
    }

    /// The fleet as a backend.
    pub fn backend(&self) -> Backend {
        let fleet = self.clone();
        Backend::new(move |request| {
            let fleet = fleet.clone();
            async move { fleet.call(request).await }
        })
    }

    async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Status> {
        let (mut parts, body) = request.into_parts();
        // Every public call is unary and bounded before it comes here, so it can be kept for a second try.
        let body = body.collect().await?.to_bytes();
        parts.version = http::Version::HTTP_2;
        parts.headers.insert(FLEET_SECRET, self.members.identity.secret.clone());
        let is_read = is_read(parts.uri.path());

        let mut last = unavailable("no server is ready");
        for server in self.members.in_turn() {
            match server.call(copy(&parts, body.clone())).await {
                Ok(response) => return Ok(response),
                Err(Lost::Unbegun) => last = unavailable("no server can be reached"),
                Err(Lost::Within) if is_read => last = unavailable("the server went away"),
                // It may have acted there, so nobody else is asked.
                Err(Lost::Within) => return Err(unavailable("the server went away within the call")),
            }
        }
        Err(last)
    }
}

impl Members {
    fn servers(&self) -> Vec<Server> {
        self.servers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the records of an address: new ones are watched from now on, the others are left alone or dropped.
    fn stands_for(&self, address: usize, records: &[SocketAddr]) {
        let mut servers = self.servers.write().unwrap_or_else(PoisonError::into_inner);
        servers.retain(|server| server.address != address || records.contains(&server.at));
        for at in records {
            if !servers.iter().any(|server| server.at == *at) {
                servers.push(Server::watched(address, *at, self.identity.clone()));
            }
        }
    }

    /// Ready servers in turn, then the other proven ones: a server may be ready again before its watcher has seen it.
    fn in_turn(&self) -> Vec<Server> {
        let proven =
            self.servers().into_iter().filter(|server| server.health.is_proven.load(Ordering::Acquire));
        let (mut ready, rest): (Vec<_>, Vec<_>) = proven.partition(Server::is_ready);
        let turn = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(ready.len());
        ready.rotate_left(turn.unwrap_or_default());
        ready.extend(rest);
        ready
    }
}

impl Server {
    fn watched(address: usize, at: SocketAddr, identity: Arc<Identity>) -> Self {
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(at.to_string()).path_and_query("/").build();
        let channel = Endpoint::from(uri.expect("a socket address makes an address"))
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true)
            .connect_lazy();
        let health = Arc::new(Health::default());
        let mut watcher = JoinSet::new();
        watcher.spawn(watch(at, channel.clone(), health.clone(), identity));
        Self { address, at, channel, health, _watcher: Arc::new(watcher) }
    }

    fn is_ready(&self) -> bool {
        self.health.is_ready.load(Ordering::Relaxed)
    }

    /// Makes a call and reads its whole answer, so that a server that dies while it answers is seen here.
    async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Lost> {
        let lost = |error: &(dyn Error + 'static)| {
            self.health.is_ready.store(false, Ordering::Relaxed);
            tracing::warn!(server.address = %self.at, error = %last_cause(error), "a call was lost");
        };
        let answered = self.channel.clone().oneshot(request).await.map_err(|error| {
            lost(&error);
            if reached_nobody(&error) { Lost::Unbegun } else { Lost::Within }
        })?;
        let (parts, body) = answered.into_parts();
        let body = body.collect().await.map_err(|status| {
            lost(&status);
            Lost::Within
        })?;
        let trailers = body.trailers().cloned().map(Frame::trailers);
        let data = Some(body.to_bytes()).filter(|bytes| !bytes.is_empty()).map(Frame::data);
        let frames: Vec<_> = data.into_iter().chain(trailers).map(Ok::<_, Status>).collect();
        // An answer of headers alone has to stay one. The others are a stream, since a body that tells its length
        // would lose its trailers as gRPC-Web, where they are a part of it.
        let body =
            if frames.is_empty() { Body::empty() } else { Body::new(StreamBody::new(stream::iter(frames))) };
        Ok(Response::from_parts(parts, body))
    }
}

fn unavailable(message: &str) -> Status {
    refused(Code::Unavailable, ErrorReason::Unavailable, message)
}

/// Host and port of `http://host:port`; an IPv6 host without its brackets.
fn host_and_port(text: &str) -> Result<(String, u16), FleetError> {
    let bad = || FleetError::Address(text.to_owned());
    let uri: Uri = text.parse().map_err(|_| bad())?;
    let authority: &Authority =
        uri.authority().filter(|_| uri.scheme() == Some(&Scheme::HTTP)).ok_or_else(bad)?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    Ok((host.to_owned(), authority.port_u16().unwrap_or(80)))
}

/// Keeps the servers of a name: a failed look-up changes nothing.
async fn follow(members: Arc<Members>, address: usize, host: String, port: u16, lookup: Lookup) {
    let mut turn = tokio::time::interval(LOOKUP_EVERY);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut failing = false;
    loop {
        turn.tick().await;
        match lookup(host.clone(), port).await {
            Ok(records) if !records.is_empty() => {
                members.stands_for(address, &records);
                failing = false;
            }
            outcome if !failing => {
                let error = outcome.err().map(|error| error.to_string());
                tracing::warn!(server.name = %host, error, "the servers of a name were not found");
                failing = true;
            }
            _ => {}
        }
    }
}

/// Checks a server's health for ever.
async fn watch(at: SocketAddr, channel: Channel, health: Arc<Health>, identity: Arc<Identity>) {
    let mut client = HealthClient::new(channel);
    let mut turn = tokio::time::interval(HEALTH_EVERY);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut told = None;
    loop {
        turn.tick().await;
        let checked = tokio::time::timeout(HEALTH_TIMEOUT, identity.check(&mut client)).await;
        // A slow server is still the one that proved itself on this connection.
        if let Ok(checked) = &checked {
            health.is_proven.store(matches!(checked, Ok(()) | Err(Unready::Leaves)), Ordering::Release);
        }
        let why_not = checked.unwrap_or(Err(Unready::Silent)).err();
        health.is_ready.store(why_not.is_none(), Ordering::Relaxed);
        if told.as_ref() != Some(&why_not) {
            match &why_not {
                None => tracing::info!(server.address = %at, "a server is ready"),
                Some(why) => tracing::warn!(server.address = %at, "a server is not ready: {why}"),
            }
            told = Some(why_not);
        }
    }
}

/// Why a server is not ready.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Unready {
    #[error("it says so")]
    Leaves,
    #[error("it does not answer")]
    Silent,
    #[error("{0}")]
    Refused(String),
    #[error("it does not prove the fleet secret, so it gets no call")]
    Unproven,
    #[error("it has another database than the first server, so it gets no call")]
    OtherDatabase,
}

impl Identity {
    /// Asks for health with a challenge; the secret itself is only sent to a server that has proved it.
    async fn check(&self, client: &mut HealthClient<Channel>) -> Result<(), Unready> {
        let challenge = Challenge::new(self.secret.as_bytes(), rand::random());
        let mut question = tonic::Request::new(HealthCheckRequest { service: String::new() });
        let text = MetadataValue::try_from(challenge.text()).expect("a challenge is ASCII");
        question.metadata_mut().insert(FLEET_CHALLENGE, text);
        let answer =
            client.check(question).await.map_err(|status| Unready::Refused(status.message().to_owned()))?;
        let proof = answer.metadata().get(FLEET_PROOF).and_then(|proof| proof.to_str().ok());
        let database_id = proof.and_then(|proof| challenge.verified(proof)).ok_or(Unready::Unproven)?;
        if self.database_id.get_or_init(|| database_id.to_owned()) != database_id {
            return Err(Unready::OtherDatabase);
        }
        if answer.get_ref().status() == ServingStatus::Serving { Ok(()) } else { Err(Unready::Leaves) }
    }
}

fn copy(parts: &http::request::Parts, body: Bytes) -> Request<Body> {
    let mut request = Request::new(Body::new(Full::new(body)));
    *request.method_mut() = parts.method.clone();
    *request.uri_mut() = parts.uri.clone();
    *request.version_mut() = parts.version;
    *request.headers_mut() = parts.headers.clone();
    request
}

/// Whether no server has begun a failed call.
fn reached_nobody(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        cause.is::<ConnectError>()
            // hyper had queued the request on a connection that closed before taking it.
            || cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
            || cause.downcast_ref::<h2::Error>().is_some_and(was_left_out)
    })
}

/// A server that leaves says which calls it has not begun (RFC 9113, sections 6.8 and 8.7).
fn was_left_out(error: &h2::Error) -> bool {
    error.is_remote() && (error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The innermost cause, which says what happened.
fn last_cause(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests;
