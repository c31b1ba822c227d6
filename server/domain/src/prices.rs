//! The first payment. Cards, upsell, dialog, checkout, invoice and conversion event all take it
//! from [`Catalog::quote`], so that it is one number everywhere.

use crate::catalog::Catalog;
use crate::coupons::{ChosenCoupon, CouponRefusal, PriceContext};
use crate::money::Centavos;
use crate::period::Interval;
use crate::plans::{Plan, PlanId};
use crate::promotions::Promotion;

/// Price of a purchase: the first payment, and each later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The plan bought.
    pub plan: PlanId,
    /// Its period.
    pub interval: Interval,
    /// The struck price beside the list price, where there is one.
    pub original: Option<Centavos>,
    /// The price of each period, and of every payment after the first.
    pub list_price: Centavos,
    /// The coupon taken.
    pub coupon: Option<QuotedCoupon>,
    /// Discount of the coupon on the first payment.
    pub discount: Centavos,
    /// The first payment: list price less discount, never below zero.
    pub first_payment: Centavos,
}

/// The coupon of a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedCoupon {
    /// Its id in the catalogue and in URLs. The provider may hold a derived coupon for the price.
    pub id: String,
    /// The code by which it was chosen.
    pub code: String,
}

/// Why there is no price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// The plan exists but is not sold.
    #[error("plan {0} is not for sale")]
    PlanNotForSale(PlanId),
    /// The coupon does not apply.
    #[error(transparent)]
    CouponNotApplicable(#[from] CouponRefusal),
}

impl Catalog {
    /// The price of a plan for a period with the coupon chosen, or the reason against it.
    pub fn quote(
        &self,
        plan: &Plan,
        interval: Interval,
        coupon: Option<&ChosenCoupon<'_>>,
        context: &PriceContext,
    ) -> Result<Quote, QuoteError> {
        let list = plan.list_price(interval).ok_or(QuoteError::PlanNotForSale(plan.id))?;
        let discount = match coupon {
            None => Centavos::ZERO,
            Some(chosen) => {
                chosen.coupon.check(plan.id, interval, context, &self.campaign)?;
                chosen.coupon.discount.on(list.price)
            }
        };
        Ok(Quote {
            plan: plan.id,
            interval,
            original: list.original,
            list_price: list.price,
            coupon: coupon
                .map(|chosen| QuotedCoupon { id: chosen.coupon.id.clone(), code: chosen.code.clone() }),
            discount,
            first_payment: list.price - discount,
        })
    }

    /// The price on a plan's card: with the page's promotion where it was opened with a code, else
    /// with the campaign's coupon while the campaign runs, else the list price.
    pub fn card_quote(
        &self,
        plan: &Plan,
        interval: Interval,
        promotion: Option<&Promotion>,
        context: &PriceContext,
    ) -> Result<Quote, QuoteError> {
        let coupon = match promotion {
            Some(promotion) => self
                .coupon(&promotion.coupon_id)
                .map(|coupon| ChosenCoupon { coupon, code: promotion.coupon_code.clone() }),
            None => self.campaign_coupon(context),
        };
        match self.quote(plan, interval, coupon.as_ref(), context) {
            Err(QuoteError::CouponNotApplicable(_)) => self.quote(plan, interval, None, context),
            quote => quote,
        }
    }

    /// The coupon that the campaign puts on the cards while it runs.
    pub(crate) fn campaign_coupon(&self, context: &PriceContext) -> Option<ChosenCoupon<'_>> {
        if !self.campaign.is_on(context.now, context.campaign) {
            return None;
        }
        let coupon = self.coupon(&self.campaign.coupon_id)?;
        Some(ChosenCoupon { coupon, code: coupon.code.clone() })
    }
}

#[cfg(test)]
mod tests;
