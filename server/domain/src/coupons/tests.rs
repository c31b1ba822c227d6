//! Which coupons are found and where they are refused.

use super::*;
use crate::catalog::{Catalog, catalog};

fn context(now: &str, campaign: CampaignSwitch, history: BuyerHistory) -> PriceContext {
    PriceContext { now: Timestamp::parse_rfc3339(now).unwrap(), campaign, history }
}

fn check(id: &str, plan: PlanId, interval: Interval, context: &PriceContext) -> Result<(), CouponRefusal> {
    catalog().coupon(id).unwrap().check(plan, interval, context, &catalog().campaign)
}

#[test]
fn a_coupon_is_found_by_id_or_code_ignoring_case_and_accents() {
    for (written, id, code) in [
        ("novo10", "novo10", "NOVO10"),
        ("NOVO10", "novo10", "NOVO10"),
        ("novo-usuario", "novo10", "NOVO10"),
        ("bf40", "BF40", "BF40"),
        ("blackfriday", "BF40", "BF40"),
        ("Aniversário", "aniversario15", "ANIVERSARIO15"),
        (" COMEBACK30 ", "COMEBACK30", "COMEBACK30"),
        ("parceiro10", "parceiro10", "PARCEIRO10"),
        ("parceiro10:maria", "parceiro10", "MARIA"),
        ("blacknovember", "blacknovember", "BLACKNOVEMBER"),
    ] {
        let chosen = catalog().coupon_named(written).unwrap();
        assert_eq!((chosen.coupon.id.as_str(), chosen.code.as_str()), (id, code), "{written}");
    }
}

#[test]
fn an_unknown_code_does_not_become_a_partner_coupon() {
    for written in
        ["", "naoexiste", "10%", "novo10 x", "parceiro10:", "parceiro10:novo", "novo10:maria", "a:b:c"]
    {
        assert_eq!(catalog().coupon_named(written), Err(CouponRefusal::Unknown), "{written}");
    }
}

#[test]
fn only_novo10_requires_a_first_subscription() {
    let returning = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::PaidBefore);
    for coupon in &catalog().coupons {
        let refused = coupon.check(PlanId::ELITE_PRO_1, Interval::Monthly, &returning, &catalog().campaign);
        let expected = if coupon.id == "novo10" { Err(CouponRefusal::NotFirstSubscription) } else { Ok(()) };
        assert_eq!(refused, expected, "{}", coupon.id);
    }
}

#[test]
fn only_blacknovember_is_limited_to_the_monthly_interval() {
    let buyer = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::FirstSubscription);
    for coupon in &catalog().coupons {
        for interval in [Interval::Quarterly, Interval::Semiannual, Interval::Annual] {
            let refused = coupon.check(PlanId::ELITE_NIVEL_1, interval, &buyer, &catalog().campaign);
            let expected =
                if coupon.id == "blacknovember" { Err(CouponRefusal::MonthlyOnly) } else { Ok(()) };
            assert_eq!(refused, expected, "{} {interval}", coupon.id);
        }
    }
}

#[test]
fn blacknovember_is_valid_for_elite_nivel_1_and_each_elite_pro() {
    let buyer = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::FirstSubscription);
    for plan in catalog().plans_for_sale() {
        let covered = plan.id == PlanId::ELITE_NIVEL_1 || plan.name.starts_with("Elite PRO");
        let expected = if covered { Ok(()) } else { Err(CouponRefusal::OtherPlan) };
        assert_eq!(check("blacknovember", plan.id, Interval::Monthly, &buyer), expected, "{}", plan.id);
    }
}

#[test]
fn blacknovember_is_accepted_until_24_hours_after_the_campaign() {
    for (now, campaign, expected) in [
        ("2026-11-01T02:59:59Z", CampaignSwitch::Auto, Err(CouponRefusal::CampaignOff)),
        ("2026-11-01T03:00:00Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-01T02:59:59Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-02T02:59:59Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-02T03:00:00Z", CampaignSwitch::Auto, Err(CouponRefusal::CampaignOff)),
        ("2026-06-01T12:00:00Z", CampaignSwitch::On, Ok(())),
        ("2026-11-10T12:00:00Z", CampaignSwitch::Off, Err(CouponRefusal::CampaignOff)),
    ] {
        let context = context(now, campaign, BuyerHistory::FirstSubscription);
        assert_eq!(
            check("blacknovember", PlanId::ELITE_NIVEL_1, Interval::Monthly, &context),
            expected,
            "{now}"
        );
    }
}

/// The provider's discount in centavos under each rounding that it may have: half up, half to even,
/// down.
fn provider_discounts(discount: Discount, price: Centavos) -> [i64; 3] {
    let Discount::Percent(percent) = discount else {
        return [discount.on(price).get(); 3];
    };
    let hundredths = price.get() * i64::from(percent);
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    let half_even = whole + i64::from(rest > 50 || rest == 50 && whole % 2 == 1);
    [whole + i64::from(rest >= 50), half_even, whole]
}

