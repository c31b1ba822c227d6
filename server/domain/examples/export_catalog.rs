//! Prints the computed catalogue as JSON for the web (`make gen` writes it to `web/src/gen/catalog.json`).
//!
//! Every amount is in centavos and every text in pt-BR; the web formats amounts and computes none. `null` is
//! "there is none". Its shape, as TypeScript would say it:
//!
//! ```ts
//! type Catalog = {
//!   plans: Plan[];                  // all; those for sale first, in the order of the specification
//!   cards: Card[];                  // Top Afiliado, Elite, Elite PRO: what the plans pages show
//!   benefits: { title: string; lines: string[] };            // 'Todos os planos incluem'
//!   intervals: IntervalInfo[];      // shortest first
//!   promotions: NamedPromotion[];   // codes with a row of their own
//!   otherPromotion: PromotionPage;  // any other code: put the code in capitals for '{code}'
//!   defaultPromoCode: string;       // what the promo pages behave as without a code
//!   blackNovember: BlackNovember;   // whether it runs now: /config.json
//!   trial: { days: number; planId: string; planName: string };
//!   guaranteeDays: number;
//!   statuses: { status: string; label: string }[];           // subscription_status in pt-BR
//!   brand: Brand;                   // name, tagline, founded, legalName, taxId, email, phone,
//! };                                // links {appLogin, helpCenter, whatsappSupport, whatsappSales},
//!                                   // socials {platform, name, url}[]
//! type Plan = {
//!   id: string; name: string; forSale: boolean; onCards: boolean;
//!   group: 'top_afiliado' | 'elite' | 'elite_pro' | null; groupName: string | null;
//!   tab: string | null;             // 'Nível 1', 'PRO 1'
//!   highlight: boolean;
//!   description: string | null; badge: string | null; buttonText: string | null; mainFeature: string | null;
//!   featureLines: string[];         // the card's lines
//!   limits: { resource: string; max: number | null }[];      // null: unlimited
//!   features: string[];             // names of those that are on
//!   prices: Price[];                // one per interval; empty when not for sale
//! };
//! type Card = { group: string; name: string; planIds: string[] };
//! type Price = {
//!   interval: 'monthly' | 'trimestral' | 'semestral' | 'anual';
//!   originalCentavos: number | null; priceCentavos: number;
//!   percentOff: number | null;      // of original to price
//!   monthlySavingCentavos: number | null;
//!   period: '/mês' | '/3 meses' | '/6 meses' | '/ano';
//!   subtext: string;
//!   firstPayment: { campaignOff: FirstPayment; campaignOn: FirstPayment };
//! };
//! type FirstPayment = {
//!   centavos: number; discountCentavos: number;
//!   couponId: string | null; couponCode: string | null;      // set: show 'no 1º mês' and '*depois'
//! };
//! type IntervalInfo = {
//!   interval: string; plansPage: 'month' | 'trimestral' | 'semestral' | 'anual'; name: string;
//!   months: number; days: number; period: string; subtext: string;
//! };
//! type PromotionPage = {
//!   title: string; subtitle: string; discount: number; specialOffer: boolean; promoMessage: string;
//!   couponCode: string; couponId: string; showCountdown: boolean; subtextNew: string; isOther: boolean;
//!   firstPayments: { [planId: string]: FirstPayment };       // monthly, of every plan for sale
//! };
//! type NamedPromotion = PromotionPage & { codes: string[]; prefix: string | null };
//! type BlackNovember = {
//!   couponId: string; firstDay: string; lastDay: string;     // 'dd/mm', São Paulo
//!   title: string; subtitle: string; buttonText: string; badge: string;
//!   subtextNew: string;             // beside a campaign price
//! };
//! ```

use std::collections::BTreeMap;
use std::io::Write;

