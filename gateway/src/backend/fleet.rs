//! A fleet of servers behind one backend: round robin over those that answer their health check.
//!
//! Why not tonic's `Channel::balance_list`: a server that refuses connections stays in its set and counts as ready,
//! since the failed connect is handed to the next call as its answer. With one dead server of three, 76 of 300 calls
//! failed. Here a call whose connection could not be made, and that therefore reached nobody, goes to the next server,
//! and a watcher per server takes it out until its health check answers again.

use super::Backend;
use crate::error::refused;
use bytes::Bytes;
use garimpo_proto::errors::v1::ErrorReason;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, ConnectError, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

/// How often each server is asked for its health; also the longest time that a returned server stays unused.
const HEALTH_EVERY: Duration = Duration::from_millis(500);
/// A server that does not answer within this time is not ready.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const FLEET_SECRET: &str = "x-garimpo-fleet-secret";

/// Several servers that answer as one. Dropping the last clone stops the watchers.
#[derive(Clone)]
pub struct Fleet {
    inner: Arc<Inner>,
}

struct Inner {
    servers: Arc<[Server]>,
    next: AtomicUsize,
    secret: HeaderValue,
    _watchers: JoinSet<()>,
}

#[derive(Clone)]
struct Server {
    channel: Channel,
    ready: Arc<AtomicBool>,
}

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
    pub(super) fn new(addresses: &[String], fleet_secret: &str) -> Result<Self, FleetError> {
        if addresses.is_empty() {
            return Err(FleetError::Empty);
        }
        let mut secret = HeaderValue::from_str(fleet_secret).map_err(|_| FleetError::Secret)?;
        secret.set_sensitive(true);
        let servers = addresses.iter().map(|a| Server::new(a)).collect::<Result<Arc<[_]>, _>>()?;
        let mut watchers = JoinSet::new();
        for server in servers.iter() {
            watchers.spawn(watch(server.clone()));
        }
        let inner = Inner { servers, next: AtomicUsize::new(0), secret, _watchers: watchers };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether at least one server answers its health check.
    pub fn is_ready(&self) -> bool {
        self.inner.servers.iter().any(Server::is_ready)
    }

    /// The fleet as a backend.
    pub fn backend(&self) -> Backend {
        let fleet = self.clone();
        BoxCloneSyncService::new(tower::service_fn(move |request| {
            let fleet = fleet.clone();
            async move { fleet.call(request).await }
        }))
    }

    async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Status> {
        let (mut parts, body) = request.into_parts();
        // Every public call is unary and bounded before it comes here, so it can be kept for a second try.
        let body = body.collect().await?.to_bytes();
        parts.version = http::Version::HTTP_2;
        parts.headers.insert(FLEET_SECRET, self.inner.secret.clone());

        let mut last = unavailable("no server is ready");
        for server in self.candidates() {
            let attempt = copy(&parts, body.clone());
            match server.channel.clone().oneshot(attempt).await {
                Ok(response) => return Ok(response),
                Err(error) if reached_nobody(&error) => {
                    server.ready.store(false, Ordering::Relaxed);
                    last = unavailable("no server can be reached");
                }
                // It may have acted there, so nobody else is asked.
                Err(_) => return Err(unavailable("the server went away within the call")),
            }
        }
        Err(last)
    }

    /// Ready servers in turn, then the others: a server may be up again before its watcher has seen it.
    fn candidates(&self) -> Vec<&Server> {
        let servers = &self.inner.servers;
        let start = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let in_turn = (0..servers.len()).map(|i| &servers[(start + i) % servers.len()]);
        let (mut ready, rest): (Vec<_>, Vec<_>) = in_turn.partition(|s| s.is_ready());
        ready.extend(rest);
        ready
    }
}

impl Server {
    fn new(address: &str) -> Result<Self, FleetError> {
        let bad = || FleetError::Address(address.to_owned());
        let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|_| bad())?;
        if endpoint.uri().scheme_str() != Some("http") || endpoint.uri().authority().is_none() {
            return Err(bad());
        }
        let channel = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true)
            .connect_lazy();
        Ok(Self { channel, ready: Arc::new(AtomicBool::new(false)) })
    }

    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }
}

fn unavailable(message: &str) -> Status {
    refused(Code::Unavailable, ErrorReason::Unavailable, message)
}

async fn watch(server: Server) {
    let mut health = HealthClient::new(server.channel.clone());
    let mut turn = tokio::time::interval(HEALTH_EVERY);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turn.tick().await;
        let check = health.check(HealthCheckRequest { service: String::new() });
        let answer = tokio::time::timeout(HEALTH_TIMEOUT, check).await;
        let ready = matches!(answer, Ok(Ok(a)) if a.get_ref().status() == ServingStatus::Serving);
        server.ready.store(ready, Ordering::Relaxed);
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

/// Whether a failed call certainly never left this process, so that making it again cannot act twice.
fn reached_nobody(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(e) = cause {
        // Cancelled: hyper had queued the request on a connection that closed before taking it.
        let unsent =
            e.is::<ConnectError>() || e.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled);
        if unsent {
            return true;
        }
        cause = e.source();
    }
    false
}
