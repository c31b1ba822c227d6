//! Password recovery: the link, its code and what a new password ends.

use serde_json::{Value, json};

use super::*;
use crate::retention;
use crate::store::engine::ro;
use crate::store::identity::accounts;
use crate::store::identity::mailed_codes::{self, CodeUse, MailedCode};
use crate::store::transaction;
use crate::tests::port::public_port;
use crate::tests::world::{World, code_of};

const ADDRESS: &str = "203.0.113.7";

fn request(email: &str) -> pb::RequestPasswordResetRequest {
    pb::RequestPasswordResetRequest { email: email.to_owned() }
}

fn confirm(code: &str, new_password: &str) -> pb::ConfirmPasswordResetRequest {
    pb::ConfirmPasswordResetRequest { code: code.to_owned(), new_password: new_password.to_owned() }
}

/// Asks for a link and answers the code of the newest mail.
async fn asks(world: &World, email: &str) -> String {
    world.auth().request_password_reset(request(email)).await.expect("the request is taken");
    world.rest().await;
    code_of(&world.mails_to(email).await[0], "redefinir-senha")
}

async fn refused(world: &World, code: &str, password: &str) -> (Code, ErrorReason) {
    let refused =
        world.auth().confirm_password_reset(confirm(code, password)).await.expect_err("it is refused");
    (refused.code(), reason(&refused))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mailed_link_resets_the_password_and_ends_sessions_and_tokens_immediately() {
    let (world, ana) = World::new().await.with_ana().await;
    let other = world.auth().sign_in(sign_in(ANA, "segredo")).await.expect("a second device");
    let (other, _) = session_of(&other).expect("a session comes with it");
    for token in [&ana.session, &ana.id_token, &other] {
        assert!(world.accepts_token(token).await);
    }

    let code = asks(&world, ANA).await;
    assert!(world.accepts_token(&ana.session).await, "asking ends nothing");
    let done = world.auth().confirm_password_reset(confirm(&code, "outra-senha")).await;
    assert_eq!(done.expect("the code holds").into_inner().email, ANA, "for the sign-in that follows");

    for token in [&ana.session, &ana.id_token, &other] {
        assert!(!world.accepts_token(token).await);
    }
    let old = world.auth().sign_in(sign_in(ANA, "segredo")).await.expect_err("the old password is gone");
    assert_eq!(reason(&old), ErrorReason::InvalidCredential);
    world.auth().sign_in(sign_in(ANA, "outra-senha")).await.expect("the new password opens");
    let account = accounts::by_uid(world.app.store(), &ana.uid).await.expect("read").expect("the account");
    assert!(account.email_verified, "the link came by mail");
    world.rest().await;
    let subjects: Vec<Value> = world.mails_to(ANA).await.iter().map(|mail| mail["subject"].clone()).collect();
    assert_eq!(subjects, ["Sua senha foi alterada", "Link para redefinir sua senha"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_clears_the_cookie_of_the_ended_session_and_not_that_of_another_account() {
    let (world, ana) = World::new().await.with_ana().await;
    let rui = world.signs_up("rui@exemplo.com.br").await;
    for (who, clears) in [(&ana, true), (&rui, false)] {
        let code = asks(&world, ANA).await;
        let asked = bearer(confirm(&code, "outra-senha"), &who.session);

        let answer = world.auth().confirm_password_reset(asked).await.expect("the code holds");

        let told = session_of(&answer).map(|(session, _)| session);
        assert_eq!(told, clears.then(String::new), "{}", who.email);
        world.rest().await;
    }
    assert!(world.accepts_token(&rui.session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_unknown_or_replaced_reset_code_is_invalid() {
    let (world, _) = World::new().await.with_ana().await;
    let first = asks(&world, ANA).await;
    let second = asks(&world, ANA).await;
    let invalid = (Code::FailedPrecondition, ErrorReason::ResetCodeInvalid);

    assert_eq!(refused(&world, &first, "outra-senha").await, invalid, "a newer link takes its place");
    assert_eq!(refused(&world, "inventado", "outra-senha").await, invalid);
    world.auth().confirm_password_reset(confirm(&second, "outra-senha")).await.expect("the newest holds");
    assert_eq!(refused(&world, &second, "mais-uma").await, invalid, "it opens once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weak_password_or_an_empty_field_does_not_spend_the_reset_code() {
    let (world, _) = World::new().await.with_ana().await;
    let code = asks(&world, ANA).await;

    let weak = (Code::InvalidArgument, ErrorReason::WeakPassword);
    assert_eq!(refused(&world, &code, "12345").await, weak);
    let empty = world.auth().confirm_password_reset(confirm(" ", "")).await.expect_err("it is refused");
    assert_eq!(reason(&empty), ErrorReason::InvalidArgument);
    assert_eq!(fields(&empty), ["code", "new_password"]);

    world.auth().confirm_password_reset(confirm(&code, "outra-6")).await.expect("the code still holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_code_lasts_sixty_minutes() {
    let world = World::new().await;
    for email in [ANA, "rui@exemplo.com.br"] {
        world.signs_up(email).await;
    }
    let (early, late) = (asks(&world, ANA).await, asks(&world, "rui@exemplo.com.br").await);

    world.posts("/clock", json!({ "advance_seconds": 59 * 60 })).await;
    world.auth().confirm_password_reset(confirm(&early, "outra-senha")).await.expect("59 minutes are fine");
    world.posts("/clock", json!({ "advance_seconds": 60 })).await;
    let expired = (Code::FailedPrecondition, ErrorReason::ResetCodeExpired);
    assert_eq!(refused(&world, &late, "outra-senha").await, expired);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_concurrent_reset_confirmations_succeeds() {
    let (world, _) = World::new().await.with_ana().await;
    let code = asks(&world, ANA).await;

    let passwords = ["primeira-senha", "segunda-senha"];
    let both = passwords.map(|password| {
        let (mut auth, asked) = (world.auth(), confirm(&code, password));
        tokio::spawn(async move { auth.confirm_password_reset(asked).await.map(drop) })
    });
    let answers = futures::future::join_all(both).await;
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.expect("no panic")).collect();

    let losers: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).map(reason).collect();
    assert_eq!(losers, [ErrorReason::ResetCodeInvalid]);
    for (password, answer) in passwords.iter().zip(&answers) {
        let opens = world.auth().sign_in(sign_in(ANA, password)).await.is_ok();
        assert_eq!(opens, answer.is_ok(), "{password}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_ends_sessions_of_concurrent_sign_ins_with_the_old_password() {
    let (world, _) = World::new().await.with_ana().await;
    let code = asks(&world, ANA).await;

    let entries: Vec<_> = (0..6)
        .map(|_| {
            let mut auth = world.auth();
            tokio::spawn(async move { auth.sign_in(sign_in(ANA, "segredo")).await })
        })
        .collect();
    world.auth().confirm_password_reset(confirm(&code, "outra-senha")).await.expect("the code holds");

    for entry in futures::future::join_all(entries).await {
        let Ok(entered) = entry.expect("no panic") else { continue };
        let (session, _) = session_of(&entered).expect("a session comes with it");
        assert!(!world.accepts_token(&session).await, "it was made with the old password");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_cached_by_another_node_opens_no_session_after_it_is_revoked() {
    let (server, ana) = TestServer::with_ana().await;
    let other = TestServer::node(&server.database, server.clock.clone(), |_| {}).await;
    let mut elsewhere = pb::auth_service_client::AuthServiceClient::new(public_port(&other));
    let asked = bearer(pb::GetSessionRequest {}, &ana.id_token);
    assert!(elsewhere.get_session(asked).await.expect("it answers").into_inner().authenticated);

    server.auth().sign_out(bearer(pb::SignOutRequest {}, &ana.session)).await.expect("signed out");
    let set =
        pb::SetSessionRequest { uid: ana.uid.into_string(), email: ana.email, display_name: String::new() };
    let refused = elsewhere.set_session(bearer(set, &ana.id_token)).await.expect_err("it has ended");

    assert_eq!((refused.code(), reason(&refused)), (Code::Unauthenticated, ErrorReason::Unauthenticated));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_of_the_mail_provider_does_not_void_the_delivered_reset_link() {
    let (world, _) = World::new().await.with_ana().await;
    world.rest().await;
    world.fails(json!({ "path": "/mail", "act_then_drop": true, "times": 1 })).await;
    world.auth().request_password_reset(request(ANA)).await.expect("the request is taken");
    world.eventually("the mail has arrived", async || !world.mails_to(ANA).await.is_empty()).await;

    // The job runs again; the mailbox keeps one copy of the mail.
    world.posts("/clock", json!({ "advance_seconds": 120 })).await;
    world.rest().await;

    let mails = world.mails_to(ANA).await;
    assert_eq!(mails.len(), 1);
    let code = code_of(&mails[0], "redefinir-senha");
    world.auth().confirm_password_reset(confirm(&code, "outra-senha")).await.expect("the code holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_blocked_by_ten_failures_can_sign_in_after_a_reset() {
    let (world, _) = World::new().await.with_ana().await;
    for _ in 0..10 {
        world.auth().sign_in(sign_in(ANA, "errada!")).await.expect_err("the password is wrong");
    }
    let code = asks(&world, ANA).await;

    world.auth().confirm_password_reset(confirm(&code, "outra-senha")).await.expect("the code holds");

    world.auth().sign_in(sign_in(ANA, "outra-senha")).await.expect("the failures are forgotten");
}

/// Rows of a kind that a request leaves.
async fn jobs(server: &TestServer) -> i64 {
    ro!(server.app.store(), c => sqlx::query_scalar("SELECT COUNT(*) FROM jobs WHERE kind = 'password_reset'")
        .fetch_one(c).await)
    .expect("the jobs are counted")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_request_for_an_unknown_account_has_the_same_reply_and_the_same_writes() {
    let (server, _) = TestServer::with_ana().await;

    for (email, left) in [(ANA, 1), ("ninguem@exemplo.com.br", 2)] {
        let answer = server.auth().request_password_reset(request(email)).await.expect("it is taken");
        assert_eq!(answer.into_inner(), pb::RequestPasswordResetResponse {});
        assert_eq!(jobs(&server).await, left, "{email}");
    }

    for malformed in ["", "ana", "ana@exemplo", "a b@c.d"] {
        let refused = server.auth().request_password_reset(request(malformed)).await.expect_err("refused");
        assert_eq!(
            (refused.code(), reason(&refused)),
            (Code::InvalidArgument, ErrorReason::InvalidEmail),
            "{malformed}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fourth_reset_request_of_an_email_in_an_hour_has_the_same_reply_and_no_mail() {
    let (server, _) = TestServer::with_ana().await;
    let asks = |email: &'static str| async {
        server.auth().request_password_reset(request(email)).await.expect("it is taken");
    };

    for email in [ANA, " ANA@exemplo.com.br ", ANA, ANA, ANA] {
        asks(email).await;
    }
    assert_eq!(jobs(&server).await, 3);

    server.clock.advance_seconds(3600);
    asks(ANA).await;
    assert_eq!(jobs(&server).await, 4, "an hour later it is mailed again");
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_requests_per_address_are_limited_per_hour() {
    let server = TestServer::with(|settings| settings.limits.reset_per_address = 2).await;
    let asks = |number: u32, address| {
        let asked = from_address(request(&format!("conta{number}@exemplo.com.br")), address);
        let mut auth = server.auth();
        async move { auth.request_password_reset(asked).await }
    };
    for number in 0..2 {
        asks(number, ADDRESS).await.expect("it is taken");
    }
    server.clock.advance_seconds(600);

    let refused = asks(3, ADDRESS).await.expect_err("the limit is reached");

    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, ErrorReason::TooManyRequests));
    let pause = refused.get_details_retry_info().and_then(|info| info.retry_delay).expect("it says when");
    assert_eq!(pause.as_secs(), 50 * 60);
    asks(4, "198.51.100.9").await.expect("another address is not held");
    server.clock.advance_seconds(50 * 60);
    asks(5, ADDRESS).await.expect("the window is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_reset_codes_per_address_are_limited_per_hour() {
    let server = TestServer::with(|settings| settings.limits.reset_codes_per_address = 3).await;
    let tries = |address| async move { from_address(confirm("inventado", "outra-senha"), address) };
    for _ in 0..3 {
        let asked = tries(ADDRESS).await;
        let refused = server.auth().confirm_password_reset(asked).await.expect_err("nobody's code");
        assert_eq!(reason(&refused), ErrorReason::ResetCodeInvalid);
    }

    let asked = tries(ADDRESS).await;
    let refused = server.auth().confirm_password_reset(asked).await.expect_err("the limit is reached");

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_and_confirmation_codes_expired_for_thirty_days_are_removed() {
    let (server, ana) = TestServer::with_ana().await;
    for code_use in [CodeUse::PasswordReset, CodeUse::EmailConfirmation] {
        let (store, now) = (server.app.store().clone(), server.app.clock().now());
        let codes = [([1; 32], now.plus_days(-31)), ([2; 32], now.plus_days(-29)), ([3; 32], now)];
        transaction!(store, (uid = ana.uid.clone()), |tx| {
            for (code, ends_at) in codes {
                let mailed = MailedCode { uid: uid.clone(), requested_at: now.plus_micros(1), ends_at };
                assert!(mailed_codes::insert(tx, code_use, &code, &mailed).await?);
            }
            Ok::<_, crate::store::StoreError>(())
        })
        .expect("stored");

        retention::run(store.clone(), server.app.clock()).await.expect("it runs");

        for (code, kept) in [([1; 32], false), ([2; 32], true), ([3; 32], true)] {
            assert_eq!(mailed_codes::by_hash(&store, code_use, &code).await.expect("read").is_some(), kept);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_checked_stays_valid_and_one_that_no_longer_counts_says_so() {
    let (world, _) = World::new().await.with_ana().await;
    let check = |code: &str| from_address(pb::CheckPasswordResetRequest { code: code.to_owned() }, ADDRESS);
    let refused = async |code: &str| {
        reason(&world.auth().check_password_reset(check(code)).await.expect_err("it does not count"))
    };
    let code = asks(&world, ANA).await;

    for _ in 0..40 {
        world.auth().check_password_reset(check(&format!(" {code} "))).await.expect("it counts");
    }
    world.auth().confirm_password_reset(confirm(&code, "outra-senha")).await.expect("it was not used up");

    assert_eq!(refused(&code).await, ErrorReason::ResetCodeInvalid, "it is used");
    assert_eq!(refused("").await, ErrorReason::InvalidArgument);
    let late = asks(&world, ANA).await;
    world.advances_minutes(61).await;
    assert_eq!(refused(&late).await, ErrorReason::ResetCodeExpired);
    let guesses = async || {
        for _ in 0..200 {
            if refused("x").await == ErrorReason::TooManyRequests {
                return true;
            }
        }
        false
    };
    assert!(guesses().await, "guesses are counted");
}
