//! The confirmation of an email by its link.

use crate::store::identity::accounts;
use garimpo_domain::Uid;
use serde_json::json;

use super::*;
use crate::tests::world::{World, code_of};

/// The code of the newest confirmation.
async fn newest_code(world: &World) -> String {
    code_of(&world.confirmations_to(ANA).await[0], "confirmar-email")
}

async fn confirms(world: &World, code: &str) -> Result<(), ErrorReason> {
    let form = pb::ConfirmEmailRequest { code: code.to_owned() };
    world.auth().confirm_email(form).await.map(drop).map_err(|refused| reason(&refused))
}

async fn is_verified(world: &World, uid: &Uid) -> bool {
    accounts::by_uid(world.app.store(), uid).await.expect("read").expect("the account").email_verified
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_up_link_confirms_the_email_once_and_needs_no_session() {
    let (world, ana) = World::new().await.with_ana().await;
    world.rest().await;
    assert_eq!(world.confirmations_to(ANA).await.len(), 1);
    assert!(!is_verified(&world, &ana.uid).await);
    let code = newest_code(&world).await;

    confirms(&world, &code).await.expect("the code holds");

    assert!(is_verified(&world, &ana.uid).await);
    assert_eq!(confirms(&world, &code).await, Err(ErrorReason::EmailCodeInvalid), "it opens once");
    assert_eq!(confirms(&world, "inventado").await, Err(ErrorReason::EmailCodeInvalid));
    assert_eq!(confirms(&world, " ").await, Err(ErrorReason::InvalidArgument));
    let again = bearer(pb::RequestEmailVerificationRequest {}, &ana.session);
    world.auth().request_email_verification(again).await.expect("it is taken");
    world.rest().await;
    assert_eq!(world.confirmations_to(ANA).await.len(), 1, "a confirmed email gets no more links");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_confirmation_link_replaces_the_previous_one_and_lasts_seventy_two_hours() {
    let (world, ana) = World::new().await.with_ana().await;
    world.rest().await;
    let first = newest_code(&world).await;
    let asks = || async {
        let asked = bearer(pb::RequestEmailVerificationRequest {}, &ana.session);
        world.auth().request_email_verification(asked).await.map(drop)
    };
    asks().await.expect("it is taken");
    world.rest().await;
    let second = newest_code(&world).await;

    assert_eq!(confirms(&world, &first).await, Err(ErrorReason::EmailCodeInvalid));
    world.posts("/clock", json!({ "advance_seconds": 72 * 3600, "keep_sessions": true })).await;
    assert_eq!(confirms(&world, &second).await, Err(ErrorReason::EmailCodeExpired));

    for _ in 0..3 {
        asks().await.expect("three an hour");
        // Mails that wait together may arrive in any order.
        world.rest().await;
    }
    let refused = asks().await.expect_err("the fourth is too many");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    confirms(&world, &newest_code(&world).await).await.expect("the newest holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_code_resets_no_password_and_a_reset_code_confirms_no_email() {
    let (world, _) = World::new().await.with_ana().await;
    let asked = pb::RequestPasswordResetRequest { email: ANA.to_owned() };
    world.auth().request_password_reset(asked).await.expect("it is taken");
    world.rest().await;
    let confirmation = newest_code(&world).await;
    let reset = code_of(&world.mails_to(ANA).await[0], "redefinir-senha");

    assert_eq!(confirms(&world, &reset).await, Err(ErrorReason::EmailCodeInvalid));
    let form = pb::ConfirmPasswordResetRequest { code: confirmation, new_password: "outra-senha".to_owned() };
    let refused = world.auth().confirm_password_reset(form).await.expect_err("it is another's");
    assert_eq!(reason(&refused), ErrorReason::ResetCodeInvalid);
}
