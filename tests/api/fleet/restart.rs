//! Processes that restart under load: on a socket that systemd holds, and behind the documented
//! proxies.

use e2e::fleet::Fleet;
use e2e::haproxy::Haproxy;
use e2e::nginx::{self, Nginx};
use e2e::traffic::{Target, Traffic};
use e2e::{Person, Visitor};

use super::fleet;

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
    let (https, plain) = nginx::addresses();
    let site = format!("https://{https}");
    let settings = [("GARIMPO_PUBLIC_URL", site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
    let mut fleet = fleet!(Fleet::start_with(2, &settings));
    let nodes = fleet.public_addresses();
    let nginx = Nginx::start(&nodes, &https, &plain).await;
    let visitor = fleet.visitor().signs_up(&Person::new()).await;
    let target = Target { address: https, certificate: Some(nginx.certificate()), repeats: true };
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
    let (https, plain) = nginx::addresses();
    let site = format!("https://{https}");
    let settings = [("GARIMPO_PUBLIC_URL", site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
    let mut fleet = fleet!(Fleet::start_with(2, &settings));
    let metrics = [0, 1].map(|n| fleet.nodes[n].addresses["metrics"].replace("http://", ""));
    let haproxy = Haproxy::start(&fleet.public_addresses(), &metrics, &https, &plain).await;
    let visitor = fleet.visitor().signs_up(&Person::new()).await;
    let target = Target { address: https, certificate: Some(haproxy.certificate()), repeats: true };
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
