//! Which offers show, and their arithmetic.

use super::*;
use crate::campaign::CampaignSwitch;
use crate::catalog::catalog;
use crate::coupons::BuyerHistory;
use crate::instant::Timestamp;

fn context(history: BuyerHistory) -> PriceContext {
    let now = Timestamp::parse_rfc3339("2026-11-15T12:00:00Z").unwrap();
    PriceContext { now, campaign: CampaignSwitch::Auto, history }
}

fn upsell(plan: &str, coupon: Option<&str>) -> Upsell {
    upsell_with_kept(plan, coupon, None, BuyerHistory::FirstSubscription)
}

fn upsell_with_kept(plan: &str, coupon: Option<&str>, kept: Option<&str>, history: BuyerHistory) -> Upsell {
    let named = |coupon| catalog().coupon_named(coupon).unwrap();
    let plan = catalog().plan_named(plan).unwrap();
    catalog().upsell(plan, coupon.map(named).as_ref(), kept.map(named).as_ref(), &context(history)).unwrap()
}

fn id_of(coupon: Option<&QuotedCoupon>) -> Option<&str> {
    coupon.map(|coupon| coupon.id.as_str())
}

#[test]
fn elite_nivel_1_and_elite_pro_show_only_the_annual_offer() {
    for plan in catalog().plans_for_sale() {
        let shown: Vec<&str> = upsell(plan.id.as_str(), None).offers.iter().map(|offer| offer.id).collect();
        let annual_alone = plan.id == PlanId::ELITE_NIVEL_1 || plan.id.as_str().starts_with("elite_pro");
        let expected: &[&str] = if annual_alone { &["anual"] } else { &["trimestral", "semestral", "anual"] };
        assert_eq!(shown, expected, "{}", plan.id);
    }
}

#[test]
fn the_plan_name_is_compared_in_lower_case() {
    assert!(!is_offer_shown("ELITE NÍVEL 1", Interval::Quarterly));
    assert!(!is_offer_shown("Plano Elite Pro 9", Interval::Semiannual));
    assert!(is_offer_shown("Elite Nível 10", Interval::Quarterly));
    assert!(is_offer_shown("Elite Nível 2", Interval::Semiannual));
    assert!(is_offer_shown("Elite PRO 1", Interval::Annual));
    assert!(!is_offer_shown("Elite Nível 2", Interval::Monthly));
}

#[test]
fn offers_for_elite_nivel_2_are_right_to_the_centavo() {
    let upsell = upsell("Elite Nível 2", None);

    assert_eq!(upsell.selected.first_payment.to_string(), "R$ 217,90");
    let found: Vec<_> = upsell
        .offers
        .iter()
        .map(|offer| {
            (
                offer.original_price.to_string(),
                offer.price.to_string(),
                offer.discount,
                offer.savings_amount.to_string(),
                offer.extra_amount.to_string(),
                offer.badge.as_str(),
                offer.highlight,
            )
        })
        .collect();
    let row = |original: &str, price: &str, off, saving: &str, extra: &str, badge, highlight| {
        (original.to_owned(), price.to_owned(), off, saving.to_owned(), extra.to_owned(), badge, highlight)
    };
    assert_eq!(
        found,
        [
            row("R$ 653,70", "R$ 522,96", 20, "R$ 43,58", "R$ 305,06", "Economia", false),
            row("R$ 1.307,40", "R$ 871,60", 33, "R$ 72,63", "R$ 653,70", "Mais Popular", true),
            row("R$ 2.614,80", "R$ 1.307,40", 50, "R$ 108,95", "R$ 1.089,50", "Melhor Valor", false),
        ]
    );
    let months: Vec<_> = upsell.offers.iter().map(|offer| offer.monthly_equivalent.to_string()).collect();
    assert_eq!(months, ["R$ 174,32", "R$ 145,27", "R$ 108,95"]);
}

#[test]
fn a_percentage_coupon_applies_to_the_offer_and_to_the_monthly_price() {
    let upsell = upsell("Elite Nível 2", Some("novo"));
    let semiannual = &upsell.offers[1];

    assert_eq!(upsell.selected.first_payment.to_string(), "R$ 196,11");
    assert_eq!(semiannual.price.to_string(), "R$ 784,44");
    assert_eq!(semiannual.regular_price.to_string(), "R$ 871,60");
    assert_eq!(semiannual.extra_amount.to_string(), "R$ 588,33");
    assert_eq!(semiannual.discount, 40);
    assert_eq!(semiannual.coupon.as_ref().map(|coupon| coupon.id.as_str()), Some("novo10"));
}

