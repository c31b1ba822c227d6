//! The challenge of sign-ups beyond those that an address has free.

use serde_json::json;

use super::*;
use crate::providers::captcha::{CaptchaProvider, CaptchaSettings};
use crate::tests::database::Database;
use crate::tests::world::World;

const ADDRESS: &str = "203.0.113.7";

/// A server whose sign-ups may require the sandbox's challenge.
async fn world(change: impl Fn(&mut crate::app::Settings)) -> World {
    World::start_with(Database::new().await, |settings| {
        let sandbox = &settings.payments.url;
        settings.captcha = Some(CaptchaSettings {
            provider: CaptchaProvider::Turnstile,
            url: format!("{sandbox}/captcha/siteverify"),
            script_url: format!("{sandbox}/captcha/api.js"),
            site_key: "site".to_owned(),
            secret: "captcha_test_garimpo".into(),
        });
        change(settings);
    })
    .await
}

async fn signs_up(world: &World, email: &str, response: &str) -> Result<(), Status> {
    let form = pb::SignUpRequest { challenge_response: response.to_owned(), ..ana(email) };
    world.auth().sign_up(from_address(form, ADDRESS)).await.map(drop)
}

/// Uses up the sign-ups that the address has free.
async fn uses_up(world: &World) {
    for number in 0..20 {
        signs_up(world, &format!("ana{number}@exemplo.com.br"), "").await.expect("a free sign-up");
    }
}

async fn refused(world: &World, email: &str, response: &str) -> ErrorReason {
    reason(&signs_up(world, email, response).await.expect_err("it is refused"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_twenty_first_sign_up_of_an_address_needs_a_solved_challenge_that_counts_once() {
    let world = world(|_| {}).await;
    uses_up(&world).await;

    for response in ["", "invented"] {
        let required = signs_up(&world, "bia@exemplo.com.br", response).await.expect_err("it is refused");
        assert_eq!(
            (required.code(), reason(&required)),
            (Code::FailedPrecondition, ErrorReason::ChallengeRequired)
        );
        let info = required.get_details_error_info().expect("ErrorInfo");
        let script_url = format!("{}/captcha/api.js", world.url);
        for (key, value) in [("provider", "turnstile"), ("site_key", "site"), ("script_url", &*script_url)] {
            assert_eq!(info.metadata[key], value);
        }
        assert_eq!(info.metadata.len(), 3);
    }
    // The refusal does not reveal whether the email is in use.
    assert_eq!(refused(&world, "ana0@exemplo.com.br", "").await, ErrorReason::ChallengeRequired);

    signs_up(&world, "bia@exemplo.com.br", "pass-1").await.expect("a solved challenge passes");
    assert_eq!(refused(&world, "rui@exemplo.com.br", "pass-1").await, ErrorReason::ChallengeRequired);
    let elsewhere = from_address(ana("rui@exemplo.com.br"), "198.51.100.9");
    world.auth().sign_up(elsewhere).await.expect("another address has its own");
    world.advances_minutes(61).await;
    signs_up(&world, "eva@exemplo.com.br", "").await.expect("an hour later it is free again");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_verification_no_challenge_passes_and_only_a_possible_response_is_verified() {
    let world = world(|settings| settings.limits.sign_up_per_address = 25).await;
    uses_up(&world).await;
    world.fails(json!({ "path": "/captcha/siteverify", "status": 503 })).await;

    let down = signs_up(&world, "bia@exemplo.com.br", "pass-1").await.expect_err("it is refused");
    assert_eq!((down.code(), reason(&down)), (Code::Unavailable, ErrorReason::ProviderUnavailable));
    let pause = down.get_details_retry_info().and_then(|info| info.retry_delay);
    assert_eq!(pause.map(|pause| pause.as_secs()), Some(2));
    // These are refused without a call, which would fail.
    let too_long = format!("pass-{}", "x".repeat(8 * 1024));
    for response in ["", &too_long] {
        assert_eq!(refused(&world, "bia@exemplo.com.br", response).await, ErrorReason::ChallengeRequired);
    }
    for _ in 0..2 {
        assert_eq!(refused(&world, "bia@exemplo.com.br", "pass-1").await, ErrorReason::ProviderUnavailable);
    }
    // The limit of the address bounds the calls.
    assert_eq!(refused(&world, "bia@exemplo.com.br", "pass-1").await, ErrorReason::TooManyRequests);

    world.clear_faults().await;
    world.advances_minutes(61).await;
    signs_up(&world, "bia@exemplo.com.br", "").await.expect("nothing was created before");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_secret_lets_no_sign_up_pass_and_is_not_named() {
    let world = world(|settings| {
        let captcha = settings.captcha.as_mut().expect("it is set");
        captcha.secret = "segredo".into();
    })
    .await;
    uses_up(&world).await;

    let refused = signs_up(&world, "bia@exemplo.com.br", "pass-1").await.expect_err("it is refused");

    assert_eq!(reason(&refused), ErrorReason::ProviderUnavailable);
    assert!(!refused.message().contains("secret") && !refused.message().contains("SECRET"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_provider_of_challenges_the_limit_alone_refuses() {
    let server = TestServer::with(|settings| settings.limits.sign_up_per_address = 21).await;
    let form = |number: u32| from_address(ana(&format!("ana{number}@exemplo.com.br")), ADDRESS);
    for number in 0..21 {
        server.auth().sign_up(form(number)).await.expect("the sign-up succeeds");
    }
    let refused = server.auth().sign_up(form(21)).await.expect_err("the limit is reached");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_networks_of_a_48_have_together_four_times_the_sign_ups_without_a_challenge() {
    let server = TestServer::new().await;
    let limits = Limits::new(server.app.store().clone(), server.app.clock(), LimitSettings::default());
    let needs = async |network: u32| {
        limits.count_sign_up(&format!("2001:db8:1:{network:x}::/64")).await.expect("the limit is not reached")
    };
    for network in 0..4 {
        for _ in 0..20 {
            assert!(!needs(network).await);
        }
    }
    assert!(needs(4).await, "the /48 has used up its own");
    assert!(!limits.count_sign_up("2001:db8:2:1::/64").await.expect("allowed"), "another /48 has its own");
}
