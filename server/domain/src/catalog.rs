//! The one catalogue, read from `catalog/*.toml` at first use.

mod error;
mod plans_file;
mod promotions_file;
mod upsell_file;

pub use error::CatalogError;
pub(crate) use promotions_file::PromotionRow;
pub(crate) use upsell_file::{LastLine, OfferTexts};

use std::sync::LazyLock;

use serde::de::DeserializeOwned;

use crate::brand::Brand;
use crate::campaign::Campaign;
use crate::coupons::{Coupon, ProviderCoupon};
use crate::folding::fold;
use crate::limits::{LimitTexts, Resource};
use crate::period::Interval;
use crate::plans::{CardsText, Plan, PlanId};
use plans_file::PlansFile;
use promotions_file::PromotionsFile;
use upsell_file::UpsellFile;

const PLANS: &str = include_str!("../catalog/plans.toml");
const LIMITS: &str = include_str!("../catalog/limits.toml");
const PROMOTIONS: &str = include_str!("../catalog/promotions.toml");
const CAMPAIGN: &str = include_str!("../catalog/campaign.toml");
const UPSELL: &str = include_str!("../catalog/upsell.toml");
const BRAND: &str = include_str!("../catalog/brand.toml");

/// Plans, coupons, promotions, campaign, offers and brand: everything that the rules read.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Every plan: the thirteen for sale first, in the order of the price list.
    pub plans: Vec<Plan>,
    /// Benefits that every plan includes.
    pub cards: CardsText,
    /// Every coupon.
    pub coupons: Vec<Coupon>,
    /// The Black November campaign.
    pub campaign: Campaign,
    /// The company.
    pub brand: Brand,
    pub(crate) promotions: Vec<PromotionRow>,
    pub(crate) other_promotion: PromotionRow,
    pub(crate) offers: Vec<OfferTexts>,
    pub(crate) offers_last_line: LastLine,
}

/// The catalogue that this build carries, read once.
///
/// # Panics
/// Never in a build whose tests passed: they read the same files.
pub fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
        Catalog::read(PLANS, PROMOTIONS).expect("the embedded catalogue is read by this crate's tests")
    });
    &CATALOG
}

impl Catalog {
    /// Reads the embedded files, with the texts of the two whose rows tests break.
    fn read(plans: &str, promotions: &str) -> Result<Self, CatalogError> {
        let limit_texts: LimitTexts = file("limits.toml", LIMITS)?;
        let plans_file: PlansFile = file("plans.toml", plans)?;
        let promotions: PromotionsFile = file("promotions.toml", promotions)?;
        let campaign: Campaign = file("campaign.toml", CAMPAIGN)?;
        let upsell: UpsellFile = file("upsell.toml", UPSELL)?;
        let brand: Brand = file("brand.toml", BRAND)?;

        let cards = plans_file.cards.clone();
        let plans = plans_file.plans(&limit_texts)?;
        let (coupons, promotions, other_promotion) = promotions.checked()?;
        check_campaign(&campaign, &coupons)?;
        let (offers_last_line, offers) = upsell.checked()?;
        Ok(Catalog {
            plans,
            cards,
            coupons,
            campaign,
            brand,
            promotions,
            other_promotion,
            offers,
            offers_last_line,
        })
    }

    /// A plan by its id.
    ///
    /// # Panics
    /// Never: every id has a row, which reading the catalogue checks.
    pub fn plan(&self, id: PlanId) -> &Plan {
        self.plans.iter().find(|plan| plan.id == id).expect("every plan id has a row")
    }

    /// A plan by its id or display name, ignoring case, accents and repeated blanks.
    pub fn plan_named(&self, name: &str) -> Option<&Plan> {
        let wanted = fold(name);
        self.plans.iter().find(|plan| plan.id.as_str() == wanted || fold(&plan.name) == wanted)
    }

    /// The plans that can be bought, in the order of the price list.
    pub fn plans_for_sale(&self) -> impl Iterator<Item = &Plan> {
        self.plans.iter().filter(|plan| plan.is_for_sale())
    }

    /// The plan for sale with the lowest monthly price whose limit allows `wanted` of a resource in
    /// all.
    pub fn smallest_plan_for(&self, resource: Resource, wanted: u64) -> Option<&Plan> {
        self.plans_for_sale()
            .filter(|plan| plan.limits.get(resource).allows(wanted))
            .min_by_key(|plan| plan.list_price(Interval::Monthly).map(|list| list.price))
    }

    /// Every coupon that the provider must hold, derived coupons included, each once.
    pub fn provider_coupons(&self) -> Vec<ProviderCoupon> {
        let mut all: Vec<_> = self.coupons.iter().map(Coupon::at_provider).collect();
        for coupon in &self.coupons {
            for plan in self.plans_for_sale() {
                for interval in Interval::ALL.into_iter().filter(|interval| coupon.is_for(plan.id, *interval))
                {
                    let Some(list) = plan.list_price(interval) else { continue };
                    let held = coupon.at_provider_for(list.price);
                    if !all.iter().any(|other| other.id == held.id) {
                        all.push(held);
                    }
                }
            }
        }
        all
    }

    /// A coupon by its id.
    pub fn coupon(&self, id: &str) -> Option<&Coupon> {
        self.coupons.iter().find(|coupon| coupon.id == id)
    }

    /// How a stored plan is shown: by its display name, raw when unknown, `N/A` when missing.
    pub fn display_name<'a>(&'a self, plan: Option<&'a str>) -> &'a str {
        match plan {
            None | Some("") => "N/A",
            Some(raw) => self.plan_named(raw).map_or(raw, |plan| plan.name.as_str()),
        }
    }
}

fn check_campaign(campaign: &Campaign, coupons: &[Coupon]) -> Result<(), CatalogError> {
    if !campaign.has_valid_days() {
        return Err(CatalogError::Campaign("has days that do not follow each other in every year"));
    }
    if coupons.iter().any(|coupon| coupon.id == campaign.coupon_id && coupon.campaign_only) {
        Ok(())
    } else {
        Err(CatalogError::Campaign("names a coupon that is not its own"))
    }
}

fn file<T: DeserializeOwned>(name: &'static str, text: &str) -> Result<T, CatalogError> {
    toml::from_str(text).map_err(|error| CatalogError::File(name, error))
}

#[cfg(test)]
mod tests;
