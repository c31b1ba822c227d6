//! Prints the computed catalogue as JSON for the web (`make gen` writes it to
//! `web/src/gen/catalog.json`).
//!
//! Every amount is in centavos and every text in pt-BR; the web formats amounts and computes none.
//! `null` means that the value is absent. Top-level names are apart so that a page's bundle carries only those
//! that it imports. The shape, as TypeScript would say it:
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
//!   black_november: FirstPayment | null;                     // its first month while the campaign runs
//! };
//! type FirstPayment = { first_month_centavos: number; coupon_id: string; coupon_code: string };
//! type Campaign = {
//!   coupon_id: string; first_day: string; last_day: string;  // 'dd/mm', São Paulo, both included
//!   title: string; subtitle: string; button_text: string; badge: string;
//!   subtext_new: string;            // beside a campaign price: 'no 1º mês'
//! };
//! type Promotion = {
//!   title: string; subtitle: string; discount: number; special_offer: boolean; promo_message: string;
//!   coupon_code: string; coupon_id: string; show_countdown: boolean; subtext_new: string;
//!   is_other: boolean;
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
//!   campaign_first_centavos: number;                         // first payment while the campaign runs
//!   period: Interval['period']; subtext: string;
//! };
//! type Rules = {
//!   pix_refund_days: number; origin_days: number; visit_count_days: number; arrival_days: number;
//!   conversion_days: number; consent_days: number; consent_version: string;
//! };
//! ```

use std::collections::BTreeMap;
use std::io::Write;

use garimpo_domain::brand::Brand;
use garimpo_domain::campaign::{CampaignSwitch, CampaignTexts, MonthDay};
use garimpo_domain::coupons::{BuyerHistory, PriceContext};
use garimpo_domain::guarantee::{GUARANTEE_DAYS, PIX_REFUND_DAYS};
use garimpo_domain::limits::Feature;
use garimpo_domain::money::{monthly_saving, percent_off};
use garimpo_domain::plans::Group;
use garimpo_domain::prices::QuoteError;
use garimpo_domain::promotions::{DEFAULT_PROMO_CODE, Promotion};
use garimpo_domain::trial::{TRIAL_DAYS, TRIAL_PLAN};
use garimpo_domain::{
    Catalog, Centavos, Interval, Plan, PlanId, Timestamp, attribution, catalog, consent, conversion,
};
use serde::Serialize;

#[derive(Serialize)]
struct Export {
    plans: Vec<CardPlan>,
    benefits: Benefits,
    campaign: Campaign,
    promotions: Vec<NamedPromotionPage>,
    other_promotion: PromotionPage,
    default_promo_code: &'static str,
    intervals: Vec<IntervalInfo>,
    all_plans: Vec<WholePlan>,
    trial: Trial,
    guarantee_days: i64,
    rules: Rules,
    brand: Brand,
}

#[derive(Serialize)]
struct Rules {
    pix_refund_days: i64,
    origin_days: i64,
    visit_count_days: i64,
    arrival_days: i64,
    conversion_days: i64,
    consent_days: i64,
    consent_version: &'static str,
}

#[derive(Serialize)]
struct CardPlan {
    id: PlanId,
    name: String,
    group: &'static str,
    tab: Option<String>,
    description: String,
    main_feature: String,
    highlight: bool,
    badge: Option<String>,
    button_text: String,
    features: Vec<String>,
    monthly: Monthly,
    black_november: Option<FirstPayment>,
}

#[derive(Serialize)]
struct Monthly {
    original_centavos: Option<Centavos>,
    price_centavos: Centavos,
}

#[derive(Serialize)]
struct FirstPayment {
    first_month_centavos: Centavos,
    coupon_id: String,
    coupon_code: String,
}

#[derive(Serialize)]
struct Benefits {
    title: String,
    items: Vec<String>,
}

#[derive(Serialize)]
struct Campaign {
    coupon_id: String,
    first_day: String,
    last_day: String,
    #[serde(flatten)]
    texts: CampaignTexts,
}

#[derive(Serialize)]
struct NamedPromotionPage {
    codes: Vec<String>,
    prefix: Option<String>,
    #[serde(flatten)]
    page: PromotionPage,
}

#[derive(Serialize)]
struct PromotionPage {
    #[serde(flatten)]
    promotion: Promotion,
    first_month_centavos: BTreeMap<PlanId, Centavos>,
}

#[derive(Serialize)]
struct IntervalInfo {
    interval: &'static str,
    plans_page: &'static str,
    name: &'static str,
    months: u32,
    days: u32,
    period: &'static str,
    subtext: &'static str,
}

#[derive(Serialize)]
struct WholePlan {
    id: PlanId,
    name: String,
    group: Option<&'static str>,
    tab: Option<String>,
    for_sale: bool,
    on_cards: bool,
    limits: BTreeMap<&'static str, Option<u32>>,
    features: Vec<&'static str>,
    prices: Vec<PeriodPrice>,
}

#[derive(Serialize)]
struct PeriodPrice {
    interval: &'static str,
    original_centavos: Option<Centavos>,
    price_centavos: Centavos,
    percent_off: Option<u8>,
    monthly_saving_centavos: Option<Centavos>,
    campaign_first_centavos: Centavos,
    period: &'static str,
    subtext: &'static str,
}

