//! Prices: one number from the card to the invoice (section 9 of the specification, design.md sections 6 and 7).

use e2e::visitor::session_id;
use e2e::{App, Person};
use garimpo_proto::billing::v1::{
    CreateCheckoutSessionRequest, GetPromotionRequest, ListPlansRequest, ListUpsellOffersRequest,
    PlanInterval,
};
use tonic::Code;

#[tokio::test]
async fn catalogo_tem_os_precos_da_especificacao() {
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
async fn ofertas_do_top_afiliado_tem_os_valores_da_especificacao_e_somam_certo() {
    let app = App::start().await;
    let request = ListUpsellOffersRequest { plan_id: "Top Afiliado".into(), coupon_id: String::new() };

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
async fn so_a_oferta_anual_aparece_para_elite_nivel_1_e_elite_pro() {
    let app = App::start().await;
    let mut billing = app.billing().await;
    for (plan, count) in
        [("Elite Nível 1", 1), ("Elite PRO 3", 1), ("Elite Nível 2", 3), ("Elite Nível 3", 3)]
    {
        let request = ListUpsellOffersRequest { plan_id: plan.into(), coupon_id: String::new() };
        let offers = billing.list_upsell_offers(request).await.unwrap().into_inner().offers;
        assert_eq!(offers.len(), count, "{plan}");
        assert_eq!(offers.last().unwrap().interval, "anual", "{plan}");
    }
}

#[tokio::test]
async fn promocao_da_o_desconto_do_seu_codigo_e_um_codigo_qualquer_da_dez_por_cento() {
    let app = App::start().await;
    let mut billing = app.billing().await;
    let mut promotion = async |code: &str| {
        let request = GetPromotionRequest { code: code.into() };
        billing.get_promotion(request).await.map(|answer| answer.into_inner().promotion.expect("a promotion"))
    };

    let friday = promotion("BlackFriday").await.unwrap();
    let partner = promotion("maria").await.unwrap();
    let bad = promotion("não vale!").await.unwrap_err();

    assert_eq!((friday.discount, friday.coupon_code.as_str(), friday.show_countdown), (40, "BF40", true));
    assert_eq!((partner.discount, partner.coupon_code.as_str()), (10, "MARIA"));
    assert_eq!(bad.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn o_preco_e_um_so_da_oferta_a_fatura() {
    let app = App::start().await;
    let mut billing = app.billing().await;
    for (plan, coupon, interval, price) in [
        ("elite_nivel_2", "", "semestral", 87_160),
        ("elite_nivel_3", "BF40", "trimestral", 35_698),
        ("top_afiliado", "hyeser15", "monthly", 8_321),
    ] {
        let ana = app.visitor().signs_up(&Person::new()).await;
        let offers = ListUpsellOffersRequest { plan_id: plan.into(), coupon_id: coupon.into() };
        let offers = billing.list_upsell_offers(offers).await.unwrap().into_inner();
        let offered =
            offers.offers.iter().find(|offer| offer.interval == interval).map(|offer| offer.price_centavos);
        assert_eq!(offered.unwrap_or(offers.selected_price_centavos), price, "{plan} {coupon}");

        ana.opens_checkout("Elite PRO 6", "anual").await;
        let request = CreateCheckoutSessionRequest {
            email: ana.email.clone(),
            plan_name: plan.into(),
            interval: interval.into(),
            coupon_id: coupon.into(),
            shown_price_centavos: Some(price),
            ..Default::default()
        };
        let secret = billing.create_checkout_session(ana.authorized(request)).await.unwrap().into_inner();
        let session = session_id(&secret.client_secret);
        assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
        ana.becomes_active().await;

        let held = app.provider().object(&format!("/v1/checkout/sessions/{session}?expand[]=invoice")).await;
        assert_eq!(held["amount_total"], price, "{plan} {coupon}");
        assert_eq!(held["invoice"]["amount_paid"], price, "{plan} {coupon}");
    }
}
