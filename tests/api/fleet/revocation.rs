//! A session or token that is revoked on one server is refused by all servers within 5 s.

use std::time::{Duration, Instant};

use e2e::app::channel;
use e2e::fleet::Fleet;
use e2e::{Person, Visitor, watch};
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{GetSessionRequest, RevokeSessionRequest, SignOutRequest};
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use tonic::Code;

use super::fleet;

const WITHIN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ended_on_one_server_ends_there_at_once_and_elsewhere_within_5_seconds() {
    let fleet = fleet!(Fleet::start());
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let mut here = AuthServiceClient::new(channel(&fleet.nodes[0].addresses["grpc"]).await);
    let mut there = AuthServiceClient::new(channel(&fleet.nodes[1].addresses["grpc"]).await);
    for server in [&mut here, &mut there] {
        assert!(
            server
                .get_session(ana.authorized(GetSessionRequest {}))
                .await
                .unwrap()
                .into_inner()
                .authenticated
        );
    }

    let ended_at = Instant::now();
    here.sign_out(ana.authorized(SignOutRequest {})).await.unwrap();

    let on_the_node = here.get_session(ana.authorized(GetSessionRequest {})).await.unwrap().into_inner();
    assert!(!on_the_node.authenticated);
    let mut looks = 0;
    while there.get_session(ana.authorized(GetSessionRequest {})).await.unwrap().into_inner().authenticated {
        looks += 1;
        assert!(ended_at.elapsed() < WITHIN, "still believed after {:?}", ended_at.elapsed());
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    println!("revoked on the other server after {:?}, {looks} looks", ended_at.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_all_sessions_on_one_server_takes_effect_on_all_within_5_seconds() {
    let fleet = fleet!(Fleet::start());
    let person = Person::new();
    let ana = fleet.visitor().signs_up(&person).await;
    let phone = fleet.visitor().signs_in(&person).await;
    let mut here = AuthServiceClient::new(channel(&fleet.nodes[0].addresses["grpc"]).await);
    let mut there = AuthServiceClient::new(channel(&fleet.nodes[1].addresses["grpc"]).await);
    for who in [&ana, &phone] {
        for server in [&mut here, &mut there] {
            let seen = server.get_session(who.authorized(GetSessionRequest {})).await.unwrap();
            assert!(seen.into_inner().authenticated);
        }
    }

    let ended_at = Instant::now();
    let all = RevokeSessionRequest { include_current: true, ..Default::default() };
    here.revoke_session(ana.authorized(all)).await.unwrap();

    for who in [&ana, &phone] {
        let seen = here.get_session(who.authorized(GetSessionRequest {})).await.unwrap();
        assert!(!seen.into_inner().authenticated, "at once on the node");
        while there
            .get_session(who.authorized(GetSessionRequest {}))
            .await
            .unwrap()
            .into_inner()
            .authenticated
        {
            assert!(ended_at.elapsed() < WITHIN, "still believed after {:?}", ended_at.elapsed());
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }
    println!("both sessions revoked on the other server after {:?}", ended_at.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_service_token_works_beside_the_new_one_and_ends_everywhere_when_revoked() {
    let fleet = fleet!(Fleet::start_with(2, &[]));
    let made = fleet.admin(&["token", "create", "robo", "--scope", "billing.read"]).await;
    let id = made.stdout.split(' ').next().expect("an id").to_owned();
    let old = fleet.service_of(&made);
    let new = fleet.service_of(&fleet.admin(&["token", "rotate", &id]).await);
    let urls: Vec<_> = fleet.nodes.iter().map(|server| server.addresses["grpc"].clone()).collect();
    for url in &urls {
        for token in [&old, &new] {
            assert_eq!(asks(url, token).await, Code::NotFound, "the token is valid, and the uid is unknown");
        }
    }
    let tokens = fleet.admin(&["token", "list", "--json"]).await.stdout;
    let tokens: Vec<serde_json::Value> = serde_json::from_str(&tokens).expect("a list");
    assert!(tokens.len() == 2 && tokens.iter().all(|token| token["used_at_us"].is_i64()), "{tokens:?}");
    let mut watching = watch::open(&urls[1], &old, &[], None).await.expect("opens");

    let revoked = fleet.admin(&["token", "revoke", &id]).await;
    let ended_at = Instant::now();
    assert_eq!(revoked.code, 0, "{revoked:?}");

    for url in &urls {
        while asks(url, &old).await != Code::Unauthenticated {
            assert!(ended_at.elapsed() < WITHIN, "still believed after {:?}", ended_at.elapsed());
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        assert_eq!(asks(url, &new).await, Code::NotFound, "the new one stays");
    }
    let ending = async {
        loop {
            if let Err(ending) = watching.message().await {
                return ending;
            }
        }
    };
    let ending = tokio::time::timeout(2 * WITHIN, ending).await.expect("the watch ends");
    assert_eq!(ending.code(), Code::Unauthenticated, "{ending}");
    assert!(fleet.nodes[1].counts("garimpo_denials_total", "unknown_token").await >= 2);
}

async fn asks(url: &str, who: &Visitor) -> Code {
    let mut entitlements = EntitlementServiceClient::new(channel(url).await);
    let nobody = GetEntitlementsRequest { uid: "usr_de_ninguem".into() };
    entitlements.get_entitlements(who.authorized(nobody)).await.expect_err("an unknown uid").code()
}
