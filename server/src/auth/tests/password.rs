//! The change of a password by its holder.

use serde_json::Value;

use super::*;
use crate::tests::world::{World, code_of};

fn change(current: &str, new: &str) -> pb::ChangePasswordRequest {
    pb::ChangePasswordRequest { current_password: current.to_owned(), new_password: new.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_rotates_the_cookie_ends_the_other_sessions_and_sends_a_mail() {
    let (world, ana) = World::new().await.with_ana().await;
    let other = world.auth().sign_in(sign_in(ANA, "segredo")).await.expect("a second device");
    let (other, _) = session_of(&other).expect("a session");
    assert!(world.accepts_token(&other).await && world.accepts_token(&ana.session).await);

    let answer = world.auth().change_password(bearer(change("segredo", "outra-senha"), &ana.session)).await;

    let (rotated, _) = session_of(&answer.expect("it is changed")).expect("another cookie");
    assert!(world.accepts_token(&rotated).await);
    for dead in [&ana.session, &ana.id_token, &other] {
        assert!(!world.accepts_token(dead).await);
    }
    let old = world.auth().sign_in(sign_in(ANA, "segredo")).await.expect_err("the old one is gone");
    assert_eq!(reason(&old), ErrorReason::InvalidCredential);
    world.auth().sign_in(sign_in(ANA, "outra-senha")).await.expect("the new one opens");
    world.rest().await;
    let subjects: Vec<Value> = world.mails_to(ANA).await.iter().map(|mail| mail["subject"].clone()).collect();
    assert_eq!(subjects, ["Sua senha foi alterada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_with_an_id_token_keeps_that_token() {
    let (server, ana) = TestServer::with_ana().await;

    let answer = server.auth().change_password(bearer(change("segredo", "outra-senha"), &ana.id_token)).await;

    assert!(session_of(&answer.expect("it is changed")).is_none());
    assert!(server.accepts_token(&ana.id_token).await && server.accepts_token(&ana.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_current_password_counts_as_a_failed_sign_in_and_changes_nothing() {
    let (server, ana) = TestServer::with_ana().await;
    let tries = |current: &str, new: &str| {
        let (mut auth, asked) = (server.auth(), bearer(change(current, new), &ana.session));
        async move { auth.change_password(asked).await.map(drop) }
    };

    let weak = tries("segredo", "12345").await.expect_err("it is refused");
    assert_eq!(reason(&weak), ErrorReason::WeakPassword);
    let empty = tries("", "").await.expect_err("it is refused");
    assert_eq!(fields(&empty), ["current_password", "new_password"]);
    for _ in 0..10 {
        let refused = tries("errada!", "outra-senha").await.expect_err("it is refused");
        assert_eq!(
            (refused.code(), reason(&refused)),
            (Code::Unauthenticated, ErrorReason::InvalidCredential)
        );
    }
    let held = tries("segredo", "outra-senha").await.expect_err("the limit holds");
    assert_eq!(reason(&held), ErrorReason::TooManyRequests);
    let refused = server.auth().sign_in(sign_in(ANA, "segredo")).await.expect_err("it is the same counter");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    assert!(server.accepts_token(&ana.session).await);

    server.clock.advance_seconds(15 * 60);
    tries("segredo", "outra-senha").await.expect("the window is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_concurrent_password_changes_succeeds_and_the_reset_link_is_void() {
    let (world, ana) = World::new().await.with_ana().await;
    let asked = pb::RequestPasswordResetRequest { email: ANA.to_owned() };
    world.auth().request_password_reset(asked).await.expect("a link is asked for");
    world.rest().await;
    let code = code_of(&world.mails_to(ANA).await[0], "redefinir-senha");

    let both = ["primeira-senha", "segunda-senha"].map(|new| {
        let (mut auth, asked) = (world.auth(), bearer(change("segredo", new), &ana.id_token));
        tokio::spawn(async move { auth.change_password(asked).await.is_ok() })
    });
    let won: Vec<bool> =
        futures::future::join_all(both).await.into_iter().map(|one| one.expect("no panic")).collect();

    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
    let form = pb::ConfirmPasswordResetRequest { code, new_password: "terceira-senha".to_owned() };
    let void = world.auth().confirm_password_reset(form).await.expect_err("its password is gone");
    assert_eq!(reason(&void), ErrorReason::ResetCodeInvalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_changes_an_hour_are_allowed_and_send_one_mail() {
    let (world, ana) = World::new().await.with_ana().await;
    let tries = async |turn: u32| {
        let (current, new) = (format!("segredo{}", turn - 1), format!("segredo{turn}"));
        let current = if turn == 1 { "segredo" } else { &current };
        world.auth().change_password(bearer(change(current, &new), &ana.id_token)).await.map(drop)
    };
    for turn in 1..=10 {
        let wrong = change("errada!", "outra-senha");
        let refused = world.auth().change_password(bearer(wrong, &ana.id_token)).await.expect_err("wrong");
        assert_eq!(reason(&refused), ErrorReason::InvalidCredential, "a failed change does not count");
        tries(turn).await.expect("it is changed");
        world.auth().sign_in(sign_in(ANA, &format!("segredo{turn}"))).await.expect("the new one opens");
        world.advances_minutes(2).await;
    }

    let refused = tries(11).await.expect_err("the limit holds");

    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, ErrorReason::TooManyRequests));
    assert_eq!(world.mails_to(ANA).await.len(), 1);
    world.advances_hours(1).await;
    let again = world.auth().sign_in(sign_in(ANA, "segredo10")).await.expect("it opens");
    let (session, _) = session_of(&again).expect("a session");
    world
        .auth()
        .change_password(bearer(change("segredo10", "segredo11"), &session))
        .await
        .expect("it is over");
    world.rest().await;
    assert_eq!(world.mails_to(ANA).await.len(), 2);
}
