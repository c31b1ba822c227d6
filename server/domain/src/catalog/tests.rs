//! The embedded files are whole, and broken ones are refused with the row at fault.

use super::promotions_file::CouponRow;
use super::*;
use crate::campaign::MonthDay;
use crate::coupons::Discount;
use crate::money::Centavos;

#[test]
fn the_embedded_catalogue_has_one_row_per_plan_in_the_order_of_ids() {
    let catalog = Catalog::read(PLANS, PROMOTIONS).unwrap();
    assert_eq!(catalog.plans.iter().map(|plan| plan.id).collect::<Vec<_>>(), PlanId::ALL);
}

#[test]
fn a_plan_name_is_found_ignoring_case_accents_and_spaces() {
    for (written, expected) in [
        ("Elite Nível 1", PlanId::ELITE_NIVEL_1),
        ("  ELITE  nivel 1 ", PlanId::ELITE_NIVEL_1),
        ("elite_nivel_1", PlanId::ELITE_NIVEL_1),
        ("Elite_Nivel_1", PlanId::ELITE_NIVEL_1),
        ("elite pro 6", PlanId::ELITE_PRO_6),
        ("Elite", PlanId::ELITE),
        ("Top Afiliado", PlanId::TOP_AFILIADO),
        ("top_afiliado_promo", PlanId::TOP_AFILIADO_PROMO),
        ("Iniciante Free", PlanId::FREE),
        ("free", PlanId::FREE),
        ("profissional", PlanId::PROFISSIONAL),
    ] {
        assert_eq!(catalog().plan_named(written).map(|plan| plan.id), Some(expected), "{written}");
    }
    for unknown in ["", "elite nivel 7", "elite-pro-1", "ELITE PRO"] {
        assert!(catalog().plan_named(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn an_unknown_plan_is_shown_by_its_id_and_a_missing_one_as_not_available() {
    assert_eq!(catalog().display_name(Some("elite_pro_20")), "Elite PRO 20");
    assert_eq!(catalog().display_name(Some("top_afiliado_promo")), "Top Afiliado");
    assert_eq!(catalog().display_name(Some("plano_antigo")), "plano_antigo");
    assert_eq!(catalog().display_name(None), "N/A");
    assert_eq!(catalog().display_name(Some("")), "N/A");
}

fn plans_with(from: &str, to: &str) -> Result<Catalog, CatalogError> {
    assert!(PLANS.contains(from), "{from}");
    Catalog::read(&PLANS.replacen(from, to, 1), PROMOTIONS)
}

#[test]
fn a_contradictory_plan_row_is_refused() {
    for (from, to, problem) in [
        (
            "extends = \"top_afiliado\"",
            "extends = \"elite_pro_6\"",
            "plan elite_nivel_1 extends a plan that is not above it",
        ),
        ("id = \"elite_nivel_2\"", "id = \"elite_nivel_1\"", "plan elite_nivel_1 has two rows"),
        (
            "price = 217_90",
            "price = 0",
            "plan elite_nivel_2 has a price that is not positive or above its original",
        ),
        (
            "original = 237_90",
            "original = 137_90",
            "plan elite_nivel_1 has a price that is not positive or above its original",
        ),
        (
            "[plans.prices.monthly]",
            "[plans.prices.annual]",
            "plan top_afiliado has a longer period's price and no monthly one",
        ),
        ("quarterly = [80, 100]", "quarterly = [80, 0]", "plan top_afiliado has a share of zero parts"),
        ("telegram_bot_accounts = 1", "telegram_bots = 1", "catalog/plans.toml cannot be read"),
        (
            "group = \"top_afiliado\"\n",
            "",
            "plan top_afiliado is sold without a card or has a card and no price",
        ),
        (
            "main_feature = ",
            "badge = ",
            "plan top_afiliado is sold without a card or has a card and no price",
        ),
    ] {
        assert_eq!(plans_with(from, to).unwrap_err().to_string(), problem);
    }
}

#[test]
fn a_plan_without_a_row_is_refused() {
    let last = PLANS.rfind("[[plans]]").unwrap();
    let refused = Catalog::read(&PLANS[..last], PROMOTIONS).unwrap_err();
    assert_eq!(refused.to_string(), "plan admin has no row");
}

#[test]
fn the_price_of_an_interval_can_be_set_in_the_data() {
    let own =
        "[plans.prices.annual]\noriginal = 2600_00\nprice = 1300_00\n[plans.prices.monthly]\nprice = 217_90";
    let catalog = plans_with("[plans.prices.monthly]\nprice = 217_90", own).unwrap();
    let annual = catalog.plan(PlanId::ELITE_NIVEL_2).list_price(crate::Interval::Annual).unwrap();
    assert_eq!(annual.price, crate::Centavos::reais(1300, 0));
    assert_eq!(annual.original, Some(crate::Centavos::reais(2600, 0)));
}

#[test]
fn a_contradictory_coupon_or_promotion_is_refused() {
    for (from, to, problem) in [
        (
            "percent = 50",
            "percent = 0",
            "coupon or promotion 'final50' takes off neither a percentage nor an amount, or both",
        ),
        ("id = \"hyeser15\"", "id = \"final50\"", "coupon or promotion 'final50' has two rows"),
        (
            "coupon_id = \"hyeser15\"",
            "coupon_id = \"blacknovember\"",
            "coupon or promotion 'blacknovember' is no coupon with a percentage",
        ),
        (
            "codes = [\"final\"]",
            "codes = [\"Final\"]",
            "coupon or promotion 'final50' has a code with capitals or accents",
        ),
        ("campaign_only = true", "campaign_only = false", "the campaign names a coupon that is not its own"),
    ] {
        assert!(PROMOTIONS.contains(from), "{from}");
        let refused = Catalog::read(PLANS, &PROMOTIONS.replacen(from, to, 1)).unwrap_err();
        assert_eq!(refused.to_string(), problem);
    }
}

#[test]
fn the_brand_has_https_links_and_its_social_networks() {
    let brand = &catalog().brand;
    let links = [
        &brand.links.app_login,
        &brand.links.help_center,
        &brand.links.whatsapp_support,
        &brand.links.whatsapp_sales,
    ];
    for url in links.into_iter().chain(brand.socials.iter().map(|social| &social.url)) {
        assert!(url.starts_with("https://"), "{url}");
    }
    let platforms: Vec<&str> = brand.socials.iter().map(|social| social.platform.as_str()).collect();
    assert_eq!(platforms, ["tiktok", "youtube", "instagram", "facebook"]);
}

#[test]
fn the_smallest_plan_for_a_limit_is_the_cheapest_one_for_sale() {
    for (resource, wanted, expected) in [
        (Resource::WhatsappGroups, 3, Some(PlanId::TOP_AFILIADO)),
        (Resource::WhatsappGroups, 4, Some(PlanId::ELITE_NIVEL_1)),
        (Resource::WhatsappGroups, 21, Some(PlanId::ELITE_NIVEL_4)),
        (Resource::WhatsappNumbers, 2, Some(PlanId::ELITE_NIVEL_5)),
        (Resource::WhatsappNumbers, 6, Some(PlanId::ELITE_PRO_6)),
        (Resource::WhatsappNumbers, 7, None),
    ] {
        let found = catalog().smallest_plan_for(resource, wanted).map(|plan| plan.id);
        assert_eq!(found, expected, "{} {wanted}", resource.name());
    }
}

#[test]
fn the_days_of_the_campaign_exist_in_each_year_and_do_not_cross_new_year() {
    let check = |first: (u8, u8), last: (u8, u8)| {
        let [first_day, last_day] = [first, last].map(|(month, day)| MonthDay { month, day });
        let campaign = Campaign { first_day, last_day, ..catalog().campaign.clone() };
        check_campaign(&campaign, &catalog().coupons).map_err(|error| error.to_string())
    };
    assert_eq!(check((11, 1), (11, 30)), Ok(()));
    assert_eq!(check((11, 15), (11, 15)), Ok(()), "a single day");
    for (first, last) in [((2, 29), (3, 31)), ((2, 1), (2, 29)), ((2, 30), (2, 31)), ((12, 20), (1, 5))] {
        let refused = check(first, last).unwrap_err();
        assert_eq!(refused, "the campaign has days that do not follow each other in every year", "{first:?}");
    }
}

#[test]
fn the_coupon_of_the_campaign_is_for_the_campaign_only() {
    for id in ["novo10", "naoexiste"] {
        let campaign = Campaign { coupon_id: id.to_owned(), ..catalog().campaign.clone() };
        let refused = check_campaign(&campaign, &catalog().coupons).unwrap_err();
        assert_eq!(refused.to_string(), "the campaign names a coupon that is not its own", "{id}");
    }
}

#[test]
fn a_coupon_row_needs_exactly_one_discount_within_its_bounds() {
    for (row, discount) in [
        ("percent = 1", Some(Discount::Percent(1))),
        ("percent = 100", Some(Discount::Percent(100))),
        ("percent = 0", None),
        ("percent = 101", None),
        ("amount_off = 1", Some(Discount::Amount(Centavos::new(1)))),
        ("amount_off = 0", None),
        ("amount_off = -100", None),
        ("percent = 10\namount_off = 100", None),
        ("", None),
    ] {
        let row: CouponRow = toml::from_str(&format!("id = \"a\"\ncode = \"A\"\n{row}")).unwrap();
        assert_eq!(row.coupon().ok().map(|coupon| coupon.discount), discount);
    }
}
