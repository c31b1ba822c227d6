//! The list of devices and its ends.

use super::*;
use crate::tests::server::SignedInUser;

const PHONE: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36";

/// Signs in from a device; answers its cookie's session and the ID token.
async fn enters(server: &TestServer, user_agent: &'static str) -> (String, String) {
    let mut request = tonic::Request::new(sign_in(ANA, "segredo"));
    request.metadata_mut().insert("x-test-user-agent", user_agent.parse().expect("ASCII"));
    let answer = server.auth().sign_in(request).await.expect("it signs in");
    let (session, _) = session_of(&answer).expect("a session");
    (session, answer.into_inner().id_token)
}

async fn list(server: &TestServer, token: &str, page: (i32, &str)) -> pb::ListSessionsResponse {
    let request = pb::ListSessionsRequest { page_size: page.0, page_token: page.1.to_owned() };
    server.auth().list_sessions(bearer(request, token)).await.expect("the list").into_inner()
}

fn revoke(id: &str, include_current: bool) -> pb::RevokeSessionRequest {
    pb::RevokeSessionRequest { id: id.to_owned(), include_current }
}

fn names(answer: &pb::ListSessionsResponse) -> Vec<(&str, bool)> {
    answer.sessions.iter().map(|row| (row.device.as_str(), row.current)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_sessions_is_ordered_from_newest_to_oldest_with_readable_device_names() {
    let (server, first) = TestServer::with_ana().await;
    server.signs_up("rui@exemplo.com.br").await;
    server.clock.advance_seconds(60);
    let (phone, _) = enters(&server, PHONE).await;
    server.clock.advance_seconds(60);
    let (_, program) = enters(&server, "grpcurl/1.9.1 grpc-go/1.61.0").await;

    let seen = list(&server, &phone, (0, "")).await;

    let all = [("grpcurl", false), ("Chrome no Android", true), ("Aparelho desconhecido", false)];
    assert_eq!(names(&seen), all);
    assert_eq!(seen.sessions[1].created_at.expect("a moment").seconds, 1_795_176_060);
    assert_eq!(seen.sessions[1].last_seen_at, seen.sessions[1].created_at);
    assert_eq!(seen.next_page_token, "");
    let of_token = list(&server, &program, (0, "")).await;
    assert!(of_token.sessions[0].current, "the session beside an ID token is the caller's");

    let page = list(&server, &first.session, (2, "")).await;
    assert_eq!(names(&page), [("grpcurl", false), ("Chrome no Android", false)]);
    let rest = list(&server, &first.session, (2, &page.next_page_token)).await;
    assert_eq!((names(&rest), rest.next_page_token.as_str()), (vec![("Aparelho desconhecido", true)], ""));

    server.clock.advance_seconds(14 * 86_400 - 100);
    let (late, _) = enters(&server, PHONE).await;
    assert_eq!(names(&list(&server, &late, (0, "")).await).len(), 3, "the first one has ended by itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_a_device_takes_effect_immediately_and_only_for_that_device() {
    let (server, here) = TestServer::with_ana().await;
    let (phone, beside) = enters(&server, PHONE).await;
    assert!(server.accepts_token(&phone).await && server.accepts_token(&beside).await);
    let seen = list(&server, &here.session, (0, "")).await;
    let other = seen.sessions.iter().find(|row| !row.current).expect("the phone");

    let answer = server.auth().revoke_session(bearer(revoke(&other.id, true), &here.session)).await;

    assert!(session_of(&answer.expect("it ends")).is_none(), "the caller's cookie stays");
    assert!(!server.accepts_token(&phone).await && !server.accepts_token(&beside).await);
    assert!(server.accepts_token(&here.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_sessions_or_all_sessions_can_be_revoked() {
    let (server, SignedInUser { session: first, .. }) = TestServer::with_ana().await;
    let (here, beside) = enters(&server, PHONE).await;

    let others = server.auth().revoke_session(bearer(revoke("", false), &here)).await.expect("they end");
    assert!(session_of(&others).is_none());
    assert!(!server.accepts_token(&first).await);
    assert!(server.accepts_token(&here).await && server.accepts_token(&beside).await);

    let (again, _) = enters(&server, PHONE).await;
    let all = server.auth().revoke_session(bearer(revoke("", true), &here)).await.expect("they end");
    assert_eq!(session_of(&all), Some((String::new(), "0".to_owned())), "the cookie expires");
    for token in [&here, &beside, &again] {
        assert!(!server.accepts_token(token).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_the_own_session_by_id_clears_the_cookie() {
    let (server, ana) = TestServer::with_ana().await;
    let own = list(&server, &ana.session, (0, "")).await.sessions[0].id.clone();

    let answer = server.auth().revoke_session(bearer(revoke(&own, false), &ana.session)).await;

    assert_eq!(session_of(&answer.expect("it ends")), Some((String::new(), "0".to_owned())));
    assert!(!server.accepts_token(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_id_of_another_account_or_an_unknown_one_is_not_found() {
    let (server, ana) = TestServer::with_ana().await;
    let rui = server.signs_up("rui@exemplo.com.br").await;
    let foreign = list(&server, &rui.session, (0, "")).await.sessions[0].id.clone();

    for id in [foreign.as_str(), "ses_inventada", "a\0b", &"x".repeat(500)] {
        let refused = server.auth().revoke_session(bearer(revoke(id, false), &ana.session)).await;
        let refused = refused.expect_err("it is not theirs");
        assert_eq!((refused.code(), reason(&refused)), (Code::NotFound, ErrorReason::NotFound), "{id}");
    }
    assert!(server.accepts_token(&rui.session).await);
    for (size, token, field) in [(-1, "", "page_size"), (0, "x", "page_token")] {
        let request = pb::ListSessionsRequest { page_size: size, page_token: token.to_owned() };
        let refused = server.auth().list_sessions(bearer(request, &ana.session)).await.expect_err("wrong");
        assert_eq!((reason(&refused), fields(&refused)), (ErrorReason::InvalidArgument, vec![field.into()]));
    }
    let nobody = [
        server.auth().list_sessions(pb::ListSessionsRequest::default()).await.err(),
        server.auth().revoke_session(revoke("", true)).await.err(),
        server.auth().change_password(pb::ChangePasswordRequest::default()).await.err(),
        server.auth().request_email_verification(pb::RequestEmailVerificationRequest {}).await.err(),
    ];
    for refused in nobody {
        assert_eq!(reason(&refused.expect("refused")), ErrorReason::Unauthenticated);
    }
}