#[test]
fn a_monthly_coupon_does_not_apply_to_an_annual_offer() {
    let upsell = upsell("Elite Nível 1", Some("blacknovember"));
    let annual = &upsell.offers[0];

    assert_eq!(upsell.selected.first_payment.to_string(), "R$ 97,90");
    assert_eq!(annual.price.to_string(), "R$ 1.187,40");
    assert_eq!(annual.extra_amount.to_string(), "R$ 1.089,50");
    assert_eq!(annual.coupon, None);
}

#[test]
fn each_interval_has_the_coupon_with_the_lowest_first_payment() {
    // The selected plan used the campaign coupon or the kept coupon: the prices are the same.
    for chosen in [None, Some("blacknovember"), Some("bf40")] {
        let upsell = upsell_with_kept("Elite Nível 1", chosen, Some("bf40"), BuyerHistory::FirstSubscription);
        let annual = &upsell.offers[0];

        assert_eq!(upsell.selected.first_payment.to_string(), "R$ 97,90", "{chosen:?}");
        assert_eq!(id_of(upsell.selected.coupon.as_ref()), Some("blacknovember"), "{chosen:?}");
        assert_eq!(annual.price.to_string(), "R$ 712,44", "{chosen:?}");
        assert_eq!(id_of(annual.coupon.as_ref()), Some("BF40"), "{chosen:?}");
        assert_eq!(annual.extra_amount.to_string(), "R$ 614,54", "{chosen:?}");
    }
}

#[test]
fn a_plan_selected_without_a_coupon_gets_the_campaign_price() {
    let upsell = upsell("Elite Nível 1", None);

    assert_eq!(upsell.selected.first_payment.to_string(), "R$ 97,90");
    assert_eq!(id_of(upsell.selected.coupon.as_ref()), Some("blacknovember"));
}

#[test]
fn a_kept_coupon_that_is_not_valid_for_the_buyer_is_left_out_of_the_offer() {
    let upsell =
        upsell_with_kept("Elite Nível 1", Some("blacknovember"), Some("novo"), BuyerHistory::PaidBefore);

    assert_eq!(upsell.selected.first_payment.to_string(), "R$ 97,90");
    assert_eq!(upsell.offers[0].coupon, None);
}

#[test]
fn a_coupon_that_is_not_valid_for_the_selected_plan_is_refused() {
    let chosen = catalog().coupon_named("novo").unwrap();
    let plan = catalog().plan(PlanId::ELITE_NIVEL_2);
    assert_eq!(
        catalog().upsell(plan, Some(&chosen), None, &context(BuyerHistory::PaidBefore)),
        Err(QuoteError::CouponNotApplicable(CouponRefusal::NotFirstSubscription))
    );
    let trial = catalog().plan(PlanId::PROFISSIONAL);
    assert!(catalog().upsell(trial, None, None, &context(BuyerHistory::PaidBefore)).is_err());
}

#[test]
fn the_texts_of_an_offer_have_their_amounts_filled_in() {
    let offers = upsell("Elite Nível 2", None).offers;
    assert_eq!(
        offers[0].description,
        "Pague R$ 305,06 a mais agora e fique 3 meses sem pensar em renovação."
    );
    for offer in &offers {
        assert_eq!(offer.features.len(), 4);
        // The card shows the saving itself, so the lines do not repeat it.
        assert!(offer.features.iter().all(|line| !line.contains(&offer.savings_amount.to_string())));
        assert!(offer.features.iter().all(|line| !line.contains('{')));
    }
}

#[test]
fn the_guarantee_is_promised_only_to_a_person_who_has_not_paid_before() {
    let last_lines = |history| {
        let offers = upsell_with_kept("Elite Nível 2", None, None, history).offers;
        offers.into_iter().filter_map(|mut offer| offer.features.pop()).collect::<Vec<_>>()
    };
    assert_eq!(last_lines(BuyerHistory::FirstSubscription), ["Garantia de 7 dias na primeira assinatura"; 3]);
    assert_eq!(last_lines(BuyerHistory::PaidBefore), ["Cancele a renovação quando quiser"; 3]);
}

#[test]
fn the_texts_of_months_for_the_price_of_fewer_are_true_for_each_plan() {
    for plan in catalog().plans_for_sale() {
        let month = plan.list_price(Interval::Monthly).unwrap().price;
        for (interval, months) in [(Interval::Semiannual, 4), (Interval::Annual, 6)] {
            let price = plan.list_price(interval).unwrap().price;
            assert!(price <= month * months, "the text of {interval} is false for {}", plan.id);
        }
    }
}
