//! Prints the computed catalogue as JSON for the web (`make gen` writes it to
//! `web/src/gen/catalog.json`).
//!
//! Every amount is in centavos and every text in pt-BR. The web formats amounts and computes none.
//! `null` means that the value is absent. A page's bundle contains only the top-level names that it
//! imports. The shape in TypeScript:
//!
//! ```ts
//! type Catalog = {
//!   plans: CardPlan[];              // the ten that the plans pages show, in order
//!   benefits: { title: string; items: string[] };            // 'Todos os planos incluem'
//!   campaign: Campaign;             // Black November; whether it runs now: /config.json
//!   promotions: NamedPromotion[];   // codes with a row of their own, and coupons' own codes
//!   other_promotion: Promotion;     // any other code: put the code in capitals for '{code}'
//!   default_promo_code: string;     // what the promo pages behave as without a code
//!   intervals: Interval[];          // shortest first
//!   all_plans: Plan[];              // every plan with rights and the prices of every period
//!   trial: { days: number; plan_id: string; plan_name: string };
//!   guarantee_days: number;
//!   rules: Rules;                   // what the legal texts promise, for their test alone
//!   brand: Brand;                   // catalog/brand.toml as it is
//! };
//! type CardPlan = {
//!   id: string; name: string;
//!   group: 'Top Afiliado' | 'Elite' | 'Elite PRO';
//!   tab: string | null;             // 'Nível 1', 'PRO 1'
//!   description: string; main_feature: string; highlight: boolean; badge: string | null;
//!   button_text: string;
//!   features: string[];             // the card's lines
//!   monthly: { original_centavos: number | null; price_centavos: number };
//!   black_november: FirstPayment | null;                     // first month during the campaign
//! };
//! type FirstPayment = { first_month_centavos: number; coupon_id: string; coupon_code: string };
//! type Campaign = {
//!   coupon_id: string; first_day: string; last_day: string;  // 'dd/mm', São Paulo, both included
//!   title: string; subtitle: string; button_text: string; badge: string;
//!   subtext_new: string;            // beside a campaign price: 'no 1º mês'
//! };
//! type Promotion = {
//!   title: string; subtitle: string; discount: number; special_offer: boolean;
//!   promo_message: string; coupon_code: string; coupon_id: string; show_countdown: boolean;
//!   subtext_new: string; is_other: boolean;
//!   first_month_centavos: { [plan_id: string]: number };     // of every plan for sale
//! };
//! type NamedPromotion = Promotion & { codes: string[]; prefix: string | null };
//! type Interval = {
//!   interval: 'monthly' | 'trimestral' | 'semestral' | 'anual';
//!   plans_page: 'month' | 'trimestral' | 'semestral' | 'anual';
//!   name: string; months: number; days: number;
//!   period: '/mês' | '/3 meses' | '/6 meses' | '/ano'; subtext: string;
//! };
//! type Plan = {
//!   id: string; name: string; group: CardPlan['group'] | null; tab: string | null;
//!   for_sale: boolean; on_cards: boolean;
//!   limits: { [resource: string]: number | null };           // null: unlimited
//!   features: string[];             // names of those that are on
//!   prices: Price[];                // one per interval; empty when not for sale
//! };
//! type Price = {
//!   interval: Interval['interval'];
//!   original_centavos: number | null; price_centavos: number;
//!   percent_off: number | null;     // of original to price
//!   monthly_saving_centavos: number | null;
//!   campaign_first_centavos: number;                         // first payment during the campaign
//!   period: Interval['period']; subtext: string;
//! };
//! type Rules = {
//!   pix_refund_days: number; origin_days: number; visit_count_days: number; arrival_days: number;
//!   conversion_days: number; consent_days: number; consent_version: string;
//! };
//! ```

#![expect(non_camel_case_types, reason = "in `object!` the type of a field has the field's name")]

use std::collections::BTreeMap;
use std::io::Write;

use garimpo_domain::campaign::{CampaignSwitch, MonthDay};
use garimpo_domain::coupons::{BuyerHistory, PriceContext};
use garimpo_domain::guarantee::{GUARANTEE_DAYS, PIX_REFUND_DAYS};
use garimpo_domain::limits::Feature;
use garimpo_domain::money::{monthly_saving, percent_off};
use garimpo_domain::plans::Group;
use garimpo_domain::prices::QuoteError;
use garimpo_domain::promotions::{DEFAULT_PROMO_CODE, Promotion};
use garimpo_domain::trial::{TRIAL_DAYS, TRIAL_PLAN};
use garimpo_domain::{Catalog, Interval, Plan, Timestamp, attribution, catalog, consent, conversion};
use serde::Serialize;

