//! HTTP/2 connections with several calls, and responses that wait for the client's window.

use super::*;
use futures::StreamExt as _;
use hyper::body::Body as _;
use std::pin::Pin;

#[tokio::test]
async fn an_http_2_connection_without_calls_is_closed_even_if_it_answers_pings() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(|| async { "oi" }));
    let limits = BudgetLimits { total: 10, client: 10 };
    let timeouts = connections::ConnectionTimeouts { idle: Duration::from_millis(200), unread: DEADLINE };
    let connections = Connections::with_timeouts(limits, timeouts);
    tokio::spawn(serve(listener, router, ShutdownTokens::default(), connections));

    let stream = TcpStream::connect(address).await.unwrap();
    let (mut calls, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let ended = tokio::spawn(connection);
    let request = Request::get(format!("http://{address}/")).body(axum::body::Body::empty()).unwrap();
    assert_eq!(calls.send_request(request).await.unwrap().status(), 200);

    // The client's half stays open, so only the server can end the connection.
    tokio::time::timeout(DEADLINE, ended).await.expect("it is closed").unwrap().unwrap();
    drop(calls);
}

/// Calls `/` over HTTP/2 with this window for the response. Returns the client's half of the
/// connection, the unread response, and the connection.
async fn unread_answer(
    address: SocketAddr,
    window: u32,
) -> (
    hyper::client::conn::http2::SendRequest<axum::body::Body>,
    http::Response<Incoming>,
    tokio::task::JoinHandle<hyper::Result<()>>,
) {
    let stream = TcpStream::connect(address).await.unwrap();
    let mut http2 = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    http2.initial_stream_window_size(window);
    let (mut calls, connection) = http2.handshake(TokioIo::new(stream)).await.unwrap();
    let ended = tokio::spawn(connection);
    let request = Request::get(format!("http://{address}/")).body(axum::body::Body::empty()).unwrap();
    let answer = calls.send_request(request).await.unwrap();
    (calls, answer, ended)
}

#[tokio::test]
async fn a_client_that_does_not_read_is_closed_and_one_that_waits_for_us_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let silent =
        || async { axum::body::Body::from_stream(futures::stream::pending::<std::io::Result<String>>()) };
    let first_word = || async {
        let first = futures::stream::iter([Ok::<_, Infallible>("oi")]);
        axum::body::Body::from_stream(futures::StreamExt::chain(first, futures::stream::pending()))
    };
    let router = Router::new().route("/silent", get(silent)).route("/", get(first_word));
    let limits = BudgetLimits { total: 10, client: 10 };
    let timeouts = connections::ConnectionTimeouts { idle: DEADLINE, unread: Duration::from_millis(300) };
    tokio::spawn(serve(
        listener,
        router,
        ShutdownTokens::default(),
        Connections::with_timeouts(limits, timeouts),
    ));

    let mut silent = ask(address, "/silent").await.unwrap();
    let mut head = [0; 12];
    silent.read_exact(&mut head).await.unwrap();
    let reading = unread_answer(address, 1024).await;
    let unread = unread_answer(address, 0).await;

    let closed = tokio::time::timeout(DEADLINE, unread.2).await;
    assert!(closed.is_ok(), "it is closed");
    assert!(!reading.2.is_finished(), "its client has taken what there was");
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::ZERO, silent.read_to_end(&mut rest)).await;
    assert!(ended.is_err(), "the silence is ours");
}

/// Notifies when it is dropped.
struct NotifiesDrop(Arc<Notify>);

impl Drop for NotifiesDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A response of one frame that holds a value until it is dropped.
fn answer_with(bytes: usize, held: NotifiesDrop) -> axum::body::Body {
    let frames = futures::stream::iter([vec![b'a'; bytes]]).map(move |frame| {
        let _ = &held;
        Ok::<_, Infallible>(frame)
    });
    axum::body::Body::from_stream(frames)
}

#[tokio::test]
async fn an_http_2_response_is_kept_until_the_window_of_the_client_fits_all_of_it() {
    for bytes in [2, 100, 1_000] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let dropped = Arc::new(Notify::new());
        let notified = dropped.clone();
        let router = Router::new()
            .route("/", get(move || async move { answer_with(bytes, NotifiesDrop(notified.clone())) }));
        let limits = BudgetLimits { total: 10, client: 10 };
        let timeouts = connections::ConnectionTimeouts { idle: DEADLINE, unread: DEADLINE };
        tokio::spawn(serve(
            listener,
            router,
            ShutdownTokens::default(),
            Connections::with_timeouts(limits, timeouts),
        ));

        let (calls, answer, connection) = unread_answer(address, 1).await;
        let waited = tokio::time::timeout(Duration::from_millis(300), dropped.notified()).await;
        assert!(waited.is_err(), "{bytes} bytes, of which one fits the window");

        let read = axum::body::to_bytes(axum::body::Body::new(answer), bytes);
        let read = tokio::time::timeout(DEADLINE, read).await.expect("it arrives").unwrap();
        assert_eq!(read.len(), bytes);
        tokio::time::timeout(DEADLINE, dropped.notified()).await.expect("it is dropped");
        drop((calls, connection));
    }
}

#[tokio::test]
async fn an_http_2_connection_with_a_slowly_read_response_is_not_idle() {
    const BYTES: usize = 200_000;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(|| async { vec![b'a'; BYTES] }));
    let limits = BudgetLimits { total: 10, client: 10 };
    let timeouts = connections::ConnectionTimeouts { idle: Duration::from_millis(100), unread: DEADLINE };
    tokio::spawn(serve(
        listener,
        router,
        ShutdownTokens::default(),
        Connections::with_timeouts(limits, timeouts),
    ));

    let (mut calls, answer, _connection) = unread_answer(address, 16 * 1024).await;
    let mut body = answer.into_body();
    let (mut read, mut asked) = (0, false);
    // Reads at most one window in each half of the idle time.
    let mut pace = tokio::time::interval(Duration::from_millis(50));
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        read += frame.unwrap().into_data().unwrap().len();
        pace.tick().await;
        if read > BYTES / 2 && !asked {
            let request =
                Request::get(format!("http://{address}/none")).body(axum::body::Body::empty()).unwrap();
            assert_eq!(calls.send_request(request).await.expect("no GOAWAY").status(), 404);
            asked = true;
        }
    }
    assert_eq!((read, asked), (BYTES, true));
}
