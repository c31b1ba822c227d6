//! The accept loop of every port: HTTP/1.1 and HTTP/2, TLS on a port with a certificate, time
//! limits for slow senders, and a graceful shutdown.
//!
//! `axum::serve` is not used, because it sets no time limits.

mod connections;
mod stream;
#[cfg(test)]
mod tests;
mod usage;
mod whole_body;

use crate::tls::Handshakes;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse as _, Response};
use connections::Admitted;
pub use connections::Connections;
use garimpo_gateway::budget::{Exceeded, RETRY_AFTER};
use http::header::{CONNECTION, HOST};
use http::{HeaderValue, Request, StatusCode, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulConnection;
use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use stream::WatchedStream;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use usage::running_body;
use whole_body::whole_body;

/// Time limits of a request; a slower client is disconnected.
#[derive(Debug, Clone, Copy)]
struct RequestTimeouts {
    /// Time limit of the first bytes, and of the headers of a request. A connection without a
    /// request is closed after this time too.
    headers: Duration,
    /// Time limit of a whole body.
    body: Duration,
}

const TIMEOUTS: RequestTimeouts =
    RequestTimeouts { headers: Duration::from_secs(10), body: Duration::from_secs(30) };
/// Maximum bytes of the headers of a request. The response to more is 431.
const MAX_HEADERS: usize = 16 * 1024;
/// An HTTP/2 client that does not reply to pings is disconnected.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Bytes that an HTTP/2 client sends of one body before we read them: the largest JSON body.
const STREAM_WINDOW: u32 = 64 * 1024;
/// Bytes of all bodies of a connection, which are in memory before a budget counts them.
const CONNECTION_WINDOW: u32 = 128 * 1024;
/// Time that running calls get to finish.
pub const GRACE: Duration = Duration::from_secs(10);
/// A stopping process closes a connection that has been idle for this long. A request that its
/// client was sending has arrived by then.
const LINGER: Duration = Duration::from_millis(500);
/// Time that a stopping process gives to a TLS handshake: as many round trips as one needs.
const HANDSHAKE_GRACE: Duration = Duration::from_secs(2);
/// Connections that a port accepts from its queue before it closes: the length of the queue
/// (tokio's default).
const BACKLOG: usize = 1024;
/// Pause after a failed accept: the machine is out of descriptors.
const BREATHE: Duration = Duration::from_millis(100);

/// A listening socket, whether systemd keeps it open, and its TLS.
pub struct Port {
    listener: TcpListener,
    is_inherited: bool,
    handshakes: Option<Handshakes>,
}

impl Port {
    /// A socket that systemd keeps open: connections in its queue are for the next process.
    pub fn inherited(listener: std::net::TcpListener) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self { listener: TcpListener::from_std(listener)?, is_inherited: true, handshakes: None })
    }

    /// The port over TLS.
    pub fn with_tls(self, handshakes: Handshakes) -> Self {
        Self { handshakes: Some(handshakes), ..self }
    }

    /// The address on which the port listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Closes the port. Connections in the queue of a socket of this process would be reset,
    /// so they are returned.
    fn close(self) -> Vec<(TcpStream, SocketAddr)> {
        let Ok(listener) = self.listener.into_std() else { return Vec::new() };
        let next = || {
            let (stream, peer) = listener.accept().ok()?;
            stream.set_nonblocking(true).ok()?;
            Some((TcpStream::from_std(stream).ok()?, peer))
        };
        let takes = if self.is_inherited { 0 } else { BACKLOG };
        std::iter::from_fn(next).take(takes).collect()
    }
}

impl From<TcpListener> for Port {
    fn from(listener: TcpListener) -> Self {
        Self { listener, is_inherited: false, handshakes: None }
    }
}

/// Tokens of the two steps of a shutdown.
#[derive(Clone)]
pub struct ShutdownTokens {
    /// Calls are served, and clients are asked to reconnect elsewhere. `stop` implies this token.
    pub drain: CancellationToken,
    /// No new connection is served.
    pub stop: CancellationToken,
}

impl Default for ShutdownTokens {
    fn default() -> Self {
        let stop = CancellationToken::new();
        Self { drain: stop.child_token(), stop }
    }
}

/// Serves a router on a port until `stop`, then lets running calls finish within [`GRACE`].
pub async fn serve(
    port: impl Into<Port>,
    router: Router,
    shutdown: ShutdownTokens,
    connections: Connections,
) {
    serve_within(TIMEOUTS, connections, port.into(), router, shutdown).await;
}