#[derive(Serialize)]
struct Trial {
    days: i64,
    plan_id: PlanId,
    plan_name: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut json = serde_json::to_vec_pretty(&export(catalog())?)?;
    json.push(b'\n');
    std::io::stdout().write_all(&json)?;
    Ok(())
}

fn export(catalog: &Catalog) -> Result<Export, QuoteError> {
    let mut plans = Vec::new();
    for plan in catalog.plans.iter().filter(|plan| plan.on_cards) {
        plans.extend(card_plan(catalog, plan)?);
    }
    let mut promotions = Vec::new();
    for named in catalog.named_promotions() {
        let page = promotion_page(catalog, named.promotion)?;
        promotions.push(NamedPromotionPage { codes: named.codes, prefix: named.prefix, page });
    }
    Ok(Export {
        plans,
        benefits: Benefits {
            title: catalog.cards.benefits_title.clone(),
            items: catalog.cards.benefits.clone(),
        },
        campaign: Campaign {
            coupon_id: catalog.campaign.coupon_id.clone(),
            first_day: day_and_month(catalog.campaign.first_day),
            last_day: day_and_month(catalog.campaign.last_day),
            texts: catalog.campaign.texts.clone(),
        },
        promotions,
        other_promotion: promotion_page(catalog, catalog.other_promotion("{code}"))?,
        default_promo_code: DEFAULT_PROMO_CODE,
        intervals: Interval::ALL.map(interval_info).into(),
        all_plans: catalog.plans.iter().map(|plan| whole_plan(catalog, plan)).collect::<Result<_, _>>()?,
        trial: Trial {
            days: TRIAL_DAYS,
            plan_id: TRIAL_PLAN,
            plan_name: catalog.plan(TRIAL_PLAN).name.clone(),
        },
        guarantee_days: GUARANTEE_DAYS,
        rules: Rules {
            pix_refund_days: PIX_REFUND_DAYS,
            origin_days: attribution::LIVES_DAYS,
            visit_count_days: attribution::KEPT_DAYS,
            arrival_days: attribution::ARRIVAL_KEPT_DAYS,
            conversion_days: conversion::GIVE_UP_AFTER_DAYS,
            consent_days: consent::LIVES_DAYS,
            consent_version: consent::TEXT_VERSION,
        },
        brand: catalog.brand.clone(),
    })
}

/// A plan as its card shows it; `None` for one without a card.
fn card_plan(catalog: &Catalog, plan: &Plan) -> Result<Option<CardPlan>, QuoteError> {
    let (Some(group), Some(texts)) = (plan.group, plan.texts.clone()) else { return Ok(None) };
    let quote = catalog.card_quote(plan, Interval::Monthly, None, &visitor(CampaignSwitch::On))?;
    Ok(Some(CardPlan {
        id: plan.id,
        name: plan.name.clone(),
        group: group.name(),
        tab: plan.tab.clone(),
        description: texts.description,
        main_feature: texts.main_feature,
        highlight: plan.highlight,
        badge: texts.badge,
        button_text: texts.button,
        features: plan.feature_lines.clone(),
        monthly: Monthly { original_centavos: quote.original, price_centavos: quote.list_price },
        black_november: quote.coupon.map(|coupon| FirstPayment {
            first_month_centavos: quote.first_payment,
            coupon_id: coupon.id,
            coupon_code: coupon.code,
        }),
    }))
}

fn whole_plan(catalog: &Catalog, plan: &Plan) -> Result<WholePlan, QuoteError> {
    let prices = if plan.for_sale() {
        Interval::ALL.into_iter().map(|interval| price(catalog, plan, interval)).collect::<Result<_, _>>()?
    } else {
        Vec::new()
    };
    Ok(WholePlan {
        id: plan.id,
        name: plan.name.clone(),
        group: plan.group.map(Group::name),
        tab: plan.tab.clone(),
        for_sale: plan.for_sale(),
        on_cards: plan.on_cards,
        limits: plan.limits.iter().map(|(resource, limit)| (resource.name(), limit.max())).collect(),
        features: plan.features.iter().map(Feature::name).collect(),
        prices,
    })
}

fn price(catalog: &Catalog, plan: &Plan, interval: Interval) -> Result<PeriodPrice, QuoteError> {
    let quote = catalog.card_quote(plan, interval, None, &visitor(CampaignSwitch::On))?;
    let (original, price) = (quote.original, quote.list_price);
    Ok(PeriodPrice {
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

fn promotion_page(catalog: &Catalog, promotion: Promotion) -> Result<PromotionPage, QuoteError> {
    let mut first_month_centavos = BTreeMap::new();
    for plan in catalog.plans_for_sale() {
        let context = visitor(CampaignSwitch::Off);
        let quote = catalog.card_quote(plan, Interval::Monthly, Some(&promotion), &context)?;
        first_month_centavos.insert(plan.id, quote.first_payment);
    }
    Ok(PromotionPage { promotion, first_month_centavos })
}

fn interval_info(interval: Interval) -> IntervalInfo {
    IntervalInfo {
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
