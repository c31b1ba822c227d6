//! `catalog/promotions.toml`: coupons, and the promotions that lead to them.

use serde::Deserialize;

use super::error::CatalogError;
use crate::coupons::{Coupon, Discount, SHARED_COUPON};
use crate::folding::fold;
use crate::money::Centavos;
use crate::plans::PlanId;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PromotionsFile {
    coupons: Vec<CouponRow>,
    promotions: Vec<PromotionRow>,
    other_promotion: PromotionRow,
}

impl PromotionsFile {
    /// Returns the coupons, the named promotions and the promotion of other codes, after checking
    /// that each refers to an allowed coupon.
    pub(super) fn checked(mut self) -> Result<(Vec<Coupon>, Vec<PromotionRow>, PromotionRow), CatalogError> {
        let coupons = self.coupons.into_iter().map(CouponRow::coupon).collect::<Result<Vec<_>, _>>()?;
        for (at, coupon) in coupons.iter().enumerate() {
            let clashes = |other: &Coupon| {
                fold(&other.id) == fold(&coupon.id) || fold(&other.code) == fold(&coupon.code)
            };
            if coupons[..at].iter().any(clashes) {
                return Err(CatalogError::Coupon(coupon.id.clone(), "has two rows"));
            }
        }
        for row in self.promotions.iter().chain([&self.other_promotion]) {
            let coupon = coupons.iter().find(|coupon| coupon.id == row.coupon_id);
            // A coupon of an amount has no percentage to show, so only its own code leads to it.
            let is_own = |coupon: &Coupon| {
                coupon.discount.percent().is_some() || row.codes.contains(&fold(&coupon.code))
            };
            if !coupon.is_some_and(is_own) {
                return Err(CatalogError::Coupon(row.coupon_id.clone(), "is no coupon with a percentage"));
            }
            if row.codes.iter().chain(&row.prefix).any(|code| *code != fold(code)) {
                return Err(CatalogError::Coupon(
                    row.coupon_id.clone(),
                    "has a code with capitals or accents",
                ));
            }
        }
        // A coupon's own id and code are codes of its promotion: who types one is shown what the
        // checkout takes.
        for row in &mut self.promotions {
            for coupon in coupons.iter().filter(|coupon| coupon.id == row.coupon_id) {
                for own in [fold(&coupon.id), fold(&coupon.code)] {
                    if !row.codes.contains(&own) {
                        row.codes.push(own);
                    }
                }
            }
        }
        if self.other_promotion.coupon_id != SHARED_COUPON {
            return Err(CatalogError::Coupon(self.other_promotion.coupon_id, "is not the shared coupon"));
        }
        Ok((coupons, self.promotions, self.other_promotion))
    }
}

/// A row of `[[promotions]]`, or `[other_promotion]`, in `catalog/promotions.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromotionRow {
    #[serde(default)]
    pub(crate) codes: Vec<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) coupon_id: String,
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) promo_message: String,
    pub(crate) special_offer: bool,
    pub(crate) show_countdown: bool,
    pub(crate) subtext_new: String,
}

/// A row of `[[coupons]]` in `catalog/promotions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CouponRow {
    id: String,
    code: String,
    percent: Option<u8>,
    amount_off: Option<Centavos>,
    #[serde(default)]
    first_subscription_only: bool,
    #[serde(default)]
    monthly_only: bool,
    #[serde(default)]
    campaign_only: bool,
    #[serde(default)]
    plans: Vec<PlanId>,
}

impl CouponRow {
    pub(super) fn coupon(self) -> Result<Coupon, CatalogError> {
        let discount = match (self.percent, self.amount_off) {
            (Some(percent @ 1..=100), None) => Discount::Percent(percent),
            (None, Some(amount)) if amount > Centavos::ZERO => Discount::Amount(amount),
            _ => {
                let problem = "takes off neither a percentage nor an amount, or both";
                return Err(CatalogError::Coupon(self.id, problem));
            }
        };
        Ok(Coupon {
            id: self.id,
            code: self.code,
            discount,
            first_subscription_only: self.first_subscription_only,
            monthly_only: self.monthly_only,
            campaign_only: self.campaign_only,
            plans: self.plans,
        })
    }
}
