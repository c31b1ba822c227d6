//! Each price is the same amount from the card of the plan to the invoice.

use std::collections::BTreeSet;

use e2e::visitor::session_id;
use e2e::{App, Person, Visitor, ledger, soak};
use garimpo_proto::billing::v1::{
    ChangePlanRequest, CreateCheckoutSessionRequest, GetPromotionRequest, ListInvoicesRequest,
    ListPlansRequest, ListUpsellOffersRequest, Plan, PlanInterval, PlanPrice, PreviewPlanChangeRequest,
};
use serde_json::json;
use tonic::Code;
use tonic_types::StatusExt as _;

const VISA: &str = "4242424242424242";

#[tokio::test]
async fn the_catalogue_has_the_documented_prices() {
    let app = App::start().await;

    let catalogue = app.billing().await.list_plans(ListPlansRequest {}).await.unwrap().into_inner();

    assert!(!catalogue.black_november);
    let monthly = |id: &str| {
        let plan = catalogue.plans.iter().find(|plan| plan.id == id).expect("the plan");
        plan.prices
            .iter()
            .find(|price| price.interval() == PlanInterval::Monthly)
            .expect("a price")
            .price_centavos
    };
    let expected = [
        ("top_afiliado", 9_790),
        ("elite_nivel_1", 19_790),
        ("elite_nivel_2", 21_790),
        ("elite_nivel_3", 24_790),
        ("elite_nivel_4", 23_790),
        ("elite_nivel_5", 29_790),
        ("elite_nivel_6", 40_790),
        ("elite_pro_1", 29_790),
        ("elite_pro_2", 44_790),
        ("elite_pro_3", 59_790),
        ("elite_pro_4", 74_790),
        ("elite_pro_5", 89_790),
        ("elite_pro_6", 104_790),
    ];
    for (id, price) in expected {
        assert_eq!(monthly(id), price, "{id}");
    }
}

#[tokio::test]
async fn the_offers_of_top_afiliado_have_the_documented_amounts() {
    let app = App::start().await;
    let request = ListUpsellOffersRequest {
        plan_id: "Top Afiliado".into(),
        coupon_id: String::new(),
        ..Default::default()
    };

    let offers = app.billing().await.list_upsell_offers(request).await.unwrap().into_inner();

    let seen: Vec<_> = offers
        .offers
        .iter()
        .map(|offer| {
            (offer.interval.as_str(), offer.price_centavos, offer.extra_amount_centavos, offer.discount)
        })
        .collect();
    // 234,96, 391,60 and 587,40, less the 97,90 of the chosen month.
    let expected = [
        ("trimestral", 23_496, 13_706, 20),
        ("semestral", 39_160, 29_370, 33),
        ("anual", 58_740, 48_950, 50),
    ];
    assert_eq!(seen, expected);
    assert_eq!(offers.offers[1].badge, "Mais Popular");
    assert!(offers.offers[1].highlight);
}

#[tokio::test]
async fn elite_nivel_1_and_elite_pro_get_the_annual_offer_only() {
    let app = App::start().await;
    let mut billing = app.billing().await;
    for (plan, count) in
        [("Elite Nível 1", 1), ("Elite PRO 3", 1), ("Elite Nível 2", 3), ("Elite Nível 3", 3)]
    {
        let request =
            ListUpsellOffersRequest { plan_id: plan.into(), coupon_id: String::new(), ..Default::default() };
        let offers = billing.list_upsell_offers(request).await.unwrap().into_inner().offers;
        assert_eq!(offers.len(), count, "{plan}");
        assert_eq!(offers.last().unwrap().interval, "anual", "{plan}");
    }
}

#[tokio::test]
async fn an_offer_names_its_coupon_and_the_kept_coupon_applies_where_the_campaign_does_not() {
    let app = App::start_with(&[("GARIMPO_BLACK_NOVEMBER", "on")]).await;
    let request = ListUpsellOffersRequest {
        plan_id: "Elite Nível 1".into(),
        coupon_id: CAMPAIGN.into(),
        kept_coupon_id: "bf40".into(),
    };

    let offers = app.billing().await.list_upsell_offers(request).await.unwrap().into_inner();

    assert_eq!((offers.selected_price_centavos, offers.selected_coupon_id.as_str()), (9_790, CAMPAIGN));
    let annual = &offers.offers[0];
    assert_eq!((annual.price_centavos, annual.coupon_id.as_str()), (71_244, "BF40"));
    assert_eq!(annual.coupon_code, "BF40");
}

