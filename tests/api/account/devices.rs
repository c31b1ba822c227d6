//! ListSessions and RevokeSession.

use e2e::{App, Person, Visitor};
use garimpo_proto::auth::v1::{ListSessionsRequest, RevokeSessionRequest, Session};

use super::reason;

async fn devices(app: &App, who: &Visitor) -> Vec<Session> {
    let listed = app.auth().await.list_sessions(who.authorized(ListSessionsRequest::default())).await;
    listed.expect("the list").into_inner().sessions
}

async fn is_signed_in(who: &Visitor) -> bool {
    who.calls_with_cookie("GET", "/api/auth/check-cookie", None).await.body["authenticated"] == true
}

#[tokio::test]
async fn the_session_list_names_devices_and_a_revoked_session_ends_at_the_next_call() {
    let app = App::start().await;
    let person = Person::new();
    let first = app.visitor().signs_up(&person).await;
    let second = app.visitor().signs_in(&person).await;

    let seen = devices(&app, &second).await;
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|device| device.device == "tonic"), "{seen:?}");
    assert_eq!(seen.iter().map(|device| device.current).collect::<Vec<_>>(), [true, false]);
    let other = seen[1].id.clone();
    let stranger = app.visitor().signs_up(&Person::new()).await;
    let foreign = RevokeSessionRequest { id: other.clone(), ..Default::default() };
    let refused = app.auth().await.revoke_session(stranger.authorized(foreign)).await.unwrap_err();
    assert_eq!(reason(&refused), "NOT_FOUND");

    let one = RevokeSessionRequest { id: other, ..Default::default() };
    let answer = app.auth().await.revoke_session(second.with_cookie(one)).await.expect("it ends");

    assert!(answer.metadata().get("set-cookie").is_none(), "the caller's cookie stays");
    assert!(!is_signed_in(&first).await && is_signed_in(&second).await);
    assert_eq!(devices(&app, &second).await.len(), 1);
}

#[tokio::test]
async fn revoking_all_sessions_also_expires_the_callers_cookie() {
    let app = App::start().await;
    let person = Person::new();
    let first = app.visitor().signs_up(&person).await;
    let second = app.visitor().signs_in(&person).await;
    let third = app.visitor().signs_in(&person).await;

    let others = RevokeSessionRequest::default();
    app.auth().await.revoke_session(third.with_cookie(others)).await.expect("the others end");
    assert!(!is_signed_in(&first).await && !is_signed_in(&second).await && is_signed_in(&third).await);
    let all = RevokeSessionRequest { include_current: true, ..Default::default() };
    let answer = app.auth().await.revoke_session(third.with_cookie(all)).await.expect("all end");

    let cookie = answer.metadata().get("set-cookie").expect("the cookie expires").to_str().unwrap();
    assert!(cookie.contains("Max-Age=0"), "{cookie}");
    assert!(!is_signed_in(&third).await);
    let record = third.calls("GET", &format!("/api/users/{}", third.uid), None).await;
    assert_eq!((record.status, record.code()), (401, "UNAUTHENTICATED"));
}
