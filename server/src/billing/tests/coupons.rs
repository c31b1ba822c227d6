//! Coupons: the buyer pays the price shown, for every rounding of the provider and every change of
//! its coupons.

use garimpo_domain::coupons::Discount;
use garimpo_domain::{Centavos, Interval, catalog};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;
use tonic::Status;
use tonic_types::StatusExt as _;

use crate::billing::tests::charging_at_trial_end;
use crate::operator::tests::execute_sql;
use crate::tests::database::{Database, setting};
use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::{World, order};

/// Opens a checkout of a buyer who was shown a price.
async fn opens_at(
    world: &World,
    who: &SignedInUser,
    (plan, interval, coupon): (&str, &str, &str),
    shown: Option<i64>,
) -> Result<pb::CreateCheckoutSessionResponse, Status> {
    let request = pb::CreateCheckoutSessionRequest {
        shown_price_centavos: shown,
        ..order(who, plan, interval, coupon)
    };
    let answer = world.billing().create_checkout_session(bearer(request, &who.session)).await?;
    Ok(answer.into_inner())
}

fn session_of(open: &pb::CreateCheckoutSessionResponse) -> &str {
    open.client_secret.split_once("_secret_").expect("the secret names the session").0
}

fn price_in(status: &Status) -> String {
    let info = status.get_error_details().error_info().expect("a reason").clone();
    info.metadata["price_centavos"].clone()
}

/// Every coupon at the provider, over all pages.
async fn all_coupons(world: &World) -> Vec<serde_json::Value> {
    let mut all = world.provider_list("/v1/coupons?limit=100").await;
    let mut pages = 1;
    while all.len() == pages * 100 {
        let last = all.last().and_then(|coupon| coupon["id"].as_str()).expect("an id").to_owned();
        all.extend(world.provider_list(&format!("/v1/coupons?limit=100&starting_after={last}")).await);
        pages += 1;
    }
    all
}

/// One coupon of each percentage, because coupons of one percentage differ only in their ids.
fn one_of_each_percentage() -> Vec<&'static str> {
    let mut found: Vec<(u8, &str)> = Vec::new();
    for coupon in &catalog().coupons {
        if let Discount::Percent(percent) = coupon.discount
            && found.iter().all(|(known, _)| *known != percent)
        {
            found.push((percent, &coupon.id));
        }
    }
    found.into_iter().map(|(_, id)| id).collect()
}

