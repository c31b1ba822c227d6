//! The correction of an email that is not confirmed.

use serde_json::json;

use super::*;
use crate::queue::JobKind;
use crate::store::checkouts;
use crate::store::identity::accounts;
use crate::store::operator::job_queries;
use crate::tests::server::SignedInUser;
use crate::tests::world::{World, code_of};

const TYPO: &str = "ana@gmial.com";

async fn corrects(world: &World, who: &SignedInUser, email: &str, password: &str) -> Result<String, Status> {
    let form = pb::CorrectEmailRequest { new_email: email.to_owned(), password: password.to_owned() };
    let answer = world.auth().correct_email(bearer(form, &who.session)).await?;
    Ok(answer.into_inner().user.expect("a user").email)
}

async fn refusal_of(world: &World, who: &SignedInUser, email: &str, password: &str) -> ErrorReason {
    reason(&corrects(world, who, email, password).await.expect_err("it is refused"))
}

async fn confirms(world: &World, code: String) -> Result<(), ErrorReason> {
    let form = pb::ConfirmEmailRequest { code };
    world.auth().confirm_email(form).await.map(drop).map_err(|refused| reason(&refused))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_email_gets_the_link_and_the_old_links_are_invalid() {
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    let asked = pb::RequestPasswordResetRequest { email: TYPO.to_owned() };
    world.auth().request_password_reset(asked).await.expect("it is taken");
    world.rest().await;
    let old = code_of(&world.confirmations_to(TYPO).await[0], "confirmar-email");
    let reset = code_of(&world.mails_to(TYPO).await[0], "redefinir-senha");

    assert_eq!(
        corrects(&world, &ana, " Ana@Exemplo.com.br ", "segredo").await.expect("it is corrected"),
        ANA
    );
    world.rest().await;

    assert_eq!(confirms(&world, old).await, Err(ErrorReason::EmailCodeInvalid));
    let form = pb::ConfirmPasswordResetRequest { code: reset, new_password: "outra-senha".to_owned() };
    let dead = world.auth().confirm_password_reset(form).await.expect_err("it was mailed to the old email");
    assert_eq!(reason(&dead), ErrorReason::ResetCodeInvalid);
    let code = code_of(&world.confirmations_to(ANA).await[0], "confirmar-email");
    confirms(&world, code).await.expect("the code holds");
    let session = world.auth().get_session(bearer(pb::GetSessionRequest {}, &ana.session)).await;
    assert_eq!(session.expect("it is live").into_inner().user.expect("a user").email, ANA);
    world.auth().sign_in(sign_in(ANA, "segredo")).await.expect("the new email opens");
    let gone = world.auth().sign_in(sign_in(TYPO, "segredo")).await.expect_err("the old one does not");
    assert_eq!(reason(&gone), ErrorReason::InvalidCredential);
    world.signs_up(TYPO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_is_refused_without_the_password_and_for_an_email_that_is_invalid_or_in_use() {
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    world.signs_up("bia@exemplo.com.br").await;

    let empty = corrects(&world, &ana, "", "").await.expect_err("it is refused");
    assert_eq!(fields(&empty), ["new_email", "password"]);
    assert_eq!(refusal_of(&world, &ana, "ana@exemplo", "segredo").await, ErrorReason::InvalidEmail);
    assert_eq!(refusal_of(&world, &ana, ANA, "errada!").await, ErrorReason::InvalidCredential);
    assert_eq!(refusal_of(&world, &ana, "BIA@exemplo.com.br", "segredo").await, ErrorReason::EmailInUse);
    let form = pb::CorrectEmailRequest { new_email: ANA.to_owned(), password: "segredo".to_owned() };
    let nobody = world.auth().correct_email(form).await.expect_err("it has no caller");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);

    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");
    corrects(&world, &ana, ANA, "segredo").await.expect("the same again changes nothing");
    world.confirms_email(&SignedInUser { email: ANA.to_owned(), ..ana.clone() }).await;
    assert_eq!(refusal_of(&world, &ana, TYPO, "segredo").await, ErrorReason::EmailConfirmed);
    assert_eq!(world.confirmations_to(TYPO).await.len(), 1, "the one of the sign-up");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_corrects_its_email_five_times_an_hour() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(TYPO).await;
    for turn in 0..5 {
        corrects(&world, &ana, &format!("ana{turn}@exemplo.com.br"), "segredo").await.expect("five an hour");
    }
    assert_eq!(refusal_of(&world, &ana, ANA, "segredo").await, ErrorReason::TooManyRequests);
    world.advances_hours(1).await;
    corrects(&world, &ana, ANA, "segredo").await.expect("the hour is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_was_requested_for_the_old_email_is_not_mailed_to_the_new_one() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(TYPO).await;
    world.rest().await;
    world.fails(json!({ "path": "/mail", "status": 503, "times": 50 })).await;
    let asked = bearer(pb::RequestEmailVerificationRequest {}, &ana.session);
    world.auth().request_email_verification(asked).await.expect("it is taken");
    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");
    world.clear_faults().await;
    world.advances_hours(1).await;

    assert_eq!(world.confirmations_to(TYPO).await.len(), 1, "the one of the sign-up");
    let mailed = world.confirmations_to(ANA).await;
    confirms(&world, code_of(&mailed[0], "confirmar-email")).await.expect("the code holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_customer_at_the_payment_provider_gets_the_corrected_email_after_an_outage() {
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    assert_eq!(world.provider_list("/v1/customers").await[0]["email"], TYPO);
    world.fails(json!({ "path": "/v1/customers", "method": "POST", "status": 503, "times": 20 })).await;

    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");
    world.clear_faults().await;
    world.advances_hours(1).await;

    assert_eq!(world.provider_list("/v1/customers").await[0]["email"], ANA);
    assert!(world.account_of(&ana).await.subscription.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_benefits_of_an_account_follow_its_corrected_email() {
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    world.confirms_email(&bia).await;
    let trial_of = async |who: &SignedInUser| {
        world.rest().await;
        let account = accounts::by_uid(world.app.store(), &who.uid).await.expect("read").expect("an account");
        !account.trial_used_before
    };

    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");
    assert!(trial_of(&ana).await, "the trial stays with its account");
    let other = world.signs_up("ana+2@exemplo.com.br").await;
    assert!(!trial_of(&other).await, "the person of the new email has the trial");
    let stranger = world.signs_up(TYPO).await;
    assert!(trial_of(&stranger).await, "the person of the old email has none");

    corrects(&world, &ana, "bia+x@exemplo.com.br", "segredo").await.expect("it is corrected");
    assert!(!trial_of(&ana).await, "another person had this trial");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_concurrent_corrections_to_an_email_gets_it() {
    let world = World::new().await;
    let (ana, bia) = (world.signs_up(TYPO).await, world.signs_up("bia@gmial.com").await);

    let both = tokio::join!(corrects(&world, &ana, ANA, "segredo"), corrects(&world, &bia, ANA, "segredo"));

    let lost: Vec<_> = [both.0, both.1].into_iter().filter_map(Result::err).collect();
    assert_eq!(lost.iter().map(reason).collect::<Vec<_>>(), [ErrorReason::EmailInUse]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_account_paid_follows_its_corrected_email_only_once_that_is_confirmed() {
    let world = World::new().await;
    let her = world.signs_up("her@exemplo.com.br").await;
    world.confirms_email(&her).await;
    let thief = world.signs_up("ladrao@exemplo.net").await;
    world.subscribes(&thief, "top_afiliado", "month").await;
    world.wants_back(&thief, None).await.expect("the guarantee");
    world.rest().await;

    corrects(&world, &thief, "her+1@exemplo.com.br", "segredo").await.expect("it is corrected");
    world.rest().await;

    world.subscribes(&her, "top_afiliado", "month").await;
    let own = world.account_of(&her).await.subscription.expect("it runs");
    assert!(own.refundable_centavos.is_some(), "the guarantee of her first subscription");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_refund_of_a_boleto_goes_to_the_corrected_email() {
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    world.orders_by_boleto(&ana, "top_afiliado", "month").await;

    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");

    let mut emails = checkouts::by_uid(world.app.store(), &ana.uid).await.expect("read");
    assert_eq!(emails.pop().expect("a checkout").email, ANA);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_old_address_of_a_payer_learns_of_the_correction_without_the_new_one() {
    const CHANGED: &str = "O email da sua conta foi alterado";
    let world = World::new().await;
    let ana = world.signs_up(TYPO).await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    let unpaid = world.signs_up("bia@gmial.com").await;
    let changes = async |email: &str| {
        world.rest().await;
        let mut mails = world.mails_to(email).await;
        mails.retain(|mail| mail["subject"] == CHANGED);
        mails
    };

    corrects(&world, &ana, ANA, "segredo").await.expect("it is corrected");
    corrects(&world, &unpaid, "bia@exemplo.com.br", "segredo").await.expect("it is corrected");

    let mails = changes(TYPO).await;
    assert_eq!(mails.len(), 1);
    for part in ["text", "html"] {
        let text = mails[0][part].as_str().expect("both parts");
        assert!(!text.contains("ana@") && !text.contains("exemplo.com.br"), "{text}");
        assert!(!text.contains("code=") && !text.contains("/area-usuario"), "no link acts: {text}");
    }
    let jobs = job_queries::of_uid(world.app.store(), JobKind::Mail, &ana.uid).await.expect("listed");
    assert!(jobs.iter().all(|job| !job.payload.contains(TYPO)), "the address is forgotten");
    assert_eq!(changes("bia@gmial.com").await.len(), 0, "nobody paid there");
    corrects(&world, &ana, "ana@exemplo.net", "segredo").await.expect("it is corrected");
    assert_eq!(changes(ANA).await.len(), 0, "nothing was paid since: it may be a stranger's");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_learns_of_one_corrected_email_an_hour_whatever_is_bought_with_it() {
    let world = World::new().await;
    for n in 0..3 {
        let stranger = world.signs_up(TYPO).await;
        world.subscribes_by_boleto(&stranger, "top_afiliado", "month").await;
        corrects(&world, &stranger, &format!("outra{n}@exemplo.com.br"), "segredo").await.expect("corrected");
        world.rest().await;
        if n == 1 {
            world.advances_hours(1).await;
        }
    }

    let mails = world.mails_to(TYPO).await;
    let changed = mails.iter().filter(|mail| mail["subject"] == "O email da sua conta foi alterado");
    assert_eq!(changed.count(), 2, "one in each hour");
}
