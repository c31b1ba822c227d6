//! Sign-in, sign-out and SetSession.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_an_unknown_account_have_the_same_reply() {
    let (server, _) = TestServer::with_ana().await;

    for (email, password) in [
        ("ana@exemplo.com.br", "errada!"),
        ("ninguem@exemplo.com.br", "segredo"),
        ("nem-email", "segredo"),
        ("ana@exemplo.com.br", "x"),
    ] {
        let refused = server.auth().sign_in(sign_in(email, password)).await.expect_err("it is refused");

        assert_eq!(
            (refused.code(), reason(&refused)),
            (Code::Unauthenticated, ErrorReason::InvalidCredential)
        );
        assert_eq!(refused.message(), "email or password do not match");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_without_email_and_password_names_both_fields() {
    let server = TestServer::new().await;
    let refused = server.auth().sign_in(sign_in(" ", "")).await.expect_err("it is refused");

    assert_eq!(reason(&refused), ErrorReason::InvalidArgument);
    assert_eq!(fields(&refused), ["email", "password"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_accepts_capitals_and_another_unicode_form_of_the_password() {
    let server = TestServer::new().await;
    let form = pb::SignUpRequest { password: "coraç\u{e3}o".into(), ..ana("ana@exemplo.com.br") };
    server.auth().sign_up(form).await.expect("the sign-up succeeds");

    let decomposed = sign_in(" ANA@exemplo.com.br ", "corac\u{327}a\u{303}o");
    let answer = server.auth().sign_in(decomposed).await.expect("the sign-in succeeds");

    assert_eq!(answer.into_inner().user.expect("a user").display_name, "Ana Maria Souza");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_replaces_the_session_token_of_the_same_cookie() {
    let (server, before) = TestServer::with_ana().await;
    assert!(server.accepts_token(&before.session).await);

    let again = bearer(sign_in("ana@exemplo.com.br", "segredo"), &before.session);
    let response = server.auth().sign_in(again).await.expect("the sign-in succeeds");

    let (session, _) = session_of(&response).expect("a session comes with it");
    assert_ne!(session, before.session);
    assert!(server.accepts_token(&session).await);
    assert!(!server.accepts_token(&before.session).await, "the old token is worth nothing");
    assert!(!server.accepts_token(&before.id_token).await, "nor the ID token made beside it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_out_ends_the_session_and_the_token_immediately_and_expires_the_cookie() {
    let server = TestServer::new().await;
    for by_id_token in [false, true] {
        let ana = server.signs_up(&format!("ana{by_id_token}@exemplo.com.br")).await;
        assert!(server.accepts_token(&ana.session).await && server.accepts_token(&ana.id_token).await);

        let token = if by_id_token { &ana.id_token } else { &ana.session };
        let response = server.auth().sign_out(bearer(pb::SignOutRequest {}, token)).await.expect("signs out");

        assert_eq!(session_of(&response), Some((String::new(), "0".to_owned())));
        assert!(!server.accepts_token(&ana.session).await);
        assert!(!server.accepts_token(&ana.id_token).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_out_without_a_session_does_nothing() {
    let server = TestServer::new().await;
    server.auth().sign_out(pb::SignOutRequest {}).await.expect("nothing to end is no failure");
    server.auth().sign_out(bearer(pb::SignOutRequest {}, "gs_inventado")).await.expect("nor is a dead one");
}

fn set_session(uid: &str, email: &str) -> pb::SetSessionRequest {
    pb::SetSessionRequest {
        uid: uid.to_owned(),
        email: email.to_owned(),
        display_name: "ignorado".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn set_session_opens_a_session_for_an_id_token_and_renews_the_session_of_a_cookie() {
    let (server, ana) = TestServer::with_ana().await;

    let by_id_token = bearer(set_session(&ana.uid, "ANA@exemplo.com.br"), &ana.id_token);
    let opened = server.auth().set_session(by_id_token).await.expect("a session is made");
    let (opened, _) = session_of(&opened).expect("it is handed over");
    let by_session = bearer(set_session(&ana.uid, &ana.email), &ana.session);
    let renewed = server.auth().set_session(by_session).await.expect("the session is renewed");
    let (renewed, _) = session_of(&renewed).expect("it is handed over");

    assert_ne!(opened, ana.session);
    assert!(server.accepts_token(&opened).await);
    assert_eq!(renewed, ana.session);
}

#[tokio::test(flavor = "multi_thread")]
async fn set_session_of_another_account_or_without_proof_is_rejected() {
    let (server, ana) = TestServer::with_ana().await;
    let rui = server.signs_up("rui@exemplo.com.br").await;
    let cases = [
        (set_session(&ana.uid, &ana.email), "", ErrorReason::Unauthenticated),
        (set_session(&ana.uid, &ana.email), "gi_inventado", ErrorReason::Unauthenticated),
        (set_session(&ana.uid, &ana.email), &rui.id_token, ErrorReason::PermissionDenied),
        (set_session(&ana.uid, &rui.email), &ana.id_token, ErrorReason::PermissionDenied),
        (set_session("", ""), &ana.id_token, ErrorReason::InvalidArgument),
    ];

    for (asked, token, expected) in cases {
        let refused = server.auth().set_session(bearer(asked, token)).await.expect_err("it is refused");

        assert_eq!(reason(&refused), expected);
        assert!(!refused.metadata().contains_key("x-test-session"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accented_domain_opens_one_account_by_each_spelling() {
    let world = crate::tests::world::World::new().await;
    let [accented, ascii] = ["gil@padaria-s\u{e3}o.com.br", "gil@xn--padaria-so-n5a.com.br"];
    let gil = world.signs_up(accented).await;

    for spelling in [accented, ascii] {
        let user =
            world.auth().sign_in(sign_in(spelling, "segredo")).await.expect("it is known").into_inner().user;
        assert_eq!(user.expect("a user").uid, *gil.uid, "{spelling}");
    }
    let form = pb::SignUpRequest { password: "outra-senha".into(), ..ana(ascii) };
    let refused = world.auth().sign_up(form).await.expect_err("it is in use");
    assert_eq!(reason(&refused), ErrorReason::EmailInUse);
}
