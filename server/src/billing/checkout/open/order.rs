//! Reads a checkout request and compares it with the checkout that is already open.

use garimpo_domain::checkout::{OrderError, PriceChanged};
use garimpo_domain::{Interval, PlanId, catalog};
use garimpo_proto::billing::v1 as pb;

use crate::billing::catalog::wire;
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::{Checkout, NonEmpty};

/// Refuses all fields at once that are missing or name nothing; whether what they name can be
/// bought is the quote's to say.
pub(crate) fn refuse_what_is_unknown(request: &pb::CreateCheckoutSessionRequest) -> Result<()> {
    let mut wrong = Violations::new();
    if request.email.trim().is_empty() {
        wrong.add("email", ErrorReason::InvalidArgument, "missing");
    }
    if catalog().plan_named(&request.plan_name).is_none() {
        wrong.add("plan_name", ErrorReason::UnknownPlan, "unknown");
    }
    if Interval::parse(&request.interval).is_none() {
        wrong.add("interval", ErrorReason::UnknownInterval, "unknown");
    }
    wrong.refuse()
}

/// What a checkout buys, whatever it costs.
pub(super) fn order_of(checkout: &Checkout) -> (PlanId, Interval, Option<&str>, Option<&str>) {
    (checkout.plan_id, checkout.plan_interval, checkout.coupon_id.as_deref(), checkout.promo_code.as_deref())
}

/// Whether a request asks for the purchase that was begun. Campaigns may have ended since: it is
/// priced no more.
pub(super) fn is_same_order(begun: &Checkout, request: &pb::CreateCheckoutSessionRequest) -> bool {
    let plan = catalog().plan_named(&request.plan_name).map(|plan| plan.id);
    let interval = Interval::parse(&request.interval);
    let coupon = match request.coupon_id.trim() {
        "" => Some((None, None)),
        text => catalog()
            .coupon_named(text)
            .ok()
            .map(|chosen| (NonEmpty::new(&chosen.coupon.id), NonEmpty::new(chosen.code))),
    };
    plan == Some(begun.plan_id)
        && interval == Some(begun.plan_interval)
        && coupon.is_some_and(|(id, code)| id == begun.coupon_id && code == begun.promo_code)
}

pub(super) fn order_refused(error: OrderError) -> Error {
    match error {
        OrderError::UnknownPlan => wire::unknown_plan("plan_name"),
        OrderError::PlanNotForSale => Error::refused(ErrorReason::PlanNotForSale, error.to_string()),
        OrderError::UnknownInterval => {
            Error::refused(ErrorReason::UnknownInterval, error.to_string()).with_field("interval", "unknown")
        }
        OrderError::CouponNotApplicable(why) => wire::coupon_refused(why),
    }
}

pub(super) fn price_changed(changed: PriceChanged) -> Error {
    Error::refused(ErrorReason::PriceChanged, changed.to_string())
        .with_metadata("price_centavos", changed.first_payment.get().to_string())
}
