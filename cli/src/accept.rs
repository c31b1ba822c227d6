//! One accept loop for every port: HTTP/1.1 and h2c, slow senders cut off, a graceful end.
//!
//! `axum::serve` sets no time-outs and has no timer, so the loop is ours.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::header::CONNECTION;
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// A client that has not sent its headers by then is cut off.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
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
pub async fn serve(listener: TcpListener, router: Router, ending: Ending) {
    let open = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = ending.stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                serve_connection(stream, peer, router.clone(), ending.leave.clone(), &open);
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

fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    leave: CancellationToken,
    open: &GracefulShutdown,
) {
    let _ = stream.set_nodelay(true);
    let service = router
        .map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request.map(Body::new)
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
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .max_concurrent_streams(STREAMS_PER_CONNECTION);
    let service = TowerToHyperService::new(service);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
    let connection = open.watch(connection);
    tokio::spawn(async move {
        // A broken connection is the client's affair.
        let _ = connection.await;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    const DEADLINE: Duration = Duration::from_secs(10);

    async fn ask(address: SocketAddr, path: &str) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await?;
        Ok(stream)
    }

    /// Reads until the server closes the connection.
    async fn whole(mut stream: TcpStream) -> String {
        let mut text = String::new();
        tokio::time::timeout(DEADLINE, stream.read_to_string(&mut text)).await.unwrap().unwrap();
        text
    }

    #[tokio::test]
    async fn parada_deixa_a_chamada_em_curso_terminar_e_recusa_novas() {
        let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (inside, held) = (arrived.clone(), go.clone());
        let slow = move |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move {
            inside.notify_one();
            held.notified().await;
            peer.ip().to_string()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ending = Ending::default();
        let serving = tokio::spawn(serve(listener, Router::new().route("/", get(slow)), ending.clone()));

        let running = ask(address, "/").await.unwrap();
        arrived.notified().await;
        ending.stop.cancel();
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        go.notify_one();

        let answer = whole(running).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("127.0.0.1"), "{answer}");
        tokio::time::timeout(DEADLINE, serving).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn conexao_ociosa_nao_atrasa_a_parada() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ending = Ending::default();
        let router = Router::new().route("/", get(|| async { "oi" }));
        let serving = tokio::spawn(serve(listener, router, ending.clone()));
        let mut idle = ask(address, "/").await.unwrap();
        let mut first = [0; 12];
        idle.read_exact(&mut first).await.unwrap();

        ending.stop.cancel();

        tokio::time::timeout(GRACE / 2, serving).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn quem_sai_ainda_atende_e_pede_que_a_conexao_seja_outra() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ending = Ending::default();
        let router = Router::new().route("/", get(|| async { "oi" }));
        tokio::spawn(serve(listener, router, ending.clone()));

        ending.leave.cancel();

        let answer = whole(ask(address, "/").await.unwrap()).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    }
}
