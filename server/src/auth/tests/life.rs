//! How long sessions and ID tokens live.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_session_ends_after_fourteen_days() {
    let (server, ana) = TestServer::with_ana().await;

    server.clock.advance_seconds(14 * 86_400);

    assert!(!server.accepts_token(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_session_is_extended_and_its_cookie_is_sent_again() {
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
async fn a_session_used_every_day_ends_after_ninety_days() {
    let (server, ana) = TestServer::with_ana().await;

    for day in 1..90 {
        server.clock.advance_days(1);
        assert!(server.accepts_token(&ana.session).await, "day {day}");
    }
    server.clock.advance_days(1);

    assert!(!server.accepts_token(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_token_ends_after_an_hour_and_the_session_does_not() {
    let (server, ana) = TestServer::with_ana().await;
    assert!(server.accepts_token(&ana.id_token).await);

    server.clock.advance_seconds(3599);
    assert!(server.accepts_token(&ana.id_token).await);
    server.clock.advance_seconds(1);

    assert!(!server.accepts_token(&ana.id_token).await);
    assert!(server.accepts_token(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_tokens_do_not_age_with_a_clock_advance_that_keeps_sessions() {
    let (server, ana) = TestServer::with_ana().await;

    server.clock.advance_days_keeping_sessions(200);

    assert!(server.accepts_token(&ana.session).await);
    assert!(server.accepts_token(&ana.id_token).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_session_returns_the_user_and_the_server_time() {
    let (server, ana) = TestServer::with_ana().await;

    let asked = bearer(pb::GetSessionRequest {}, &ana.session);
    let known = server.auth().get_session(asked).await.expect("GetSession never fails").into_inner();
    let nobody = server.auth().get_session(pb::GetSessionRequest {}).await.expect("GetSession never fails");

    assert_eq!(known.user.expect("a user").uid, *ana.uid);
    assert_eq!(known.server_time.expect("a time").seconds, server.clock.now().as_unix_seconds());
    assert!(!nobody.into_inner().authenticated);
}