use garimpo_domain::brand::Brand;
use garimpo_domain::campaign::{CampaignSwitch, CampaignTexts, MonthDay};
use garimpo_domain::coupons::{BuyerHistory, PriceContext};
use garimpo_domain::guarantee::GUARANTEE_DAYS;
use garimpo_domain::money::{monthly_saving, percent_off};
use garimpo_domain::plans::Group;
use garimpo_domain::prices::{Quote, QuoteError};
use garimpo_domain::promotions::{DEFAULT_PROMO_CODE, NamedPromotion, Promotion};
use garimpo_domain::subscription::Status;
use garimpo_domain::trial::{TRIAL_DAYS, TRIAL_PLAN};
use garimpo_domain::{Catalog, Centavos, Interval, Plan, PlanId, Timestamp, catalog};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    plans: Vec<ExportedPlan>,
    cards: Vec<Card>,
    benefits: Benefits,
    intervals: Vec<IntervalInfo>,
    promotions: Vec<ExportedNamedPromotion>,
    other_promotion: PromotionPage,
    default_promo_code: &'static str,
    black_november: BlackNovember,
    trial: Trial,
    guarantee_days: i64,
    statuses: Vec<StatusLabel>,
    brand: Brand,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportedPlan {
    id: PlanId,
    name: String,
    for_sale: bool,
    on_cards: bool,
    group: Option<&'static str>,
    group_name: Option<&'static str>,
    tab: Option<String>,
    highlight: bool,
    description: Option<String>,
    badge: Option<String>,
    button_text: Option<String>,
    main_feature: Option<String>,
    feature_lines: Vec<String>,
    limits: Vec<ExportedLimit>,
    features: Vec<&'static str>,
    prices: Vec<Price>,
}

