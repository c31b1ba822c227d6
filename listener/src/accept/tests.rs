//! The accept loop over real sockets.

mod http2;
mod tls;

use super::*;
use axum::routing::get;
use garimpo_gateway::budget::BudgetLimits;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

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
async fn a_shutdown_lets_the_running_call_finish_and_refuses_new_connections() {
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (inside, held) = (arrived.clone(), go.clone());
    let slow = move |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move {
        inside.notify_one();
        held.notified().await;
        peer.ip().to_string()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = ShutdownTokens::default();
    let serving = tokio::spawn(serve(
        listener,
        Router::new().route("/", get(slow)),
        shutdown.clone(),
        Connections::internal("test"),
    ));

    let running = ask(address, "/").await.unwrap();
    arrived.notified().await;
    shutdown.stop.cancel();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    go.notify_one();

    let answer = whole(running).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("127.0.0.1"), "{answer}");
    tokio::time::timeout(DEADLINE, serving).await.unwrap().unwrap();
}

/// An internal port that returns `oi`, its shutdown tokens and its task.
async fn served() -> (SocketAddr, ShutdownTokens, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = ShutdownTokens::default();
    let router = Router::new().route("/", get(|| async { "oi" }));
    let serving = tokio::spawn(serve(listener, router, shutdown.clone(), Connections::internal("test")));
    (address, shutdown, serving)
}

#[tokio::test]
async fn an_idle_connection_does_not_delay_the_shutdown() {
    let (address, shutdown, serving) = served().await;
    let mut idle = ask(address, "/").await.unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();

    shutdown.stop.cancel();

    tokio::time::timeout(GRACE / 2, serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_draining_port_still_serves_and_sends_connection_close() {
    let (address, shutdown, _) = served().await;

    shutdown.drain.cancel();

    let answer = whole(ask(address, "/").await.unwrap()).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
}

#[tokio::test]
async fn an_accepted_connection_that_sends_a_request_after_the_stop_is_still_served() {
    let (address, shutdown, serving) = served().await;
    let mut kept = ask(address, "/").await.unwrap();
    let mut first = [0; 12];
    kept.read_exact(&mut first).await.unwrap();
    let silent = TcpStream::connect(address).await.unwrap();

    shutdown.stop.cancel();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }

    for mut stream in [kept, silent] {
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let answer = whole(stream).await;
        assert!(answer.contains("connection: close") && answer.ends_with("oi"), "{answer}");
    }
    tokio::time::timeout(DEADLINE, serving).await.unwrap().unwrap();
}

/// Serves a port that is stopped before it accepts the one connection in its queue.
async fn stopped_at_once(port: Port) -> TcpStream {
    let waiting = ask(port.address().unwrap(), "/").await.unwrap();
    let shutdown = ShutdownTokens::default();
    shutdown.stop.cancel();
    let router = Router::new().route("/", get(|| async { "oi" }));
    serve(port, router, shutdown, Connections::internal("test")).await;
    waiting
}

#[tokio::test]
async fn the_accept_queue_of_our_own_port_is_served_before_the_port_closes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let answer = whole(stopped_at_once(listener.into()).await).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn the_accept_queue_of_a_systemd_socket_is_left_to_the_next_process() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let waiting = stopped_at_once(Port::inherited(held.try_clone().unwrap()).unwrap()).await;
    let next = tokio::spawn(serve(
        Port::inherited(held).unwrap(),
        Router::new().route("/", get(|| async { "oi" })),
        ShutdownTokens::default(),
        Connections::internal("test"),
    ));
    let mut answer = [0; 12];
    let mut waiting = waiting;
    tokio::time::timeout(DEADLINE, waiting.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    next.abort();
}

/// Shorter than in production, so that a test does not wait ten seconds.
const HURRIED: RequestTimeouts =
    RequestTimeouts { headers: Duration::from_millis(300), body: Duration::from_millis(300) };

/// Serves a page that returns the number of bytes in the body of its request.
async fn hurried() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let read = |body: axum::body::Body| async move {
        let read = axum::body::to_bytes(body, usize::MAX).await;
        read.map_or_else(|_| "late".to_owned(), |bytes| bytes.len().to_string())
    };
    let router = Router::new().route("/", axum::routing::post(read));
    tokio::spawn(serve_within(
        HURRIED,
        Connections::internal("test"),
        listener.into(),
        router,
        ShutdownTokens::default(),
    ));
    address
}

