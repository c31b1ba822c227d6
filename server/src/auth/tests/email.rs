//! The confirmation of an email by its link.

use crate::store::identity::accounts;
use serde_json::{Value, json};

use super::*;
use crate::tests::world::World;

const ANA: &str = "ana@exemplo.com.br";

fn code_of(mail: &Value) -> String {
    let text = mail["text"].as_str().expect("a text");
    let (_, link) = text.split_once("http://127.0.0.1:8080/confirmar-email?code=").expect("a link of ours");
    link.split_whitespace().next().expect("a code").to_owned()
}

async fn confirms(world: &World, code: &str) -> Result<(), ErrorReason> {
    let form = pb::ConfirmEmailRequest { code: code.to_owned() };
    world.auth().confirm_email(form).await.map(drop).map_err(|refused| reason(&refused))
}

async fn is_verified(world: &World, uid: &str) -> bool {
    accounts::by_uid(world.app.store(), uid).await.expect("read").expect("the account").email_verified
}

#[tokio::test(flavor = "multi_thread")]
async fn link_do_cadastro_confirma_o_email_uma_vez_sem_sessao() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.rest().await;
    let mails = world.confirmations_to(ANA).await;
    assert_eq!(mails.len(), 1);
    assert!(!is_verified(&world, &ana.uid).await);
    let code = code_of(&mails[0]);

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
async fn link_mais_novo_anula_o_anterior_e_vale_setenta_e_duas_horas() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.rest().await;
    let first = code_of(&world.confirmations_to(ANA).await[0]);
    let asks = || async {
        let asked = bearer(pb::RequestEmailVerificationRequest {}, &ana.session);
        world.auth().request_email_verification(asked).await.map(drop)
    };
    asks().await.expect("it is taken");
    world.rest().await;
    let second = code_of(&world.confirmations_to(ANA).await[0]);

    assert_eq!(confirms(&world, &first).await, Err(ErrorReason::EmailCodeInvalid));
    world.posts("/clock", json!({ "advance_seconds": 72 * 3600, "keep_sessions": true })).await;
    assert_eq!(confirms(&world, &second).await, Err(ErrorReason::EmailCodeExpired));

    for _ in 0..3 {
        asks().await.expect("three an hour");
    }
    let refused = asks().await.expect_err("the fourth is too many");
    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    world.rest().await;
    confirms(&world, &code_of(&world.confirmations_to(ANA).await[0])).await.expect("the newest holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn codigo_de_confirmacao_nao_troca_senha_e_o_de_recuperacao_nao_confirma() {
    let world = World::new().await;
    world.signs_up(ANA).await;
    let asked = pb::RequestPasswordResetRequest { email: ANA.to_owned() };
    world.auth().request_password_reset(asked).await.expect("it is taken");
    world.rest().await;
    let confirmation = code_of(&world.confirmations_to(ANA).await[0]);
    let mail = world.mails_to(ANA).await.remove(0);
    let reset = mail["text"].as_str().expect("a text").split_once("?code=").expect("a link").1;
    let reset = reset.split_whitespace().next().expect("a code");

    assert_eq!(confirms(&world, reset).await, Err(ErrorReason::EmailCodeInvalid));
    let form = pb::ConfirmPasswordResetRequest { code: confirmation, new_password: "outra-senha".to_owned() };
    let refused = world.auth().confirm_password_reset(form).await.expect_err("it is another's");
    assert_eq!(reason(&refused), ErrorReason::ResetCodeInvalid);
}