/// Each price with one coupon in turn, and in `make soak` with every one.
#[tokio::test(flavor = "multi_thread")]
async fn a_percentage_coupon_opens_the_checkout_at_the_displayed_price_in_every_case() {
    let world = World::on_sqlite().await;
    let is_long = setting("GARIMPO_SOAK").is_some();
    let coupons = one_of_each_percentage();
    let (mut cases, mut opened) = (0, 0);
    for rounding in ["half_up", "half_even", "down"] {
        world.behaves(json!({ "coupon_rounding": rounding })).await;
        let mut who = world.signs_up(&format!("{rounding}@exemplo.com.br")).await;
        for (at, plan) in catalog().plans_for_sale().enumerate() {
            // An account may open 60 checkouts in an hour, which is enough for three plans.
            if at > 0 && at % 3 == 0 {
                who = world.signs_up(&format!("{rounding}{at}@exemplo.com.br")).await;
            }
            for interval in Interval::ALL {
                let price = plan.list_price(interval).expect("a price").price;
                cases += 1;
                for (turn, coupon) in coupons.iter().copied().enumerate() {
                    if !is_long && turn != cases % coupons.len() {
                        continue;
                    }
                    let discount = catalog().coupon(coupon).expect("a coupon").discount;
                    let shown = (price - discount.on(price)).get();
                    let what = (plan.id.as_str(), interval.written(), coupon);

                    let open = opens_at(&world, &who, what, Some(shown)).await;

                    let open = open.unwrap_or_else(|refused| panic!("{rounding} {what:?}: {refused:?}"));
                    assert_eq!(open.amount_total_centavos, shown, "{rounding} {what:?}");
                    let session = session_of(&open);
                    let held = world.provider_object(&format!("/v1/checkout/sessions/{session}")).await;
                    assert_eq!(held["amount_total"], shown, "{rounding} {what:?}");
                    opened += 1;
                }
            }
        }
    }
    assert_eq!(opened, 3 * 13 * 4 * if is_long { 5 } else { 1 });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coupon_with_half_a_centavo_has_one_amount_from_the_session_to_the_mail() {
    let world = World::new().await;
    for (rounding, email) in [
        ("half_up", "ana@exemplo.com.br"),
        ("half_even", "bia@exemplo.com.br"),
        ("down", "cida@exemplo.com.br"),
    ] {
        world.behaves(json!({ "coupon_rounding": rounding })).await;
        let who = world.signs_up(email).await;
        // 15% of R$ 97,90 is R$ 14,685.
        let open = opens_at(&world, &who, ("top_afiliado", "month", "hyeser15"), Some(8_321)).await;
        let open = open.expect("a checkout opens");
        let session = session_of(&open).to_owned();

        world.subscribes_in(&session).await;

        assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 8_321);
        let invoices = world.invoices_of(&who, 10, "").await.expect("a page").invoices;
        assert_eq!((invoices.len(), invoices[0].amount_due_centavos), (1, 8_321), "{rounding}");
        let mails = world.mails_to(email).await;
        assert!(mails[0]["text"].as_str().expect("a text").contains("R$ 83,21"), "{rounding}: {mails:?}");
        let held = world.provider_object(&format!("/v1/checkout/sessions/{session}")).await;
        assert_eq!(held["metadata"]["coupon"], "hyeser15", "the public id stays");
        assert_eq!(held["discounts"][0]["coupon"], "hyeser15-1469");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_catalog_push_changes_no_coupon_and_restores_a_missing_derived_one() {
    let world = World::new().await;
    let billing = world.app.billing();
    let held = async || all_coupons(&world).await;
    let before = held().await;
    assert_eq!(before.len(), catalog().provider_coupons().len());
    assert_eq!(billing.catalog_push.find_differences().await.expect("compared"), []);

    billing.catalog_push.push_whole().await.expect("pushed");

    assert_eq!(held().await, before, "nothing was made anew");
    world.provider_deletes("/v1/coupons/aniversario15-1469").await;
    let found = billing.catalog_push.find_differences().await.expect("compared");
    let named: Vec<_> = found.iter().map(|one| (one.id.as_str(), one.ours.as_str(), &one.theirs)).collect();
    assert_eq!(named, [("aniversario15-1469", "R$ 14,69 once", &None)]);
    billing.catalog_push.push_whole().await.expect("pushed");
    assert_eq!(billing.catalog_push.find_differences().await.expect("compared"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_derived_coupon_is_removed_once_no_open_checkout_uses_it() {
    let world = World::new().await;
    let billing = world.app.billing();
    let ana = world.signs_up("ana@exemplo.com.br").await;
    world.opens(&ana, "top_afiliado", "month", "hyeser15").await.expect("a checkout opens");
    // An earlier catalogue had a price of R$ 66,60 with a percentage of R$ 9,99.
    for (id, metadata) in [("hyeser15-999", "hyeser15"), ("hyeser15-77", "hyeser15")] {
        let form = [
            ("id", id),
            ("amount_off", "999"),
            ("currency", "brl"),
            ("duration", "once"),
            ("metadata[derived_from]", metadata),
        ];
        world.provider_posts("/v1/coupons", &form).await;
    }
    let by_hand = [("id", "feito-a-mao"), ("percent_off", "5"), ("duration", "once")];
    world.provider_posts("/v1/coupons", &by_hand).await;
    execute_sql(&world.database, "UPDATE checkouts SET price_centavos = 6657").await;
    let stale = async || {
        let found = billing.catalog_push.find_differences().await.expect("compared");
        found.into_iter().map(|one| (one.id, one.ours)).collect::<Vec<_>>()
    };
    assert_eq!(stale().await, [("hyeser15-77".to_owned(), "none".to_owned())]);

    billing.catalog_push.push_whole().await.expect("pushed");

    assert_eq!(stale().await, []);
    let held = all_coupons(&world).await;
    let has = |id: &str| held.iter().any(|coupon| coupon["id"] == id);
    assert_eq!([has("hyeser15-999"), has("hyeser15-77"), has("feito-a-mao")], [true, false, true]);
    execute_sql(&world.database, "UPDATE checkouts SET settled = TRUE, status = 'expired'").await;
    assert_eq!(stale().await, [("hyeser15-999".to_owned(), "none".to_owned())]);
}

/// Replaces the coupon of 40% at the provider, as an operator could in its dashboard.
async fn recreates_bf40(world: &World, percent: &str) {
    world.provider_deletes("/v1/coupons/BF40").await;
    let form = [("id", "BF40"), ("percent_off", percent), ("duration", "once")];
    world.provider_posts("/v1/coupons", &form).await;
}

const ELITE: (&str, &str, &str) = ("elite_nivel_2", "month", "BF40");

#[tokio::test(flavor = "multi_thread")]
async fn a_higher_provider_amount_is_displayed_before_the_payment() {
    let (world, ana) = World::new().await.with_ana().await;
    recreates_bf40(&world, "5").await;

    let refused = opens_at(&world, &ana, ELITE, Some(13_074)).await.expect_err("it asks for more");

    assert_eq!((reason(&refused), price_in(&refused).as_str()), (ErrorReason::PriceChanged, "20700"));
    let again = opens_at(&world, &ana, ELITE, Some(13_074)).await.expect_err("it is not accepted yet");
    assert_eq!(price_in(&again), "20700");
    let other = opens_at(&world, &ana, ELITE, Some(20_000)).await.expect_err("nobody asks for that");
    assert_eq!(price_in(&other), "20700");
    let open = opens_at(&world, &ana, ELITE, Some(20_700)).await.expect("the buyer accepts it");
    assert_eq!(open.amount_total_centavos, 20_700);
    assert_eq!(world.provider_list("/v1/checkout/sessions").await.len(), 1, "one session");
    let session = session_of(&open).to_owned();
    world.subscribes_in(&session).await;
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 20_700);
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert!(mails[0]["text"].as_str().expect("a text").contains("R$ 207,00"), "{mails:?}");
    // The difference caused a new push of the catalogue, so the next buyer pays our price.
    let bia = world.signs_up("bia@exemplo.com.br").await;
    let open = opens_at(&world, &bia, ELITE, Some(13_074)).await.expect("the coupon is ours again");
    assert_eq!(open.amount_total_centavos, 13_074);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lower_provider_amount_opens_the_checkout_and_is_displayed() {
    let (world, ana) = World::new().await.with_ana().await;
    recreates_bf40(&world, "45").await;

    let open = opens_at(&world, &ana, ELITE, Some(13_074)).await.expect("it asks for less");

    let again = opens_at(&world, &ana, ELITE, Some(13_074)).await.expect("the same session");
    assert_eq!((open.amount_total_centavos, &again), (11_984, &open));
    let session = session_of(&open).to_owned();
    world.subscribes_in(&session).await;
    assert_eq!(world.checkout(&session).await.expect("known").amount_total_centavos, 11_984);
    let invoices = world.invoices_of(&ana, 10, "").await.expect("a page").invoices;
    assert_eq!(invoices[0].amount_due_centavos, 11_984);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coupon_applies_to_the_first_charge_after_the_trial_even_if_the_zero_invoice_used_it() {
    for (database, is_used) in [(true, true), (false, true), (false, false)] {
        let database = if database { Database::new().await } else { Database::sqlite() };
        let world = charging_at_trial_end(database).await;
        world.behaves(json!({ "trial_uses_once_coupon": is_used })).await;
        let ana = world.signs_up("ana@exemplo.com.br").await;
        let trial_ends = world.account_of(&ana).await.trial_ends_at.expect("a moment").seconds;
        let session = world.opens(&ana, "top_afiliado", "month", "hyeser15").await.expect("it opens");
        world.subscribes_in(&session).await;

        world.goes_to(trial_ends + 2 * 3_600).await;

        let charges = world.provider_list("/v1/charges").await;
        assert_eq!((charges.len(), &charges[0]["amount"]), (1, &json!(8_321)), "{is_used}");
        world.goes_to(trial_ends + 31 * 86_400).await;
        let charges = world.provider_list("/v1/charges").await;
        let amounts: Vec<_> = charges.iter().map(|charge| charge["amount"].as_i64()).collect();
        assert_eq!(amounts, [Some(9_790), Some(8_321)], "the coupon is used once, {is_used}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coupon_changed_at_the_provider_is_displayed_before_a_purchase_charged_at_trial_end() {
    let world = charging_at_trial_end(Database::new().await).await;
    // 15% of R$ 97,90 are R$ 14,69 at the provider. The dashboard's user changes it to R$ 9,00.
    world.provider_deletes("/v1/coupons/hyeser15-1469").await;
    let form = [("id", "hyeser15-1469"), ("amount_off", "900"), ("currency", "brl"), ("duration", "once")];
    world.provider_posts("/v1/coupons", &form).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let trial_ends = world.account_of(&ana).await.trial_ends_at.expect("a moment").seconds;
    let what = ("top_afiliado", "month", "hyeser15");

    let refused = opens_at(&world, &ana, what, Some(8_321)).await.expect_err("it asks for more");

    assert_eq!((reason(&refused), price_in(&refused).as_str()), (ErrorReason::PriceChanged, "8890"));
    let open = opens_at(&world, &ana, what, Some(8_890)).await.expect("the buyer accepts it");
    assert_eq!(open.amount_total_centavos, 8_890);
    let session = session_of(&open).to_owned();
    world.subscribes_in(&session).await;
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert!(mails[0]["text"].as_str().expect("a text").contains("R$ 88,90"), "{mails:?}");
    world.goes_to(trial_ends + 2 * 3_600).await;
    let charges = world.provider_list("/v1/charges").await;
    let charged = charges[0]["amount"].as_i64().expect("centavos");
    // The pushed coupon may also apply to a session that was opened before.
    assert!(charges.len() == 1 && charged <= 8_890, "nobody pays more than was shown: {charges:?}");
    // The difference caused a new push of the catalogue, so the next buyer pays our price.
    let bia = world.signs_up("bia@exemplo.com.br").await;
    let open = opens_at(&world, &bia, what, Some(8_321)).await.expect("the coupon is ours again");
    assert_eq!(open.amount_total_centavos, 8_321);
}

#[test]
fn fifteen_percent_of_97_90_is_not_a_whole_number_of_centavos() {
    assert!(!Discount::Percent(15).is_whole_on(Centavos::new(9_790)));
    assert!(Discount::Percent(10).is_whole_on(Centavos::new(9_790)));
}
