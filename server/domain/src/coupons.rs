//! Coupons: what they take off the first payment, and where they are refused.

use crate::campaign::{Campaign, CampaignSwitch};
use crate::instant::Timestamp;
use crate::money::{Centavos, is_whole_percent, percent_of_half_up};
use crate::period::Interval;
use crate::plans::PlanId;

/// The coupon shared by every promo code without a row of its own.
pub const SHARED_COUPON: &str = "parceiro10";

/// A coupon of the catalogue; it acts once, on the first payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupon {
    /// Public id: in URLs, requests and metadata.
    pub id: String,
    /// Code that people type or copy.
    pub code: String,
    /// Discount on the first payment.
    pub discount: Discount,
    /// Refused to buyers who have had a paid subscription.
    pub first_subscription_only: bool,
    /// Refused on longer periods.
    pub monthly_only: bool,
    /// Refused while the campaign does not run.
    pub campaign_only: bool,
    /// The plans that it is for; empty for all.
    pub plans: Vec<PlanId>,
}

/// Discount of a coupon on the first payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discount {
    /// A percentage, 1 to 100; the discount is rounded half up to the centavo, then subtracted.
    Percent(u8),
    /// An amount, never more than the price.
    Amount(Centavos),
}

impl Discount {
    /// How much is taken off `price`: at most the price itself.
    pub fn on(self, price: Centavos) -> Centavos {
        match self {
            Discount::Percent(percent) => percent_of_half_up(price, percent).min(price),
            Discount::Amount(amount) => amount.min(price),
        }
    }

    /// Whether the discount on `price` has no fraction of a centavo, so that every rounding gives
    /// the same.
    pub fn is_whole_on(self, price: Centavos) -> bool {
        match self {
            Discount::Percent(percent) => is_whole_percent(price, percent),
            Discount::Amount(_) => true,
        }
    }

    /// The percentage; `None` for an amount.
    pub const fn percent(self) -> Option<u8> {
        match self {
            Discount::Percent(percent) => Some(percent),
            Discount::Amount(_) => None,
        }
    }
}

/// Whether the buyer has had a paid subscription before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyerHistory {
    /// Never; visitors count as such until they are known.
    FirstSubscription,
    /// At least one was paid.
    PaidBefore,
}

/// Inputs of a price besides plan, period and coupon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceContext {
    /// The instant of the question.
    pub now: Timestamp,
    /// Whether the campaign runs: by its dates, always or never.
    pub campaign: CampaignSwitch,
    /// The buyer's past.
    pub history: BuyerHistory,
}

/// Why a coupon does not apply to a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CouponRefusal {
    /// There is no such coupon.
    #[error("no such coupon")]
    Unknown,
    /// It is for first subscriptions.
    #[error("coupon is for the first subscription only")]
    NotFirstSubscription,
    /// It is for the monthly period.
    #[error("coupon is for the monthly period only")]
    MonthlyOnly,
    /// It is for other plans.
    #[error("coupon is not for this plan")]
    OtherPlan,
    /// Its campaign does not run.
    #[error("the coupon's campaign does not run")]
    CampaignOff,
}

/// A coupon with the code by which it was chosen, kept as metadata of the purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenCoupon<'c> {
    /// The catalogue's row.
    pub coupon: &'c Coupon,
    /// The code: the coupon's own, or the partner's where the coupon is shared.
    pub code: String,
}

/// A coupon as the payment provider holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderCoupon {
    /// Id at the provider: the coupon's own, or `{id}-{centavos}` for a derived coupon.
    pub id: String,
    /// Id of our coupon that this one is derived from; `None` for the coupon itself.
    pub derived_from: Option<String>,
    /// Name on the provider's page and invoice.
    pub name: String,
    /// Discount on the first payment.
    pub discount: Discount,
}

impl Coupon {
    /// The coupon itself, as the provider holds it.
    pub fn at_provider(&self) -> ProviderCoupon {
        ProviderCoupon {
            id: self.id.clone(),
            derived_from: None,
            name: self.code.clone(),
            discount: self.discount,
        }
    }

    /// The provider's coupon that gives exactly our discount on `price`.
    ///
    /// The provider does not document how it rounds half a centavo. Where the percentage of the
    /// price has a fraction of a centavo, this is a derived coupon that takes off the rounded
    /// amount.
    pub fn at_provider_for(&self, price: Centavos) -> ProviderCoupon {
        let amount = self.discount.on(price);
        if self.discount.is_whole_on(price) || amount == Centavos::ZERO {
            return self.at_provider();
        }
        ProviderCoupon {
            id: format!("{}-{}", self.id, amount.get()),
            derived_from: Some(self.id.clone()),
            name: self.code.clone(),
            discount: Discount::Amount(amount),
        }
    }

    /// Whether the coupon is ever accepted for a plan and period.
    pub(crate) fn is_for(&self, plan: PlanId, interval: Interval) -> bool {
        let is_plan = self.plans.is_empty() || self.plans.contains(&plan);
        is_plan && (!self.monthly_only || interval == Interval::Monthly)
    }

    /// Whether the coupon applies to a plan and period, in a context.
    ///
    /// # Errors
    /// The first [`CouponRefusal`] that applies.
    pub fn check(
        &self,
        plan: PlanId,
        interval: Interval,
        context: &PriceContext,
        campaign: &Campaign,
    ) -> Result<(), CouponRefusal> {
        if !self.plans.is_empty() && !self.plans.contains(&plan) {
            return Err(CouponRefusal::OtherPlan);
        }
        if self.campaign_only && !campaign.takes_coupon(context.now, context.campaign) {
            return Err(CouponRefusal::CampaignOff);
        }
        if self.first_subscription_only && context.history == BuyerHistory::PaidBefore {
            return Err(CouponRefusal::NotFirstSubscription);
        }
        if self.monthly_only && interval != Interval::Monthly {
            return Err(CouponRefusal::MonthlyOnly);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
