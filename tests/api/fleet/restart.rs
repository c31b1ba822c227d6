//! Processes that restart under load: on a socket that systemd holds, and behind the documented
//! proxies.

use e2e::fleet::Fleet;
use e2e::traffic::{Target, Traffic};
use e2e::{Person, Visitor};

use super::{Front, fleet};

#[tokio::test(flavor = "multi_thread")]
async fn a_process_on_a_systemd_socket_restarts_without_losing_a_request() {
    let mut fleet = fleet!(Fleet::start_with(0, &[]));
    fleet.starts_a_node_on_a_socket().await;
    let url = fleet.nodes[0].addresses["public"].clone();
    let visitor = Visitor::new(&url).signs_up(&Person::new()).await;
    let address = url.replace("http://", "");
    let traffic = Traffic::begins(&Target { address, certificate: None, repeats: false }, &visitor);

    let outcome = traffic
        .through_restarts(async |_| {
            fleet.nodes[0].stops_and_restarts().await;
        })
        .await;

    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_removed_from_nginx_as_documented_loses_no_request() {
    let front = Front::new();
    let mut fleet = fleet!(front.fleet(2));
    let nodes = fleet.public_addresses();
    let nginx = front.nginx(&nodes).await;
    let visitor = fleet.visitor().signs_up(&Person::new()).await;
    let target = Target { address: front.https, certificate: Some(nginx.certificate()), repeats: true };
    let traffic = Traffic::begins(&target, &visitor);

    let outcome = traffic
        .through_restarts(async |restart| {
            let n = restart as usize % 2;
            nginx.reloads_with(&nodes[n], true).await;
            fleet.nodes[n].stops_and_restarts().await;
            nginx.reloads_with(&nodes[n], false).await;
        })
        .await;

    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_stops_behind_the_documented_haproxy_loses_no_request() {
    let front = Front::new();
    let mut fleet = fleet!(front.fleet(2));
    let haproxy = front.haproxy(&fleet).await;
    let visitor = fleet.visitor().signs_up(&Person::new()).await;
    let target = Target { address: front.https, certificate: Some(haproxy.certificate()), repeats: true };
    let traffic = Traffic::begins(&target, &visitor);

    let outcome = traffic
        .through_restarts(async |restart| {
            let n = restart as usize % 2;
            fleet.nodes[n].stops_and_restarts().await;
            haproxy.sees_both_nodes().await;
        })
        .await;

    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}
