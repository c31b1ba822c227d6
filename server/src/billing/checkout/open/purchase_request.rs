//! Reads a checkout request, and compares it with the checkout that is already open.

use garimpo_domain::checkout::PriceChanged;
use garimpo_domain::coupons::ChosenCoupon;
use garimpo_domain::{Interval, Plan, PlanId, catalog};
use garimpo_proto::billing::v1 as pb;

use crate::billing::catalog::wire;
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::Checkout;

/// What a request buys. Whether the plan is sold and the coupon applies is decided with the price.
pub(crate) struct PurchaseRequest {
    pub(super) plan: &'static Plan,
    pub(super) interval: Interval,
    pub(super) coupon: Option<ChosenCoupon<'static>>,
}

impl PurchaseRequest {
    /// Reads a request, and refuses all fields at once that are missing or unknown.
    pub(crate) fn read(request: &pb::CreateCheckoutSessionRequest) -> Result<Self> {
        let mut wrong = Violations::new();
        let email = Some(request.email.trim()).filter(|email| !email.is_empty());
        wrong.take("email", ErrorReason::InvalidArgument, email.ok_or("missing"));
        let plan = catalog().plan_named(&request.plan_name).ok_or("unknown");
        let plan = wrong.take("plan_name", ErrorReason::UnknownPlan, plan);
        let interval = Interval::parse(&request.interval).ok_or("unknown");
        let interval = wrong.take("interval", ErrorReason::UnknownInterval, interval);
        let (plan, interval) = wrong.finish(plan.zip(interval))?;
        Ok(Self { plan, interval, coupon: wire::coupon_named(&request.coupon_id)? })
    }

    /// Whether a checkout was begun for the same purchase. The price is not computed again, because
    /// a campaign may have ended.
    pub(super) fn is_of(&self, begun: &Checkout) -> bool {
        let coupon = self.coupon.as_ref();
        let (id, code) = (coupon.map(|c| c.coupon.id.as_str()), coupon.map(|c| c.code.as_str()));
        (self.plan.id, self.interval, id, code) == items_of(begun)
    }
}

/// The purchased items of a checkout, without prices.
pub(super) fn items_of(checkout: &Checkout) -> (PlanId, Interval, Option<&str>, Option<&str>) {
    (checkout.plan_id, checkout.plan_interval, checkout.coupon_id.as_deref(), checkout.promo_code.as_deref())
}

pub(super) fn price_changed(changed: PriceChanged) -> Error {
    Error::refused(ErrorReason::PriceChanged, changed.to_string())
        .with_metadata("price_centavos", changed.first_payment.get().to_string())
}
