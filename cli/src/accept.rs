//! One accept loop for every port: HTTP/1.1 and h2c, slow senders cut off, a graceful end.
//!
//! `axum::serve` sets no time-outs and has no timer, so the loop is ours.

mod patience;
mod peers;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::header::CONNECTION;
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use patience::{FirstBytes, whole_body};
pub use peers::Peers;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// How long a client may take; one that is slower is cut off.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Over the first bytes, and over the headers of a request; a connection that nobody uses is closed after it too.
    headers: Duration,
    /// Over a whole body.
    body: Duration,
}

const PATIENCE: Patience = Patience { headers: Duration::from_secs(10), body: Duration::from_secs(30) };
/// Bytes of the headers of one request; more are answered 431.
const MAX_HEADERS: usize = 16 * 1024;
/// Open connections of a port; further ones wait until one is closed. Descriptors are left for files and providers.
const MAX_CONNECTIONS: usize = 4096;
/// An h2 client that does not answer pings is cut off.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
const STREAMS_PER_CONNECTION: u32 = 256;
/// Time that running calls get to finish.
pub const GRACE: Duration = Duration::from_secs(10);
/// Pause after a failed accept: the machine is out of descriptors.
const BREATHE: Duration = Duration::from_millis(100);

/// The two words of a graceful end.
#[derive(Clone, Default)]
pub struct Ending {
    /// Everybody is still served, but shall connect elsewhere the next time.
    pub leave: CancellationToken,
    /// Nobody new is served.
    pub stop: CancellationToken,
}

/// Serves a router on a port until `stop`, then lets running calls finish within [`GRACE`].
pub async fn serve(listener: TcpListener, router: Router, ending: Ending, peers: Peers) {
    serve_within(PATIENCE, peers, listener, router, ending).await;
}

async fn serve_within(
    patience: Patience,
    peers: Peers,
    listener: TcpListener,
    router: Router,
    ending: Ending,
) {
    let open = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = ending.stop.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, peer, place)) => {
                let Some(guest) = peers.take(peer.ip()) else { continue };
                let connection = connection(patience, stream, peer, router.clone(), ending.leave.clone());
                let connection = open.watch(connection);
                tokio::spawn(async move {
                    // A broken connection is the client's affair.
                    let _ = connection.await;
                    drop((place, guest));
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATHE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(GRACE, open.shutdown()).await.is_err() {
        tracing::warn!("some calls did not finish within {GRACE:?}");
    }
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

fn connection(
    patience: Patience,
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    leave: CancellationToken,
) -> impl GracefulConnection + Send {
    let _ = stream.set_nodelay(true);
    let service = router
        .map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request.map(|body| whole_body(patience.body, body))
        })
        .map_response(move |mut response: Response| {
            // A kept connection that is closed later may be in use again by then. HTTP/2 needs no such word, since
            // its GOAWAY tells which calls count, and hyper leaves the header out there.
            if leave.is_cancelled() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            response
        });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience.headers).max_buf_size(MAX_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADERS as u32)
        .keep_alive_interval(KEEP_ALIVE)
        .max_concurrent_streams(STREAMS_PER_CONNECTION);
    let service = TowerToHyperService::new(service);
    let stream = FirstBytes::within(patience.headers, stream);
    builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned()
}