/// Sends one byte at an interval until the server closes. Returns the response.
async fn dribbled(begin: &str, bytes: &str) -> String {
    let (mut reader, mut writer) = TcpStream::connect(hurried().await).await.unwrap().into_split();
    writer.write_all(begin.as_bytes()).await.unwrap();
    let bytes = bytes.to_owned();
    let dribble = tokio::spawn(async move {
        for byte in bytes.bytes().cycle() {
            tokio::time::sleep(HURRIED.headers / 4).await;
            if writer.write_all(&[byte]).await.is_err() {
                break;
            }
        }
    });
    let mut said = Vec::new();
    // The server may close with unread bytes, and the client then sees a reset.
    let _ = tokio::time::timeout(DEADLINE, reader.read_to_end(&mut said)).await.expect("it is cut off");
    dribble.abort();
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn a_client_that_sends_nothing_or_dribbles_the_http_2_preface_is_cut_off() {
    let mut silent = TcpStream::connect(hurried().await).await.unwrap();
    let mut nothing = Vec::new();
    let read = tokio::time::timeout(DEADLINE, silent.read_to_end(&mut nothing)).await.expect("it is cut off");
    assert_eq!((read.unwrap(), nothing.len()), (0, 0));

    // Each byte may still belong to the HTTP/2 preface.
    dribbled("P", "RI * HTTP/2.0\r\n").await;
}

#[tokio::test]
async fn a_client_that_dribbles_its_headers_is_cut_off() {
    let said = dribbled("POST / HTTP/1.1\r\nhost: garimpo\r\nx-slow: ", "a").await;
    assert!(!said.contains("200"), "{said}");
}

#[tokio::test]
async fn a_client_that_dribbles_its_body_is_cut_off() {
    let said = dribbled("POST / HTTP/1.1\r\nhost: garimpo\r\ncontent-length: 1000\r\n\r\n", "a").await;
    assert!(said.ends_with("late"), "{said}");
}

#[tokio::test]
async fn a_body_that_arrives_in_time_is_read_whole() {
    let mut stream = TcpStream::connect(hurried().await).await.unwrap();
    let begin = "POST / HTTP/1.1\r\nhost: garimpo\r\nconnection: close\r\ncontent-length: 100000\r\n\r\n";
    stream.write_all(begin.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'a'; 100_000]).await.unwrap();
    let said = whole(stream).await;
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with("100000"), "{said}");
}

#[tokio::test]
async fn headers_that_are_too_large_are_refused_with_431() {
    let mut stream = TcpStream::connect(hurried().await).await.unwrap();
    let begin = format!("POST / HTTP/1.1\r\nhost: garimpo\r\nx-big: {}\r\n\r\n", "a".repeat(MAX_HEADERS));
    stream.write_all(begin.as_bytes()).await.unwrap();
    assert!(whole(stream).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn a_connection_over_the_client_limit_gets_429_until_another_one_closes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(|| async { "oi" }));
    let limits = BudgetLimits { total: 10, client: 2 };
    tokio::spawn(serve(listener, router, ShutdownTokens::default(), Connections::public(limits, &[])));
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = ask(address, "/").await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        held.push(stream);
    }

    let refused = whole(TcpStream::connect(address).await.unwrap()).await;

    assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("retry-after: 5"), "{refused}");
    drop(held.pop());
    let deadline = tokio::time::Instant::now() + DEADLINE;
    let closed_after = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    while tokio::time::Instant::now() < deadline {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(closed_after.as_bytes()).await;
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said).await;
        if said.starts_with(b"HTTP/1.1 200") {
            return;
        }
    }
    panic!("the place of the closed connection is free again");
}

#[tokio::test]
async fn a_request_that_names_no_host_or_two_is_refused() {
    let (address, _shutdown, _serving) = served().await;
    for (head, status) in [
        ("GET / HTTP/1.1\r\nhost: a\r\n", 200),
        ("GET / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nx: y\r\nhOST: b\r\n", 400),
        ("GET / HTTP/1.0\r\n", 200),
        ("GET / HTTP/1.0\r\nhost: a\r\nhost: b\r\n", 400),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await.unwrap();

        let answer = whole(stream).await;

        assert_eq!(answer.split(' ').nth(1), Some(status.to_string().as_str()), "{head}: {answer}");
    }
}
