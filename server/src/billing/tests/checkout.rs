//! Opening a purchase: whose account, at what price, and how often.

use garimpo_domain::Timestamp;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tonic_types::StatusExt as _;

use crate::tests::server::{SignedInUser, bearer, fields, reason};
use crate::tests::world::{World, order};
use crate::wire::timestamp;

#[tokio::test(flavor = "multi_thread")]
async fn invalid_checkout_requests_are_rejected_with_their_reason() {
    let (world, ana) = World::new().await.with_ana().await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    for (plan, interval, coupon, expected) in [
        ("Plano Ouro", "month", "", ErrorReason::UnknownPlan),
        ("profissional", "month", "", ErrorReason::PlanNotForSale),
        ("top_afiliado", "semanal", "", ErrorReason::UnknownInterval),
        ("top_afiliado", "month", "NADA10", ErrorReason::CouponNotApplicable),
        ("elite_pro_1", "month", "blacknovember", ErrorReason::CouponNotApplicable),
    ] {
        let refused = world.opens(&ana, plan, interval, coupon).await.expect_err("it refuses");
        assert_eq!(reason(&refused), expected, "{plan} {interval} {coupon}");
    }
    let foreign =
        pb::CreateCheckoutSessionRequest { email: bia.email, ..order(&ana, "top_afiliado", "month", "") };
    assert_eq!(
        reason(&world.asks(&ana, foreign).await.expect_err("not hers")),
        ErrorReason::PermissionDenied
    );
    let nobody =
        pb::CreateCheckoutSessionRequest { email: String::new(), ..order(&ana, "top_afiliado", "month", "") };
    let nobody = world.asks(&ana, nobody).await.expect_err("no email");
    assert_eq!((reason(&nobody), fields(&nobody)), (ErrorReason::InvalidArgument, vec!["email".to_owned()]));
    let unknown = world.asks(&ana, pb::CreateCheckoutSessionRequest::default()).await;
    let unknown = unknown.expect_err("it says nothing");
    assert_eq!(reason(&unknown), ErrorReason::InvalidArgument);
    assert_eq!(fields(&unknown), ["email", "plan_name", "interval"], "all at once");
    let anonymous = world.billing().create_checkout_session(order(&ana, "top_afiliado", "month", "")).await;
    assert_eq!(reason(&anonymous.expect_err("nobody")), ErrorReason::Unauthenticated);
    assert!(world.provider_list("/v1/customers").await.is_empty(), "nothing was begun at the provider");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_displayed_price_is_returned_with_the_new_price() {
    let (world, ana) = World::new().await.with_ana().await;
    let shown = |centavos| pb::CreateCheckoutSessionRequest {
        shown_price_centavos: Some(centavos),
        ..order(&ana, "top_afiliado", "month", "novo")
    };

    let refused = world.asks(&ana, shown(9790)).await.expect_err("the coupon makes it cheaper");

    assert_eq!(reason(&refused), ErrorReason::PriceChanged);
    let info = refused.get_details_error_info().expect("a reason");
    assert_eq!(info.metadata["price_centavos"], "8811");
    let session = world.asks(&ana, shown(8811)).await.expect("the right price opens it");
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 8811);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkout_whose_customer_was_deleted_is_not_handed_out_again() {
    let (world, ana) = World::new().await.with_ana().await;
    let opens = async || world.opens(&ana, "elite_nivel_3", "semestral", "").await.expect("it opens");
    let first = opens().await;
    let customer = world.provider_list("/v1/customers").await.remove(0);
    world.provider_deletes(&format!("/v1/customers/{}", customer["id"].as_str().expect("an id"))).await;

    // The event may have come already, or not.
    let second = opens().await;
    world.rest().await;

    assert_ne!(second, first);
    assert_eq!(opens().await, second, "the next one is of a customer that exists");
    world.subscribes_in(&second).await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_recent_purchase_returns_the_same_checkout_session() {
    let (world, ana) = World::new().await.with_ana().await;

    let (one, two) = tokio::join!(
        world.opens(&ana, "top_afiliado", "month", ""),
        world.opens(&ana, "Top  Afiliado", "mensal", "")
    );
    let one = one.expect("a checkout opens");

    assert_eq!(two.expect("the same opens"), one);
    let other = world.opens(&ana, "top_afiliado", "anual", "").await.expect("another opens");
    assert_ne!(other, one);
    world.advances_hours(1).await;
    assert_ne!(world.opens(&ana, "top_afiliado", "month", "").await.expect("a new one opens"), one);
    assert_eq!(world.provider_list("/v1/customers").await.len(), 1);
    assert_eq!(world.provider_list("/v1/checkout/sessions").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_id_creates_one_checkout_session() {
    let (world, ana) = World::new().await.with_ana().await;
    let asked = |plan: &str| pb::CreateCheckoutSessionRequest {
        request_id: Some("pedido-1".to_owned()),
        ..order(&ana, plan, "month", "")
    };

    let first = world.asks(&ana, asked("top_afiliado")).await.expect("a checkout opens");
    world.advances_hours(2).await;

    assert_eq!(world.asks(&ana, asked("top_afiliado")).await.expect("the same"), first);
    let spelt = pb::CreateCheckoutSessionRequest {
        interval: "mensal".to_owned(),
        shown_price_centavos: Some(9790),
        ..asked("Top Afiliado")
    };
    assert_eq!(world.asks(&ana, spelt).await.expect("the same in other words"), first);
    let yearly = pb::CreateCheckoutSessionRequest { interval: "anual".to_owned(), ..asked("top_afiliado") };
    let cheaper = pb::CreateCheckoutSessionRequest { coupon_id: "novo".to_owned(), ..asked("top_afiliado") };
    for other in [asked("elite_nivel_1"), yearly, cheaper] {
        let refused = world.asks(&ana, other).await.expect_err("another purchase");
        assert_eq!(reason(&refused), ErrorReason::InvalidArgument);
        let fields = refused.get_details_bad_request().expect("the field is named").field_violations;
        assert_eq!(fields[0].field, "request_id");
    }
    let shown =
        pb::CreateCheckoutSessionRequest { shown_price_centavos: Some(8811), ..asked("top_afiliado") };
    let refused = world.asks(&ana, shown).await.expect_err("not what the session asks for");
    assert_eq!(reason(&refused), ErrorReason::PriceChanged);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_subscription_coupon_is_not_valid_after_a_payment() {
    let (world, ana) = World::new().await.with_ana().await;
    let offered = || async {
        let asked = pb::ListUpsellOffersRequest {
            plan_id: "top_afiliado".into(),
            coupon_id: "novo10".into(),
            ..Default::default()
        };
        world.billing().list_upsell_offers(bearer(asked, &ana.session)).await
    };
    assert_eq!(offered().await.expect("her first one").into_inner().selected_price_centavos, 8811);
    assert!(!world.account_of(&ana).await.guarantee_used, "she has not bought yet");
    let session = world.opens(&ana, "top_afiliado", "month", "novo10").await.expect("a checkout opens");
    world.subscribes_in(&session).await;
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 8811);
    let subscription = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!(subscription.price_centavos, 9790);
    let id = world.provider_list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    world.ends_subscription(&id).await;
    world.rest().await;

    assert!(world.account_of(&ana).await.guarantee_used, "the guarantee is for the first one too");

    let again = world.opens(&ana, "top_afiliado", "month", "novo10").await.expect_err("it refuses");

    assert_eq!(reason(&again), ErrorReason::CouponNotApplicable);
    let shown = offered().await.expect_err("what the checkout refuses is not shown before");
    assert_eq!(reason(&shown), ErrorReason::CouponNotApplicable);
    world.opens(&ana, "top_afiliado", "month", "aniversario").await.expect("another coupon holds");
}

/// The reply of GetPromotion to an account: why it is not offered, and Top Afiliado's first month.
async fn promotion_for(world: &World, who: &SignedInUser, code: &str) -> (String, i64) {
    promotion_kept_at(world, who, code, None).await
}

async fn promotion_kept_at(
    world: &World,
    who: &SignedInUser,
    code: &str,
    kept_at: Option<Timestamp>,
) -> (String, i64) {
    let kept_at = kept_at.map(timestamp);
    let asked = bearer(pb::GetPromotionRequest { code: code.into(), kept_at }, &who.session);
    let answer = world.billing().get_promotion(asked).await.expect("a promotion").into_inner();
    let prices = answer.promotion.expect("it is there").prices;
    let top = prices.iter().find(|price| price.plan_id == "top_afiliado").expect("it is on the cards");
    (answer.not_offered, top.first_month_centavos)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_is_offered_at_the_checkout_price_until_it_is_used() {
    let (world, ana) = World::new().await.with_ana().await;
    for days in [0, 8] {
        world.advances_days(days).await;
        for (code, price) in [("blackfriday", 5874), ("novo", 8811), ("maria", 8811)] {
            assert_eq!(promotion_for(&world, &ana, code).await, (String::new(), price), "{code}, day {days}");
        }
    }
    let session = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("a checkout opens");
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 5874);
    assert_eq!(promotion_for(&world, &ana, "blackfriday").await.0, "", "an open checkout uses nothing up");
    world.subscribes_in(&session).await;

    for code in ["blackfriday", "novo", "comeback"] {
        assert_eq!(promotion_for(&world, &ana, code).await.0, "subscribed", "{code}");
    }
    let id = world.provider_list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    world.ends_subscription(&id).await;
    world.rest().await;

    assert_eq!(promotion_for(&world, &ana, "blackfriday").await.0, "used");
    assert_eq!(promotion_for(&world, &ana, "novo").await, ("first_subscription".to_owned(), 9790));
    assert_eq!(promotion_for(&world, &ana, "comeback").await, (String::new(), 6853));
    let session = world.opens(&ana, "top_afiliado", "month", "COMEBACK30").await.expect("it is taken");
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 6853);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_coupon_is_offered_again_after_its_link_is_opened_again() {
    let (world, ana) = World::new().await.with_ana().await;
    let before = world.app.clock().now();
    let session = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("a checkout opens");
    world.subscribes_in(&session).await;
    let id = world.provider_list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    world.ends_subscription(&id).await;
    world.rest().await;
    world.advances_days(1).await;
    let again = world.app.clock().now();

    assert_eq!(promotion_kept_at(&world, &ana, "blackfriday", Some(before)).await.0, "used");
    assert_eq!(
        promotion_kept_at(&world, &ana, "blackfriday", Some(again)).await,
        (String::new(), 5874),
        "the checkout takes it"
    );
    let session = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("it is taken");
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 5874);
}

#[tokio::test(flavor = "multi_thread")]
async fn black_november_prices_hold_in_the_month_and_its_coupon_one_day_longer() {
    let world = World::starting_at("2026-11-30T12:00:00Z").await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let plans =
        world.billing().list_plans(pb::ListPlansRequest {}).await.expect("open to anyone").into_inner();
    assert!(plans.black_november);
    let elite = plans.plans.iter().find(|plan| plan.id == "elite_nivel_1").expect("it is sold");
    assert_eq!(elite.prices[0].first_month_centavos, Some(9790));

    let session =
        world.opens(&ana, "elite_nivel_1", "month", "blacknovember").await.expect("a checkout opens");

    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 9790);
    world.advances_days(1).await;
    let plans =
        world.billing().list_plans(pb::ListPlansRequest {}).await.expect("open to anyone").into_inner();
    assert!(!plans.black_november);
    world.opens(&ana, "elite_pro_1", "month", "blacknovember").await.expect("the day of tolerance");
    world.advances_days(1).await;
    let late = world.opens(&ana, "elite_pro_1", "month", "blacknovember").await.expect_err("it is over");
    assert_eq!(reason(&late), ErrorReason::CouponNotApplicable);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_portal_needs_a_started_purchase() {
    let (world, ana) = World::new().await.with_ana().await;
    let asked = || pb::CreatePortalSessionRequest { email: ana.email.clone() };
    let none = world.billing().create_portal_session(bearer(asked(), &ana.session)).await;
    assert_eq!(reason(&none.expect_err("no customer")), ErrorReason::NoCustomer);
    world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");

    let opened = world.billing().create_portal_session(bearer(asked(), &ana.session)).await;

    assert!(opened.expect("the portal opens").into_inner().url.starts_with(&world.url));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_checkout_session_is_not_found() {
    let world = World::new().await;
    let unknown = world.checkout("cs_test_nada").await.expect_err("nobody opened it");
    assert_eq!(reason(&unknown), ErrorReason::NotFound);
    assert_eq!(reason(&world.checkout("").await.expect_err("no id")), ErrorReason::InvalidArgument);
    assert_eq!(reason(&world.checkout("a\0b").await.expect_err("no id")), ErrorReason::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_request_id_create_one_checkout_session() {
    let (world, ana) = World::new().await.with_ana().await;
    let asked = |plan: &str| {
        let request_id = Some("pedido-1".to_owned());
        world.asks(&ana, pb::CreateCheckoutSessionRequest { request_id, ..order(&ana, plan, "month", "") })
    };

    let plans = ["top_afiliado", "elite_nivel_1", "elite_nivel_2", "elite_pro_1"];
    let answers = futures::future::join_all(plans.map(asked)).await;

    let (opened, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.is_ok());
    assert_eq!(opened.len(), 1, "{answers:?}");
    for answer in refused {
        let status = answer.as_ref().expect_err("it is refused");
        assert_eq!(reason(status), ErrorReason::InvalidArgument);
        assert_eq!(fields(status), ["request_id"]);
    }
    assert_eq!(world.provider_list("/v1/checkout/sessions").await.len(), 1);
}