/// A value that is written as a JSON object with these fields, in their order.
macro_rules! object {
    ($($(#[$attribute:meta])* $field:ident: $value:expr,)*) => {{
        #[derive(Serialize)]
        struct Object<$($field),*> {
            $($(#[$attribute])* $field: $field,)*
        }
        Object { $($field: $value,)* }
    }};
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut json = serde_json::to_vec_pretty(&export(catalog())?)?;
    json.push(b'\n');
    std::io::stdout().write_all(&json)?;
    Ok(())
}

fn export(catalog: &Catalog) -> Result<impl Serialize, QuoteError> {
    let mut plans = Vec::new();
    for plan in catalog.plans.iter().filter(|plan| plan.on_cards) {
        plans.extend(card_plan(catalog, plan)?);
    }
    let mut promotions = Vec::new();
    for named in catalog.named_promotions() {
        promotions.push(object! {
            codes: named.codes,
            prefix: named.prefix,
            #[serde(flatten)]
            page: promotion_page(catalog, named.promotion)?,
        });
    }
    let campaign = &catalog.campaign;
    Ok(object! {
        plans: plans,
        benefits: object! { title: &catalog.cards.benefits_title, items: &catalog.cards.benefits, },
        campaign: object! {
            coupon_id: &campaign.coupon_id,
            first_day: day_and_month(campaign.first_day),
            last_day: day_and_month(campaign.last_day),
            #[serde(flatten)]
            texts: &campaign.texts,
        },
        promotions: promotions,
        other_promotion: promotion_page(catalog, catalog.other_promotion("{code}"))?,
        default_promo_code: DEFAULT_PROMO_CODE,
        intervals: Interval::ALL.map(interval_info),
        all_plans: catalog.plans.iter().map(|plan| whole_plan(catalog, plan)).collect::<Result<Vec<_>, _>>()?,
        trial: object! {
            days: TRIAL_DAYS,
            plan_id: TRIAL_PLAN,
            plan_name: &catalog.plan(TRIAL_PLAN).name,
        },
        guarantee_days: GUARANTEE_DAYS,
        rules: object! {
            pix_refund_days: PIX_REFUND_DAYS,
            origin_days: attribution::LIVES_DAYS,
            visit_count_days: attribution::KEPT_DAYS,
            arrival_days: attribution::ARRIVAL_KEPT_DAYS,
            conversion_days: conversion::GIVE_UP_AFTER_DAYS,
            consent_days: consent::LIVES_DAYS,
            consent_version: consent::TEXT_VERSION,
        },
        brand: &catalog.brand,
    })
}

/// A plan as its card shows it; `None` for one without a card.
fn card_plan(catalog: &Catalog, plan: &Plan) -> Result<Option<impl Serialize>, QuoteError> {
    let (Some(group), Some(texts)) = (plan.group, plan.texts.clone()) else { return Ok(None) };
    let quote = catalog.card_quote(plan, Interval::Monthly, None, &visitor(CampaignSwitch::On))?;
    Ok(Some(object! {
        id: plan.id,
        name: &plan.name,
        group: group.name(),
        tab: &plan.tab,
        description: texts.description,
        main_feature: texts.main_feature,
        highlight: plan.highlight,
        badge: texts.badge,
        button_text: texts.button,
        features: &plan.feature_lines,
        monthly: object! { original_centavos: quote.original, price_centavos: quote.list_price, },
        black_november: quote.coupon.map(|coupon| object! {
            first_month_centavos: quote.first_payment,
            coupon_id: coupon.id,
            coupon_code: coupon.code,
        }),
    }))
}

fn whole_plan(catalog: &Catalog, plan: &Plan) -> Result<impl Serialize, QuoteError> {
    let intervals = Interval::ALL.into_iter().filter(|_| plan.is_for_sale());
    Ok(object! {
        id: plan.id,
        name: &plan.name,
        group: plan.group.map(Group::name),
        tab: &plan.tab,
        for_sale: plan.is_for_sale(),
        on_cards: plan.on_cards,
        limits: plan
            .limits
            .iter()
            .map(|(resource, limit)| (resource.name(), limit.max()))
            .collect::<BTreeMap<_, _>>(),
        features: plan.features.iter().map(Feature::name).collect::<Vec<_>>(),
        prices: intervals.map(|interval| price(catalog, plan, interval)).collect::<Result<Vec<_>, _>>()?,
    })
}

fn price(catalog: &Catalog, plan: &Plan, interval: Interval) -> Result<impl Serialize, QuoteError> {
    let quote = catalog.card_quote(plan, interval, None, &visitor(CampaignSwitch::On))?;
    let (original, price) = (quote.original, quote.list_price);
    Ok(object! {
        interval: interval.written(),
        original_centavos: original,
        price_centavos: price,
        percent_off: original.and_then(|original| percent_off(original, price)),
        monthly_saving_centavos: original.map(|original| monthly_saving(original, price, interval.months())),
        campaign_first_centavos: quote.first_payment,
        period: interval.period_label(),
        subtext: interval.subtext(),
    })
}

fn promotion_page(catalog: &Catalog, promotion: Promotion) -> Result<impl Serialize, QuoteError> {
    let mut first_month_centavos = BTreeMap::new();
    for plan in catalog.plans_for_sale() {
        let context = visitor(CampaignSwitch::Off);
        let quote = catalog.card_quote(plan, Interval::Monthly, Some(&promotion), &context)?;
        first_month_centavos.insert(plan.id, quote.first_payment);
    }
    Ok(object! {
        #[serde(flatten)]
        promotion: promotion,
        first_month_centavos: first_month_centavos,
    })
}

fn interval_info(interval: Interval) -> impl Serialize {
    object! {
        interval: interval.written(),
        plans_page: interval.written_on_plans_page(),
        name: interval.name(),
        months: interval.months(),
        days: interval.days(),
        period: interval.period_label(),
        subtext: interval.subtext(),
    }
}

/// A visitor not known yet; with the campaign held on or off the date does not matter.
fn visitor(campaign: CampaignSwitch) -> PriceContext {
    PriceContext { now: Timestamp::from_micros(0), campaign, history: BuyerHistory::FirstSubscription }
}

fn day_and_month(day: MonthDay) -> String {
    format!("{:02}/{:02}", day.day, day.month)
}
