//! The catalogue as proto messages: plans, promotions, and offers.

use crate::rights::current;
use crate::store::{OrEmpty as _, Subscription, accounts, subscriptions, transaction};
use garimpo_domain::checkout::may_start;
use garimpo_domain::coupons::{ChosenCoupon, CouponRefusal};
use garimpo_domain::limits::{Feature, Features, Limit, Limits, Resource};
use garimpo_domain::prices::{QuoteError, QuotedCoupon};
use garimpo_domain::upsell::UpsellOffer;
use garimpo_domain::{
    BuyerHistory, Interval, Plan, PriceContext, PromoCode, Promotion, Quote, Timestamp, Uid, catalog,
};
use garimpo_proto::billing::v1 as pb;

use crate::billing::catalog::Offers;
use crate::billing::facts::current_subscription::buyer_history;
use crate::error::{Error, ErrorReason, Result};
use crate::wire::{instant, timestamp};

/// The caller whose prices are computed.
struct Buyer {
    prices: PriceContext,
    subscriptions: Vec<Subscription>,
    promo_removed_at: Option<Timestamp>,
}

impl Offers {
    /// The price context of an anonymous visitor.
    fn visitor(&self) -> PriceContext {
        self.prices_for(BuyerHistory::FirstSubscription)
    }

    /// The current price context of a buyer with this history.
    pub(crate) fn prices_for(&self, history: BuyerHistory) -> PriceContext {
        PriceContext { now: self.context.now(), campaign: self.campaign, history }
    }

    /// Serves ListPlans.
    pub(crate) fn list_plans(&self) -> pb::ListPlansResponse {
        let context = self.visitor();
        let campaign = &catalog().campaign;
        pb::ListPlansResponse {
            plans: catalog().plans.iter().map(|row| plan(row, &context)).collect(),
            server_time: Some(timestamp(context.now)),
            black_november: campaign.is_on(context.now, context.campaign),
            campaign_changes_at: campaign.changes_at(context.now, context.campaign).map(timestamp),
        }
    }

    /// Serves GetPromotion, for an account at the prices of its checkout.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the code is not 1 to 32 letters, digits, `_` or `-`.
    pub(crate) async fn get_promotion(
        &self,
        uid: Option<&Uid>,
        request: &pb::GetPromotionRequest,
    ) -> Result<pb::GetPromotionResponse> {
        let code = PromoCode::parse(&request.code).map_err(|why| {
            Error::refused(ErrorReason::InvalidArgument, "no promotion code")
                .with_field("code", why.to_string())
        })?;
        let buyer = self.buyer(uid).await?;
        let context = &buyer.prices;
        let promotion = catalog().promotion_at(&code, context.now, context.campaign);
        let kept_at = request.kept_at.as_ref().map(instant);
        let not_offered = self.reason_not_to_offer(&promotion, kept_at, &buyer);
        let prices = catalog()
            .plans_for_sale()
            .filter(|plan| plan.on_cards)
            .filter_map(|plan| catalog().card_quote(plan, Interval::Monthly, Some(&promotion), context).ok());
        let prices = prices.map(promotion_price).collect();
        Ok(pb::GetPromotionResponse {
            promotion: Some(promotion_on_the_wire(promotion, prices)),
            not_offered: not_offered.unwrap_or_default().to_owned(),
        })
    }

    /// Removes the promotion of an account, and every one that its browsers have kept until now.
    pub(crate) async fn remove_promotion(&self, uid: &Uid) -> Result<()> {
        let (uid, now) = (uid.clone(), self.context.now());
        transaction!(self.context, (uid), |tx| accounts::remove_promotion(tx, uid, now).await)
    }

