//! Clients that do not finish a TLS handshake.

use super::*;

const LIMITS: BudgetLimits = BudgetLimits { total: 10, client: 10 };

/// A port without a certificate, with this time limit of its handshakes.
async fn port(timeout: Duration) -> (Port, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let handshakes = Handshakes::new(Arc::default(), LIMITS).unwrap().with_timeout(timeout);
    (Port::from(listener).with_tls(handshakes), address)
}

#[tokio::test]
async fn a_client_that_does_not_finish_the_handshake_is_closed_at_the_time_limit() {
    let (port, address) = port(Duration::from_millis(300)).await;
    let router = Router::new().route("/", get(|| async { "oi" }));
    tokio::spawn(serve(port, router, ShutdownTokens::default(), Connections::public(LIMITS, &[])));

    let silent = TcpStream::connect(address).await.unwrap();
    assert_eq!(whole(silent).await, "", "nothing is sent to a client that says nothing");

    // The header of a record, then one byte at an interval.
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(&[0x16, 3, 1, 2, 0]).await.unwrap();
    let trickle = async {
        while slow.write_all(&[1]).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(DEADLINE, trickle).await.expect("it is closed");
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_an_unfinished_handshake() {
    let (port, address) = port(DEADLINE).await;
    let shutdown = ShutdownTokens::default();
    let connections = Connections::public(LIMITS, &[]);
    let serving = tokio::spawn(serve(port, Router::new(), shutdown.clone(), connections));
    let silent = TcpStream::connect(address).await.unwrap();

    shutdown.stop.cancel();

    let stopped = tokio::time::timeout(HANDSHAKE_GRACE + Duration::from_secs(3), serving).await;
    stopped.expect("it stops before the handshake is late").unwrap();
    assert_eq!(whole(silent).await, "");
}
