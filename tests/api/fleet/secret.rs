//! Which callers the internal port trusts.

use std::collections::BTreeMap;
use std::time::Duration;

use e2e::Person;
use e2e::app::{base_settings, channel};
use e2e::fleet::{Fleet, SECRET};
use e2e::ports::free_address;
use e2e::process::Process;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{GetSessionRequest, SignInRequest};
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use tonic::Code;
use tonic::metadata::MetadataMap;

use super::fleet;

/// Sign-ins of one account from one address that may fail in a quarter of an hour.
const FAILURES: u8 = 10;

fn with_headers<T>(message: T, headers: &[(&'static str, &str)]) -> tonic::Request<T> {
    let mut metadata = MetadataMap::new();
    for (name, value) in headers {
        metadata.insert(*name, value.parse().expect("ascii"));
    }
    tonic::Request::from_parts(metadata, tonic::Extensions::default(), message)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_internal_port_trusts_only_callers_with_the_fleet_secret() {
    let fleet = fleet!(Fleet::start_with(1, 1, &[]));
    let person = Person::new();
    let ana = fleet.visitor().signs_up(&person).await;
    let mut auth = AuthServiceClient::new(channel(&fleet.servers[0].addresses["grpc"]).await);

    // Without the secret the client address header is ignored: all tries count for one address.
    let sign_in = |password: &str| SignInRequest { email: person.email.clone(), password: password.into() };
    for n in 0..FAILURES {
        let from = format!("203.0.113.{n}");
        let tried = with_headers(sign_in("errada1"), &[("x-garimpo-client-address", &from)]);
        assert_eq!(auth.sign_in(tried).await.unwrap_err().code(), Code::Unauthenticated, "{n}");
    }
    let blocked = with_headers(sign_in("errada1"), &[("x-garimpo-client-address", "203.0.113.99")]);
    assert_eq!(auth.sign_in(blocked).await.unwrap_err().code(), Code::ResourceExhausted);

    // With it, another address has its own limit, and the session is returned for the gateway's
    // cookie.
    let trusted = [("x-garimpo-fleet-secret", SECRET), ("x-garimpo-client-address", "203.0.113.7")];
    let signed_in = auth.sign_in(with_headers(sign_in(&person.password), &trusted)).await.expect("a session");
    assert!(signed_in.metadata().contains_key("x-garimpo-session"));

    // A sign-up without the secret returns no session, and a wrong secret is refused.
    let sign_up = || Person::new().sign_up_form();
    let plain = auth.sign_up(sign_up()).await.expect("anyone may sign up");
    assert!(!plain.metadata().contains_key("x-garimpo-session"));
    let wrong = [("x-garimpo-fleet-secret", "um-outro-segredo-de-tamanho-bastante")];
    assert_eq!(auth.sign_up(with_headers(sign_up(), &wrong)).await.unwrap_err().code(), Code::Unavailable);

    // The secret authenticates a gateway, not a person or a service.
    let nobody = auth.get_session(with_headers(GetSessionRequest {}, &trusted)).await.unwrap().into_inner();
    assert!(!nobody.authenticated);
    let mut rights = EntitlementServiceClient::new(channel(&fleet.servers[0].addresses["grpc"]).await);
    let asked = GetEntitlementsRequest { uid: ana.uid.clone() };
    let refused = rights.get_entitlements(with_headers(asked, &trusted)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated, "{refused:?}");

    // The gateway drops the header from outside, and does not have the internal services.
    let outside =
        fleet.visitor().request("GET", "/api/auth/check-cookie").header("x-garimpo-fleet-secret", "errado");
    assert_eq!(outside.send().await.unwrap().status(), 200);
    let mut rights = EntitlementServiceClient::new(channel(fleet.balancer.url()).await);
    let hidden = rights.get_entitlements(GetEntitlementsRequest { uid: ana.uid.clone() }).await.unwrap_err();
    assert_eq!(hidden.code(), Code::Unimplemented);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_with_another_secret_never_becomes_ready() {
    let fleet = fleet!(Fleet::start_with(1, 0, &[]));
    let folder = tempfile::TempDir::new().unwrap();
    let mut settings = base_settings();
    let metrics = free_address();
    settings.insert("GARIMPO_METRICS_LISTEN".into(), metrics.clone());
    settings.insert("GARIMPO_SERVER_URL".into(), fleet.servers[0].addresses["grpc"].clone());
    settings.insert("GARIMPO_FLEET_SECRET".into(), "um-outro-segredo-de-tamanho-bastante".into());

    let gateway = Process::spawn("gateway", folder.path(), &settings);

    e2e::eventually("the refusal in the log", || async {
        gateway.log_text().contains("the fleet secret is not ours").then_some(())
    })
    .await;
    assert_eq!(reqwest::get(format!("http://{metrics}/readyz")).await.unwrap().status(), 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ups_reach_only_servers_with_the_fleet_secret_and_database() {
    let fleet = fleet!(Fleet::start_with(1, 1, &[]));
    let log = || fleet.gateways[0].process.log_text();
    let folders = [tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap()];

    // A server of another database listens at the unused address that the gateway knows.
    let mut settings = fleet.server_settings(1);
    settings.remove("GARIMPO_DATABASE_URL");
    let (mut other, _) = Process::start("server", folders[0].path(), &settings).await;
    e2e::eventually("the refusal of the database", || async {
        log().contains("it has another database than the first server").then_some(())
    })
    .await;
    for _ in 0..3 {
        fleet.visitor().signs_up(&Person::new()).await;
    }
    other.kill();

    // Then a separate product without a secret listens there.
    settings.remove("GARIMPO_FLEET_SECRET");
    let (_stray, _) = Process::start("serve", folders[1].path(), &settings).await;
    e2e::eventually("the refusal of the secret", || async {
        log().contains("the fleet secret is not ours").then_some(())
    })
    .await;
    for _ in 0..3 {
        fleet.visitor().signs_up(&Person::new()).await;
    }

    assert_eq!(fleet.count("SELECT COUNT(*) FROM accounts".into()).await, 6);
}

#[tokio::test]
async fn servers_and_gateways_without_a_fleet_secret_refuse_to_start() {
    for command in ["server", "gateway"] {
        let folder = tempfile::TempDir::new().unwrap();
        let settings: BTreeMap<_, _> = base_settings()
            .into_iter()
            .chain([("GARIMPO_SERVER_URL".into(), "http://127.0.0.1:9".into())])
            .collect();

        let mut process = Process::spawn(command, folder.path(), &settings);

        assert_eq!(process.ends(Duration::from_secs(10)).await, Some(2), "{command}");
        let log = process.log_text();
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.starts_with("garimpo: GARIMPO_FLEET_SECRET: found nothing"), "{log}");
    }
}
