//! Which connections are admitted, and which are closed for others.

use super::*;
use crate::accept::usage::running_body;
use axum::body::Body;
use futures::FutureExt as _;

const LIMITS: BudgetLimits = BudgetLimits { total: 3, client: 2 };

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_64_bit_network_has_the_client_limit_and_a_trusted_proxy_the_limit_of_the_port() {
    let connections = Connections::public(LIMITS, &["10.0.0.0/8".parse().unwrap()]);

    let held = [connections.admit(address("2001:db8::1")), connections.admit(address("2001:db8::2"))];
    assert!(held.iter().all(Result::is_ok));
    assert_eq!(connections.admit(address("2001:db8::3")).err(), Some(Exceeded::Client));
    assert_eq!(connections.admit(address("127.0.0.1")).err(), None);
    drop(held);

    let proxied: Vec<_> = (0..3).map(|_| connections.admit(address("10.0.0.1"))).collect();
    assert!(proxied.iter().all(Result::is_ok));
    drop(proxied);
    assert!(connections.0.open.lock().is_empty());
}

#[tokio::test]
async fn a_full_port_closes_an_idle_connection_and_not_one_in_use() {
    let connections = Connections::public(LIMITS, &[]);
    let busy = connections.admit(address("203.0.113.1")).unwrap();
    let idle = connections.admit(address("203.0.113.1")).unwrap();
    let other = connections.admit(address("203.0.113.2")).unwrap();
    let running = (busy.usage().begin(), other.usage().begin());

    let new = connections.admit(address("203.0.113.3")).unwrap();
    idle.evicted().await;
    let _running = new.usage().begin();

    // Each client has one connection.
    assert_eq!(connections.admit(address("203.0.113.4")).err(), Some(Exceeded::Total));
    drop(running);
    assert!(connections.admit(address("203.0.113.4")).is_ok());
}

#[tokio::test]
async fn a_port_full_of_connections_in_use_closes_the_slowest_of_the_client_with_most() {
    let limits = BudgetLimits { total: 5, client: 2 };
    let connections = Connections::public(limits, &["10.0.0.0/8".parse().unwrap()]);
    let admitted = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2::2", "203.0.113.1", "10.0.0.1"]
        .map(|from| connections.admit(address(from)).unwrap());
    let usages = admitted.each_ref().map(Admitted::usage);
    let _running = usages.each_ref().map(Usage::begin);
    usages[0].progresses();

    let new = connections.admit(address("203.0.113.2")).unwrap();
    let _newly_running = new.usage().begin();
    admitted[1].evicted().await;

    // The /48 holds two connections, and the address would hold two as well.
    assert_eq!(connections.admit(address("203.0.113.2")).err(), Some(Exceeded::Total));
    let _other = connections.admit(address("203.0.113.3")).unwrap();
    admitted[2].evicted().await;
}

#[tokio::test]
async fn a_client_connection_has_a_response_eviction_and_a_trusted_proxy_has_none() {
    let connections = Connections::public(LIMITS, &["10.0.0.0/8".parse().unwrap()]);
    let admitted = connections.admit(address("203.0.113.1")).unwrap();
    assert!(admitted.evicted().now_or_never().is_none());
    assert!(admitted.usage().eviction().is_some());
    let proxy = connections.admit(address("10.0.0.1")).unwrap();
    assert!(proxy.usage().eviction().is_none());
}

#[tokio::test]
async fn an_unread_response_closes_the_connection_of_a_client_but_not_of_a_proxy() {
    for (is_proxy, closes) in [(true, false), (false, true)] {
        let timeouts = ConnectionTimeouts { idle: IDLE, unread: Duration::ZERO };
        let connections = Connections::new(Budget::new("test", LIMITS), move |_| is_proxy, Some(timeouts), 1);
        let admitted = connections.admit(address("203.0.113.1")).unwrap();
        let _unread = running_body(Body::from("oi"), admitted.usage().begin());
        assert_eq!(admitted.unread().now_or_never().is_some(), closes);
    }
}
