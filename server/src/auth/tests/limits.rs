//! How often one may try.

use crate::queue::JobKind;
use crate::store::operator::job_queries;

use super::*;
use crate::tests::server::SignedInUser;

const ADDRESS: &str = "203.0.113.7";

/// Tries a wrong password and says why it was refused.
async fn fails(server: &TestServer, email: &str, address: &'static str) -> Status {
    let asked = from_address(sign_in(email, "errada!"), address);
    server.auth().sign_in(asked).await.expect_err("the password is wrong")
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_failures_per_account_and_address_block_sign_in_for_fifteen_minutes() {
    let (server, _) = TestServer::with_ana().await;
    for _ in 0..10 {
        assert_eq!(
            reason(&fails(&server, "ana@exemplo.com.br", ADDRESS).await),
            ErrorReason::InvalidCredential
        );
    }
    server.clock.advance_seconds(60);

    // Capitals and a leading byte order mark still name the same account.
    let right = from_address(sign_in("\u{feff}ANA@exemplo.com.br", "segredo"), ADDRESS);
    let refused = server.auth().sign_in(right).await.expect_err("the limit holds for the right one as well");

    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, ErrorReason::TooManyRequests));
    let pause = refused.get_details_retry_info().and_then(|info| info.retry_delay).expect("it says when");
    assert_eq!(pause.as_secs(), 14 * 60);
    let elsewhere = from_address(sign_in("ana@exemplo.com.br", "segredo"), "198.51.100.9");
    server.auth().sign_in(elsewhere).await.expect("another address is not held");
    server.clock.advance_seconds(14 * 60);
    let later = from_address(sign_in("ana@exemplo.com.br", "segredo"), ADDRESS);
    server.auth().sign_in(later).await.expect("the window is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn successful_sign_ins_do_not_count_toward_the_limit() {
    let (server, _) = TestServer::with_ana().await;

    for _ in 0..15 {
        let right = from_address(sign_in("ana@exemplo.com.br", "segredo"), ADDRESS);
        server.auth().sign_in(right).await.expect("the sign-in succeeds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_attempts_do_not_exceed_the_limit() {
    let (server, _) = TestServer::with_ana().await;

    let many = (0..30).map(|_| fails(&server, "ana@exemplo.com.br", ADDRESS));
    let refusals = futures::future::join_all(many).await;

    let checked = refusals.iter().filter(|status| reason(status) == ErrorReason::InvalidCredential).count();
    assert_eq!(checked, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_from_one_address_block_sign_in_to_every_account() {
    let server = TestServer::with(|settings| settings.limits.sign_in_per_address = 5).await;
    for number in 0..5 {
        fails(&server, &format!("conta{number}@exemplo.com.br"), "2001:db8:1:2::1").await;
    }

    let refused = fails(&server, "outra@exemplo.com.br", "2001:db8:1:2:ffff::9").await;

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests, "an IPv6 address counts by its /64");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_from_many_addresses_block_that_account_only() {
    assert_eq!(LimitSettings::default().sign_in_per_account, 100);
    let server = TestServer::with(|settings| settings.limits.sign_in_per_account = 3).await;
    server.signs_up("ana@exemplo.com.br").await;
    for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3"] {
        let wrong = fails(&server, "ana@exemplo.com.br", address).await;
        assert_eq!(reason(&wrong), ErrorReason::InvalidCredential);
    }

    let refused = fails(&server, "ana@exemplo.com.br", "203.0.113.4").await;

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    let other = fails(&server, "bia@exemplo.com.br", "203.0.113.4").await;
    assert_eq!(reason(&other), ErrorReason::InvalidCredential);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ups_per_address_are_limited_per_hour() {
    let server = TestServer::with(|settings| settings.limits.sign_up_per_address = 2).await;
    for number in 0..2 {
        let form = from_address(ana(&format!("ana{number}@exemplo.com.br")), ADDRESS);
        server.auth().sign_up(form).await.expect("the sign-up succeeds");
    }

    let third = || from_address(ana("terceira@exemplo.com.br"), ADDRESS);
    let refused = server.auth().sign_up(third()).await.expect_err("the limit is reached");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    server.clock.advance_seconds(3600);
    server.auth().sign_up(third()).await.expect("an hour later it succeeds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_beyond_twenty_of_one_client_waits_three_seconds_for_each_one_before_it() {
    let server = TestServer::new().await;
    let signs_up = async |name: &str, address: &str| {
        let form = from_address(ana(&format!("{name}@exemplo.com.br")), address);
        SignedInUser::of(server.auth().sign_up(form).await.expect("the sign-up succeeds"))
    };
    // Seconds until the last confirmation of a person is due.
    let waits = async |who: &SignedInUser| {
        let jobs = job_queries::of_uid(server.app.store(), JobKind::EmailConfirmation, &who.uid).await;
        let last = jobs.expect("listed").pop().expect("a confirmation");
        last.due_at.micros_since(server.clock.now()) / 1_000_000
    };
    let mut people = Vec::new();
    for number in 1..=23 {
        people.push(signs_up(&format!("vizinha{number}"), ADDRESS).await);
    }

    let other = signs_up("outra", "198.51.100.20").await;
    let mut repeated = bearer(pb::RequestEmailVerificationRequest {}, &people[0].session);
    repeated.metadata_mut().insert("x-test-client-address", ADDRESS.parse().expect("ASCII"));
    server.auth().request_email_verification(repeated).await.expect("it is taken");

    assert_eq!((waits(&people[20]).await, waits(&people[22]).await), (3, 9));
    assert_eq!(waits(&people[0]).await, 12, "a repeated link takes its turn too");
    // A failed mail is tried again a second later.
    assert!(waits(&people[19]).await < 2 && waits(&other).await < 2, "another client does not wait");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_64_bit_networks_of_a_48_bit_network_share_four_times_the_limit_of_one() {
    let server = TestServer::with(|settings| settings.limits.reset_per_address = 2).await;
    let ask = async |number: u32, address: String| {
        let email = format!("ana{number}@exemplo.com.br");
        let form = from_address(pb::RequestPasswordResetRequest { email }, &address);
        server.auth().request_password_reset(form).await
    };
    for number in 0..8 {
        ask(number, format!("2001:db8:1:{number:x}::1")).await.expect("eight are allowed");
    }

    let refused = ask(8, "2001:db8:1:8::1".to_owned()).await.expect_err("the /48 is full");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    ask(9, "2001:db8:2::1".to_owned()).await.expect("another /48 is not");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sessions_opened_per_hour_are_limited_across_password_and_token() {
    let server = TestServer::with(|settings| settings.limits.sessions_per_account = 3).await;
    let ana = server.signs_up("ana@exemplo.com.br").await;
    let by_token = || {
        let set = pb::SetSessionRequest {
            uid: ana.uid.to_string(),
            email: ana.email.clone(),
            display_name: String::new(),
        };
        bearer(set, &ana.id_token)
    };
    for _ in 0..2 {
        server.auth().set_session(by_token()).await.expect("a session is made");
    }
    let by_password = || from_address(sign_in("ANA@exemplo.com.br", "segredo"), ADDRESS);
    server.auth().sign_in(by_password()).await.expect("a session is made");

    let refused = server.auth().sign_in(by_password()).await.expect_err("the limit is reached");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    let refused = server.auth().set_session(by_token()).await.expect_err("the limit is reached");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);

    server.signs_up("bia@exemplo.com.br").await;
    server.clock.advance_seconds(3600);
    server.auth().sign_in(by_password()).await.expect("an hour later it succeeds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_above_the_limit_ends_the_session_unused_for_longest() {
    let server = TestServer::with(|settings| settings.limits.live_sessions_per_account = 2).await;
    let ana = server.signs_up("ana@exemplo.com.br").await;
    let bia = server.signs_up("bia@exemplo.com.br").await;
    let mut opened = vec![ana.session.clone()];
    for _ in 0..2 {
        server.clock.advance_seconds(60);
        let asked = from_address(sign_in("ana@exemplo.com.br", "segredo"), ADDRESS);
        let answer = server.auth().sign_in(asked).await.expect("a session is made");
        opened.push(session_of(&answer).expect("it is handed over").0);
    }

    let mut known = Vec::new();
    for session in &opened {
        known.push(server.accepts_token(session).await);
    }
    assert_eq!(known, [false, true, true]);
    assert!(server.accepts_token(&bia.session).await);
}