#[tokio::test]
async fn a_promotion_code_gives_its_own_discount_and_any_other_code_ten_percent() {
    let app = App::start().await;
    let mut billing = app.billing().await;
    let mut promotion = async |code: &str| {
        let request = GetPromotionRequest { code: code.into(), ..Default::default() };
        billing.get_promotion(request).await.map(|answer| answer.into_inner().promotion.expect("a promotion"))
    };

    let friday = promotion("BlackFriday").await.unwrap();
    let partner = promotion("maria").await.unwrap();
    let bad = promotion("não vale!").await.unwrap_err();

    assert_eq!((friday.discount, friday.coupon_code.as_str(), friday.show_countdown), (40, "BF40", true));
    assert_eq!((partner.discount, partner.coupon_code.as_str()), (10, "MARIA"));
    for (black_november, coupon) in [("on", "blacknovember"), ("off", "novo10")] {
        let app = App::start_with(&[("GARIMPO_BLACK_NOVEMBER", black_november)]).await;
        let asked = GetPromotionRequest { code: "blacknovember".into(), ..Default::default() };
        let campaign = app.billing().await.get_promotion(asked).await.unwrap().into_inner().promotion;
        assert_eq!(campaign.expect("a promotion").coupon_id, coupon, "{black_november}");
    }
    assert_eq!(bad.code(), Code::InvalidArgument);
}

/// Each coupon and its percentage off a first payment. The campaign's coupon takes an amount.
const COUPONS: [(&str, i64); 11] = [
    ("", 0),
    ("novo10", 10),
    ("aniversario15", 15),
    ("final50", 50),
    ("papodeafiliado15", 15),
    ("shopeegold10", 10),
    ("hyeser15", 15),
    ("BF40", 40),
    ("COMEBACK30", 30),
    ("parceiro10:MARIA", 10),
    (CAMPAIGN, 0),
];
const CAMPAIGN: &str = "blacknovember";

/// The first payment by the rules of `docs/requirements.md`; `None` if the coupon does not apply.
fn first_payment(
    plan: &str,
    interval: PlanInterval,
    price: i64,
    coupon: (&str, i64),
    runs: bool,
) -> Option<i64> {
    match coupon {
        (CAMPAIGN, _) => {
            let is_in = plan == "elite_nivel_1" || plan.starts_with("elite_pro_");
            (runs && is_in && interval == PlanInterval::Monthly).then_some((price - 10_000).max(0))
        }
        (_, percent) => Some(price - (price * percent + 50) / 100),
    }
}

const fn written(interval: PlanInterval) -> &'static str {
    match interval {
        PlanInterval::Quarterly => "trimestral",
        PlanInterval::Semiannual => "semestral",
        PlanInterval::Annual => "anual",
        _ => "monthly",
    }
}

/// Each plan in each period, with one coupon each (in `make soak` with every coupon), inside and
/// outside of the campaign, under each rounding of the provider: card, promotion, offer and session
/// show the same amount. For one of each coupon, payment, invoice and mail do, too.
#[tokio::test]
async fn each_price_is_one_amount_from_card_to_invoice_for_plans_intervals_coupons_and_campaign() {
    for (campaign, rounding) in [("off", "half_up"), ("on", "half_even"), ("off", "down")] {
        let app = App::start_with(&[("GARIMPO_BLACK_NOVEMBER", campaign)]).await;
        app.provider().behaves(json!({ "coupon_rounding": rounding })).await;
        let mut billing = app.billing().await;
        let catalogue = billing.list_plans(ListPlansRequest {}).await.unwrap().into_inner();
        let mut paid = BTreeSet::new();
        let mut turn = 0;
        for plan in catalogue.plans.iter().filter(|plan| plan.for_sale) {
            let mut ana = app.visitor().signs_up(&Person::new()).await;
            ana.opens_checkout("Top Afiliado", "anual").await;
            for price in &plan.prices {
                turn += 1;
                let coupons = COUPONS.iter().enumerate();
                // The campaign's coupon applies to few prices, so it is tried additionally.
                let is_its = plan.id == "elite_nivel_1" && price.interval() == PlanInterval::Monthly;
                let comes = |at: usize, id: &str| {
                    soak::is_long() || turn % COUPONS.len() == at || id == CAMPAIGN && is_its
                };
                for (_, coupon) in coupons.filter(|(at, coupon)| comes(*at, coupon.0)) {
                    let (interval, regular, runs) =
                        (price.interval(), price.price_centavos, campaign == "on");
                    let expected = first_payment(&plan.id, interval, regular, *coupon, runs);
                    let what = format!("{} {interval:?} {} {campaign} {rounding}", plan.id, coupon.0);
                    assert_eq!(shown(&app, plan, price, coupon.0).await, expected, "{what}");
                    let session = opens(&ana, &plan.id, interval, coupon.0, expected).await;
                    let (Some(session), Some(expected)) = (session, expected) else { continue };
                    let held = app.provider().object(&format!("/v1/checkout/sessions/{session}")).await;
                    assert_eq!(held["amount_total"], expected, "{what}");
                    if paid.insert(coupon.0) {
                        assert_charged_as_shown(&app, &ana, &session, expected).await;
                        ana = app.visitor().signs_up(&Person::new()).await;
                    }
                }
            }
        }
        let payable = COUPONS.iter().map(|(id, _)| *id).filter(|id| campaign == "on" || *id != CAMPAIGN);
        assert_eq!(paid, payable.collect::<BTreeSet<_>>(), "{campaign} {rounding}: each coupon is paid with");
    }
}

