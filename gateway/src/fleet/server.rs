//! One server of a fleet: its connection, its health, and calls to it.

use super::identity::{Identity, Unready};
use futures::stream;
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic::{ConnectError, Status};
use tonic_health::pb::health_client::HealthClient;
use tower::ServiceExt;

/// Interval of health checks, and the longest time that a returned server stays unused.
const HEALTH_EVERY: Duration = Duration::from_millis(500);
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Server {
    /// Index of the given address under which it was found.
    pub address: usize,
    pub at: SocketAddr,
    pub health: Arc<Health>,
    channel: Channel,
    _watcher: Arc<JoinSet<()>>,
}

/// Result of the last health check.
#[derive(Default)]
pub(super) struct Health {
    pub is_ready: AtomicBool,
    /// Whether the server has proved the secret and the database. Unproven servers get no call.
    pub is_proven: AtomicBool,
}

/// A call without a response.
pub(super) enum Interrupted {
    /// The server has not begun the call, so repeating it cannot write twice.
    BeforeStart,
    /// The server may have written.
    Later,
}

impl Server {
    pub fn watched(address: usize, at: SocketAddr, identity: Arc<Identity>) -> Self {
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
        Self { address, at, health, channel, _watcher: Arc::new(watcher) }
    }

    pub fn is_ready(&self) -> bool {
        self.health.is_ready.load(Ordering::Relaxed)
    }

    pub fn is_proven(&self) -> bool {
        self.health.is_proven.load(Ordering::Acquire)
    }

    /// Makes a call and reads its whole response, so that an interrupted response is noticed here.
    pub async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Interrupted> {
        let response =
            self.channel.clone().oneshot(request).await.map_err(|error| self.interrupted(&error))?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(|status| {
            self.interrupted(&status);
            Interrupted::Later
        })?;
        let trailers = body.trailers().cloned().map(Frame::trailers);
        let data = Some(body.to_bytes()).filter(|bytes| !bytes.is_empty()).map(Frame::data);
        let frames: Vec<_> = data.into_iter().chain(trailers).map(Ok::<_, Status>).collect();
        // A response of headers alone must stay one. The others are a stream: with a known length
        // gRPC-Web, which sends trailers inside of the body, would lose them.
        let body =
            if frames.is_empty() { Body::empty() } else { Body::new(StreamBody::new(stream::iter(frames))) };
        Ok(Response::from_parts(parts, body))
    }

    fn interrupted(&self, error: &(dyn Error + 'static)) -> Interrupted {
        self.health.is_ready.store(false, Ordering::Relaxed);
        let cause = causes(error).last().map(ToString::to_string).unwrap_or_default();
        tracing::warn!(server.address = %self.at, error = cause, "a call was lost");
        if has_not_begun(error) { Interrupted::BeforeStart } else { Interrupted::Later }
    }
}

/// Makes health checks for ever.
async fn watch(at: SocketAddr, channel: Channel, health: Arc<Health>, identity: Arc<Identity>) {
    let mut client = HealthClient::new(channel);
    let mut turn = tokio::time::interval(HEALTH_EVERY);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut logged = None;
    loop {
        turn.tick().await;
        let checked = tokio::time::timeout(HEALTH_TIMEOUT, identity.check(&mut client)).await;
        // A time-out takes no proof away: it is the same connection.
        if let Ok(checked) = &checked {
            health.is_proven.store(matches!(checked, Ok(()) | Err(Unready::Leaves)), Ordering::Release);
        }
        let unready = checked.unwrap_or(Err(Unready::TimedOut)).err();
        health.is_ready.store(unready.is_none(), Ordering::Relaxed);
        if logged.as_ref() != Some(&unready) {
            match &unready {
                None => tracing::info!(server.address = %at, "a server is ready"),
                Some(why) => tracing::warn!(server.address = %at, "a server is not ready: {why}"),
            }
            logged = Some(unready);
        }
    }
}

/// Whether no server has begun a failed call.
fn has_not_begun(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        cause.is::<ConnectError>()
            // hyper had queued the request on a connection that closed before it was sent.
            || cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
            || cause.downcast_ref::<h2::Error>().is_some_and(is_unprocessed)
    })
}

/// A server that shuts down names the calls that it has not processed (RFC 9113, sections 6.8 and
/// 8.7).
fn is_unprocessed(error: &h2::Error) -> bool {
    error.is_remote() && (error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
