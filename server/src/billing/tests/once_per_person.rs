//! The trial, the coupon of the first subscription and the guarantee are given once per person, not
//! per account.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::DeleteMyAccountRequest;

use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::World;

async fn deletes(world: &World, who: &SignedInUser) {
    let request = DeleteMyAccountRequest { password: "segredo".into() };
    world.users().delete_my_account(bearer(request, &who.session)).await.expect("the account is deleted");
    world.rest().await;
}

async fn buys(world: &World, who: &SignedInUser, coupon: &str) {
    let session = world.opens(who, "top_afiliado", "month", coupon).await.expect("a checkout opens");
    world.subscribes_in(&session).await;
}

async fn has_trial(world: &World, who: &SignedInUser) -> bool {
    let standing = world.account_of(who).await;
    standing.trial_ends_at.expect("a moment").seconds > standing.server_time.expect("now").seconds
}

/// Reason for which NOVO10 is refused; `None` if it is accepted.
async fn novo10_refused(world: &World, who: &SignedInUser) -> Option<ErrorReason> {
    world.opens(who, "top_afiliado", "month", "novo10").await.err().map(|refused| reason(&refused))
}

const REFUSED: Option<ErrorReason> = Some(ErrorReason::CouponNotApplicable);

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_deletes_the_account_gets_no_second_trial_novo10_or_guarantee() {
    let (world, ana) = World::new().await.with_ana().await;
    buys(&world, &ana, "novo10").await;
    let standing = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!(standing.refundable_centavos, Some(8_811), "the first time it is given");
    deletes(&world, &ana).await;
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 1, "the guarantee gives it back");

    let again = world.signs_up("Ana@Exemplo.com.br").await;

    assert!(!has_trial(&world, &again).await);
    assert_eq!(novo10_refused(&world, &again).await, REFUSED);
    let offered = pb::ListUpsellOffersRequest {
        plan_id: "top_afiliado".into(),
        coupon_id: "novo10".into(),
        ..Default::default()
    };
    let offered = world.billing().list_upsell_offers(bearer(offered, &again.session)).await;
    assert_eq!(reason(&offered.expect_err("it is not offered")), ErrorReason::CouponNotApplicable);
    buys(&world, &again, "").await;
    let standing = world.account_of(&again).await.subscription.expect("there is one");
    assert_eq!((standing.refundable_centavos, standing.refundable_until), (None, None));
    let refused = world.wants_back(&again, None).await.expect_err("it was given once");
    assert_eq!(reason(&refused), ErrorReason::RefundWindowClosed);
    deletes(&world, &again).await;
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 1, "nothing comes back for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn plus_tags_and_gmail_dots_are_the_same_person_as_the_first_account() {
    let world = World::new().await;
    for (first, second) in [
        ("bia@exemplo.com.br", "bia+2@exemplo.com.br"),
        ("caio.souza@gmail.com", "caiosouza+x@googlemail.com"),
        ("duda+loja@exemplo.com.br", "duda@exemplo.com.br"),
    ] {
        let one = world.signs_up(first).await;
        assert!(has_trial(&world, &one).await, "{first}");
        buys(&world, &one, "").await;

        let two = world.signs_up(second).await;

        assert!(!has_trial(&world, &two).await, "{second}");
        assert_eq!(novo10_refused(&world, &two).await, REFUSED, "{second}");
        buys(&world, &two, "").await;
        let guarantee = async |who: &SignedInUser| {
            world.account_of(who).await.subscription.expect("there is one").refundable_centavos
        };
        assert_eq!((guarantee(&one).await, guarantee(&two).await), (Some(9_790), None), "{second}");
    }
    let other = world.signs_up("b.ia@exemplo.com.br").await;
    assert!(has_trial(&world, &other).await, "dots count outside of Gmail");
    assert_eq!(novo10_refused(&world, &other).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_accounts_of_a_person_cannot_open_novo10_checkouts_at_the_same_time() {
    let (world, ana) = World::new().await.with_ana().await;
    let too = world.signs_up("ana+2@exemplo.com.br").await;

    let (one, two) = tokio::join!(
        world.opens(&ana, "top_afiliado", "month", "novo10"),
        world.opens(&too, "top_afiliado", "month", "novo10")
    );

    let (holder, other, session) = match (one, two) {
        (Ok(session), Err(refused)) if reason(&refused) == ErrorReason::CouponNotApplicable => {
            (&ana, &too, session)
        }
        (Err(refused), Ok(session)) if reason(&refused) == ErrorReason::CouponNotApplicable => {
            (&too, &ana, session)
        }
        both => panic!("one of them gets it: {both:?}"),
    };
    assert_eq!(world.opens(holder, "top_afiliado", "month", "novo10").await.expect("the same"), session);
    // A coupon that the first account never paid with is free for the second one.
    world.provider_posts(&format!("/v1/checkout/sessions/{session}/expire"), &[]).await;
    world.rest().await;
    let taken = world.opens(other, "top_afiliado", "month", "novo10").await.expect("it is free");
    assert_eq!(novo10_refused(&world, holder).await, REFUSED);
    // The first account pays without the coupon, and the other's open checkout is closed.
    buys(&world, holder, "").await;
    let closed = world.provider_object(&format!("/v1/checkout/sessions/{taken}")).await;
    assert_eq!(closed["status"], "expired");
    assert_eq!(novo10_refused(&world, other).await, REFUSED);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_accounts_of_a_person_that_sign_up_together_have_one_trial() {
    let world = World::new().await;
    let (one, two) = tokio::join!(world.signs_up("eva@gmail.com"), world.signs_up("e.va+app@gmail.com"));

    let trials = [has_trial(&world, &one).await, has_trial(&world, &two).await];

    assert_eq!(trials.iter().filter(|has| **has).count(), 1, "{trials:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_account_that_proved_nothing_takes_no_trial_from_the_address() {
    let world = World::new().await;
    let stranger = world.signs_up("nina@exemplo.com.br").await;
    deletes(&world, &stranger).await;

    let nina = world.signs_up("nina@exemplo.com.br").await;

    assert!(has_trial(&world, &nina).await);
    assert_eq!(novo10_refused(&world, &nina).await, None);
    world.confirms_email(&nina).await;
    deletes(&world, &nina).await;
    let again = world.signs_up("Nina+1@exemplo.com.br").await;
    world.confirms_email(&again).await;
    assert!(!has_trial(&world, &again).await, "the owner had it");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trial_passes_to_the_account_that_confirms_its_address() {
    let world = World::new().await;
    let stranger = world.signs_up("otto+x@gmail.com").await;
    let otto = world.signs_up("otto@gmail.com").await;
    let other = world.signs_up("o.tto@gmail.com").await;
    let trials = async || {
        [has_trial(&world, &stranger).await, has_trial(&world, &otto).await, has_trial(&world, &other).await]
    };
    assert_eq!(trials().await, [true, false, false], "the claim holds against unconfirmed accounts");

    world.confirms_email(&otto).await;

    assert_eq!(trials().await, [false, true, false]);
    world.confirms_email(&other).await;
    world.confirms_email(&stranger).await;
    assert_eq!(trials().await, [false, true, false], "a person has one trial");
}

#[tokio::test(flavor = "multi_thread")]
async fn novo10_passes_to_the_account_that_confirms_its_address_and_stays_with_a_payer() {
    let world = World::new().await;
    let stranger = world.signs_up("pia+x@exemplo.com.br").await;
    let pia = world.signs_up("pia@exemplo.com.br").await;
    let held = world.opens(&stranger, "top_afiliado", "month", "novo10").await.expect("it opens");
    assert_eq!(novo10_refused(&world, &pia).await, REFUSED, "the claim holds against an unconfirmed account");

    world.confirms_email(&pia).await;

    assert_eq!(novo10_refused(&world, &pia).await, None);
    world.rest().await;
    let closed = world.provider_object(&format!("/v1/checkout/sessions/{held}")).await;
    assert_eq!(closed["status"], "expired");
    assert_eq!(novo10_refused(&world, &stranger).await, REFUSED);

    let payer = world.signs_up("rita@exemplo.com.br").await;
    buys(&world, &payer, "novo10").await;
    let too = world.signs_up("rita+2@exemplo.com.br").await;
    world.confirms_email(&too).await;
    assert_eq!((novo10_refused(&world, &too).await, has_trial(&world, &too).await), (REFUSED, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_that_was_given_back_to_an_unconfirmed_account_takes_nothing_from_the_owner() {
    let world = World::new().await;
    for (taken, address, is_deleted) in [
        ("sol+x@exemplo.com.br", "sol@exemplo.com.br", true),
        ("iris@exemplo.com.br", "iris@exemplo.com.br", true),
        ("lia+x@exemplo.com.br", "lia@exemplo.com.br", false),
    ] {
        let stranger = world.signs_up(taken).await;
        buys(&world, &stranger, "novo10").await;
        if is_deleted {
            deletes(&world, &stranger).await;
        } else {
            world.wants_back(&stranger, None).await.expect("it is given back");
            world.rest().await;
        }
        let owner = world.signs_up(address).await;
        assert_eq!(novo10_refused(&world, &owner).await, REFUSED, "{address}: nothing is confirmed");

        world.confirms_email(&owner).await;

        assert!(has_trial(&world, &owner).await, "{address}");
        buys(&world, &owner, "novo10").await;
        let standing = world.account_of(&owner).await.subscription.expect("there is one");
        assert_eq!(standing.refundable_centavos, Some(8_811), "{address}: coupon and guarantee");
        // The confirmed account has them now, so they pass no further.
        world.wants_back(&owner, None).await.expect("it is given back");
        deletes(&world, &owner).await;
        let again = world.signs_up(address).await;
        world.confirms_email(&again).await;
        assert_eq!((novo10_refused(&world, &again).await, has_trial(&world, &again).await), (REFUSED, false));
    }
}
