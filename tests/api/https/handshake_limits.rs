//! Clients that connect and send nothing.

use std::net::SocketAddr;

use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpSocket, TcpStream};

use super::Site;

/// Connects from this address of the machine and sends nothing.
async fn silent(from: &str, to: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("loopback");
    socket.bind(SocketAddr::new(from.parse().expect("loopback"), 0)).expect("loopback");
    socket.connect(to.parse().expect("loopback")).await.expect("loopback")
}

#[tokio::test]
async fn silent_handshakes_are_limited_per_address_and_do_not_block_others() {
    let limits = [("GARIMPO_LIMIT_HANDSHAKES", "8"), ("GARIMPO_LIMIT_HANDSHAKES_ADDRESS", "4")];
    let site = Site::starts(&limits).await;
    let held = r#"garimpo_budget_held{budget="handshakes"}"#;

    let mut silents = Vec::new();
    for n in 1..=4 {
        silents.push(silent("127.0.0.2", site.address()).await);
        site.app.wait_for_metric(held, &n.to_string()).await;
    }
    let mut refused = silent("127.0.0.2", site.address()).await;
    let read = refused.read(&mut [0; 1]).await;
    assert!(matches!(read, Ok(0) | Err(_)), "the fifth of an address is closed at once: {read:?}");
    let counted = site.app.metric(r#"garimpo_limited_total{limit="handshakes",scope="client"}"#).await;
    assert_eq!(counted.as_deref(), Some("1"));

    for _ in 0..20 {
        let client = site.authority.client();
        let answer = client.get(format!("{}/api/auth/check-cookie", site.app.url())).send().await.unwrap();
        assert_eq!(answer.status(), 200, "another address is served");
    }
    drop(silents);
    site.app.wait_for_metric(held, "0").await;
}
