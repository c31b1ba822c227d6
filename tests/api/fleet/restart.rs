//! Gateways that restart under load: on a socket that systemd holds, and behind the documented
//! nginx.

use e2e::fleet::Fleet;
use e2e::nginx::{self, Nginx};
use e2e::traffic::{Target, Traffic, extent};
use e2e::{Person, Visitor};

use super::fleet;

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_on_a_systemd_socket_restarts_without_losing_a_request() {
    let mut fleet = fleet!(Fleet::start_with(1, 0, &[]));
    fleet.starts_a_gateway_on_a_socket().await;
    let url = fleet.gateways[0].addresses["public"].clone();
    let visitor = Visitor::new(&url).signs_up(&Person::new()).await;
    let address = url.replace("http://", "");
    let traffic = Traffic::begins(&Target { address, certificate: None, repeats: false }, &visitor);
    let (requests, restarts) = extent();

    for restart in 1..=restarts {
        traffic.reaches(requests * restart / (restarts + 1)).await;
        fleet.gateways[0].stops_and_restarts().await;
    }
    traffic.reaches(requests).await;

    let outcome = traffic.ends().await;
    eprintln!("{restarts} restarts: {outcome}");
    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_removed_from_nginx_as_documented_loses_no_request() {
    let (https, plain) = nginx::addresses();
    let site = format!("https://{https}");
    let settings = [("GARIMPO_PUBLIC_URL", site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
    let mut fleet = fleet!(Fleet::start_with(1, 2, &settings));
    let gateways = [0, 1].map(|n| fleet.gateways[n].addresses["public"].replace("http://", ""));
    let nginx = Nginx::start([&gateways[0], &gateways[1]], &https, &plain).await;
    let visitor = fleet.visitor().signs_up(&Person::new()).await;
    let target = Target { address: https, certificate: Some(nginx.certificate()), repeats: true };
    let traffic = Traffic::begins(&target, &visitor);
    let (requests, restarts) = extent();

    for restart in 1..=restarts {
        traffic.reaches(requests * restart / (restarts + 1)).await;
        let n = restart as usize % 2;
        nginx.reloads_with(&gateways[n], true).await;
        fleet.gateways[n].stops_and_restarts().await;
        nginx.reloads_with(&gateways[n], false).await;
    }
    traffic.reaches(requests).await;

    let outcome = traffic.ends().await;
    eprintln!("{restarts} restarts: {outcome}");
    assert!(outcome.broken.is_empty(), "{:#?}", outcome.broken);
}