#[derive(Serialize)]
struct ExportedLimit {
    resource: &'static str,
    max: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card {
    group: &'static str,
    name: &'static str,
    plan_ids: Vec<PlanId>,
}

#[derive(Serialize)]
struct Benefits {
    title: String,
    lines: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Price {
    interval: &'static str,
    original_centavos: Option<Centavos>,
    price_centavos: Centavos,
    percent_off: Option<u8>,
    monthly_saving_centavos: Option<Centavos>,
    period: &'static str,
    subtext: &'static str,
    first_payment: ByCampaign,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ByCampaign {
    campaign_off: FirstPayment,
    campaign_on: FirstPayment,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FirstPayment {
    centavos: Centavos,
    discount_centavos: Centavos,
    coupon_id: Option<String>,
    coupon_code: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
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
#[serde(rename_all = "camelCase")]
struct ExportedNamedPromotion {
    codes: Vec<String>,
    prefix: Option<String>,
    #[serde(flatten)]
    page: PromotionPage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PromotionPage {
    #[serde(flatten)]
    promotion: Promotion,
    first_payments: BTreeMap<PlanId, FirstPayment>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlackNovember {
    coupon_id: String,
    first_day: String,
    last_day: String,
    #[serde(flatten)]
    texts: CampaignTexts,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trial {
    days: i64,
    plan_id: PlanId,
    plan_name: String,
}

#[derive(Serialize)]
struct StatusLabel {
    status: &'static str,
    label: &'static str,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut json = serde_json::to_vec_pretty(&export(catalog())?)?;
    json.push(b'\n');
    std::io::stdout().write_all(&json)?;
    Ok(())
}

fn export(catalog: &Catalog) -> Result<Export, QuoteError> {
    let plans = catalog.plans.iter().map(|plan| exported_plan(catalog, plan)).collect::<Result<_, _>>()?;
    let promotions = catalog
        .named_promotions()
        .map(|NamedPromotion { codes, prefix, promotion }| {
            promotion_page(catalog, promotion).map(|page| ExportedNamedPromotion { codes, prefix, page })
        })
        .collect::<Result<_, _>>()?;
    Ok(Export {
        plans,
        cards: Group::ALL.map(|group| card(catalog, group)).into(),
        benefits: Benefits {
            title: catalog.cards.benefits_title.clone(),
            lines: catalog.cards.benefits.clone(),
        },
        intervals: Interval::ALL.map(interval_info).into(),
        promotions,
        other_promotion: promotion_page(catalog, catalog.other_promotion("{code}"))?,
        default_promo_code: DEFAULT_PROMO_CODE,
        black_november: BlackNovember {
            coupon_id: catalog.campaign.coupon_id.clone(),
            first_day: day_and_month(catalog.campaign.first_day),
            last_day: day_and_month(catalog.campaign.last_day),
            texts: catalog.campaign.texts.clone(),
        },
        trial: Trial {
            days: TRIAL_DAYS,
            plan_id: TRIAL_PLAN,
            plan_name: catalog.plan(TRIAL_PLAN).name.clone(),
        },
        guarantee_days: GUARANTEE_DAYS,
        statuses: Status::ALL
            .map(|status| StatusLabel { status: status.name(), label: status.label() })
            .into(),
        brand: catalog.brand.clone(),
    })
}

fn exported_plan(catalog: &Catalog, plan: &Plan) -> Result<ExportedPlan, QuoteError> {
    let texts = plan.texts.clone();
    let prices = if plan.for_sale() {
        Interval::ALL.into_iter().map(|interval| price(catalog, plan, interval)).collect::<Result<_, _>>()?
    } else {
        Vec::new()
    };
    Ok(ExportedPlan {
        id: plan.id,
        name: plan.name.clone(),
        for_sale: plan.for_sale(),
        on_cards: plan.on_cards,
        group: plan.group.map(Group::id),
        group_name: plan.group.map(Group::name),
        tab: plan.tab.clone(),
        highlight: plan.highlight,
        description: texts.as_ref().map(|texts| texts.description.clone()),
        badge: texts.as_ref().and_then(|texts| texts.badge.clone()),
        button_text: texts.as_ref().map(|texts| texts.button.clone()),
        main_feature: texts.map(|texts| texts.main_feature),
        feature_lines: plan.feature_lines.clone(),
        limits: plan
            .limits
            .iter()
            .map(|(resource, limit)| ExportedLimit { resource: resource.name(), max: limit.max() })
            .collect(),
        features: plan.features.iter().map(garimpo_domain::limits::Feature::name).collect(),
        prices,
    })
}

fn card(catalog: &Catalog, group: Group) -> Card {
    let shown = catalog.plans.iter().filter(|plan| plan.on_cards && plan.group == Some(group));
    Card { group: group.id(), name: group.name(), plan_ids: shown.map(|plan| plan.id).collect() }
}

fn price(catalog: &Catalog, plan: &Plan, interval: Interval) -> Result<Price, QuoteError> {
    let campaign_off = catalog.card_quote(plan, interval, None, &visitor(CampaignSwitch::Off))?;
    let campaign_on = catalog.card_quote(plan, interval, None, &visitor(CampaignSwitch::On))?;
    let (original, price) = (campaign_off.original, campaign_off.list_price);
    Ok(Price {
        interval: interval.written(),
        original_centavos: original,
        price_centavos: price,
        percent_off: original.and_then(|original| percent_off(original, price)),
        monthly_saving_centavos: original.map(|original| monthly_saving(original, price, interval.months())),
        period: interval.period_label(),
        subtext: interval.subtext(),
        first_payment: ByCampaign {
            campaign_off: first_payment(campaign_off),
            campaign_on: first_payment(campaign_on),
        },
    })
}

fn promotion_page(catalog: &Catalog, promotion: Promotion) -> Result<PromotionPage, QuoteError> {
    let first_payments = catalog
        .plans_for_sale()
        .map(|plan| {
            let context = visitor(CampaignSwitch::Off);
            let quote = catalog.card_quote(plan, Interval::Monthly, Some(&promotion), &context)?;
            Ok((plan.id, first_payment(quote)))
        })
        .collect::<Result<_, QuoteError>>()?;
    Ok(PromotionPage { promotion, first_payments })
}

fn first_payment(quote: Quote) -> FirstPayment {
    let (coupon_id, coupon_code) = quote.coupon.map(|coupon| (coupon.id, coupon.code)).unzip();
    FirstPayment { centavos: quote.first_payment, discount_centavos: quote.discount, coupon_id, coupon_code }
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
