//! How long sessions and ID tokens live.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn sessao_sem_uso_acaba_em_catorze_dias() {
    let (server, ana) = TestServer::with_ana().await;

    server.clock.advance_seconds(14 * 86_400);

    assert!(!server.knows(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessao_usada_desliza_e_manda_o_cookie_de_novo() {
    let (server, ana) = TestServer::with_ana().await;
    let asks = || async {
        let asked = bearer(pb::GetSessionRequest {}, &ana.session);
        session_of(&server.auth().get_session(asked).await.expect("GetSession never fails"))
    };

    assert_eq!(asks().await, None, "written at most hourly");
    for _ in 0..6 {
        server.clock.advance_days(13);
        let (token, max_age) = asks().await.expect("the cookie is sent again");
        let left_seconds: i64 = max_age.parse().expect("seconds");
        assert_eq!(token, ana.session);
        assert!((12 * 86_400..=14 * 86_400).contains(&left_seconds), "{left_seconds}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessao_usada_todo_dia_acaba_em_noventa_dias() {
    let (server, ana) = TestServer::with_ana().await;

    for day in 1..90 {
        server.clock.advance_days(1);
        assert!(server.knows(&ana.session).await, "day {day}");
    }
    server.clock.advance_days(1);

    assert!(!server.knows(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn id_token_acaba_em_uma_hora_e_a_sessao_nao() {
    let (server, ana) = TestServer::with_ana().await;
    assert!(server.knows(&ana.id_token).await);

    server.clock.advance_seconds(3599);
    assert!(server.knows(&ana.id_token).await);
    server.clock.advance_seconds(1);

    assert!(!server.knows(&ana.id_token).await);
    assert!(server.knows(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn relogio_que_poupa_sessoes_nao_as_envelhece() {
    let (server, ana) = TestServer::with_ana().await;

    server.clock.advance_days_keeping_sessions(200);

    assert!(server.knows(&ana.session).await);
    assert!(server.knows(&ana.id_token).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_session_diz_quem_e_e_que_horas_sao() {
    let (server, ana) = TestServer::with_ana().await;

    let asked = bearer(pb::GetSessionRequest {}, &ana.session);
    let known = server.auth().get_session(asked).await.expect("GetSession never fails").into_inner();
    let nobody = server.auth().get_session(pb::GetSessionRequest {}).await.expect("GetSession never fails");

    assert_eq!(known.user.expect("a user").uid, ana.uid);
    assert_eq!(known.server_time.expect("a time").seconds, server.clock.now().as_unix_seconds());
    assert!(!nobody.into_inner().authenticated);
}
