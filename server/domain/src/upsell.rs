//! The longer-period offers of /upsell: which show, and their numbers.

use crate::catalog::{Catalog, OfferTexts};
use crate::coupons::{ChosenCoupon, CouponRefusal, PriceContext};
use crate::money::{Centavos, monthly_equivalent, monthly_saving, percent_off};
use crate::period::Interval;
use crate::plans::{Plan, PlanId};
use crate::prices::{Quote, QuoteError, QuotedCoupon};

/// Content of /upsell for a selected plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upsell {
    /// The monthly purchase already chosen, as 'Continuar com o plano mensal' would make it.
    pub selected: Quote,
    /// The offers, shortest period first.
    pub offers: Vec<UpsellOffer>,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpsellOffer {
    /// Its id: the period as written, `trimestral`.
    pub id: &'static str,
    /// Title of the card in pt-BR.
    pub title: String,
    /// Its description, extra amount included.
    pub description: String,
    /// First payment of the offer less that of the selected monthly purchase.
    pub extra_amount: Centavos,
    /// The months of the period at the monthly price.
    pub original_price: Centavos,
    /// The first payment of the offer.
    pub price: Centavos,
    /// Charge of each period after the first.
    pub regular_price: Centavos,
    /// Percent off the original price.
    pub discount: u8,
    /// Saving per month.
    pub savings_amount: Centavos,
    /// Price of one month of the offer.
    pub monthly_equivalent: Centavos,
    /// The title above the features.
    pub features_title: String,
    /// Four lines.
    pub features: Vec<String>,
    /// Plan whose longer period is offered.
    pub plan: PlanId,
    /// The plan's display name.
    pub plan_name: String,
    /// Period that is offered.
    pub interval: Interval,
    /// Whether the card stands out.
    pub highlight: bool,
    /// The label on the card.
    pub badge: String,
    /// The coupon of the price; `None` at the list price.
    pub coupon: Option<QuotedCoupon>,
}

/// Whether the offer of a period shows for a plan of that name: quarterly and semiannual are hidden
/// for 'elite nível 1' and for names that contain 'elite pro'; the annual one always shows.
pub fn is_offer_shown(plan_name: &str, interval: Interval) -> bool {
    let name = plan_name.to_lowercase();
    let annual_alone = name == "elite nível 1" || name.contains("elite pro");
    match interval {
        Interval::Monthly => false,
        Interval::Quarterly | Interval::Semiannual => !annual_alone,
        Interval::Annual => true,
    }
}

impl Catalog {
    /// The offers for a selected plan and coupon. The coupon is dropped from an offer whose period
    /// it is not for. Each period has the lowest first payment of the selected, the kept and the
    /// campaign's coupon.
    ///
    /// # Errors
    /// [`QuoteError`] when the monthly purchase has no price with the selected coupon.
    pub fn upsell(
        &self,
        plan: &Plan,
        coupon: Option<&ChosenCoupon<'_>>,
        kept: Option<&ChosenCoupon<'_>>,
        context: &PriceContext,
    ) -> Result<Upsell, QuoteError> {
        let campaign = self.campaign_coupon(context);
        let lowest = |chosen: Quote| {
            let interval = chosen.interval;
            [kept, campaign.as_ref()]
                .into_iter()
                .flatten()
                .filter_map(|other| self.quote(plan, interval, Some(other), context).ok())
                .fold(chosen, |low, other| if other.first_payment < low.first_payment { other } else { low })
        };
        let selected = lowest(self.quote(plan, Interval::Monthly, coupon, context)?);
        let mut offers = Vec::new();
        for texts in self.offers.iter().filter(|texts| is_offer_shown(&plan.name, texts.interval)) {
            let quote = match self.quote(plan, texts.interval, coupon, context) {
                Err(QuoteError::CouponNotApplicable(CouponRefusal::MonthlyOnly)) => {
                    self.quote(plan, texts.interval, None, context)?
                }
                quote => quote?,
            };
            let last_line = self.offers_last_line.of(context.history);
            offers.push(UpsellOffer::new((texts, last_line), plan, lowest(quote), &selected));
        }
        Ok(Upsell { selected, offers })
    }
}

impl UpsellOffer {
    fn new((texts, last_line): (&OfferTexts, &str), plan: &Plan, quote: Quote, selected: &Quote) -> Self {
        let original_price = quote.original.unwrap_or(quote.list_price);
        let extra_amount = quote.first_payment - selected.first_payment;
        let savings_amount = monthly_saving(original_price, quote.first_payment, quote.interval.months());
        let fill = |text: &String| {
            text.replace("{extra}", &extra_amount.to_string())
                .replace("{months}", &quote.interval.months().to_string())
                .replace("{last_line}", last_line)
        };
        Self {
            id: quote.interval.written(),
            title: texts.title.clone(),
            description: fill(&texts.description),
            extra_amount,
            original_price,
            price: quote.first_payment,
            regular_price: quote.list_price,
            discount: percent_off(original_price, quote.first_payment).unwrap_or(0),
            savings_amount,
            monthly_equivalent: monthly_equivalent(quote.first_payment, quote.interval.months()),
            features_title: texts.features_title.clone(),
            features: texts.features.iter().map(fill).collect(),
            plan: plan.id,
            plan_name: plan.name.clone(),
            interval: quote.interval,
            highlight: texts.highlight,
            badge: texts.badge.clone(),
            coupon: quote.coupon,
        }
    }
}

#[cfg(test)]
mod tests;