/// Whether a discount on a price is a whole number of centavos before any rounding.
fn is_whole(discount: Discount, price: Centavos) -> bool {
    match discount {
        Discount::Percent(percent) => price.get() * i64::from(percent) % 100 == 0,
        Discount::Amount(_) => true,
    }
}

#[test]
fn the_provider_coupon_gives_our_discount_for_each_plan_interval_and_rounding() {
    let mut derived = 0;
    for coupon in &catalog().coupons {
        for plan in catalog().plans_for_sale() {
            for interval in Interval::ALL {
                let price = plan.list_price(interval).unwrap().price;
                let ours = coupon.discount.on(price).get();
                let held = coupon.at_provider_for(price);
                let what = format!("{} {} {interval}", coupon.id, plan.id);

                assert_eq!(provider_discounts(held.discount, price), [ours; 3], "{what}");
                assert_eq!(held.name, coupon.code, "{what}");
                if let Some(own) = &held.derived_from {
                    derived += 1;
                    assert_eq!((own, &held.id), (&coupon.id, &format!("{}-{ours}", coupon.id)), "{what}");
                    assert!(!is_whole(coupon.discount, price), "{what} needs no amount");
                } else {
                    assert!(is_whole(coupon.discount, price), "{what} needs an amount");
                    assert_eq!((&held.id, held.discount), (&coupon.id, coupon.discount), "{what}");
                }
            }
        }
    }
    assert!(derived > 36, "each 15% coupon has half a centavo on 12 monthly prices: {derived}");
}

#[test]
fn provider_coupons_have_unique_ids_and_cover_each_coupon_plan_and_interval() {
    let held = catalog().provider_coupons();
    for (at, one) in held.iter().enumerate() {
        assert!(held[..at].iter().all(|other| !other.id.eq_ignore_ascii_case(&one.id)), "{} twice", one.id);
    }
    for coupon in &catalog().coupons {
        assert!(held.contains(&coupon.at_provider()), "{}", coupon.id);
        for plan in catalog().plans_for_sale() {
            for interval in Interval::ALL.into_iter().filter(|interval| coupon.is_for(plan.id, *interval)) {
                let wanted = coupon.at_provider_for(plan.list_price(interval).unwrap().price);
                assert!(held.contains(&wanted), "{}", wanted.id);
            }
        }
    }
}

#[test]
fn a_discount_that_rounds_to_zero_keeps_the_percentage_coupon() {
    let coupon = catalog().coupon("aniversario15").unwrap();
    assert_eq!(coupon.discount.on(Centavos::new(3)), Centavos::ZERO);
    assert_eq!(coupon.at_provider_for(Centavos::new(3)), coupon.at_provider());
}

/// The catalogue with one coupon alone: 15%, which has half a centavo on every monthly price.
fn with_coupon(change: impl FnOnce(&mut Coupon)) -> Catalog {
    let mut coupon = Coupon {
        id: "interno".to_owned(),
        code: "PARA-TODOS".to_owned(),
        discount: Discount::Percent(15),
        first_subscription_only: false,
        monthly_only: false,
        campaign_only: false,
        plans: vec![PlanId::TOP_AFILIADO],
    };
    change(&mut coupon);
    Catalog { coupons: vec![coupon], ..catalog().clone() }
}

fn held(catalog: &Catalog) -> Vec<String> {
    catalog.provider_coupons().into_iter().map(|coupon| coupon.id).collect()
}

#[test]
fn derived_provider_coupons_exist_only_for_the_plans_and_intervals_of_the_coupon() {
    let of_one_plan = with_coupon(|_| ());
    assert_eq!(held(&of_one_plan), ["interno", "interno-1469", "interno-3524"], "R$ 97,90 and R$ 234,96");

    let of_no_month = with_coupon(|coupon| coupon.plans = vec![PlanId::PROFISSIONAL]);
    assert_eq!(held(&of_no_month), ["interno"], "a plan that is not for sale");

    let odd = |monthly_only| {
        let change = |coupon: &mut Coupon| {
            (coupon.discount, coupon.monthly_only) = (Discount::Percent(33), monthly_only);
        };
        held(&with_coupon(change))
    };
    assert_eq!(odd(true), ["interno", "interno-3231"]);
    assert_eq!(
        odd(false),
        ["interno", "interno-3231", "interno-7754", "interno-12923", "interno-19384"],
        "33% of R$ 97,90, R$ 234,96, R$ 391,60 and R$ 587,40"
    );
}

#[test]
fn id_and_code_lead_to_the_same_coupon_when_they_differ() {
    let catalog = with_coupon(|_| ());
    for written in ["interno", "INTERNO", "para-todos", "PARA-TODOS"] {
        let chosen = catalog.coupon_named(written).unwrap();
        assert_eq!((chosen.coupon.id.as_str(), chosen.code.as_str()), ("interno", "PARA-TODOS"), "{written}");
    }
}

#[test]
fn only_a_percentage_discount_has_a_percent() {
    assert_eq!(Discount::Percent(15).percent(), Some(15));
    assert_eq!(Discount::Amount(Centavos::new(100)).percent(), None);
}
