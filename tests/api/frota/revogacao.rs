//! A session that ends on one server ends on all of them, within 5 s.

use std::time::{Duration, Instant};

use e2e::Person;
use e2e::app::channel;
use e2e::fleet::Fleet;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{GetSessionRequest, RevokeSessionRequest, SignOutRequest};

use super::fleet;

const WITHIN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn sessao_encerrada_em_um_servidor_acaba_nele_na_hora_e_no_outro_em_cinco_segundos() {
    let fleet = fleet!(Fleet::start());
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let mut here = AuthServiceClient::new(channel(&fleet.servers[0].addresses["grpc"]).await);
    let mut there = AuthServiceClient::new(channel(&fleet.servers[1].addresses["grpc"]).await);
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
async fn sair_de_todos_os_aparelhos_em_um_servidor_vale_em_todos_em_cinco_segundos() {
    let fleet = fleet!(Fleet::start());
    let person = Person::new();
    let ana = fleet.visitor().signs_up(&person).await;
    let phone = fleet.visitor().signs_in(&person).await;
    let mut here = AuthServiceClient::new(channel(&fleet.servers[0].addresses["grpc"]).await);
    let mut there = AuthServiceClient::new(channel(&fleet.servers[1].addresses["grpc"]).await);
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