/// The first payment shown by cards, promotions and offers, which must be one number; `None` if
/// none of them gives the coupon.
async fn shown(app: &App, plan: &Plan, price: &PlanPrice, coupon: &str) -> Option<i64> {
    let mut billing = app.billing().await;
    let on_card = match coupon {
        "" => Some(price.price_centavos),
        CAMPAIGN => price.coupon_id.as_deref().filter(|id| *id == CAMPAIGN).and(price.first_month_centavos),
        _ => None,
    };
    let asked =
        ListUpsellOffersRequest { plan_id: plan.id.clone(), coupon_id: coupon.into(), ..Default::default() };
    let Ok(offers) = billing.list_upsell_offers(asked).await else { return on_card };
    let offers = offers.into_inner();
    let percent = COUPONS.iter().find(|(id, _)| *id == coupon).map_or(0, |(_, percent)| *percent);
    let less_coupon = price.price_centavos - (price.price_centavos * percent + 50) / 100;
    let offered = match price.interval() {
        // While the campaign runs, the offer has its coupon, but only where that gives more.
        PlanInterval::Monthly if coupon != CAMPAIGN && offers.selected_coupon_id == CAMPAIGN => {
            assert!(offers.selected_price_centavos < less_coupon, "campaign and {coupon} of {}", plan.id);
            None
        }
        PlanInterval::Monthly => Some(offers.selected_price_centavos),
        interval => {
            let offer = offers.offers.iter().find(|offer| offer.interval == written(interval));
            // The campaign's coupon is for the monthly period only, so offers of other periods have
            // their own price.
            offer.filter(|_| coupon != CAMPAIGN).map(|offer| {
                let extra = offer.price_centavos - offers.selected_price_centavos;
                assert_eq!(offer.extra_amount_centavos, extra, "{} {coupon}", plan.id);
                offer.price_centavos
            })
        }
    };
    if let (Some(card), Some(offered)) = (on_card, offered) {
        assert_eq!(card, offered, "card and offer of {} {coupon}", plan.id);
    }
    // A period that is not offered for a plan is sold at the catalogue's price less the coupon.
    on_card.or(offered).or((coupon != CAMPAIGN).then_some(less_coupon))
}

/// Opens a checkout at the price that was shown; refused where the coupon does not apply.
async fn opens(
    who: &Visitor,
    plan: &str,
    interval: PlanInterval,
    coupon: &str,
    shown: Option<i64>,
) -> Option<String> {
    let request = CreateCheckoutSessionRequest {
        email: who.email.clone(),
        plan_name: plan.into(),
        interval: written(interval).into(),
        coupon_id: coupon.into(),
        shown_price_centavos: shown,
        ..Default::default()
    };
    let opened = who.billing().await.create_checkout_session(who.authorized(request)).await;
    match opened {
        Ok(opened) => Some(session_id(&opened.into_inner().client_secret)),
        Err(refused) => {
            let reason = refused.get_details_error_info().expect("a reason").reason;
            assert_eq!((reason.as_str(), shown), ("COUPON_NOT_APPLICABLE", None), "{plan} {coupon}");
            None
        }
    }
}