async fn serve_within(
    timeouts: RequestTimeouts,
    connections: Connections,
    port: Port,
    router: Router,
    shutdown: ShutdownTokens,
) {
    let tasks = TaskTracker::new();
    let (handshakes, streams) = (port.handshakes.clone(), connections.streams());
    let begin = |stream: TcpStream, peer: SocketAddr| {
        let admitted = match (connections.admit(peer.ip()), &handshakes) {
            (Ok(admitted), _) => admitted,
            (Err(exceeded), None) => return refuse(stream, exceeded),
            // No refusal is sent, because a client reads none before the handshake.
            (Err(_), Some(_)) => return,
        };
        let _ = stream.set_nodelay(true);
        let (router, shutdown) = (router.clone(), shutdown.clone());
        let Some(handshakes) = handshakes.clone() else {
            let connection = connection(timeouts, streams, stream, peer, &admitted, router, &shutdown);
            tasks.spawn(run(connection, admitted, shutdown.stop));
            return;
        };
        // A task of its own kind, because an encrypted connection uses more memory.
        tasks.spawn(async move {
            let secured = secured(&handshakes, stream, peer, &admitted, &shutdown.stop).await;
            let Some(stream) = secured else { return };
            let connection = connection(timeouts, streams, stream, peer, &admitted, router, &shutdown);
            run(connection, admitted, shutdown.stop).await;
        });
    };
    loop {
        let accepted = tokio::select! {
            () = shutdown.stop.cancelled() => break,
            accepted = port.listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => begin(stream, peer),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATHE).await;
            }
        }
    }
    for (stream, peer) in port.close() {
        begin(stream, peer);
    }
    tasks.close();
    if tokio::time::timeout(GRACE, tasks.wait()).await.is_err() {
        tracing::warn!("some calls did not finish within {GRACE:?}");
    }
}

/// Encrypts a connection; `None` ends it.
async fn secured(
    handshakes: &Handshakes,
    stream: TcpStream,
    peer: SocketAddr,
    admitted: &Admitted,
    stop: &CancellationToken,
) -> Option<TlsStream<TcpStream>> {
    let late = async {
        stop.cancelled().await;
        tokio::time::sleep(HANDSHAKE_GRACE).await;
    };
    tokio::select! {
        stream = handshakes.accept(stream, admitted.client(peer.ip())) => stream,
        () = admitted.evicted() => None,
        () = late => None,
    }
}

/// Runs a connection to its end. An idle or stopping connection ends gracefully: its running calls
/// finish. An evicted connection, or one whose client does not read, is closed at once.
async fn run(connection: impl GracefulConnection, admitted: Admitted, stop: CancellationToken) {
    let mut connection = pin!(connection);
    let (mut is_stopping, mut is_ending) = (false, false);
    loop {
        let longer = if is_ending { GRACE } else { Duration::ZERO };
        tokio::select! {
            // The connection comes first: a request that has arrived is read before it counts as
            // idle.
            biased;
            // A broken connection needs no report.
            _ = connection.as_mut() => return,
            () = admitted.evicted() => return,
            () = admitted.unread() => return,
            () = admitted.idle(longer) => {
                if is_ending {
                    return;
                }
            }
            () = admitted.settled(LINGER), if is_stopping && !is_ending => {}
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                continue;
            }
        }
        connection.as_mut().graceful_shutdown();
        is_ending = true;
    }
}

/// Replies to a connection that is not admitted; its client may not have sent anything yet.
fn refuse(stream: TcpStream, exceeded: Exceeded) {
    let status = match exceeded {
        Exceeded::Client | Exceeded::Network => "429 Too Many Requests",
        Exceeded::Total | Exceeded::Evicted => "503 Service Unavailable",
    };
    let after = RETRY_AFTER.as_secs();
    let answer = format!(
        "HTTP/1.1 {status}\r\nretry-after: {after}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    // A client that does not read the response is disconnected too.
    let _ = stream.into_std().and_then(|mut stream| stream.write_all(answer.as_bytes()));
}

/// Whether a request names its host once, as HTTP/1.1 requires (RFC 9112, 3.2): with two lines, a
/// proxy may use the other one.
fn names_host<B>(request: &Request<B>) -> bool {
    match (request.version(), request.headers().get_all(HOST).iter().count()) {
        (Version::HTTP_11, lines) => lines == 1,
        (Version::HTTP_10, lines) => lines < 2,
        _ => true,
    }
}

fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    timeouts: RequestTimeouts,
    streams: u32,
    stream: S,
    peer: SocketAddr,
    admitted: &Admitted,
    router: Router,
    shutdown: &ShutdownTokens,
) -> impl GracefulConnection + Send + use<S> {
    let (usage, drain) = (admitted.usage(), shutdown.drain.clone());
    let stream = WatchedStream::new(stream, usage.clone(), timeouts.headers);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let names_host = names_host(&request);
        usage.speaks(request.version());
        request.extensions_mut().insert(ConnectInfo(peer));
        if let Some(eviction) = usage.eviction() {
            request.extensions_mut().insert(eviction);
        }
        let request = request.map(|body| whole_body(timeouts.body, body));
        let answering = router.clone().oneshot(request);
        let (running, drain) = (usage.begin(), drain.clone());
        async move {
            if !names_host {
                let refused = (StatusCode::BAD_REQUEST, [(CONNECTION, "close")]).into_response();
                return Ok(refused.map(|body| running_body(body, running)));
            }
            let mut response: Response = answering.await?;
            // A kept connection may be in use again when it is closed later, so its client must not
            // reuse it. HTTP/2 needs no header, because GOAWAY names the calls that are processed.
            // hyper omits the header there.
            if drain.is_cancelled() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| running_body(body, running)))
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(timeouts.headers).max_buf_size(MAX_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADERS as u32)
        .keep_alive_interval(KEEP_ALIVE)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(streams);
    builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned()
}
