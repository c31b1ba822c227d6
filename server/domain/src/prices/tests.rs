//! Every price, to the centavo; expected values are literals.

use proptest::prelude::*;

use super::*;
use crate::campaign::CampaignSwitch;
use crate::catalog::catalog;
use crate::coupons::{BuyerHistory, Discount};
use crate::instant::Timestamp;
use crate::promotions::PromoCode;

/// Monthly, struck monthly, quarterly, semiannual, annual.
const TABLE: [(&str, &str, Option<&str>, [&str; 3]); 13] = [
    ("top_afiliado", "R$ 97,90", Some("R$ 119,90"), ["R$ 234,96", "R$ 391,60", "R$ 587,40"]),
    ("elite_nivel_1", "R$ 197,90", Some("R$ 237,90"), ["R$ 474,96", "R$ 791,60", "R$ 1.187,40"]),
    ("elite_nivel_2", "R$ 217,90", None, ["R$ 522,96", "R$ 871,60", "R$ 1.307,40"]),
    ("elite_nivel_3", "R$ 247,90", None, ["R$ 594,96", "R$ 991,60", "R$ 1.487,40"]),
    ("elite_nivel_4", "R$ 237,90", None, ["R$ 570,96", "R$ 951,60", "R$ 1.427,40"]),
    ("elite_nivel_5", "R$ 297,90", None, ["R$ 714,96", "R$ 1.191,60", "R$ 1.787,40"]),
    ("elite_nivel_6", "R$ 407,90", None, ["R$ 978,96", "R$ 1.631,60", "R$ 2.447,40"]),
    ("elite_pro_1", "R$ 297,90", None, ["R$ 714,96", "R$ 1.191,60", "R$ 1.787,40"]),
    ("elite_pro_2", "R$ 447,90", None, ["R$ 1.074,96", "R$ 1.791,60", "R$ 2.687,40"]),
    ("elite_pro_3", "R$ 597,90", None, ["R$ 1.434,96", "R$ 2.391,60", "R$ 3.587,40"]),
    ("elite_pro_4", "R$ 747,90", None, ["R$ 1.794,96", "R$ 2.991,60", "R$ 4.487,40"]),
    ("elite_pro_5", "R$ 897,90", None, ["R$ 2.154,96", "R$ 3.591,60", "R$ 5.387,40"]),
    ("elite_pro_6", "R$ 1.047,90", None, ["R$ 2.514,96", "R$ 4.191,60", "R$ 6.287,40"]),
];

fn plan(id: &str) -> &'static Plan {
    catalog().plan(PlanId::parse(id).unwrap())
}

fn context(campaign: CampaignSwitch) -> PriceContext {
    let now = Timestamp::parse_rfc3339("2026-06-15T12:00:00Z").unwrap();
    PriceContext { now, campaign, history: BuyerHistory::FirstSubscription }
}

fn first_payment(id: &str, interval: Interval, coupon: &str) -> Result<String, QuoteError> {
    let chosen = catalog().coupon_named(coupon)?;
    let quote = catalog().quote(plan(id), interval, Some(&chosen), &context(CampaignSwitch::On))?;
    assert_eq!(quote.first_payment + quote.discount, quote.list_price);
    Ok(quote.first_payment.to_string())
}

#[test]
fn list_prices_match_the_specification_to_the_centavo() {
    for (id, monthly, original, longer) in TABLE {
        let price = plan(id).list_price(Interval::Monthly).unwrap();
        assert_eq!(price.price.to_string(), monthly, "{id}");
        assert_eq!(price.original.map(|original| original.to_string()).as_deref(), original, "{id}");

        let periods = [Interval::Quarterly, Interval::Semiannual, Interval::Annual];
        for (interval, expected) in periods.into_iter().zip(longer) {
            let found = plan(id).list_price(interval).unwrap();
            assert_eq!(found.price.to_string(), expected, "{id} {interval}");
            assert_eq!(found.original, Some(price.price * interval.months()), "{id} {interval}");
        }
    }
    assert_eq!(catalog().plans_for_sale().count(), TABLE.len());
}

#[test]
fn without_a_coupon_the_first_payment_is_the_list_price() {
    for plan in catalog().plans_for_sale() {
        for interval in Interval::ALL {
            let quote = catalog().quote(plan, interval, None, &context(CampaignSwitch::Auto)).unwrap();
            assert_eq!(quote.first_payment, plan.list_price(interval).unwrap().price);
            assert_eq!((quote.discount, quote.coupon), (Centavos::ZERO, None));
        }
    }
}

#[test]
fn a_coupon_of_15_percent_on_97_90_gives_83_21() {
    for coupon in ["hyeser", "papodeafiliado", "aniversario", "HYESER15"] {
        assert_eq!(first_payment("top_afiliado", Interval::Monthly, coupon).as_deref(), Ok("R$ 83,21"));
    }
}