/// Asserts that charge, list of invoices, checkout and mail have the shown price.
async fn assert_charged_as_shown(app: &App, who: &Visitor, session: &str, price: i64) {
    assert_eq!(app.provider().pays_by_card(session, VISA).await, 200);
    who.becomes_active().await;
    let held = app.provider().object(&format!("/v1/checkout/sessions/{session}?expand[]=invoice")).await;
    assert_eq!(held["invoice"]["amount_paid"], price);
    assert_eq!(who.checkout(session).await.expect("known").amount_total_centavos, price);
    let asked = who.authorized(ListInvoicesRequest { page_size: 1, page_token: String::new() });
    let listed = who.billing().await.list_invoices(asked).await.expect("a page").into_inner().invoices;
    assert_eq!((listed[0].total_centavos, listed[0].amount_due_centavos), (price, price));
    let amount = format!("R$ {},{:02}", thousands(price / 100), price % 100);
    e2e::eventually(&format!("a mail of {amount}"), || async {
        let mails = app.provider().mails_to(&who.email).await;
        mails
            .iter()
            .any(|mail| mail["text"].as_str().is_some_and(|text| text.contains(&amount)))
            .then_some(())
    })
    .await;
}

fn thousands(whole: i64) -> String {
    if whole < 1_000 { whole.to_string() } else { format!("{}.{:03}", whole / 1_000, whole % 1_000) }
}

/// From plan to plan and period to period (in `make soak` through all 52 prices): preview, reply,
/// the provider's invoice and our list of invoices show the same amount.
#[tokio::test]
async fn each_plan_change_charges_what_its_preview_showed() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, VISA).await, 200);
    ana.becomes_active().await;
    let mut billing = ana.billing().await;
    let catalogue = billing.list_plans(ListPlansRequest {}).await.unwrap().into_inner();
    let prices = catalogue.plans.iter().flat_map(|plan| plan.prices.iter().map(move |price| (plan, price)));
    // Five does not divide 52, so every plan and every period is tested.
    let step = if soak::is_long() { 1 } else { 5 };
    for (plan, price) in prices.step_by(step) {
        provider.advances_kept(5 * 3_600).await;
        let asked = PreviewPlanChangeRequest { plan_id: plan.id.clone(), interval: price.interval };
        let shown = match billing.preview_plan_change(ana.authorized(asked)).await {
            Ok(shown) => shown.into_inner(),
            // The current plan.
            Err(_) => continue,
        };
        let token = shown.preview_token.clone();
        let confirmed = ana.authorized(ChangePlanRequest { preview_token: token, request_id: None });
        let done = billing.change_plan(confirmed).await.expect("it is changed").into_inner();

        let sum: i64 = shown.lines.iter().map(|line| line.amount_centavos).sum();
        let due = sum + shown.earlier_centavos - shown.credit_used_centavos - shown.carried_centavos;
        let what = format!("{} {:?}: {shown:?}", plan.id, price.interval());
        assert_eq!(shown.amount_due_centavos, due, "{what}");
        assert_eq!(
            (done.charged_centavos, done.credit_centavos),
            (due.max(0), shown.credit_after_centavos),
            "{what}"
        );
        let customer = provider.customer_of(&ana.email).await;
        let made = provider.object(&format!("/v1/invoices?customer={customer}&limit=1")).await;
        let made = &made["data"][0];
        assert_eq!((&made["total"], &made["amount_paid"]), (&json!(sum), &json!(due.max(0))), "{what}");
        let page = ana.authorized(ListInvoicesRequest { page_size: 1, page_token: String::new() });
        let listed = billing.list_invoices(page).await.expect("a page").into_inner().invoices;
        assert_eq!((listed[0].total_centavos, listed[0].amount_due_centavos), (sum, due.max(0)), "{what}");
        let own = ana.get_subscription().await.subscription.expect("one");
        let current = (own.plan_id, own.interval, own.price_centavos);
        let wanted = (plan.id.clone(), price.interval, price.price_centavos);
        assert_eq!(current, wanted, "{what}");
        // A period that begins with the change begins when it is done, a moment after it was shown.
        let late = own.ends_at.expect("an end").seconds - shown.next_payment_at.expect("one").seconds;
        assert!((0..60).contains(&late), "{late} s, {what}");
        assert_eq!(shown.next_payment_centavos, price.price_centavos, "{what}");
    }
    ledger::eventually_agrees(&provider, &ana).await;
}