    /// Why a promotion that a browser kept at that time must not be offered to the buyer.
    fn reason_not_to_offer(
        &self,
        promotion: &Promotion,
        kept_at: Option<Timestamp>,
        Buyer { prices: context, subscriptions: rows, promo_removed_at }: &Buyer,
    ) -> Option<&'static str> {
        if kept_at.zip(*promo_removed_at).is_some_and(|(kept, removed)| kept <= removed) {
            return Some("removed");
        }
        let state = current(rows).map(Subscription::state);
        if !may_start(state.as_ref(), context.now, &self.policy) {
            return Some("subscribed");
        }
        let is_same = |row: &&Subscription| {
            row.coupon_id.or_empty() == promotion.coupon_id
                && row.promo_code.or_empty() == promotion.coupon_code
        };
        // Whoever followed the promotion's link again after that purchase keeps a new one. The
        // provider's times are whole seconds.
        let is_since_kept = |row: &&Subscription| {
            let times = row.first_paid_at.zip(kept_at);
            row.is_counted_as_paid()
                && times.is_none_or(|(paid, kept)| paid.as_unix_seconds() >= kept.as_unix_seconds())
        };
        if rows.iter().filter(is_since_kept).any(|row| is_same(&row)) {
            return Some("used");
        }
        let is_for_first =
            catalog().coupon(&promotion.coupon_id).is_some_and(|coupon| coupon.first_subscription_only);
        (is_for_first && context.history == BuyerHistory::PaidBefore).then_some("first_subscription")
    }

    /// The caller as a buyer. A caller without an account buys for the first time.
    async fn buyer(&self, uid: Option<&Uid>) -> Result<Buyer> {
        let account = match uid {
            Some(uid) => accounts::by_uid(&self.context.store, uid).await?,
            None => None,
        };
        let Some(account) = account else {
            return Ok(Buyer { prices: self.visitor(), subscriptions: Vec::new(), promo_removed_at: None });
        };
        let subscriptions = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let prices = self.prices_for(buyer_history(&account, &subscriptions));
        Ok(Buyer { prices, subscriptions, promo_removed_at: account.promo_removed_at })
    }

    /// Serves ListUpsellOffers, for an account at the prices of its checkout.
    ///
    /// # Errors
    /// UNKNOWN_PLAN, PLAN_NOT_FOR_SALE, COUPON_NOT_APPLICABLE.
    pub(crate) async fn list_upsell_offers(
        &self,
        uid: Option<&Uid>,
        request: &pb::ListUpsellOffersRequest,
    ) -> Result<pb::ListUpsellOffersResponse> {
        let plan = catalog().plan_named(&request.plan_id).ok_or_else(|| unknown_plan("plan_id"))?;
        let coupon = coupon_named(&request.coupon_id)?;
        let kept = coupon_named(&request.kept_coupon_id)?;
        let buyer = self.buyer(uid).await?;
        let upsell =
            catalog().upsell(plan, coupon.as_ref(), kept.as_ref(), &buyer.prices).map_err(quote_refused)?;
        let (selected_coupon_id, selected_coupon_code) = coupon_fields(upsell.selected.coupon);
        Ok(pb::ListUpsellOffersResponse {
            offers: upsell.offers.into_iter().map(offer).collect(),
            selected_price_centavos: upsell.selected.first_payment.get(),
            monthly_price_centavos: upsell.selected.list_price.get(),
            plan_id: plan.id.as_str().to_owned(),
            plan_name: plan.name.clone(),
            selected_coupon_id,
            selected_coupon_code,
        })
    }
}

/// Id and code of a coupon; both empty without one.
fn coupon_fields(coupon: Option<QuotedCoupon>) -> (String, String) {
    coupon.map(|coupon| (coupon.id, coupon.code)).unwrap_or_default()
}

fn plan(plan: &Plan, context: &PriceContext) -> pb::Plan {
    let price = |interval| {
        let quote = catalog().card_quote(plan, interval, None, context).ok()?;
        let is_discounted = quote.first_payment != quote.list_price;
        Some(pb::PlanPrice {
            interval: self::interval(interval).into(),
            original_centavos: quote.original.unwrap_or(quote.list_price).get(),
            price_centavos: quote.list_price.get(),
            first_month_centavos: is_discounted.then(|| quote.first_payment.get()),
            coupon_id: quote.coupon.map(|coupon| coupon.id),
        })
    };
    pb::Plan {
        id: plan.id.as_str().to_owned(),
        name: plan.name.clone(),
        group: plan.group.filter(|_| plan.on_cards).map(|group| group.name().to_owned()).unwrap_or_default(),
        for_sale: plan.is_for_sale(),
        prices: Interval::ALL.into_iter().filter_map(price).collect(),
        limits: limits(&plan.limits),
        features: features(plan.features),
    }
}