#[test]
fn each_code_takes_its_percentage_off_in_any_interval() {
    for (code, monthly, semiannual) in [
        ("novo", "R$ 196,11", "R$ 784,44"),
        ("novo-usuario", "R$ 196,11", "R$ 784,44"),
        ("app", "R$ 196,11", "R$ 784,44"),
        ("aniversario2026", "R$ 185,21", "R$ 740,86"),
        ("final", "R$ 108,95", "R$ 435,80"),
        ("papodeafiliado", "R$ 185,21", "R$ 740,86"),
        ("shopeegold", "R$ 196,11", "R$ 784,44"),
        ("hyeser", "R$ 185,21", "R$ 740,86"),
        ("blackfriday", "R$ 130,74", "R$ 522,96"),
        ("comeback", "R$ 152,53", "R$ 610,12"),
        ("parceiro10:MARIA", "R$ 196,11", "R$ 784,44"),
    ] {
        assert_eq!(first_payment("elite_nivel_2", Interval::Monthly, code).as_deref(), Ok(monthly), "{code}");
        assert_eq!(
            first_payment("elite_nivel_2", Interval::Semiannual, code).as_deref(),
            Ok(semiannual),
            "{code}"
        );
    }
}

#[test]
fn both_rules_of_black_november_are_the_same_coupon() {
    let top = plan("top_afiliado").list_price(Interval::Monthly).unwrap().price;
    for plan in catalog().plans_for_sale() {
        let quote =
            catalog().card_quote(plan, Interval::Monthly, None, &context(CampaignSwitch::On)).unwrap();
        let by_the_rules = if plan.id == PlanId::ELITE_NIVEL_1 {
            top
        } else if plan.id.as_str().starts_with("elite_pro") {
            (quote.list_price - Centavos::reais(100, 0)).max(Centavos::ZERO)
        } else {
            quote.list_price
        };
        assert_eq!(quote.first_payment, by_the_rules, "{}", plan.id);
        let taken = quote.coupon.map(|coupon| coupon.id);
        assert_eq!(
            taken.as_deref(),
            (by_the_rules != quote.list_price).then_some("blacknovember"),
            "{}",
            plan.id
        );
    }
    assert_eq!(first_payment("elite_nivel_1", Interval::Monthly, "blacknovember").as_deref(), Ok("R$ 97,90"));
    assert_eq!(first_payment("elite_pro_6", Interval::Monthly, "blacknovember").as_deref(), Ok("R$ 947,90"));
}

#[test]
fn outside_the_campaign_cards_show_the_list_price() {
    for plan in catalog().plans_for_sale() {
        let quote =
            catalog().card_quote(plan, Interval::Monthly, None, &context(CampaignSwitch::Auto)).unwrap();
        assert_eq!((quote.first_payment, quote.coupon), (quote.list_price, None));
    }
}

#[test]
fn the_code_of_the_page_takes_precedence_over_black_november() {
    let promotion = catalog().promotion(&PromoCode::parse("maria").unwrap());
    let quote = catalog()
        .card_quote(plan("elite_pro_1"), Interval::Monthly, Some(&promotion), &context(CampaignSwitch::On))
        .unwrap();
    assert_eq!(quote.first_payment.to_string(), "R$ 268,11");
    let coupon = quote.coupon.unwrap();
    assert_eq!((coupon.id.as_str(), coupon.code.as_str()), ("parceiro10", "MARIA"));
}

#[test]
fn a_plan_that_is_not_for_sale_has_no_price() {
    for id in ["profissional", "free", "admin", "elite", "iniciante", "elite_pro_20", "top_afiliado_promo"] {
        let refused = catalog().quote(plan(id), Interval::Monthly, None, &context(CampaignSwitch::Auto));
        assert_eq!(refused, Err(QuoteError::PlanNotForSale(plan(id).id)));
    }
}

proptest! {
    #[test]
    fn a_discount_never_exceeds_the_price(price in 1..10_000_000i64, percent in 1..=100u8, amount in 1..10_000_000i64) {
        let price = Centavos::new(price);
        for discount in [Discount::Percent(percent), Discount::Amount(Centavos::new(amount))] {
            let taken = discount.on(price);
            prop_assert!(Centavos::ZERO <= taken && taken <= price);
        }
    }

    #[test]
    fn the_card_and_the_checkout_give_the_same_price(at in 0..13usize, period in 0..4usize, code in 0..10usize, on in any::<bool>()) {
        let codes = ["novo", "aniversario", "final", "papodeafiliado", "shopeegold", "hyeser", "blackfriday", "comeback", "qualquer", ""];
        let plan = plan(TABLE[at].0);
        let interval = Interval::ALL[period];
        let context = context(if on { CampaignSwitch::On } else { CampaignSwitch::Off });
        let promotion = PromoCode::parse(codes[code]).ok().map(|code| catalog().promotion(&code));

        let card = catalog().card_quote(plan, interval, promotion.as_ref(), &context).unwrap();
        let coupon_id = card.coupon.as_ref().map(|coupon| coupon.id.clone());
        let coupon = coupon_id.as_deref().map(|text| catalog().coupon_named(text).unwrap());
        let order = catalog().quote(plan, interval, coupon.as_ref(), &context).unwrap();

        prop_assert_eq!(card.first_payment, order.first_payment);
        prop_assert_eq!(card.list_price, order.list_price);
    }
}
