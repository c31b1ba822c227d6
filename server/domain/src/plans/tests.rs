//! The tables of the plans, row by row.

use super::*;
use crate::catalog::catalog;
use crate::limits::{Feature, Limit, Resource};
use Resource::{
    AiSearches, AutomaticPromoters, CollaboratorBotAccounts, Monitorings, Queues, Routers,
    TelegramBotAccounts, TelegramGroups, Templates, WhatsappChannels, WhatsappGroups, WhatsappNumbers,
};
use proptest::prelude::*;

/// Numbers, WhatsApp groups, Telegram groups, channels, bot accounts, promoters, queues, AI
/// searches, monitorings, routers, templates, collaborators. `U` is unlimited.
const U: u32 = u32::MAX;
const TOP: [u32; 12] = [1, 3, 3, 0, 1, 0, 1, 0, 0, 0, 2, 0];
const ELITE_1: [u32; 12] = [1, 10, 10, 0, 1, 5, 2, 2, 1, 1, 2, 0];
const ROWS: [(&str, [u32; 12]); 20] = [
    ("top_afiliado", TOP),
    ("elite_nivel_1", ELITE_1),
    ("elite_nivel_2", [1, 20, 20, 0, 1, 8, 3, 5, 3, 2, 2, 0]),
    ("elite_nivel_3", [1, 50, 50, 0, 1, 8, 3, 5, 5, 3, 2, 0]),
    ("elite_nivel_4", [1, U, U, U, 1, 8, 5, 8, 5, 3, 2, 3]),
    ("elite_nivel_5", [2, U, U, U, 1, 8, 5, 8, 5, 3, 2, 3]),
    ("elite_nivel_6", [3, U, U, U, 1, 8, 5, 8, 5, 3, 2, 3]),
    ("elite_pro_1", [1, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_2", [2, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_3", [3, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_4", [4, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_5", [5, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_6", [6, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("elite_pro_20", [20, U, U, U, 1, 10, 5, 10, 10, 5, 2, 3]),
    ("top_afiliado_promo", TOP),
    ("profissional", ELITE_1),
    ("elite", ELITE_1),
    ("iniciante", TOP),
    ("free", [0; 12]),
    ("admin", [U; 12]),
];

#[test]
fn the_limits_of_each_plan_match_the_table() {
    let columns = [
        WhatsappNumbers,
        WhatsappGroups,
        TelegramGroups,
        WhatsappChannels,
        TelegramBotAccounts,
        AutomaticPromoters,
        Queues,
        AiSearches,
        Monitorings,
        Routers,
        Templates,
        CollaboratorBotAccounts,
    ];
    assert_eq!(ROWS.len(), PlanId::ALL.len());
    for (id, row) in ROWS {
        let plan = catalog().plan(PlanId::parse(id).unwrap());
        for (resource, expected) in columns.into_iter().zip(row) {
            let expected = if expected == U { Limit::Unlimited } else { Limit::Max(expected) };
            assert_eq!(plan.limits.get(resource), expected, "{id} {}", resource.name());
        }
    }
}

#[test]
fn only_elite_pro_and_admin_have_the_features() {
    for plan in &catalog().plans {
        let expected = plan.id.as_str().starts_with("elite_pro") || plan.id == PlanId::ADMIN;
        for feature in Feature::ALL {
            assert_eq!(plan.features.has(feature), expected, "{} {}", plan.id, feature.name());
        }
    }
}

#[test]
fn thirteen_plans_are_for_sale_and_ten_are_on_cards_with_their_tabs() {
    let sold: Vec<&str> = catalog().plans_for_sale().map(|plan| plan.name.as_str()).collect();
    assert_eq!(
        sold,
        [
            "Top Afiliado",
            "Elite Nível 1",
            "Elite Nível 2",
            "Elite Nível 3",
            "Elite Nível 4",
            "Elite Nível 5",
            "Elite Nível 6",
            "Elite PRO 1",
            "Elite PRO 2",
            "Elite PRO 3",
            "Elite PRO 4",
            "Elite PRO 5",
            "Elite PRO 6",
        ]
    );
    let cards: Vec<(Group, Option<&str>)> = catalog()
        .plans
        .iter()
        .filter(|plan| plan.on_cards)
        .map(|plan| (plan.group.unwrap(), plan.tab.as_deref()))
        .collect();
    assert_eq!(
        cards,
        [
            (Group::TopAfiliado, None),
            (Group::Elite, Some("Nível 1")),
            (Group::Elite, Some("Nível 2")),
            (Group::Elite, Some("Nível 3")),
            (Group::ElitePro, Some("PRO 1")),
            (Group::ElitePro, Some("PRO 2")),
            (Group::ElitePro, Some("PRO 3")),
            (Group::ElitePro, Some("PRO 4")),
            (Group::ElitePro, Some("PRO 5")),
            (Group::ElitePro, Some("PRO 6")),
        ]
    );
    assert!(catalog().plans.iter().all(|plan| plan.is_for_sale() || !plan.on_cards));
}

#[test]
fn the_lines_of_a_card_list_the_limits() {
    assert_eq!(
        catalog().plan(PlanId::TOP_AFILIADO).feature_lines,
        [
            "1 número de WhatsApp",
            "3 grupos de WhatsApp e 3 de Telegram",
            "1 conta de bot no Telegram",
            "1 fila de envio",
            "2 modelos de post",
        ]
    );
    let pro = &catalog().plan(PlanId::ELITE_PRO_2).feature_lines;
    for line in [
        "2 números de WhatsApp",
        "Grupos ilimitados de WhatsApp e Telegram",
        "Canais de WhatsApp",
        "Links de convite únicos",
    ] {
        assert!(pro.iter().any(|shown| shown == line), "{line}");
    }
    assert!(catalog().plan(PlanId::FREE).feature_lines.is_empty());
}

#[test]
fn plan_names_are_unique_except_for_the_second_id_of_top_afiliado() {
    let mut names: Vec<&str> = catalog()
        .plans
        .iter()
        .filter(|plan| plan.id != PlanId::TOP_AFILIADO_PROMO)
        .map(|plan| plan.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PlanId::ALL.len() - 1);
}

proptest! {
    #[test]
    fn any_plan_name_finds_one_plan_or_none(
        text in prop_oneof![any::<String>(), "(?i)(top|elite|afiliado|pro|n[ií]vel|[0-9]|_| ){0,6}"]
    ) {
        let by_id = PlanId::parse(&text);
        prop_assert!(by_id.is_none_or(|id| id.as_str() == text));
        if let Some(plan) = catalog().plan_named(&text) {
            prop_assert_eq!(catalog().plan_named(&plan.name).map(|found| found.id), Some(plan.id));
            prop_assert_eq!(catalog().plan_named(plan.id.as_str()).map(|found| found.id), Some(plan.id));
        }
    }

    #[test]
    fn any_interval_or_coupon_is_parsed_or_refused(text in any::<String>()) {
        prop_assert!(crate::Interval::parse(&text).is_none_or(|interval| crate::Interval::parse(interval.written()) == Some(interval)));
        let _ = catalog().coupon_named(&text);
    }
}

#[test]
fn card_groups_have_names() {
    let names = [Group::TopAfiliado, Group::Elite, Group::ElitePro].map(Group::name);
    assert_eq!(names, ["Top Afiliado", "Elite", "Elite PRO"]);
}