/// All limits as proto messages.
pub(crate) fn limits(limits: &Limits) -> Vec<pb::Limit> {
    limits.iter().map(|(resource, limit)| limit_of(resource, limit)).collect()
}

/// All features as proto messages, on or off.
pub(crate) fn features(features: Features) -> Vec<pb::Feature> {
    let on_the_wire =
        |feature: Feature| pb::Feature { name: feature.name().to_owned(), enabled: features.has(feature) };
    Feature::ALL.into_iter().map(on_the_wire).collect()
}

/// A limit as a proto message.
pub(crate) fn limit_of(resource: Resource, limit: Limit) -> pb::Limit {
    let amount = match limit {
        Limit::Max(max) => pb::limit::Amount::Max(i64::from(max)),
        Limit::Unlimited => pb::limit::Amount::Unlimited(true),
    };
    pb::Limit { resource: resource.name().to_owned(), amount: Some(amount) }
}

fn promotion_price(quote: Quote) -> pb::PromotionPrice {
    pb::PromotionPrice {
        plan_id: quote.plan.as_str().to_owned(),
        price_centavos: quote.list_price.get(),
        first_month_centavos: quote.first_payment.get(),
    }
}

fn promotion_on_the_wire(promotion: Promotion, prices: Vec<pb::PromotionPrice>) -> pb::Promotion {
    pb::Promotion {
        coupon_code: promotion.coupon_code,
        coupon_id: promotion.coupon_id,
        title: promotion.title,
        subtitle: promotion.subtitle,
        discount: promotion.discount.into(),
        special_offer: promotion.special_offer,
        promo_message: promotion.promo_message,
        show_countdown: promotion.show_countdown,
        subtext_new: promotion.subtext_new,
        prices,
    }
}

fn offer(offer: UpsellOffer) -> pb::UpsellOffer {
    let (coupon_id, coupon_code) = coupon_fields(offer.coupon);
    pb::UpsellOffer {
        id: offer.id.to_owned(),
        title: offer.title,
        description: offer.description,
        extra_amount_centavos: offer.extra_amount.get(),
        original_price_centavos: offer.original_price.get(),
        price_centavos: offer.price.get(),
        discount: offer.discount.into(),
        savings_amount_centavos: offer.savings_amount.get(),
        features: offer.features,
        features_title: offer.features_title,
        plan_name: offer.plan_name,
        interval: offer.interval.written().to_owned(),
        highlight: offer.highlight,
        badge: offer.badge,
        renewal_price_centavos: offer.regular_price.get(),
        monthly_equivalent_centavos: offer.monthly_equivalent.get(),
        coupon_id,
        coupon_code,
    }
}

/// An interval as a proto enum.
pub(crate) fn interval(interval: Interval) -> pb::PlanInterval {
    match interval {
        Interval::Monthly => pb::PlanInterval::Monthly,
        Interval::Quarterly => pb::PlanInterval::Quarterly,
        Interval::Semiannual => pb::PlanInterval::Semiannual,
        Interval::Annual => pb::PlanInterval::Annual,
    }
}

/// An interval from the proto enum; `None` if unspecified.
pub(crate) fn interval_of(interval: pb::PlanInterval) -> Option<Interval> {
    Interval::ALL.into_iter().find(|own| self::interval(*own) == interval)
}

/// The error for a field that names no plan.
pub(crate) fn unknown_plan(field: &str) -> Error {
    Error::refused(ErrorReason::UnknownPlan, "no plan has this id or name").with_field(field, "unknown")
}

/// The coupon of a request; an empty text names none.
pub(crate) fn coupon_named(text: &str) -> Result<Option<ChosenCoupon<'static>>> {
    let named = || catalog().coupon_named(text).map_err(coupon_refused);
    (!text.trim().is_empty()).then(named).transpose()
}

/// A coupon that does not hold for this purchase.
pub(crate) fn coupon_refused(why: CouponRefusal) -> Error {
    Error::refused(ErrorReason::CouponNotApplicable, why.to_string())
}

/// A quote that the catalogue refuses.
pub(crate) fn quote_refused(error: QuoteError) -> Error {
    match error {
        QuoteError::PlanNotForSale(_) => Error::refused(ErrorReason::PlanNotForSale, error.to_string()),
        QuoteError::CouponNotApplicable(why) => coupon_refused(why),
    }
}
